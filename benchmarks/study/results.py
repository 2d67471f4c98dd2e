"""Results: what the arms earned, compared, as JSON that tables and plots are made of."""

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from coworkgym.rollouts import Run, item_of
from study.effects import Effect, Table, corrected, difference, mean, share_above_chance
from study.jobs import is_done
from study.measures import ACTS, MEASURES, measured, reference
from study.plan import Arm, Comparison, Study


class Tables:
    """The measures of what has been played, by arm, package and measure.

    Args:
        study: The study.
        work: Its folder.
    """

    def __init__(self, study: Study, work: Path) -> None:
        self._study, self._work = study, work
        done = {job.name for job in study.jobs(work) if is_done(job, work)}
        self.seeds = {
            arm.name: [seed for seed in study.seeds(arm) if f"play-{arm.name}-{seed}" in done]
            for arm in study.arms
        }
        self.arms = [arm for arm in study.arms if self.seeds[arm.name]]

    def of(self, arm: Arm, package: str, measure: str, also: Sequence[Arm] = ()) -> Table:
        """Returns a row a seed and a column a task, tasks in order.

        Args:
            arm: One that has been played.
            package: One that it played.
            measure: One of `MEASURES`.
            also: Arms that have to have played a task, too; of them, only seeds that all have.
        """
        seeds = [seed for seed in self.seeds[arm.name] if self._paired(seed, also)]
        played = [self._tasks(arm, seed, package) for seed in seeds]
        tasks = set.intersection(*map(set, played))
        for other in also:
            tasks &= set(self._tasks(other, self.seeds[other.name][0], package))
        place = MEASURES.index(measure)
        return np.asarray([[values[task][place] for task in sorted(tasks)] for values in played])

    def pair(self, ours: Arm, theirs: Arm, package: str, measure: str) -> tuple[Table, Table]:
        """Returns the tables of two arms for their difference, on the tasks that both played.

        They are of the seeds that both have; where one has one seed only, it stands against all.
        """
        one = self.of(ours, package, measure, (theirs,))
        other = self.of(theirs, package, measure, (ours,))
        return np.repeat(one, len(other) // len(one) or 1, axis=0), other

    def chances(self, arm: Arm, package: str) -> list[float]:
        """Returns 1/k of each task, in order."""
        tasks = self._tasks(arm, self.seeds[arm.name][0], package)
        return [reference(item_of(f"{task}/0")).chance for task in sorted(tasks)]

    def _paired(self, seed: int, also: Sequence[Arm]) -> bool:
        """Whether a seed is compared: arms of one seed stand against all."""
        return all(len(self.seeds[arm.name]) == 1 or seed in self.seeds[arm.name] for arm in also)

    def _tasks(self, arm: Arm, seed: int, package: str) -> dict[str, tuple[float, ...]]:
        return _read(self._study.played(arm, seed, self._work))[package]


@lru_cache(maxsize=256)
def _read(folder: Path) -> dict[str, dict[str, tuple[float, ...]]]:
    """The measures of each task, by package; the mean where it was played several times."""
    found: dict[str, dict[str, list[tuple[float, ...]]]] = {}
    for rollout in Run(folder).rollouts():
        task = rollout.id.rpartition("/")[0]
        found.setdefault(rollout.item.package, {}).setdefault(task, []).append(measured(rollout))
    return {
        package: {task: tuple(np.mean(rows, axis=0)) for task, rows in tasks.items()}
        for package, tasks in found.items()
    }


def results(study: Study, work: Path) -> dict[str, Any]:
    """Returns what is known of the arms that have been played."""
    tables = Tables(study, work)
    return {
        "study": study.name,
        "size": study.size._asdict(),
        "arms": {arm.name: _arm(tables, study, arm) for arm in tables.arms},
        "comparisons": _comparisons(tables, study),
        "curves": {arm.name: curves(study, arm, work, tables) for arm in tables.arms},
        "missing": {
            arm.name: [seed for seed in study.seeds(arm) if seed not in tables.seeds[arm.name]]
            for arm in study.arms
            if arm.measured and len(tables.seeds[arm.name]) < len(study.seeds(arm))
        },
    }


CURVES = ("reward", "office/solved", "office/breach_rate", "office/dead_groups", "entropy")


def curves(study: Study, arm: Arm, work: Path, tables: Tables) -> dict[str, list[list[float]]]:
    """Returns what an arm's training logged by step: a list a seed; nothing without a log."""
    found: dict[str, list[list[float]]] = {}
    for seed in tables.seeds[arm.name]:
        log = Path(study.model(arm, seed, work)).parent / "log.jsonl"
        if not log.is_file():
            return {}
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        for name in CURVES:
            values = [round(line[name], 4) for line in lines if line.get(name) is not None]
            found.setdefault(name, []).append(values)
    return found


def _arm(tables: Tables, study: Study, arm: Arm) -> dict[str, Any]:
    packages: dict[str, Any] = {}
    for package in study.packages(arm):
        of = {measure: tables.of(arm, package, measure) for measure in MEASURES}
        packages[package] = {
            name: _figures(mean(table, share=name != "calls")) for name, table in of.items()
        }
        packages[package]["score"]["by_seed"] = of["score"].mean(1).round(4).tolist()
        if package in ACTS:
            chances = tables.chances(arm, package)
            packages[package]["right"]["chance"] = float(np.mean(chances))
            above = _figures(share_above_chance(of["right"], chances))
            packages[package]["right_above_chance"] = above
    seeds = tables.seeds[arm.name]
    return {"about": arm.about, "seeds": seeds, "packages": packages}


def _comparisons(tables: Tables, study: Study) -> list[dict[str, Any]]:
    """All comparisons of arms that are there, on each package that both played."""
    there = {arm.name: arm for arm in tables.arms}
    found: list[tuple[Comparison, str, Effect]] = []
    for asked in study.comparisons:
        if asked.ours not in there or asked.theirs not in there:
            continue
        ours, theirs = there[asked.ours], there[asked.theirs]
        for package in study.packages(ours):
            if package in study.packages(theirs):
                pair = tables.pair(ours, theirs, package, asked.measure)
                found.append((asked, package, difference(*pair)))
    rows: list[dict[str, Any]] = []
    for family in dict.fromkeys(asked.family for asked, _, _ in found):
        own = [one for one in found if one[0].family == family]
        effects = corrected([effect for _, _, effect in own])
        for (asked, package, _), effect in zip(own, effects, strict=True):
            named = asked.__dict__ | {"package": package}
            rows.append(named | _figures(effect))
    return rows


def _figures(effect: Effect) -> dict[str, Any]:
    return {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in effect._asdict().items()
    }
