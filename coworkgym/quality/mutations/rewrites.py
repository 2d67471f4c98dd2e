"""Rewrites: the reference solution done or worded otherwise, to the same effect."""

from collections.abc import Iterator
from itertools import islice, pairwise

from coworkgym.frozen import FrozenDict
from coworkgym.quality.mutations.course import Course, spread
from coworkgym.quality.mutations.mutant import Mutant
from coworkgym.quality.mutations.wording import REASONS, reworded
from coworkgym.quality.suspects import valid_calls
from coworkgym.transcript import ToolCall

REWRITES = ("reordered", "extra_read", "wording")
"""Kinds of mutants that `rewrites` makes."""

_REPORTED = ("text", "body")  # arguments that hold a reply or a mail
_FREE = ("reason", "resolution", "title")  # required ones are worded freely
_READS = 12  # valid calls of a reading tool of which one is made


def rewrites(course: Course, sites: int = 6) -> Iterator[Mutant]:
    """Yields mutants that must earn what the reference earns, kind by kind.

    Args:
        course: The solution that is rewritten.
        sites: As of `mutations.mutants`.
    """
    task = course.task
    for find in (_reordered, _extra_reads, _rewordings):
        for mutant in spread(list(find(course)), sites, task.item.seed):
            if mutant.kept + len(mutant.calls) <= task.max_steps:
                yield mutant


def _reordered(course: Course) -> Iterator[Mutant]:
    calls = course.calls
    for number, (call, following) in enumerate(pairwise(calls)):
        if course.reads(call) and course.reads(following) and call != following:
            rest = (following, call, *calls[number + 2 :])
            yield Mutant("reordered", course.place(number), number, rest, "equal")


def _extra_reads(course: Course) -> Iterator[Mutant]:
    """A reading call more, at the start, in the middle and before the last reply."""
    task, last = course.task, course.last
    for kept in sorted({0, last // 2, last}):
        for name, tool in task.tools.items():
            if not tool.writes and name != "reply":
                examples = list(islice(valid_calls(task, name, {}), _READS))
                for call in spread(examples, 1, task.item.seed):
                    place = f"{name} after {kept} calls"
                    rest = (call, *course.calls[kept:])
                    yield Mutant("extra_read", place, kept, rest, "equal")


def _rewordings(course: Course) -> Iterator[Mutant]:
    for number, call in enumerate(course.calls):
        for what, other in _reworded_calls(course, call):
            rest = (other, *course.calls[number + 1 :])
            yield Mutant("wording", f"{course.place(number)}: {what}", number, rest, "equal")


def _reworded_calls(course: Course, call: ToolCall) -> Iterator[tuple[str, ToolCall]]:
    """Yields what is reworded, and the call; questions stay as they are."""
    language = course.task.item.language
    required = course.task.tools[call.name].schema["parameters"]["required"]
    for name, text in call.arguments.items():
        if name in _REPORTED and not course.reads(call) and not set(text) & set("?？"):
            for form, other in reworded(text, language):
                yield f"{name}, {form}", _with(call, name, other)
        elif name in _FREE and name in required:
            for other in REASONS[language]:
                yield f"{name}, {other}", _with(call, name, other)


def _with(call: ToolCall, name: str, text: str) -> ToolCall:
    return ToolCall(call.name, FrozenDict(call.arguments | {name: text}))
