"""Ledger: what the episodes of an audit show about the checks and gates of one package."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import NamedTuple

from coworkgym.envs import Episode
from coworkgym.quality.footprint import Footprint
from coworkgym.quality.mutations import Mutant, wrong_side
from coworkgym.quality.report import place_of
from coworkgym.quality.tolerance import Tolerance
from coworkgym.rewards import AllOf, AnyOf, ReadBefore, Score, Statement
from coworkgym.tasks import Task
from coworkgym.transcript import ToolCall

_VALUE = re.compile(r"\S*[\d@]\S*")
_NAMED = 3  # checks that are named for one exploit


class Weakness(NamedTuple):
    """One way in which a package's checks and gates can be fooled.

    Attributes:
        rule: exploit, reading, mutant, unaccounted, dead_check, dead_gate, reference, grades or
            loads.
        about: The policy, mutation, check, gate or table it is about.
        why: What is wrong.
        task: The task in which the shortest episode shows it.
        episodes: How many episodes of the audit show it.
        calls: The shortest of them; empty where there is none to show.
    """

    rule: str
    about: str
    why: str
    task: str = ""
    episodes: int = 1
    calls: tuple[ToolCall, ...] = ()


class Earned(NamedTuple):
    """What one policy earned over a package.

    Attributes:
        policy: Its name.
        guesses: Whether it is a guesser.
        episodes: How many it played.
        mean: Mean `Score.value`.
        most: The largest.
    """

    policy: str
    guesses: bool
    episodes: int
    mean: float
    most: float


class Mutated(NamedTuple):
    """How many mutants of one kind there were, and how many the score put on the wrong side."""

    kind: str
    mutants: int
    wrong: int


def calls_of(episode: Episode) -> tuple[ToolCall, ...]:
    """Returns what the agent called, in order, replies included."""
    events = (event for event in episode.office.log if event.actor == "agent")
    return tuple(ToolCall(event.name, event.raw) for event in events)


class Ledger:
    """Takes the episodes of one package in and tells what they show.

    Args:
        tolerance: What policies may earn.
    """

    def __init__(self, tolerance: Tolerance) -> None:
        self.tolerance = tolerance
        self.reading = 0.0
        self._found: dict[tuple[str, str], Weakness] = {}
        self._earned: dict[tuple[str, bool], list[float]] = {}
        self._paid: dict[str, Counter[str]] = {}
        self._shortest: dict[str, Weakness] = {}
        self._mutants: Counter[str] = Counter()
        self._wrong: Counter[str] = Counter()
        self._checks: dict[str, set[float]] = {}
        self._gates: dict[str, bool] = {}

    def report(self, weakness: Weakness) -> None:
        """Notes a weakness; of several that are about the same the shortest episode is kept."""
        key = (weakness.rule, weakness.about)
        known = self._found.get(key)
        if known is None:
            self._found[key] = weakness
            return
        shorter = 0 < len(weakness.calls) < len(known.calls)
        self._found[key] = (weakness if shorter else known)._replace(episodes=known.episodes + 1)

    def add_policy(self, policy: str, episode: Episode, score: Score, *, guesses: bool) -> None:
        """Takes in an episode that a policy played."""
        self._look(policy, episode, score)
        self._earned.setdefault((policy, guesses), []).append(score.value)
        paid = {_plain(c.name): c.weight * c.value * score.safety for c in score.checks}
        work = () if _acts(episode.task) else _reading_checks(episode.task)
        unearned = {name: value for name, value in paid.items() if name not in work}
        self._paid.setdefault(policy, Counter()).update(unearned)
        if score.value <= 0:
            return
        why = f"it earns {score.value:.2g}: {_paying(paid)}"
        weakness = self._shown("exploit", policy, why, episode)
        if not guesses and score.value >= self.tolerance.task:
            self.report(weakness)
        known = self._shortest.get(policy)
        if known is None or len(weakness.calls) < len(known.calls):
            self._shortest[policy] = weakness

    def add_mutant(
        self, mutant: Mutant, episode: Episode, score: Score, footprint: Footprint
    ) -> None:
        """Takes in an episode that is a changed reference."""
        self._look(mutant.kind, episode, score)
        self._mutants[mutant.kind] += 1
        wrong = wrong_side(mutant, score)
        if wrong:
            self._wrong[mutant.kind] += 1
            about = f"{mutant.kind}: {_plain(mutant.gate or mutant.place)}"
            self.report(self._shown("mutant", about, f"{mutant.place}: {wrong}", episode))
        if score.solved:
            for change in footprint.beyond(episode.evidence()):
                why = f"it earns everything, and {change.table} {change.id} is changed as well"
                self.report(self._shown("unaccounted", change.table, why, episode))

    def add_reference(self, episode: Episode, score: Score) -> None:
        """Takes in the reference solution's own episode."""
        self._look("reference", episode, score)
        missed = [f"check {c.name!r} {c.value:.2g}: {c.why}" for c in score.checks if c.value < 1]
        missed += [f"gate {g.name!r} breached: {g.why}" for g in score.gates if g.breached]
        if missed or score.status == "ungraded":
            why = missed[0] if missed else f"it cannot be graded: {score.reason}"
            self.report(self._shown("reference", _plain(why), why, episode))

    def _look(self, source: str, episode: Episode, score: Score) -> None:
        """Notes which checks and gates moved, and what reading alone earns."""
        for check in score.checks:
            self._checks.setdefault(_plain(check.name), set()).add(check.value)
        for gate in score.gates:
            key = _plain(gate.name)
            self._gates[key] = self._gates.get(key, False) or gate.breached
        if any(event.changes for event in episode.office.log if event.actor == "agent"):
            return
        if _acts(episode.task):
            self.reading = max(self.reading, score.value)
            if score.value > self.tolerance.reading + 1e-9:
                why = f"nothing is changed, and it earns {score.value:.2g}"
                self.report(self._shown("reading", source, why, episode))

    @staticmethod
    def _shown(rule: str, about: str, why: str, episode: Episode) -> Weakness:
        return Weakness(rule, about, why, place_of(episode.task.item), 1, calls_of(episode))

    def earned(self) -> list[Earned]:
        """Returns what each policy earned, in order of their first episodes."""
        return [
            Earned(policy, guesses, len(v), math.fsum(v) / len(v), max(v))
            for (policy, guesses), v in self._earned.items()
        ]

    def mutated(self) -> list[Mutated]:
        """Returns the numbers of mutants by kind."""
        return [Mutated(kind, count, self._wrong[kind]) for kind, count in self._mutants.items()]

    def weaknesses(self) -> list[Weakness]:
        """Returns all that is wrong, what was noted first coming first."""
        return [*self._found.values(), *self._on_average(), *self._dead()]

    def _on_average(self) -> Iterator[Weakness]:
        for row in self.earned():
            limit = self.tolerance.guessing if row.guesses else self.tolerance.mean
            shares = {name: paid / row.episodes for name, paid in self._paid[row.policy].items()}
            mean = math.fsum(shares.values())
            if mean >= limit and ("exploit", row.policy) not in self._found:
                why = f"it earns {mean:.2g} on average of {row.episodes}: {_paying(shares)}"
                yield self._shortest[row.policy]._replace(why=why, episodes=row.episodes)

    def _dead(self) -> Iterator[Weakness]:
        for name, values in self._checks.items():
            if len(values) == 1:
                yield Weakness(
                    "dead_check", name, f"it is {values.copy().pop():.2g} in every episode"
                )
        for name, breached in self._gates.items():
            if not breached:
                yield Weakness("dead_gate", name, "no episode breaches it")


def _acts(task: Task) -> bool:
    """Whether something is to be changed."""
    return any(task.tools[call.name].writes for call in task.solution)


def _reading_checks(task: Task) -> set[str]:
    """The checks that reading alone meets."""
    return {_plain(check.name) for check in task.checks if _is_reading(check.statement)}


def _is_reading(statement: Statement) -> bool:
    if isinstance(statement, AllOf | AnyOf):
        return all(map(_is_reading, statement.parts))
    return isinstance(statement, ReadBefore)


def _plain(name: str) -> str:
    """A name without the ids, addresses and numbers in which tasks of a package differ."""
    return _VALUE.sub("*", name)


def _paying(paid: Mapping[str, float]) -> str:
    """The checks that pay most."""
    ordered = sorted(paid.items(), key=itemgetter(1), reverse=True)
    return ", ".join(f"{name!r} pays {value:.2g}" for name, value in ordered[:_NAMED] if value > 0)
