"""Checklists: hypothesis draws checks whose statements are about a task's records and tools."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from coworkgym.frozen import Json
from coworkgym.rewards import (
    AllOf,
    AnyOf,
    Check,
    MailOnlyTo,
    MailSent,
    Not,
    Order,
    ReadBefore,
    RecordCreated,
    RecordHas,
    ReplyHolds,
    ReplyHonest,
    ReplyLength,
    ReplyNames,
    ReplyStates,
    Statement,
    ToolCalled,
    ToolNotCalled,
    Untouched,
)
from coworkgym.tasks import Task
from coworkgym.testing.strategies import tool_calls
from coworkgym.testing.words import words

Statements = st.SearchStrategy[Statement]


@st.composite
def checks(draw: st.DrawFn, task: Task, *, max_checks: int = 4) -> tuple[Check, ...]:
    """Draws checklists for a task: weights sum to 1, names are unique.

    Args:
        draw: Given by hypothesis.
        task: Its records, tools and values are what the checks are about.
        max_checks: Most checks.
    """
    pairs = st.tuples(st.integers(1, 5), statements(task))
    drawn = draw(st.lists(pairs, min_size=1, max_size=max_checks))
    total = sum(weight for weight, _ in drawn)
    return tuple(
        Check(name=f"{number} {made.kind}", weight=weight / total, statement=made)
        for number, (weight, made) in enumerate(drawn, start=1)
    )


@lru_cache(maxsize=32)
def statements(task: Task) -> Statements:
    """Draws statements of every kind that fits the office of a task."""
    leaves = st.one_of([*_about_records(task), *_about_calls(task), *_about_replies(task)])
    return leaves | st.recursive(leaves, _composed, max_leaves=3)


def _composed(inner: Statements) -> Statements:
    parts = st.lists(inner, min_size=1, max_size=2)
    return st.one_of(
        inner.map(lambda part: Not(part=part)),
        parts.map(lambda some: AllOf(parts=some)),
        parts.map(lambda some: AnyOf(parts=some)),
    )


def _about_calls(task: Task) -> Iterator[Statements]:
    calls = tool_calls(task) | st.sampled_from(task.solution) if task.solution else tool_calls(task)
    called = calls.map(lambda call: ToolCalled(tool=call.name, arguments=dict(call.arguments)))
    yield called
    yield st.lists(called, min_size=2, max_size=3).map(lambda some: Order(calls=some))
    names = st.lists(st.sampled_from(list(task.tools)), min_size=1, max_size=2, unique=True)
    yield names.map(lambda tools: ToolNotCalled(tools=tools))
    shown = st.sampled_from(words(task).every_id)
    yield st.tuples(names, shown).map(lambda pair: ReadBefore(tools=pair[0], shows=[pair[1]]))
    if "gmail.messages" in task.base.schema:
        some = st.lists(st.sampled_from(words(task).addresses), min_size=1, max_size=2, unique=True)
        yield some.map(lambda people: MailSent(to=people))
        yield some.map(lambda people: MailOnlyTo(allowed=people))


def _about_records(task: Task) -> Iterator[Statements]:
    names = st.sampled_from(list(task.base.tables))
    yield names.map(lambda name: RecordCreated(table=name))
    yield names.map(lambda name: Untouched(tables=[name]))
    filled = [name for name, rows in task.base.tables.items() if rows]
    if filled:
        yield st.sampled_from(filled).flatmap(lambda name: _record_has(task, name))


def _record_has(task: Task, name: str) -> Statements:
    """One record has one field as it is, or as another record has it."""
    rows, key = task.base.tables[name], task.base.schema[name].key
    ids = st.sampled_from(list(rows)[:60])
    fields = st.sampled_from([field for field in task.base.schema[name].fields if field != key])

    def made(drawn: tuple[str, str, str]) -> Statement:
        record_id, other, field = drawn
        value: Json = rows[other][field]
        return RecordHas(table=name, id=record_id, fields={field: value})

    return st.tuples(ids, ids, fields).map(made)


def _about_replies(task: Task) -> Iterator[Statements]:
    ids = st.lists(st.sampled_from(words(task).every_id), min_size=1, max_size=3, unique=True)

    def stated(some: list[str]) -> dict[str, Any]:
        return {"value": some[0], "rivals": some[1:]}

    yield ids.map(lambda some: ReplyStates(value_kind="id", **stated(some)))
    yield ids.map(lambda some: ReplyNames(**stated(some)))
    yield ids.map(lambda some: ReplyHolds(texts=some))
    yield st.integers(1, 300).map(lambda length: ReplyLength(at_least=length))
    yield st.builds(ReplyHonest)
