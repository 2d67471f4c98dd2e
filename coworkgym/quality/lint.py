"""Lint: what can be seen in a task without judging an episode, and the words of all rules."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from coworkgym.envs import Episode
from coworkgym.frozen import json_text
from coworkgym.quality.forbidden import replay
from coworkgym.rewards import (
    AllOf,
    AnyOf,
    Order,
    ReadBefore,
    ReplyStates,
    Statement,
    ToolCalled,
    ToolNotCalled,
)
from coworkgym.tasks import Task

WARMUP_RECORDS, WARMUP_TOOLS, WARMUP_TOKENS = 5, 6, 1500  # a table, a task, the whole talk


class Fault(NamedTuple):
    """What a rule finds in one task: the part of the task, and what is wrong with it."""

    part: str
    why: str


class Reference(NamedTuple):
    """A task and its reference solution, replayed.

    Attributes:
        task: The task.
        episode: After the last call that could be made.
        digest: Of the task, before anything is scored.
    """

    task: Task
    episode: Episode
    digest: str


class Rule(NamedTuple):
    """One demand on every task.

    Attributes:
        name: One word.
        demand: What must hold.
        faults: Yields what is wrong in one task.
    """

    name: str
    demand: str
    faults: Callable[[Reference], Iterable[Fault]]


def reference(task: Task) -> Reference:
    """Replays the solution of a task."""
    return Reference(task, replay(task, task.solution), task.digest)


def _has_records(run: Reference) -> Iterator[Fault]:
    if not any(run.task.base.tables.values()):
        yield Fault("records", "all tables are empty: there is nothing to work on")


def _has_texts(run: Reference) -> Iterator[Fault]:
    task = run.task
    if not task.rules:
        yield Fault("rules", "there are no house rules: nothing says what is right")
    texts = {f"rules[{n}]": rule for n, rule in enumerate(task.rules)}
    texts |= {f"stages[{n}]": stage.request for n, stage in enumerate(task.stages)}
    for part, text in texts.items():
        if not text.strip():
            yield Fault(part, "the text is empty")


def _tools_disjoint(run: Reference) -> Iterator[Fault]:
    needed = {call.name: f"solution[{n}]" for n, call in enumerate(run.task.solution)}
    for check in run.task.checks:
        needed |= {name: f"check {check.name!r}" for name in _wanted_tools(check.statement)}
    for gate in run.task.gates:
        for name in _forbidden_tools(gate.statement):
            if name in needed:
                why = f"it forbids {name}, which {needed[name]} needs"
                yield Fault(f"gate {gate.name!r}", why)


def _forbidden_tools(statement: Statement) -> Iterator[str]:
    if isinstance(statement, ToolNotCalled) and statement.outright:
        yield from statement.tools
    elif isinstance(statement, AllOf):
        for part in statement.parts:
            yield from _forbidden_tools(part)


def _wanted_tools(statement: Statement) -> Iterator[str]:
    if isinstance(statement, ToolCalled):
        yield statement.tool
    elif isinstance(statement, ReadBefore):
        yield from statement.tools
    elif isinstance(statement, Order):
        yield from (call.tool for call in statement.calls)
    elif isinstance(statement, AllOf | AnyOf):
        for part in statement.parts:
            yield from _wanted_tools(part)


def _tools_offered(run: Reference) -> Iterator[Fault]:
    for check in run.task.checks:
        for name in _not_offered(check.statement, run.task):
            yield Fault(f"check {check.name!r}", f"it wants {name}, which the task does not offer")


def _not_offered(statement: Statement, task: Task) -> list[str]:
    """Tools that are missing; none where another tool or another part of an `any_of` will do."""
    if isinstance(statement, AnyOf):
        return min((_not_offered(part, task) for part in statement.parts), key=len)
    if isinstance(statement, AllOf):
        return [name for part in statement.parts for name in _not_offered(part, task)]
    missing = [name for name in _wanted_tools(statement) if name not in task.tools]
    if isinstance(statement, ReadBefore) and len(missing) < len(statement.tools):
        return []
    return missing


def _request_tells_nothing(run: Reference) -> Iterator[Fault]:
    request = run.task.stages[0].request
    for check in run.task.checks:
        for literal in _literals(check.statement):
            word = rf"(?<![0-9a-z]){re.escape(literal)}(?![0-9a-z])"
            if re.search(word, request, re.IGNORECASE):
                why = f"it names {literal!r}, which check {check.name!r} wants the agent to find"
                yield Fault("request", why)


def _literals_reachable(run: Reference) -> Iterator[Fault]:
    """What the rules, the user and results show; not results of calls that hold the literal."""
    messages = run.episode.transcript.messages
    said = [m["content"] for m in messages if m["role"] in ("system", "user")]
    log = [(json_text(event.raw).casefold(), event.result) for event in run.episode.office.log]
    for check in run.task.checks:
        for literal in _literals(check.statement):
            text = literal.casefold()
            shown = [*said, *(result for raw, result in log if text not in raw)]
            if not any(text in part.casefold() for part in shown):
                why = f"it wants {literal!r}, which neither the rules nor any result show"
                yield Fault(f"check {check.name!r}", why)


def _literals(statement: Statement) -> Iterator[str]:
    """What a statement wants the agent to find; not a value that it has to compute."""
    if isinstance(statement, AllOf):
        for part in statement.parts:
            yield from _literals(part)
    elif not (isinstance(statement, ReplyStates) and not statement.grounded):
        yield from statement.literals()


def _warmup_small(run: Reference) -> Iterator[Fault]:
    task = run.task
    if task.item.level != "warmup":
        return
    for name, rows in task.base.tables.items():
        if len(rows) > WARMUP_RECORDS:
            yield Fault(name, f"{len(rows)} records, at most {WARMUP_RECORDS} in warmup")
    if len(task.tool_names) > WARMUP_TOOLS:
        yield Fault("tools", f"{len(task.tool_names)} tools, at most {WARMUP_TOOLS} in warmup")
    messages = run.episode.transcript.messages
    calls = [(c["name"], c["arguments"]) for m in messages for c in m.get("tool_calls", ())]
    texts = [*(m["content"] for m in messages), json_text(calls), json_text(task.tool_schemas)]
    tokens = sum(map(len, texts)) / 4
    if tokens >= WARMUP_TOKENS:
        why = f"about {tokens:.0f} tokens with its solution, less than {WARMUP_TOKENS} in warmup"
        yield Fault("length", why)


STATIC = (
    Rule("records", "The office has records at the start.", _has_records),
    Rule("texts", "The requests and the house rules are there.", _has_texts),
    Rule("disjoint", "No tool is both needed and forbidden.", _tools_disjoint),
    Rule("offered", "The tools that checks want are offered.", _tools_offered),
    Rule("leak", "The request does not give the answer away.", _request_tells_nothing),
    Rule("reachable", "What a check wants is shown to the agent.", _literals_reachable),
    Rule("warmup", "A warmup task is small.", _warmup_small),
)
