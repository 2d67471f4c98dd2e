"""Model text in the Hermes form that Qwen and others write: thoughts, prose, <tool_call> blocks."""

import json
import re
from collections.abc import Mapping
from typing import Any

from coworkgym.frozen import Json

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_CALL = re.compile(r"^[ \t]*<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r'"name"\s*:\s*"([^"]*)"')
_ARGUMENTS = re.compile(r'"arguments"\s*:\s*(?=\S)')


def parse_model_text(text: str) -> dict[str, Any]:
    """Returns the assistant message that a model's text stands for.

    Thoughts (<think> ... </think>) are not read; a call inside them does not run. A call begins on
    a line of its own, so prose that mentions the markup is no call. A block that is not JSON stays
    a call, with its arguments as raw text, so that the office can say what is wrong; one that
    lacks only its last brace is read as if it were there.

    Args:
        text: What the model wrote in one turn, without its end-of-turn token.

    Returns:
        `content`, and `tool_calls` when there are any.
    """
    spoken = _THOUGHT.sub("", text)
    calls = [_read_call(block) for block in _CALL.findall(spoken)]
    message: dict[str, Any] = {"role": "assistant", "content": spoken.strip()}
    if calls:
        message["content"] = _CALL.sub("", spoken).strip()
        message["tool_calls"] = calls
    return message


def render_message(message: Mapping[str, Any]) -> str:
    """Returns an assistant message as model text; `parse_model_text` undoes it."""
    blocks = [
        f"<tool_call>\n{_call_text(call)}\n</tool_call>" for call in message.get("tool_calls", ())
    ]
    return "\n".join(part for part in (message["content"], *blocks) if part)


def _call_text(call: Mapping[str, Any]) -> str:
    return json.dumps({"name": call["name"], "arguments": call["arguments"]}, ensure_ascii=False)


def _read_call(block: str) -> dict[str, Json]:
    block = block.strip()
    parsed = _loads(block) or _loads(block + "}")
    if isinstance(parsed, dict):
        return {"name": parsed.get("name", ""), "arguments": parsed.get("arguments")}
    name, arguments = _NAME.search(block), _ARGUMENTS.search(block)
    return {
        "name": name[1] if name else "",
        "arguments": block[arguments.end() :] if arguments else block,
    }


def _loads(text: str) -> Json:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None
