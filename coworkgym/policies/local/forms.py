"""Forms: how a model writes a tool call, read as an assistant message and written back.

A call that cannot be read stays a call, with what was written as its arguments' text, so that the
office can say what is wrong. Text would silently be the final reply.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from coworkgym.envs.raw_text import parse_model_text
from coworkgym.errors import unknown
from coworkgym.frozen import Json

CallForm = Literal["hermes", "llama", "json", "tokenizer"]
"""`tokenizer`: whatever the tokenizer's own `response_template` reads."""

FORMS: tuple[CallForm, ...] = ("hermes", "llama", "json", "tokenizer")

_KEYS = {"hermes": "arguments", "llama": "parameters", "json": "arguments"}
_TAG = "<|python_tag|>"
_BEGINS_CALL = re.compile(r"^\s*(<tool_call>|\{|```|<\|python_tag\|>)", re.MULTILINE)
_FENCE = re.compile(
    r"^```(?:json|tool_call)?[ \t]*\n(.*?)(?:\n```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_OBJECT = re.compile(
    r'^[ \t]*\{\s*"(?:id|type|name|tool|function|arguments|parameters)"\s*:', re.MULTILINE
)
_NAME = re.compile(r'"name"\s*:\s*"([^"]*)"')
_ARGUMENTS = re.compile(r'"(?:arguments|parameters)"\s*:\s*(?=\S)')
_DECODER = json.JSONDecoder()


def require_form(name: str) -> CallForm:
    """Returns `name` when it is a form.

    Raises:
        UnknownNameError: With the nearest match.
    """
    for form in FORMS:
        if form == name:
            return form
    raise unknown("call form", name, FORMS)


def form_of(chat_template: str, has_response_template: bool = False) -> CallForm | None:
    """Returns the form that a chat template writes calls in; None when it knows no tools.

    Args:
        chat_template: Jinja text.
        has_response_template: Whether the tokenizer can parse what its model writes.
    """
    if "tool_call" not in chat_template and "tools" not in chat_template:
        return None
    if "<tool_call>" in chat_template and "<arg_key>" not in chat_template:
        xml = "<function=" in chat_template  # Qwen3-Coder and its kin: XML inside the block
        return "tokenizer" if xml and has_response_template else "hermes"
    if "parameters" in chat_template and ("ipython" in chat_template or _TAG in chat_template):
        return "llama"
    return "tokenizer" if has_response_template else "json"


def parse_text(text: str, form: CallForm, *, opened: bool = False) -> dict[str, Any]:
    """Returns the assistant message that a model's text stands for.

    Args:
        text: What the model wrote in one turn, without its end-of-turn token.
        form: Any but `tokenizer`.
        opened: Whether the prompt ended inside <think>.

    Returns:
        `content`, `tool_calls` when there are any, `reasoning` when the model thought first.
    """
    reasoning, spoken = _split_reasoning(text, opened)
    message = parse_model_text(spoken) if form == "hermes" else _parse_objects(spoken)
    return message | ({"reasoning": reasoning} if reasoning else {})


def parse_with(parse: Callable[[str], Mapping[str, Any]], text: str) -> dict[str, Any]:
    """Returns the message that a tokenizer's own parser finds in a text.

    A parser that gives up leaves a call whose arguments are all that was written.

    Args:
        parse: Such as `tokenizer.parse_response`, with what it needs bound.
        text: What the model wrote in one turn, its end-of-turn token included.
    """
    try:
        found = parse(text)
        calls = [_call_of(call.get("function", call)) for call in found.get("tool_calls") or ()]
    except (ValueError, TypeError, KeyError, AttributeError):  # no JSON, or not that of a call
        return {"role": "assistant", "content": "", "tool_calls": [_broken(text)]}
    reasoning = found.get("reasoning_content") or found.get("thinking") or ""
    message: dict[str, Any] = {"role": "assistant", "content": found.get("content") or ""}
    message |= {"tool_calls": calls} if calls else {}
    return message | ({"reasoning": reasoning} if reasoning else {})


