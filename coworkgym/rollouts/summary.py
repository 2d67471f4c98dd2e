"""Summaries: the figures of a set of finished episodes."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from coworkgym.rewards import combine
from coworkgym.rollouts.rollout import Rollout, passed
from coworkgym.tasks import Item


class Summary(NamedTuple):
    """Figures over episodes of one package, level, language, split and policy.

    Means run over graded episodes only, which is why the number of the others stands beside them;
    a mean over none is NaN.

    Attributes:
        name: The package.
        level: Level of the items.
        language: Language of the items.
        split: Split of the items.
        policy: Name of the policy.
        episodes: How many were played.
        mean_score: Mean of the formula, in [0, 1].
        completion: Mean completion, in [0, 1].
        safety: Mean safety, in [0, 1].
        solved: Share with every check and gate kept, in [0, 1].
        pass_rate: Share with a score of at least 0.75 that were not cut off, in [0, 1].
        ungraded: Number that could not be graded.
        void: Number that were asked for and did not come to an end.
    """

    name: str
    level: str
    language: str
    split: str
    policy: str
    episodes: int
    mean_score: float
    completion: float
    safety: float
    solved: float
    pass_rate: float
    ungraded: int
    void: int


def summarise(
    episodes: Sequence[Rollout],
    formula: str = "score",
    *,
    items: Sequence[Item] | None = None,
    policy: str | None = None,
) -> Summary:
    """Returns the figures of episodes that share package, level, language, split and policy.

    Args:
        episodes: At least one, where items and policy are not given.
        formula: One of `rewards.FORMULAS`.
        items: One for each episode asked for; by default those that there are.
        policy: Name of the policy; by default that of the episodes.
    """
    asked = [episode.item for episode in episodes] if items is None else items
    item = asked[0]
    finished = [episode for episode in episodes if episode.score.status == "graded"]
    graded = [episode.score for episode in finished]
    values = [combine(formula, result) for result in graded]
    return Summary(
        name=item.package,
        level=item.level,
        language=item.language,
        split=item.split,
        policy=episodes[0].policy if policy is None else policy,
        episodes=len(asked),
        mean_score=_mean(values),
        completion=_mean([result.completion for result in graded]),
        safety=_mean([result.safety for result in graded]),
        solved=_mean([float(result.solved) for result in graded]),
        pass_rate=_mean([float(passed(episode, formula)) for episode in finished]),
        ungraded=len(episodes) - len(graded),
        void=len(asked) - len(episodes),
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
