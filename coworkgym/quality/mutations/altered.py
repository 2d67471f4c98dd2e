"""Altered calls: aimed at another record, with another argument, or stating another value."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from coworkgym.frozen import FrozenDict, Json, freeze
from coworkgym.quality.mutations.values import Values, other_texts, restated
from coworkgym.services import Tool
from coworkgym.services.addresses import split_recipients
from coworkgym.transcript import ToolCall

WORDING = frozenset(
    {
        "text", "subject", "body", "message", "reason", "resolution", "title", "summary",
        "content", "description", "notes",
    }
)  # fmt: skip
"""Arguments that are wording, whatever the tool."""


class Altered(NamedTuple):
    """A call that differs in one argument, or in one value of its wording, and what differs."""

    what: str
    call: ToolCall


def retargeted(call: ToolCall, values: Values) -> Iterator[Altered]:
    """Yields the call aimed at others: every id, name, path and address replaced, or left out."""
    for name, items, joined in _aims(call, values):
        for place, item in enumerate(items):
            others = [[other] for other in values.others(item)]
            for instead in [*others, []] if len(items) > 1 else others:
                if not set(instead) & set(items):
                    changed = [*items[:place], *instead, *items[place + 1 :]]
                    yield _with(call, name, joined(changed))


def rearranged(
    call: ToolCall, tool: Tool, values: Values, labels: Sequence[str]
) -> Iterator[Altered]:
    """Yields the call with another hard argument each: option, number, date, account, list.

    Args:
        call: Of a writing tool.
        tool: The tool.
        values: Of the records.
        labels: Texts that stand in lists elsewhere; one is put into lists that name no record.
    """
    for name, items, joined in _aims(call, values):
        if _is_several(call.arguments[name]):
            others = (o for item in items for o in values.others(item) if o not in items)
            yield from (_with(call, name, joined([*items, other])) for other in islice(others, 1))
    aimed = {name for name, *_ in _aims(call, values)}
    for name, value in call.arguments.items():
        if name not in WORDING and name not in aimed:
            schema = tool.schema["parameters"]["properties"].get(name, FrozenDict())
            for other in _others(value, schema, labels):
                if other != value:
                    yield _with(call, name, other)


def misstated(call: ToolCall, values: Values) -> Iterator[Altered]:
    """Yields the call with each value that its wording states replaced throughout by another."""
    texts = wording(call)
    for value, other in values.stated("\n".join(texts.values())):
        changed = {name: restated(text, value, other) for name, text in texts.items()}
        yield Altered(f"{value} -> {other}", ToolCall(call.name, freeze(call.arguments | changed)))


def wording(call: ToolCall) -> dict[str, str]:
    """Returns the arguments of a call that are wording."""
    given = call.arguments.items()
    return {n: value for n, value in given if n in WORDING and isinstance(value, str)}


def _aims(
    call: ToolCall, values: Values
) -> Iterator[tuple[str, list[str], Callable[[Iterable[str]], Json]]]:
    """Yields the arguments that name records or people: name, items, how items become a value."""
    for name, value in call.arguments.items():
        if name in WORDING:
            continue
        if isinstance(value, list):
            items = [item for item in value if isinstance(item, str)]
        elif isinstance(value, str):
            items = [value] if values.knows(value) else split_recipients(value)
        else:
            continue
        if items and all(map(values.knows, items)):
            yield name, items, list if isinstance(value, list) else ", ".join


def _is_several(value: Json) -> bool:
    """Whether an argument can hold one more: a list, or recipients as text."""
    return isinstance(value, list) or "@" in str(value)


def _others(value: Json, schema: FrozenDict, labels: Sequence[str]) -> list[Json]:
    """Other values for an argument that is no wording."""
    if "enum" in schema:
        return list(schema["enum"])
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1]
    if isinstance(value, list):
        more = [label for label in labels if label not in value][:1]
        return [value[:-1], *([*kept, *more] for kept in (value, value[:-1]) if more)]
    return list(other_texts(value, schema)) if isinstance(value, str) else []


def _with(call: ToolCall, name: str, value: Json) -> Altered:
    return Altered(name, ToolCall(call.name, freeze(call.arguments | {name: value})))