def render_message(message: Mapping[str, Any], form: CallForm) -> str:
    """Returns an assistant message as model text; `parse_text` undoes it.

    Args:
        message: Its calls may hold `raw`, the text of arguments that are no object.
        form: `tokenizer` is written as `hermes`.
    """
    calls = [
        _call_text(call, _KEYS.get(form, "arguments")) for call in message.get("tool_calls", ())
    ]
    if form in ("hermes", "tokenizer"):
        calls = [f"<tool_call>\n{call}\n</tool_call>" for call in calls]
    thought = message.get("reasoning")
    thoughts = f"<think>\n{thought}\n</think>\n\n" if thought else ""
    return thoughts + "\n".join(part for part in (message.get("content"), *calls) if part)


def _call_text(call: Mapping[str, Any], key: str) -> str:
    raw = call.get("raw")
    if raw is None:
        named = {"name": call["name"], key: call["arguments"]}
        return json.dumps(named, ensure_ascii=False)
    if not call["name"]:
        return str(raw)
    head = f'{{"name": {json.dumps(call["name"], ensure_ascii=False)}, "{key}": {raw}'
    return head + "}" if _reads(str(raw)) else head


def _reads(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _split_reasoning(text: str, opened: bool) -> tuple[str, str]:
    """The thoughts a text begins with, and what is said after them."""
    stripped = text.lstrip()
    head, mark, rest = text.partition("</think>")
    if opened or stripped.startswith("<think>"):
        return head.lstrip().removeprefix("<think>").strip(), rest
    if mark and "<think>" not in head and not _BEGINS_CALL.search(head):
        return head.strip(), rest
    return "", text


def _parse_objects(text: str) -> dict[str, Any]:
    """Reads calls that are JSON objects on lines of their own, tagged, fenced or bare."""
    spoken: list[str] = []
    calls: list[dict[str, Json]] = []
    rest = _FENCE.sub(_unfenced, text)
    while begin := _begin_of_call(rest):
        spoken.append(rest[: begin[0]])
        call, end = _read_object(rest, begin[1])
        calls.append(call)
        rest = rest[end:].lstrip("; \t\n,")
    spoken.append(rest)
    message: dict[str, Any] = {"role": "assistant", "content": "".join(spoken).strip()}
    return message | ({"tool_calls": calls} if calls else {})


def _unfenced(fence: re.Match[str]) -> str:
    """The inside of a fence that holds a call; other fences are prose."""
    return fence[1] if _OBJECT.match(fence[1]) else fence[0]


def _begin_of_call(text: str) -> tuple[int, int] | None:
    """Where the prose before the next call ends, and where its object begins."""
    tag, found = text.find(_TAG), _OBJECT.search(text)
    if tag >= 0 and (found is None or tag < found.start()):
        return tag, tag + len(_TAG)
    return (found.start(), found.start()) if found else None


def _read_object(text: str, start: int) -> tuple[dict[str, Json], int]:
    """The call that begins at a place, and where the text goes on behind it."""
    begin = start + len(text[start:]) - len(text[start:].lstrip())
    try:
        parsed, end = _DECODER.raw_decode(text, begin)
    except (ValueError, RecursionError):
        return _broken(text[begin:]), len(text)
    if not isinstance(parsed, dict):
        return _broken(text[begin:]), len(text)
    inner = parsed.get("function")
    return _call_of(inner if isinstance(inner, Mapping) else parsed), end


def _call_of(parsed: Mapping[str, Json]) -> dict[str, Json]:
    arguments = parsed.get("arguments", parsed.get("parameters"))
    return {"name": parsed.get("name") or parsed.get("function") or "", "arguments": arguments}


def _broken(text: str) -> dict[str, Json]:
    """A call that is not JSON: read as if its last brace were there, else kept as text."""
    block = text.strip()
    try:
        repaired = json.loads(block + "}")
    except (ValueError, RecursionError):
        repaired = None
    if isinstance(repaired, dict):
        return _call_of(repaired)
    name, arguments = _NAME.search(block), _ARGUMENTS.search(block)
    written = block[arguments.end() :] if arguments else block
    return {"name": name[1] if name else "", "arguments": written}
