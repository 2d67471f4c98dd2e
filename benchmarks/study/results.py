"""Results: what the arms earned, compared, as JSON that tables and plots are made of."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from coworkgym.rollouts import Run, item_of
from study.effects import Effect, Table, corrected, difference, mean, share_above_chance
from study.jobs import is_done, seconds_of
from study.measures import ACTS, MEASURES, measured, reference
from study.plan import Arm, Comparison, Study


class Tables:
    """The measures of the arms that have been played, by arm, package and measure.

    Args:
        study: The study.
        work: Its folder.
    """

    def __init__(self, study: Study, work: Path) -> None:
        self._study, self._work = study, work
        done = {job.name for job in study.jobs(work) if is_done(job, work)}
        self.arms = [
            arm
            for arm in study.arms
            if arm.measured and all(f"play-{arm.name}-{seed}" in done for seed in study.seeds(arm))
        ]

    def of(self, arm: Arm, package: str, measure: str) -> Table:
        """Returns a row a seed and a column a task, tasks in order.

        Raises:
            KeyError: For an arm that has not been played, or a package that it did not play.
        """
        rows = []
        for seed in self._study.seeds(arm):
            played = _read(self._study.played(arm, seed, self._work))
            values = played[package]
            rows.append([values[task][MEASURES.index(measure)] for task in sorted(values)])
        return np.asarray(rows)

    def pair(self, ours: Arm, theirs: Arm, package: str, measure: str) -> tuple[Table, Table]:
        """Returns the tables of two arms for their difference.

        They are of the seeds that both have; where one has one seed only, it stands against all.
        """
        seeds = [self._study.seeds(arm) for arm in (ours, theirs)]
        tables = [self.of(arm, package, measure) for arm in (ours, theirs)]
        if min(len(seeds[0]), len(seeds[1])) > 1:
            both = [seed for seed in seeds[0] if seed in seeds[1]]
            tables = [
                table[[own.index(seed) for seed in both]]
                for table, own in zip(tables, seeds, strict=True)
            ]
        return np.repeat(tables[0], len(tables[1]) // len(tables[0]) or 1, axis=0), tables[1]

    def chances(self, arm: Arm, package: str) -> list[float]:
        """Returns 1/k of each task, in order."""
        seed = self._study.seeds(arm)[0]
        values = _read(self._study.played(arm, seed, self._work))[package]
        return [reference(item_of(f"{task}/0")).chance for task in sorted(values)]


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
        "arms": {arm.name: _arm(tables, study, arm, work) for arm in tables.arms},
        "comparisons": _comparisons(tables, study),
        "curves": {arm.name: curves(study, arm, work) for arm in tables.arms},
        "missing": [arm.name for arm in study.arms if arm.measured and arm not in tables.arms],
    }


CURVES = ("reward", "office/solved", "office/breach_rate", "office/dead_groups", "entropy")


def curves(study: Study, arm: Arm, work: Path) -> dict[str, list[list[float]]]:
    """Returns what an arm's training logged by step: a list a seed; nothing without a log."""
    found: dict[str, list[list[float]]] = {}
    for seed in study.seeds(arm):
        log = Path(study.model(arm, seed, work)).parent / "log.jsonl"
        if not log.is_file():
            return {}
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        for name in CURVES:
            values = [round(line[name], 4) for line in lines if line.get(name) is not None]
            found.setdefault(name, []).append(values)
    return found


def _arm(tables: Tables, study: Study, arm: Arm, work: Path) -> dict[str, Any]:
    packages: dict[str, Any] = {}
    for package in study.packages(arm):
        of = {measure: tables.of(arm, package, measure) for measure in MEASURES}
        packages[package] = {name: _figures(mean(table)) for name, table in of.items()}
        packages[package]["score"]["by_seed"] = of["score"].mean(1).round(4).tolist()
        if package in ACTS:
            chances = tables.chances(arm, package)
            packages[package]["right"]["chance"] = float(np.mean(chances))
            above = _figures(share_above_chance(of["right"], chances))
            packages[package]["right_above_chance"] = above
    names = frozenset({arm.name})
    spent = seconds_of((job for job in study.jobs(work, names) if _own(job.name, arm)), work)
    seeds = study.seeds(arm)
    return {"about": arm.about, "seeds": list(seeds), "seconds": spent, "packages": packages}


def _own(job: str, arm: Arm) -> bool:
    return job.rpartition("-")[0] in (f"train-{arm.trained_as or arm.name}", f"play-{arm.name}")


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
