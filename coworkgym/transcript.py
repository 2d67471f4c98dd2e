"""The chat of one episode: messages, tool calls and their results, in order, append-only."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from coworkgym.frozen import FrozenDict, FrozenList, Json, freeze, thaw

Message = Mapping[str, Any]
"""One chat message: `role`, `content`, and where they apply `tool_calls`, `tool_call_id`."""


class ToolCall(NamedTuple):
    """One request of the agent.

    Attributes:
        name: The tool's name.
        arguments: A mapping, or JSON text as a model wrote it, or None for no arguments.
    """

    name: str
    arguments: Json = None


class ToolResult(NamedTuple):
    """What the office answered.

    Attributes:
        content: Compact JSON text, as the agent reads it.
        error: The error's code, or None when the call succeeded.
    """

    content: str
    error: str | None = None


class Transcript:
    """The messages of one episode. Forks share the messages, which are read-only."""

    __slots__ = ("_calls", "_messages")

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages: list[FrozenDict] = [freeze(message) for message in messages]
        self._calls = sum(len(message.get("tool_calls", ())) for message in self._messages)

    def __len__(self) -> int:
        """Number of messages."""
        return len(self._messages)

    @property
    def messages(self) -> FrozenList:
        """All messages so far, read-only; later steps do not change this list."""
        return FrozenList(self._messages)

    @property
    def last(self) -> FrozenDict:
        """The newest message."""
        return self._messages[-1]

    def extend(self, messages: Iterable[FrozenDict]) -> None:
        """Appends messages that are read-only already and hold no calls."""
        self._messages.extend(messages)

    def fork(self) -> "Transcript":
        """Returns an independent transcript with the same messages."""
        twin = Transcript()
        twin._messages = self._messages.copy()
        twin._calls = self._calls
        return twin

    def add_text(self, role: str, content: str) -> None:
        """Appends a system, user or assistant message without calls."""
        self._messages.append(FrozenDict(role=role, content=content))

    def add_calls(
        self, calls: Sequence[tuple[str, Json, str | None]], content: str = ""
    ) -> list[str]:
        """Appends an assistant message that asks for `calls`.

        Args:
            calls: (name, frozen arguments mapping, raw text) of each call, in call order; raw is
                what the model wrote when it is not a mapping, and None otherwise.
            content: Text beside the calls.

        Returns:
            The ids given to the calls: call_1, call_2 ... over the whole episode.
        """
        ids, entries = [], []
        for name, arguments, raw in calls:
            self._calls += 1
            call_id = f"call_{self._calls}"
            ids.append(call_id)
            entry = FrozenDict(id=call_id, name=name, arguments=arguments)
            entries.append(entry if raw is None else FrozenDict(entry, raw=raw))
        listed = FrozenList(entries)
        self._messages.append(FrozenDict(role="assistant", content=content, tool_calls=listed))
        return ids

    def add_result(self, call_id: str, content: str) -> None:
        """Appends the result of one call."""
        self._messages.append(FrozenDict(role="tool", tool_call_id=call_id, content=content))


def to_openai(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Returns messages in the string-argument form of the OpenAI API; `from_openai` undoes it."""
    return [_message_to_openai(message) for message in messages]


def from_openai(messages: Iterable[Message]) -> FrozenList:
    """Returns messages in coworkgym's form from the string-argument form."""
    return FrozenList([freeze(_message_from_openai(message)) for message in messages])


def tools_to_openai(tools: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns tool schemas wrapped as OpenAI and most chat templates expect them."""
    return [{"type": "function", "function": thaw(tool)} for tool in tools]


def _message_to_openai(message: Message) -> dict[str, Any]:
    plain: dict[str, Any] = thaw(message)
    if "tool_calls" in plain:
        plain["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {
                    "name": call["name"],
                    "arguments": call.get("raw", json.dumps(call["arguments"], ensure_ascii=False)),
                },
            }
            for call in plain["tool_calls"]
        ]
    return plain


def _message_from_openai(message: Message) -> dict[str, Any]:
    plain = dict(message)
    plain["content"] = plain.get("content") or ""
    calls = plain.pop("tool_calls", None)
    if calls:
        plain["tool_calls"] = [_call_from_openai(call) for call in calls]
    return plain


def _call_from_openai(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    text = function["arguments"]
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        arguments = None
    entry = {"id": call["id"], "name": function["name"], "arguments": arguments}
    if not isinstance(arguments, dict):
        entry |= {"arguments": {}, "raw": text}
    return entry
