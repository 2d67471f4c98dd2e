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

    def of(self, arm: Arm, package: str, measure: str) -> Table:
        """Returns a row a seed and a column a task, tasks in order."""
        seeds = self.seeds[arm.name]
        return self._table(arm, seeds, package, measure, self._common([(arm, seeds)], package))

    def pair(
        self, ours: Arm, theirs: Arm, package: str, measure: str
    ) -> tuple[Table, Table] | None:
        """Returns the tables of two arms for their difference, on the tasks that both played.

        Where all seeds of ours start from one model of theirs, that model stands against all of
        them; so does what is not trained. Else seeds are paired; None where they share none.
        """
        own, other = self.seeds[ours.name], self.seeds[theirs.name]
        if ours.shared and ours.start == theirs.name:
            other = [seed for seed in other if seed == self._study.seeds(theirs)[0]]
        elif self._study.is_trained(ours) and self._study.is_trained(theirs):
            own = other = [seed for seed in own if seed in other]
        if not own or not other:
            return None
        tasks = self._common([(ours, own), (theirs, other)], package)
        one = self._table(ours, own, package, measure, tasks)
        rest = self._table(theirs, other, package, measure, tasks)
        return np.repeat(one, len(rest) if len(one) == 1 else 1, axis=0), rest

    def _table(
        self, arm: Arm, seeds: Sequence[int], package: str, measure: str, tasks: Sequence[str]
    ) -> Table:
        place = MEASURES.index(measure)
        played = [self._tasks(arm, seed, package) for seed in seeds]
        return np.asarray([[values[task][place] for task in tasks] for values in played])

    def _common(self, arms: Sequence[tuple[Arm, Sequence[int]]], package: str) -> list[str]:
        """The tasks that all of them played, in order."""
        played = [set(self._tasks(arm, seed, package)) for arm, seeds in arms for seed in seeds]
        return sorted(set.intersection(*played))

    def chances(self, arm: Arm, package: str) -> list[float]:
        """Returns 1/k of each task, in order."""
        tasks = self._tasks(arm, self.seeds[arm.name][0], package)
        return [reference(item_of(f"{task}/0")).chance for task in sorted(tasks)]

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
                if pair is not None:
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
