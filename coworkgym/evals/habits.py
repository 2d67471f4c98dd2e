"""Habits: the behaviour of a set of episodes, as means with intervals."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from coworkgym.evals import behaviour
from coworkgym.evals.as_json import as_json
from coworkgym.evals.estimate import Estimate, Range, estimates
from coworkgym.evals.trial import Trial
from coworkgym.frozen import Json
from coworkgym.rollouts import Rollout

POINTS = 20
"""Points of the curve over step budgets, at most."""


class Within(NamedTuple):
    """Mean value where episodes that took more calls than this count as 0."""

    calls: int
    value: Estimate


class Habits(NamedTuple):
    """The behaviour of a set of episodes: means over graded ones; see `evals.behaviour`.

    Attributes:
        interface_switches: Share of consecutive calls that change the interface.
        service_switches: Share of consecutive calls that change the service.
        returns: Returns to a service that was left before, an episode.
        repeated_reads: Reads that ask what was answered before, an episode.
        reads_before_acting: Different reads before the first change, where there was a change.
        acted: Share of episodes that changed anything.
        acted_unread: Share that acted without reading, of those that acted.
        errors: Share of calls that failed, mean over episodes.
        malformed: Share of calls that never reached a tool, mean over episodes.
        recovery: Share of failed tools that succeeded later, where one failed.
        within: Mean value by step budget; the last point is the mean itself.
    """

    interface_switches: Estimate
    service_switches: Estimate
    returns: Estimate
    repeated_reads: Estimate
    reads_before_acting: Estimate
    acted: Estimate
    acted_unread: Estimate
    errors: Estimate
    malformed: Estimate
    recovery: Estimate
    within: tuple[Within, ...]

    def as_dict(self) -> dict[str, Json]:
        """Returns the figures as JSON."""
        found: dict[str, Json] = as_json(self)
        return found


_SHARES: dict[str, Callable[[Rollout], float | None]] = {
    "interface_switches": behaviour.interface_switches,
    "service_switches": behaviour.service_switches,
    "acted": behaviour.acted,
    "acted_unread": behaviour.acted_unread,
    "errors": behaviour.errors,
    "malformed": behaviour.malformed,
    "recovery": behaviour.recovery,
}
_NUMBERS: dict[str, Callable[[Rollout], float | None]] = {
    "returns": behaviour.returns,
    "repeated_reads": behaviour.repeated_reads,
    "reads_before_acting": behaviour.reads_before_acting,
}


def habits_of(trials: Sequence[Trial], formula: str = "score") -> Habits:
    """Returns the behaviour of a set of episodes.

    Args:
        trials: Of which the graded ones count.
        formula: One of `rewards.FORMULAS`.

    Raises:
        MissingExtra: Where scipy is not installed.
    """
    graded = [trial for trial in trials if trial.rollout and trial.outcome == "graded"]
    rollouts = [trial.rollout for trial in graded if trial.rollout]
    tasks = [trial.task for trial in graded]
    columns = {name: [of(one) for one in rollouts] for name, of in (_SHARES | _NUMBERS).items()}
    within: dict[str, Range | None] = dict.fromkeys(_NUMBERS)
    return Habits(**estimates(columns, tasks, within), within=_curve(rollouts, tasks, formula))


def _curve(rollouts: Sequence[Rollout], tasks: Sequence[str], formula: str) -> tuple[Within, ...]:
    longest = max((rollout.steps for rollout in rollouts), default=0)
    budgets = sorted({-(-longest * point // POINTS) for point in range(1, POINTS + 1)} - {0})
    columns = {
        str(calls): [behaviour.value_within(one, calls, formula) for one in rollouts]
        for calls in budgets
    }
    return tuple(Within(int(name), found) for name, found in estimates(columns, tasks).items())
