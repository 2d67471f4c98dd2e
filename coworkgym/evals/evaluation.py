"""Evaluation: everything that is said about one run."""

from collections.abc import Sequence
from typing import NamedTuple

from coworkgym.errors import unknown
from coworkgym.evals.as_json import as_json
from coworkgym.evals.breakdown import DIMENSIONS, breakdown
from coworkgym.evals.figures import Figures, figures_of
from coworkgym.evals.habits import Habits, habits_of
from coworkgym.evals.trial import require_finished, trials_of
from coworkgym.frozen import Json
from coworkgym.rewards import FORMULAS
from coworkgym.rollouts import Run, Settings


class Evaluation(NamedTuple):
    """Everything that is said about one run.

    Attributes:
        name: Of the run.
        policy: Who played.
        settings: How.
        versions: Of Python and the packages that it was played with.
        figures: Of all episodes.
        breakdowns: Figures of their parts, by dimension and name.
        habits: How the agent went about its work.
    """

    name: str
    policy: str
    settings: Settings
    versions: dict[str, str]
    figures: Figures
    breakdowns: dict[str, dict[str, Figures]]
    habits: Habits

    def as_dict(self) -> dict[str, Json]:
        """Returns the evaluation as JSON."""
        settings = {**self.settings.as_dict(), "fingerprint": self.settings.fingerprint}
        found: dict[str, Json] = as_json(self._asdict() | {"settings": settings})
        return found


def evaluate(run: Run, formula: str | None = None, ks: Sequence[int] | None = None) -> Evaluation:
    """Evaluates a run.

    Args:
        run: With at least one finished episode.
        formula: One of `rewards.FORMULAS`; by default that of the run's settings.
        ks: For which k to say how k trials do together; see `figures_of`. Breakdowns have every k
            that all of their tasks have the trials for.

    Raises:
        EmptyRun: Where no episode was finished, with what came of them.
        TooFewTrials: For a k that no task has the trials for.
        UnknownNameError: For an unknown formula.
        MissingExtra: Where scipy is not installed.
    """
    chosen = run.settings.formula if formula is None else formula
    if chosen not in FORMULAS:
        raise unknown("reward formula", chosen, FORMULAS)
    trials = trials_of(run)
    require_finished(trials, run.name)
    return Evaluation(
        name=run.name,
        policy=trials[0].policy,
        settings=run.settings,
        versions=run.versions,
        figures=figures_of(trials, chosen, ks),
        breakdowns={by: breakdown(trials, by, chosen) for by in DIMENSIONS},
        habits=habits_of(trials, chosen),
    )
