"""The episode machine: steps an episode at random and holds what is true of every episode."""

import json
from collections.abc import Callable
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from coworkgym.envs import Episode
from coworkgym.frozen import FrozenDict, FrozenList, admit, json_text
from coworkgym.rewards import Score
from coworkgym.services import Event
from coworkgym.tasks import Task
from coworkgym.testing.compare import (
    Moment,
    fingerprint,
    independent,
    last_call,
    same,
    with_free_text,
)
from coworkgym.testing.strategies import odd_texts, tool_calls, writing_calls
from coworkgym.testing.words import texts
from coworkgym.transcript import ToolCall, from_openai, to_openai

Start = Callable[[Task], Episode]

_valid: st.SearchStrategy[ToolCall] = st.runner().flatmap(lambda machine: machine.valid)
_malformed: st.SearchStrategy[ToolCall] = st.runner().flatmap(lambda machine: machine.malformed)
_writing: st.SearchStrategy[ToolCall] = st.runner().flatmap(lambda machine: machine.writing)
_times = st.sampled_from([1, 1, 300])
_running = precondition(lambda machine: not machine.episode.over)


def episode_machine(task: Task, start: Start = Episode) -> "type[EpisodeMachine]":
    """Returns a state machine over one task; its `TestCase` is a test.

    `TestMine = episode_machine(task).TestCase`

    Args:
        task: What every episode runs.
        start: Makes an episode of the task, with faults or an early end, say.
    """
    members = {
        "task": task,
        "start": staticmethod(start),
        "valid": tool_calls(task),
        "writing": writing_calls(task),
        "malformed": tool_calls(task, valid=False),
    }
    return type("EpisodeMachine", (EpisodeMachine,), members)


