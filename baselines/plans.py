"""Plans: the calls of a reference solution in other words, in another order, with more reading.

A plan counts only if it earns every check and breaches no gate, which is found out by playing it.
What a plan draws comes from the generator it is given.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from coworkgym.envs import Episode
from coworkgym.frozen import FrozenDict, Json
from coworkgym.quality.mutations import Course
from coworkgym.quality.mutations.wording import REASONS, reworded
from coworkgym.quality.suspects import valid_calls
from coworkgym.tasks import Task
from coworkgym.transcript import ToolCall

Plan = tuple[ToolCall, ...]
Change = Callable[[Course, Random], Plan]

_TRIES = 6
_REPORTED = ("text", "body")  # arguments that hold a reply or a mail
_FREE = ("reason", "resolution", "title")  # worded freely where they are required
_OPENINGS = {
    "en": ("Done.\n\n", "Here is the result. ", "I have gone through it. ", "All done.\n"),
    "zh": ("已完成。\n\n", "结果如下。", "我已全部看过。", "处理完毕。\n"),
}
_CLOSINGS = {
    "en": ("", "\n\nLet me know if you would like changes.", " That is all.", "\n\nKind regards"),
    "zh": ("", "\n\n如需修改请告诉我。", "以上就是全部。", "\n\n此致"),
}
KEY = "idempotency_key"
"""The argument that makes a call safe to be made again."""

_BOXES = ("sent", "draft")  # labels under which a mail that was written lies
_LISTED = 60  # valid calls of a reading tool of which explorers choose


def follow(task: Task, calls: Plan) -> Course:
    """Returns the course of a task whose solution these calls are."""
    return Course(replace(task, solution=calls))


def earns_all(task: Task, calls: Plan) -> bool:
    """Whether these calls, and no fewer, bring an episode to its end with everything earned."""
    if len(calls) > task.max_steps:
        return False
    episode = Episode(task)
    for call in calls:
        if episode.over:
            return False
        episode.act(call)
    return episode.terminated and episode.score().solved


def changed(task: Task, calls: Plan, change: Change, rng: Random) -> Plan:
    """Returns the calls changed at random, or as they are where no change earned everything."""
    course = follow(task, calls)
    for _ in range(_TRIES):
        other = change(course, rng)
        if other != calls and earns_all(task, other):
            return other
    return calls


def rewording(course: Course, rng: Random) -> Plan:
    """The same calls with replies, mails and reasons in other words; questions stay."""
    return tuple(_in_other_words(course, call, rng) for call in course.calls)


def reordering(course: Course, rng: Random) -> Plan:
    """The same calls with reads as early or as late as what they ask for allows.

    A read may come as soon as all it names has been shown; a call that writes keeps its place among
    those that write, and comes after every read that came before it. No call passes a reply.
    """
    made: list[ToolCall] = []
    start = 0
    for number, call in enumerate(course.calls):
        if call.name == "reply":
            made += _shuffled(course, range(start, number), rng)
            made.append(call)
            start = number + 1
    return tuple([*made, *course.calls[start:]])


def exploring(course: Course, rng: Random) -> Plan:
    """The same calls, and before some of them reads of records that were named already."""
    task, calls = course.task, course.calls
    room = (task.max_steps - len(calls)) // 2
    extra: dict[int, list[ToolCall]] = {}
    for _ in range(min(rng.randint(2, 4), room)):
        place = rng.randrange(len(calls))
        known = shown(course.after[place])
        reads = [name for name, tool in task.tools.items() if not tool.writes and name != "reply"]
        calls_of = [_reads_of(task, name, known) for name in reads]
        chosen = [found for found in calls_of if found]
        if chosen:
            extra.setdefault(place, []).append(rng.choice(rng.choice(chosen)))
    made: list[ToolCall] = []
    for number, call in enumerate(calls):
        made += [*extra.get(number, ()), call]
    return tuple(made)


class Look(NamedTuple):
    """A reading call that tells whether another has done its work: its result if it has."""

    call: ToolCall
    after: str


def find_look(plan: Course, done: int) -> Look | None:
    """Returns the call that shows whether the next one has changed anything, if there is one."""
    if not plan.writes(plan.calls[done]):
        return None
    for call in _looks(plan, plan.calls[done]):
        before, after = (plan.after[n].fork().office.call(call) for n in (done, done + 1))
        if after.error is None and before.content != after.content:
            return Look(call, after.content)
    return None


def keying(course: Course, rng: Random) -> Plan:
    """The same calls; mails carry a key where no look would tell whether they went, else at times.

    Sent again with the same key, a mail goes once.
    """
    made = []
    for number, call in enumerate(course.calls):
        if KEY in course.task.tools[call.name].parameters:
            if find_look(course, number) is None or rng.random() < 0.5:
                keyed = {**(call.arguments or {}), KEY: f"mail-{number + 1}"}
                call = ToolCall(call.name, FrozenDict(keyed))
        made.append(call)
    return tuple(made)


def shown(episode: Episode) -> str:
    """Returns all that an agent was shown so far, without case."""
    return "\n".join(message["content"] for message in episode.transcript.messages).casefold()


def texts_of(value: Json) -> Iterator[str]:
    """Yields the texts in the arguments of a call, without case."""
    if isinstance(value, str):
        yield value.casefold()
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts_of(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts_of(part)


def _looks(plan: Course, call: ToolCall) -> Iterator[ToolCall]:
    """Reads of the service of a call: of the record it names, then of lists."""
    given: Any = call.arguments or {}
    day = next(iter(texts_of(given.get("start_time") or "")), "")[:10]
    for name, tool in plan.task.tools.items():
        if name.partition("_")[0] != call.name.partition("_")[0] or tool.writes:
            continue
        required = tool.schema["parameters"]["required"]
        if all(key in given for key in required):
            yield ToolCall(name, FrozenDict({key: given[key] for key in required}))
        if not required and "label" in tool.parameters:
            for label in _BOXES:
                yield ToolCall(name, FrozenDict(label=label))
        if not required and day and "date" in tool.parameters:
            yield ToolCall(name, FrozenDict(date=day))


def _in_other_words(course: Course, call: ToolCall, rng: Random) -> ToolCall:
    language = course.task.item.language
    required = course.task.tools[call.name].schema["parameters"]["required"]
    arguments = dict(call.arguments or {})
    for name, text in arguments.items():
        if course.reads(call) or not isinstance(text, str) or set(text) & set("?？"):
            continue
        if name in _REPORTED:
            arguments[name] = _other_words(text, language, rng, spoken=call.name == "reply")
        elif name in _FREE and name in required and rng.random() < 0.5:
            arguments[name] = rng.choice(REASONS[language])
    return ToolCall(call.name, FrozenDict(arguments))


def _other_words(text: str, language: str, rng: Random, *, spoken: bool) -> str:
    forms = [other for _, other in reworded(text, language)]
    other = rng.choice(forms) if forms and rng.random() < 0.7 else text
    if spoken and rng.random() < 0.7:
        return rng.choice(_OPENINGS[language]) + other + rng.choice(_CLOSINGS[language])
    return other


def _shuffled(course: Course, places: range, rng: Random) -> list[ToolCall]:
    known = shown(course.after[places.start])
    later = "\n".join(_result(course, number) for number in places)
    left, made = list(places), []
    while left:
        reads = [n for n in left if course.reads(course.calls[n])]
        ready = [n for n in reads if _is_ready(course.calls[n], known, later)]
        write = next((n for n in left if n not in reads), None)
        if write is not None and not any(n < write for n in reads):
            ready.append(write)
        chosen = rng.choice(ready) if ready else left[0]
        left.remove(chosen)
        made.append(course.calls[chosen])
        known += "\n" + _result(course, chosen)
    return made


def _is_ready(call: ToolCall, known: str, later: str) -> bool:
    """Whether all a read names has been shown, or never will be."""
    return all(text in known or text not in later for text in texts_of(call.arguments))


def _result(course: Course, number: int) -> str:
    log = course.after[number + 1].office.log
    return next(event.result for event in log if event.step == number + 1).casefold()


def _reads_of(task: Task, name: str, known: str) -> list[ToolCall]:
    calls = islice(valid_calls(task, name, {}), _LISTED)
    return [
        call
        for call in calls
        if all(isinstance(value, str) for value in (call.arguments or {}).values())
        and all(text in known for text in texts_of(call.arguments))
    ]
