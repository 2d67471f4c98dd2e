"""Trials: the episodes that were asked for, whatever came of them."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

from coworkgym.errors import CoworkError
from coworkgym.rollouts import Rollout, Run, is_scorable, item_of
from coworkgym.tasks import Item

Outcome = Literal["graded", "ungraded", "errored", "timed_out", "lost", "missing"]
"""What came of an episode, in the order of `Counts`."""


class EmptyRun(CoworkError, ValueError):
    """A run, or a set of episodes, that there is nothing to say about."""


class Trial(NamedTuple):
    """One episode that was asked for.

    Attributes:
        id: Of the episode.
        item: What its task is built from.
        policy: Who played, or was to play.
        outcome: What came of it; `missing` was never tried, or is still to come.
        rollout: What was played, if it came to an end.
    """

    id: str
    item: Item
    policy: str
    outcome: Outcome
    rollout: Rollout | None = None

    @classmethod
    def of(cls, rollout: Rollout) -> "Trial":
        """Returns the trial of a rollout."""
        outcome: Outcome = "graded" if is_scorable(rollout) else "ungraded"
        return cls(rollout.id, rollout.item, rollout.policy, outcome, rollout)

    @property
    def stem(self) -> str:
        """The id without the sample: the same for all trials of a task."""
        return self.id.rpartition("/")[0]

    @property
    def sample(self) -> int:
        """Which of the episodes of its task."""
        return int(self.id.rpartition("/")[2])

    @property
    def task(self) -> str:
        """What tells its task from others: the digest where it is known, else the stem."""
        return (self.rollout.task.digest if self.rollout else "") or self.stem


class Counts(NamedTuple):
    """What came of the episodes that were asked for.

    Attributes:
        asked: All of them.
        finished: Came to an end, graded or not.
        graded: With a score.
        ungraded: Played to the end, and without a score.
        errored: Void: the policy or its server failed.
        timed_out: Void: took too long.
        lost: Void: its worker was lost.
        missing: Never tried.
    """

    asked: int
    finished: int
    graded: int
    ungraded: int
    errored: int
    timed_out: int
    lost: int
    missing: int

    @classmethod
    def of(cls, trials: Iterable[Trial]) -> "Counts":
        """Returns the numbers of trials."""
        outcomes = [trial.outcome for trial in trials]
        graded, ungraded, *others = (outcomes.count(name) for name in get_args(Outcome))
        return cls(len(outcomes), graded + ungraded, graded, ungraded, *others)

    @property
    def void(self) -> int:
        """Episodes that were tried and did not come to an end."""
        return self.errored + self.timed_out + self.lost

    def __str__(self) -> str:
        """The numbers that are not 0, in words."""
        named = [f"{n} {name.replace('_', ' ')}" for name, n in self._asdict().items() if n]
        return ", ".join(named) or "0 asked"


def trials_of(*runs: Run) -> list[Trial]:
    """Returns every episode that runs asked for, in order of their ids; segments are left out.

    Raises:
        StoreError: For a run that cannot be read.
    """
    trials = [trial for run in runs for trial in _trials(run)]
    return sorted(trials, key=lambda trial: (trial.id, trial.policy))


def require_finished(trials: Iterable[Trial], name: str) -> None:
    """Refuses a run of which nothing was finished.

    Raises:
        EmptyRun: With what came of its episodes.
    """
    counts = Counts.of(trials)
    if not counts.finished:
        raise EmptyRun(f"{name} has no finished episode ({counts}); play it first: coworkgym run")


def _trials(run: Run) -> Iterable[Trial]:
    finished = [Trial.of(rollout._replace(segments=())) for rollout in run.rollouts()]
    policy = finished[0].policy if finished else run.settings.policy
    voids = [Trial(void.id, void.item, policy, void.reason) for void in run.voids()]
    yield from finished
    yield from voids
    known = {trial.id for trial in (*finished, *voids)}
    for identity in run.asked:
        if identity not in known:
            yield Trial(identity, item_of(identity), policy, "missing")