class EpisodeMachine(RuleBasedStateMachine):
    """Steps an episode at random; made by `episode_machine`."""

    task: ClassVar[Task]
    start: ClassVar[Start]
    valid: ClassVar[st.SearchStrategy[ToolCall]]
    writing: ClassVar[st.SearchStrategy[ToolCall]]
    malformed: ClassVar[st.SearchStrategy[ToolCall]]

    def __init__(self) -> None:
        super().__init__()
        self.opening = ""
        self.begin()

    # What happens -----------------------------------------------------------------------------

    @precondition(lambda machine: machine.episode.over)
    @rule()
    def begin(self) -> None:
        """A new episode is like the first: nothing of an old one is left in the task."""
        self.episode: Episode = type(self).start(self.task)
        self.saved = self.episode.fork()
        self.shown: list[tuple[FrozenList, str]] = []
        self.scores: list[Score] = []
        self.opening = self.opening or fingerprint(self.episode)
        same("a new episode", self.opening, fingerprint(self.episode))

    @_running
    @rule(call=_valid)
    def call(self, call: ToolCall) -> None:
        """A call that fits the schema."""
        self._act(self.episode, call)

    @_running
    @rule(call=_writing)
    def write(self, call: ToolCall) -> None:
        """A call that fits the schema, of a tool that writes."""
        self._act(self.episode, call)

    @_running
    @rule(call=_malformed)
    def send_malformed(self, call: ToolCall) -> None:
        """A call that does not fit any tool is refused."""
        if not (event := self._act(self.episode, call)).error:
            raise AssertionError(f"{call} was accepted: {event.result}")

    @_running
    @rule()
    def follow_reference(self) -> None:
        """The reference's call of this step: its next one, as long as nothing else was called."""
        if self.episode.steps < len(self.task.solution):
            self._act(self.episode, self.task.solution[self.episode.steps])

    @_running
    @rule(text=odd_texts(), times=_times)
    def say_odd(self, text: str, times: int) -> None:
        """A reply of any text and size is kept as it is."""
        said = {"role": "assistant", "content": text * times}
        event = self._watch(self.episode, lambda: self.episode.say(said))
        if event.error is None and event.arguments["text"] != admit(text * times):
            raise AssertionError(f"the reply was logged as {event.arguments['text']!r:.200}")

    @_running
    @rule(choice=st.integers(0, 50), text=odd_texts(), times=_times)
    def write_odd(self, choice: int, text: str, times: int) -> None:
        """A free text of any script and size is stored as it is, or the call is refused."""
        calls = list(with_free_text(self.task))
        if not calls:
            return
        call, argument = calls[choice % len(calls)]
        written = f"[{text * times}]"
        sent = FrozenDict({**call.arguments, argument: written})
        event = self._act(self.episode, ToolCall(call.name, sent))
        stored = "".join(texts([change.after for change in event.changes]))
        if event.error is None and event.changes and admit(written) not in stored:
            raise AssertionError(f"{call.name} lost its {argument} {written!r:.200}")

    @_running
    @rule(call=_valid)
    def branch(self, call: ToolCall) -> None:
        """What happens in a fork does not happen here, and a snapshot undoes it in the world."""
        before, twin = fingerprint(self.episode), self.episode.fork()
        same("the fork", before, fingerprint(twin))
        world = twin.office.world
        kept = json_text([world.diff(), world.now_text, world.digest()])
        snapshot = world.snapshot()
        self._act(twin, call)
        same("the episode that was forked", before, fingerprint(self.episode))
        world.restore(snapshot)
        restored = json_text([world.diff(), world.now_text, world.digest()])
        same("the restored world", kept, restored)

    @rule()
    def save(self) -> None:
        """The episode as it is now can be had again."""
        self.saved = self.episode.fork()

    @rule()
    def go_back(self) -> None:
        """Goes on from what was saved; it stays usable."""
        before = fingerprint(self.saved)
        self.episode = self.saved.fork()
        same("the restored episode", before, fingerprint(self.episode))

    @_running
    @rule(one=_writing, other=_writing)
    def commute(self, one: ToolCall, other: ToolCall) -> None:
        """Independent calls lead to the same place in any order."""
        ways = [self._after(*calls) for calls in ((one,), (other,), (one, other), (other, one))]
        if independent([way.office.log[len(self.episode.office.log) :] for way in ways]):
            digests = [way.office.world.changes_digest() for way in ways]
            same(f"{one} and {other} in another order", digests[2], digests[3])

    def _after(self, *calls: ToolCall) -> Episode:
        twin = self.episode.fork()
        for call in calls:
            if not twin.over:
                self._act(twin, call)
        return twin

    def _act(self, episode: Episode, call: ToolCall) -> Event:
        event = self._watch(episode, lambda: episode.act(call))
        if isinstance(call.arguments, FrozenDict):
            same("the logged call", json_text(admit(call.arguments)), json_text(event.raw))
        return event

    def _watch(self, episode: Episode, act: Callable[[], object]) -> Event:
        """Lets something be done and compares before and after."""
        before = Moment.of(episode)
        act()
        event, after = last_call(episode), Moment.of(episode)
        if not event.changes and after.stage == before.stage:
            what = f"failed with {event.error}" if event.error else "changed nothing"
            same(f"the world after {event.name}, which {what},", before.world, after.world)
        elif event.changes and event.error and episode.office.faults is None:
            raise AssertionError(f"{event.name} failed with {event.error} and changed records")
        elif event.changes and not self.task.tools[event.name].writes:
            raise AssertionError(f"{event.name} is said to read only, and changed records")
        news = after.breached - before.breached
        if news and after.value > before.value + 1e-9:
            raise AssertionError(
                f"{event.name} breached {sorted(news)} and raised the score "
                f"from {before.value:.3g} to {after.value:.3g}"
            )
        return event

    # What is always true ----------------------------------------------------------------------

    @invariant()
    def scoring_is_pure(self) -> None:
        """Scoring gives the same twice and changes nothing."""
        before = fingerprint(self.episode)
        first, second = (json_text(self.episode.score().as_dict()) for _ in "12")
        same("the second score", first, second)
        same("the episode that was scored", before, fingerprint(self.episode))

    @invariant()
    def observations_stay(self) -> None:
        """What was observed earlier is as it was, whatever came later."""
        for messages, text in self.shown:
            same("an earlier observation", text, json_text(messages))
        messages = self.episode.transcript.messages
        if not self.shown or self.shown[-1][1] != json_text(messages):
            self.shown.append((messages, json_text(messages)))

    @invariant()
    def json_round_trips(self) -> None:
        """Transcript and score are the same after a trip through JSON."""
        messages, score = self.episode.transcript.messages, self.episode.score().as_dict()
        for value in (messages, score):
            same("what comes back from JSON", value, json.loads(json.dumps(value)))
        same("what comes back from string arguments", messages, from_openai(to_openai(messages)))

    @invariant()
    def diff_is_exact(self) -> None:
        """The diff names each record that differs, once, with its two values."""
        world = self.episode.office.world
        found = {(c.table, c.id): (c.before, c.after) for c in world.diff()}
        expected: dict[tuple[str, str], Any] = {}
        for name, rows in world.base.tables.items():
            kind = world.base.schema[name]
            now = {row[kind.key]: row for row in world.rows(kind)}
            for record_id in rows.keys() | now.keys():
                pair = (rows.get(record_id), now.get(record_id))
                if pair[0] != pair[1]:
                    expected[name, record_id] = pair
        same("the diff", expected, found)

    @invariant()
    def completion_is_monotone(self) -> None:
        """Where each check holds as far as elsewhere or further, so does completion."""
        now = self.episode.score()
        for then in self.scores:
            for less, more in ((then, now), (now, then)):
                held = zip(less.checks, more.checks, strict=False)
                if all(a.value <= b.value for a, b in held):
                    if less.completion > more.completion + 1e-9:
                        raise AssertionError(f"completion is not monotone: {less} {more}")
        self.scores.append(now)
