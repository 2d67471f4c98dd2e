"""Strays: writing calls that the work does not need, on other records and on its own ones.

What such a call is worth cannot be known, but whoever earns everything must not have changed what
no check or gate looks at.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, islice

from coworkgym.frozen import Json
from coworkgym.quality.forbidden import leaves
from coworkgym.quality.mutations.course import Course, spread
from coworkgym.quality.mutations.mutant import Mutant
from coworkgym.quality.mutations.values import Values
from coworkgym.quality.suspects import valid_calls
from coworkgym.rewards import ToolNotCalled
from coworkgym.services import Change
from coworkgym.transcript import ToolCall

_VALID = 40  # valid calls of a tool of which some are tried
_TRIES = 6


def strays(course: Course) -> Iterator[Mutant]:
    """Yields one call more of each writing tool, on a record that the solution leaves alone."""
    touched = {change.id for change in _changed(course)}
    address = next(iter(Values(course.task).addresses), course.task.owner.email)
    given: dict[str, Json] = dict.fromkeys(("to", "recipients", "attendees"), address)
    for name in _free_tools(course):
        examples = list(islice(valid_calls(course.task, name, given, touched), _VALID))
        for call in spread(examples, _TRIES, course.task.item.seed):
            changed = _ids(course, call)
            if changed and touched.isdisjoint(changed):
                yield _one_more(course, "stray", name, call)
                break


def beside(course: Course) -> Iterator[Mutant]:
    """Yields one call more on a record that the solution changes, of each tool that fits it."""
    schema = course.task.base.schema
    for change in _changed(course):
        key = schema[change.table].key
        for name in _free_tools(course):
            if key in course.task.tools[name].parameters and change.before is not None:
                calls = islice(valid_calls(course.task, name, {key: change.id}), _TRIES)
                for call in calls:
                    if _ids(course, call) == {change.id}:
                        yield _one_more(course, "beside", f"{name} {change.id}", call)
                        break


def _changed(course: Course) -> list[Change]:
    """What the solution changes in the end."""
    return list(course.after[-1].office.world.diff())


def _free_tools(course: Course) -> Iterable[str]:
    """The writing tools that no gate forbids by name."""
    task = course.task
    parts = [leaf for gate in task.gates for leaf in leaves(gate.statement)]
    named = (p.tools for p in parts if isinstance(p, ToolNotCalled) and p.outright)
    barred = set(chain.from_iterable(named))
    return [name for name, tool in task.tools.items() if tool.writes and name not in barred]


def _ids(course: Course, call: ToolCall) -> set[str]:
    """The records that a call changes just before the last reply."""
    return {change.id for change in course.branch(course.last, [call]).office.log[-1].changes}


def _one_more(course: Course, kind: str, place: str, call: ToolCall) -> Mutant:
    return Mutant(kind, place, course.last, (call, *course.calls[-1:]), "not_more")
