"""Actions: what an agent sends, read as tool calls."""

import json
from collections.abc import Mapping

from coworkgym.frozen import FrozenDict, Json, json_text
from coworkgym.transcript import ToolCall


def read_call(action: object) -> ToolCall:
    """Returns the call that an action stands for; whatever is no call becomes a malformed one.

    Arguments that are the JSON text of an object count as that object; `raw` goes before them.
    """
    if isinstance(action, ToolCall):
        return ToolCall(action.name, _object(action.arguments))
    if type(action) is dict or isinstance(action, Mapping):
        inner = action.get("function") if "function" in action else action
        if isinstance(inner, dict | Mapping) and "name" in inner:
            return ToolCall(inner["name"], _object(inner.get("raw", inner.get("arguments"))))
    return ToolCall("", {"action": action})


def _object(arguments: Json) -> Json:
    if type(arguments) is not str:
        return arguments
    try:
        parsed = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return parsed if isinstance(parsed, dict) else arguments


def entry_of(name: Json, raw: Json) -> tuple[str, Json, str | None]:
    """Returns how a call stands in the transcript: name, arguments, text of what is no object."""
    text = name if type(name) is str else json_text(name)
    if raw is None or type(raw) is FrozenDict:
        return text, raw or FrozenDict(), None
    return text, FrozenDict(), raw if type(raw) is str else json_text(raw)
