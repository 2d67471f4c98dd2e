"""Spaces: transcripts, tool calls, assistant messages and model text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import Space

from coworkgym.envs.raw_text import render_message
from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, FrozenList, Json, admit, freeze
from coworkgym.services import Tool
from coworkgym.transcript import Message

ROLES = ("system", "user", "assistant", "tool")

_WORDS = ("open", "report", "invoice", "Ana Roe", "bo@orga.test", "TK-1001", "你好", "1250.00", "")


class _DataSpace(Space[Any]):
    """A space of JSON data: no fixed shape, not flattenable, serialisable as it is."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(None, None, seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: a transcript has no fixed length."""
        return False

    def __eq__(self, other: object) -> bool:
        """Whether both contain the same things."""
        return type(self) is type(other)

    def __hash__(self) -> int:
        """Hash of the type."""
        return hash(type(self))

    def __repr__(self) -> str:
        """Returns the type's name."""
        return f"{type(self).__name__}()"

    def to_jsonable(self, sample_n: Iterable[Any]) -> list[Any]:
        """Returns a batch as it is: it is JSON."""
        return list(sample_n)

    def from_jsonable(self, sample_n: list[Any]) -> list[Any]:
        """Returns a batch, read-only again."""
        return [freeze(sample) for sample in sample_n]


class TranscriptSpace(_DataSpace):
    """Lists of chat messages with any text in them."""

    def contains(self, x: Any) -> bool:
        """Whether `x` is a list of messages, each with a role and a text."""
        return isinstance(x, list) and all(
            isinstance(message, Mapping)
            and str(message.get("role")) in ROLES
            and isinstance(message.get("content"), str)
            for message in x
        )

    def sample(self, mask: None = None, probability: None = None) -> FrozenList:
        """Draws a short talk."""
        roles = ("system", "user", "assistant")
        words = [str(self.np_random.choice(_WORDS)) for _ in roles]
        return FrozenList(FrozenDict(role=r, content=w) for r, w in zip(roles, words, strict=True))


class ToolCallSpace(_DataSpace):
    """Calls of the given tools whose arguments fit the schema: `{"name", "arguments"}`.

    Args:
        tools: The tools that may be called, by name.
        seed: Seed of `sample`.
    """

    def __init__(
        self, tools: Mapping[str, Tool], seed: int | np.random.Generator | None = None
    ) -> None:
        super().__init__(seed)
        self.tools = tools

    def contains(self, x: Any) -> bool:
        """Whether `x` is a call that the office would run."""
        if not isinstance(x, Mapping) or set(x) - {"name", "arguments"}:
            return False
        tool, arguments = self.tools.get(str(x.get("name"))), admit(x.get("arguments", {}))
        if tool is None or not isinstance(arguments, Mapping):
            return False
        try:
            tool.validate(arguments)
        except ToolError:
            return False
        return True

    def sample(self, mask: None = None, probability: None = None) -> FrozenDict:
        """Draws a tool and arguments that fit its schema."""
        schemas = [tool.schema for tool in self.tools.values()]
        return sample_call(self.np_random, schemas)

    def __eq__(self, other: object) -> bool:
        """Whether both offer the same tools."""
        return isinstance(other, ToolCallSpace) and list(self.tools) == list(other.tools)

    def __hash__(self) -> int:
        """Hash of the tools' names."""
        return hash(tuple(self.tools))

    def __repr__(self) -> str:
        """Returns the names of the tools."""
        return f"ToolCallSpace({', '.join(self.tools)})"


class AssistantMessageSpace(_DataSpace):
    """Whole assistant messages: text and any number of calls.

    Args:
        calls: The space of the single calls.
    """

    def __init__(self, calls: ToolCallSpace) -> None:
        super().__init__()
        self.calls = calls

    def contains(self, x: Any) -> bool:
        """Whether `x` is an assistant message with text, or calls that the office would run."""
        if not isinstance(x, Mapping) or x.get("role") != "assistant":
            return False
        calls = x.get("tool_calls", ())
        listed = all(self.calls.contains({k: c[k] for k in c if k != "id"}) for c in calls)
        return isinstance(x.get("content"), str) and listed and bool(x["content"] or calls)

    def sample(self, mask: None = None, probability: None = None) -> FrozenDict:
        """Draws a message with one or two calls."""
        count = int(self.np_random.integers(1, 3))
        schemas = [tool.schema for tool in self.calls.tools.values()]
        calls = [sample_call(self.np_random, schemas) for _ in range(count)]
        message: FrozenDict = freeze({"role": "assistant", "content": "", "tool_calls": calls})
        return message


class ModelTextSpace(_DataSpace):
    """Raw model text; any text is in it, `sample` draws text with calls.

    Args:
        messages: The space of the messages that the text stands for.
    """

    def __init__(self, messages: AssistantMessageSpace) -> None:
        super().__init__()
        self.messages = messages

    def contains(self, x: Any) -> bool:
        """Whether `x` is text."""
        return isinstance(x, str)

    def sample(self, mask: None = None, probability: None = None) -> str:
        """Draws a message with calls, as text."""
        schemas = [tool.schema for tool in self.messages.calls.tools.values()]
        call = sample_call(self.np_random, schemas)
        return render_message({"content": "", "tool_calls": [call]})


def sample_call(
    rng: np.random.Generator, tools: Sequence[Message], words: Sequence[str] = _WORDS
) -> FrozenDict:
    """Draws a tool and arguments that fit its JSON Schema.

    Args:
        rng: The only source of randomness.
        tools: Schemas with `name` and `parameters`.
        words: What text arguments are drawn from.
    """
    tool = tools[int(rng.integers(len(tools)))]
    parameters = tool["parameters"]
    arguments = {
        name: _sample_value(rng, schema, words)
        for name, schema in parameters["properties"].items()
        if name in parameters["required"] or rng.random() < 0.5
    }
    return FrozenDict(name=tool["name"], arguments=freeze(arguments))


def _sample_value(rng: np.random.Generator, schema: Message, words: Sequence[str]) -> Json:
    if "enum" in schema:
        return schema["enum"][int(rng.integers(len(schema["enum"])))]
    kind = schema.get("type")
    if kind == "boolean":
        return bool(rng.random() < 0.5)
    if kind == "integer":
        return int(rng.integers(1, 30))
    if kind == "number":
        return float(np.round(rng.random() * 1000, 2))
    if kind == "array":
        items = schema.get("items", {})
        return [_sample_value(rng, items, words) for _ in range(int(rng.integers(1, 3)))]
    if kind == "object":
        return {_sample_text(rng, {}, words): _sample_text(rng, {}, words)}
    return _sample_text(rng, schema, words)


def _sample_text(rng: np.random.Generator, schema: Message, words: Sequence[str]) -> str:
    if schema.get("format") == "date":
        return f"2026-{int(rng.integers(1, 13)):02d}-{int(rng.integers(1, 29)):02d}"
    if schema.get("format") == "decimal":
        return f"{rng.random() * 1000:.2f}"
    return str(words[int(rng.integers(len(words)))]) or "?"
