"""Model text in the Hermes form that Qwen and others write: thoughts, prose, <tool_call> blocks."""

import json
import re
from collections.abc import Mapping
from typing import Any

from coworkgym.frozen import Json

_MARK = re.compile(r"<think>|</think>|^[ \t]*<tool_call>", re.MULTILINE)
_NAME = re.compile(r'"name"\s*:\s*"([^"]*)"')
_ARGUMENTS = re.compile(r'"arguments"\s*:\s*(?=\S)')
_DECODER = json.JSONDecoder()


def parse_model_text(text: str) -> dict[str, Any]:
    """Returns the assistant message that a model's text stands for.

    Thoughts (<think> ... </think>, or all before a </think> that began in the prompt) are not
    read; a call inside them does not run. A call begins on a line of its own: prose that mentions
    the markup is no call. A block that is not JSON stays a call, with its arguments as raw text, so
    that the office can say what is wrong; one that lacks only its last brace is read as if it were
    there.

    Args:
        text: What the model wrote in one turn, without its end-of-turn token.

    Returns:
        `content`, and `tool_calls` when there are any.
    """
    spoken: list[str] = []
    calls: list[dict[str, Json]] = []
    position = 0
    while mark := _MARK.search(text, position):
        spoken.append(text[position : mark.start()])
        if mark[0] == "<think>":
            position = _after(text, "</think>", mark.end())
        elif mark[0] == "</think>":
            spoken, calls, position = [], [], mark.end()
        else:
            call, position = _read_block(text, mark.end())
            calls.append(call)
    spoken.append(text[position:])
    message: dict[str, Any] = {"role": "assistant", "content": "".join(spoken).strip()}
    return message | ({"tool_calls": calls} if calls else {})


def _after(text: str, mark: str, start: int) -> int:
    """Where the text goes on behind a mark; at its end when the mark is missing."""
    place = text.find(mark, start)
    return len(text) if place < 0 else place + len(mark)


def _read_block(text: str, start: int) -> tuple[dict[str, Json], int]:
    """The call of a block, and where the text goes on. The markup may stand in its arguments."""
    begin = start + len(text[start:]) - len(text[start:].lstrip())
    try:
        parsed, end = _DECODER.raw_decode(text, begin)
    except (ValueError, RecursionError):
        parsed, end = None, begin
    rest = text[end:].lstrip()
    if isinstance(parsed, dict) and (not rest or rest.startswith("</tool_call>")):
        return _call_of(parsed), _after(text, "</tool_call>", end)
    end = _after(text, "</tool_call>", start)
    return _read_broken(text[start:end].removesuffix("</tool_call>").strip()), end


def _call_of(parsed: Mapping[str, Json]) -> dict[str, Json]:
    return {"name": parsed.get("name", ""), "arguments": parsed.get("arguments")}


def _read_broken(block: str) -> dict[str, Json]:
    try:
        repaired = json.loads(block + "}")
    except (ValueError, RecursionError):
        repaired = None
    if isinstance(repaired, dict):
        return _call_of(repaired)
    name, arguments = _NAME.search(block), _ARGUMENTS.search(block)
    return {
        "name": name[1] if name else "",
        "arguments": block[arguments.end() :] if arguments else block,
    }


def render_message(message: Mapping[str, Any]) -> str:
    """Returns an assistant message as model text; `parse_model_text` undoes it."""
    blocks = [
        f"<tool_call>\n{_call_text(call)}\n</tool_call>" for call in message.get("tool_calls", ())
    ]
    return "\n".join(part for part in (message["content"], *blocks) if part)


def _call_text(call: Mapping[str, Any]) -> str:
    return json.dumps({"name": call["name"], "arguments": call["arguments"]}, ensure_ascii=False)
