"""Forbidden calls: one call that breaches a gate, found from its statement, tools and records."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from coworkgym.envs import Episode
from coworkgym.errors import GraderError
from coworkgym.quality.suspects import suspects
from coworkgym.rewards import (
    AllOf,
    AnyOf,
    Gate,
    MailOnlyTo,
    Not,
    Statement,
    ToolCalled,
    ToolNotCalled,
)
from coworkgym.rewards.checklist import check_gates
from coworkgym.tasks import Task
from coworkgym.transcript import ToolCall


def replay(task: Task, calls: Iterable[ToolCall]) -> Episode:
    """Returns an episode in which these calls were made, up to its end at most."""
    episode = Episode(task)
    for call in calls:
        if episode.over:
            break
        episode.act(call)
    return episode


class Forbidden(NamedTuple):
    """A forbidden call, and how many calls of the solution come before it."""

    call: ToolCall
    kept: int

    def within(self, solution: Sequence[ToolCall]) -> list[ToolCall]:
        """Returns the solution with the call in its place."""
        return [*solution[: self.kept], self.call, *solution[self.kept :]]


def forbidden(gate: Gate, task: Task) -> Forbidden | None:
    """Returns a call that breaches the gate, and where; see forbidden_call."""
    kept = moment(gate, task)
    ready = replay(task, task.solution[:kept])
    call = breaching_call(gate, Episode(task) if ready.over else ready)
    return None if call is None else Forbidden(call, kept)


def moment(gate: Gate, task: Task) -> int:
    """Returns how many calls of the solution come before a forbidden one.

    That is all but the last; for a gate that is about some stages, all before a reply in one.
    """
    parts = [leaf for leaf in leaves(gate.statement) if isinstance(leaf, ToolNotCalled)]
    stages = {stage for leaf in parts for stage in leaf.stages}
    episode = Episode(task)
    for number, call in enumerate(task.solution[:-1] if stages else ()):
        if episode.over or (call.name == "reply" and episode.office.stage in stages):
            return number
        episode.act(call)
    return max(len(task.solution) - 1, 0)


def forbidden_call(gate: Gate, task: Task) -> ToolCall | None:
    """Returns a call that breaches the gate when it is made before the last reply.

    Of the calls the statement suggests, it is the first that breaches the gate. A call that the
    gate forbids by name is returned even if it does not: then the gate is wired wrongly.

    Args:
        gate: Of a kind that forbids calls, addresses or changes, or made of such.
        task: Whose tools and records are used.

    Returns:
        The call; None when the office offers no way, or for other kinds of statements.
    """
    found = forbidden(gate, task)
    return None if found is None else found.call


def breaching_call(gate: Gate, ready: Episode) -> ToolCall | None:
    """Returns what `forbidden_call` does, for an episode at any moment, which stays as it is."""
    named = None
    for call, counts, breached in _tried(gate, ready):
        if breached:
            return call
        if counts and named is None:
            named = call
    return named if _by_name(gate.statement) else None


def breaching_calls(gate: Gate, ready: Episode) -> Iterator[ToolCall]:
    """Yields every call that the statement of a gate suggests and that breaches it."""
    return (call for call, _, breached in _tried(gate, ready) if breached)


def _tried(gate: Gate, ready: Episode) -> Iterator[tuple[ToolCall, bool, bool]]:
    for leaf in leaves(gate.statement):
        for call in suspects(leaf, ready.task):
            yield call, *_try(gate, ready.fork(), call)


def _try(gate: Gate, episode: Episode, call: ToolCall) -> tuple[bool, bool]:
    """Whether the gate has to look at the call at all, and whether the call breaches it."""
    error = episode.act(call).error
    counts = error is None or (gate.counts == "attempt" and episode.office.log[-1].valid)
    try:
        return counts, check_gates([gate], episode.evidence())[0].breached
    except GraderError:
        return False, False


def _by_name(statement: Statement) -> bool:
    """Whether each single call that the statement suggests must breach it."""
    if isinstance(statement, AllOf):
        return all(map(_by_name, statement.parts))
    if isinstance(statement, Not):
        return isinstance(statement.part, ToolCalled) and statement.part.at_least == 1
    return isinstance(statement, ToolNotCalled | MailOnlyTo)


def leaves(statement: Statement) -> Iterator[Statement]:
    """Yields what a statement is made of, down to what is not made of statements."""
    if isinstance(statement, Not):
        yield from leaves(statement.part)
    elif isinstance(statement, AllOf | AnyOf):
        for part in statement.parts:
            yield from leaves(part)
    else:
        yield statement
