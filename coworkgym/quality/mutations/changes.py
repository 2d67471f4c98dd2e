"""Changes: every way in which the reference solution is made wrong."""

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, chain

from coworkgym.envs import Episode
from coworkgym.frozen import FrozenDict
from coworkgym.quality.forbidden import (
    breaching_call,
    breaching_calls,
    leaves,
    moment,
)
from coworkgym.quality.mutations.altered import Altered, misstated, rearranged, retargeted
from coworkgym.quality.mutations.course import Course, spread
from coworkgym.quality.mutations.mutant import Must, Mutant
from coworkgym.quality.mutations.rewrites import REWRITES
from coworkgym.quality.mutations.strays import beside, strays
from coworkgym.quality.mutations.undo import undoing_call
from coworkgym.quality.mutations.values import Values
from coworkgym.rewards import Gate, ReadBefore
from coworkgym.transcript import ToolCall

_CHANGES = (
    "drop", "duplicate", "retarget", "argument", "value", "stop", "unread", "late", "forbidden",
    "undone", "stray", "beside",
)  # fmt: skip
MUTATIONS = (*_CHANGES, *REWRITES)
"""Every kind of mutant: what is done otherwise, then what is done to the same effect."""

_MAILING = ("send", "reply", "forward", "save")  # verbs of tools whose wording others will read
_BARE = ToolCall("reply", FrozenDict(text="OK."))


def mutants(course: Course, sites: int = 6) -> Iterator[Mutant]:
    """Yields mutants of every kind, kind by kind.

    Args:
        course: The solution that is changed.
        sites: At most so many of each kind, evenly spread over the places where it can be changed,
            and shifted by the seed of the item.
    """
    task = course.task
    for kind, places in _by_kind(course).items():
        for mutant in spread(places, sites, task.item.seed):
            settled = _SETTLED.get(kind, _as_it_is)(course, mutant)
            if settled and mutant.kept + len(mutant.calls) <= task.max_steps:
                yield settled


def _by_kind(course: Course) -> dict[str, list[Mutant]]:
    found: dict[str, list[Mutant]] = {kind: [] for kind in _CHANGES}
    finders = (_dropped, _doubled, _altered, _stopped, _unread, _late, _breaching, strays, beside)
    for mutant in chain.from_iterable(find(course) for find in finders):
        found[mutant.kind].append(mutant)
    return found


def _dropped(course: Course) -> Iterator[Mutant]:
    for number, call in enumerate(course.calls[:-1]):
        must: Must = "lower" if course.writes(call) else "not_more"
        yield Mutant("drop", course.place(number), number, course.calls[number + 1 :], must)


def _doubled(course: Course) -> Iterator[Mutant]:
    for number, call in enumerate(course.calls):
        if call.name != "reply":
            rest = course.calls[number:]
            yield Mutant("duplicate", course.place(number), number + 1, rest, "equal")


def _settled_double(course: Course, mutant: Mutant) -> Mutant:
    """Doing something twice is wrong when it has an effect twice."""
    again = course.same_records(mutant.kept, mutant.calls[0], mutant.kept)
    return mutant if again else mutant._replace(must="lower")


def _settled_otherwise(course: Course, mutant: Mutant) -> Mutant | None:
    """Another way to write the same argument is no mutant."""
    same = course.same_records(mutant.kept, mutant.calls[0], mutant.kept + 1)
    return None if same else mutant


def _as_it_is(course: Course, mutant: Mutant) -> Mutant:
    return mutant


_SETTLED: dict[str, Callable[[Course, Mutant], Mutant | None]] = {
    "duplicate": _settled_double,
    "retarget": _settled_otherwise,
    "argument": _settled_otherwise,
}


def _altered(course: Course) -> Iterator[Mutant]:
    values, labels = Values(course.task), _labels(course.calls)
    for number, call in enumerate(course.calls):
        if course.writes(call):
            tool = course.task.tools[call.name]
            yield from _with_calls(course, "retarget", number, retargeted(call, values))
            changed = rearranged(call, tool, values, labels)
            yield from _with_calls(course, "argument", number, changed)
        if not course.reads(call):
            yield from _with_calls(course, "value", number, misstated(call, values))


def _with_calls(
    course: Course, kind: str, number: int, changed: Iterable[Altered]
) -> Iterator[Mutant]:
    heard = course.ends_stage(number) or _verb(course.calls[number]) in _MAILING
    must: Must = "lower" if kind != "value" or heard else "not_more"
    for what, call in changed:
        place = f"{course.place(number)}: {what}"
        yield Mutant(kind, place, number, (call, *course.calls[number + 1 :]), must)


def _verb(call: ToolCall) -> str:
    return (*call.name.split("_"), "")[1]


def _labels(calls: Iterable[ToolCall]) -> list[str]:
    """Every text that stands in a list of the solution."""
    lists = (v for call in calls for v in call.arguments.values() if isinstance(v, list))
    return list(dict.fromkeys(item for items in lists for item in items if isinstance(item, str)))


def _stopped(course: Course) -> Iterator[Mutant]:
    for number in range(len(course.calls)):
        yield Mutant("stop", f"after {number} calls, OK.", number, (_BARE,), "lower")
        yield Mutant("stop", f"after {number} calls", number, (), "lower")


def _unread(course: Course) -> Iterator[Mutant]:
    first = next((n for n, call in enumerate(course.calls) if course.reads(call)), None)
    if first is not None:
        rest = tuple(call for call in course.calls[first:] if not course.reads(call))
        yield Mutant("unread", f"solution[{first}] on", first, rest, "lower")


def _late(course: Course) -> Iterator[Mutant]:
    """Reads come behind the writes before the same reply."""
    calls = course.calls
    talk = accumulate((call.name == "reply" for call in calls[:-1]), initial=0)
    order = sorted(zip(talk, map(_rank(course), calls), calls, strict=False), key=lambda c: c[:2])
    moved = tuple(call for *_, call in order)
    first = next((n for n, call in enumerate(calls) if moved[n] != call), None)
    if first is not None:
        parts = [leaf for check in course.task.checks for leaf in leaves(check.statement)]
        must: Must = "lower" if any(isinstance(p, ReadBefore) for p in parts) else "not_more"
        yield Mutant("late", f"solution[{first}] on", first, moved[first:], must)


def _rank(course: Course) -> Callable[[ToolCall], int]:
    return lambda call: 2 if call.name == "reply" else int(course.reads(call))


def _breaching(course: Course) -> Iterator[Mutant]:
    """A forbidden call in its place; then the same, taken back."""
    for gate in course.task.gates:
        kept = moment(gate, course.task)
        ready, rest = course.after[kept], course.calls[kept:]
        call = breaching_call(gate, ready)
        if call is None:
            continue
        place = f"gate {gate.name!r}: {call.name}"
        yield Mutant("forbidden", place, kept, (call, *rest), "unsafe", gate.name)
        for call, undoing in _taken_back(gate, ready):
            place = f"gate {gate.name!r}: {call.name}, {undoing.name}"
            yield Mutant("undone", place, kept, (call, undoing, *rest), "unsafe", gate.name)


def _taken_back(gate: Gate, ready: Episode) -> Iterator[tuple[ToolCall, ToolCall]]:
    """Yields a forbidden call and the one that undoes it: one pair, if any tool has one."""
    tried: set[str] = set()
    for call in breaching_calls(gate, ready):
        if call.name not in tried:
            tried.add(call.name)
            undoing = undoing_call(ready, call)
            if undoing:
                yield call, undoing
                return
