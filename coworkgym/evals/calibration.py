"""Calibration: how hard packages are, as pass rates measured by policies, kept in one file."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from coworkgym.errors import CoworkError
from coworkgym.evals.as_json import as_json
from coworkgym.evals.estimate import Estimate, estimate
from coworkgym.evals.trial import Trial, require_finished, trials_of
from coworkgym.frozen import Json
from coworkgym.rollouts import Run, passed

SCHEMA = 1


class FactsError(CoworkError, ValueError):
    """A file of facts that cannot be read."""


class Fact(NamedTuple):
    """How often one policy passes tasks of one kind.

    Attributes:
        policy: Who played.
        package: Name of the package.
        version: Of the package.
        split: Of the items.
        level: Of the items.
        language: Of the items.
        fingerprint: Hash of the run's settings.
        formula: The reward formula of passing.
        pass_rate: With its interval; `n` graded episodes.
        asked: Episodes that were asked for, graded or not.
        date: When the run was played, as given.
        versions: Of Python and the packages that the run was played with.
    """

    policy: str
    package: str
    version: int
    split: str
    level: str
    language: str
    fingerprint: str
    formula: str
    pass_rate: Estimate
    asked: int
    date: str
    versions: dict[str, str]

    @property
    def key(self) -> tuple[str, ...]:
        """What a newer fact replaces it by."""
        kind = (self.policy, self.package, self.split, self.level, self.language)
        return (*kind, self.fingerprint)

    def as_dict(self) -> dict[str, Json]:
        """Returns the fact as JSON."""
        found: dict[str, Json] = as_json(self)
        return found


def facts_of(run: Run, date: str = "") -> list[Fact]:
    """Returns the pass rates of a run, by package, split, level and language.

    Args:
        run: With at least one finished episode.
        date: When it was played; no clock is read.

    Raises:
        EmptyRun: Where no episode was finished.
        MissingExtra: Where scipy is not installed.
    """
    trials = trials_of(run)
    require_finished(trials, run.name)
    kinds: dict[tuple[str, int, str, str, str], list[Trial]] = {}
    for trial in trials:
        item = trial.item
        kind = item.package, item.version, item.split, item.level, item.language
        kinds.setdefault(kind, []).append(trial)
    return [
        Fact(
            *(trials[0].policy, *kind, run.settings.fingerprint, run.settings.formula),
            *(_pass_rate(kinds[kind], run.settings.formula), len(kinds[kind])),
            *(date, run.versions),
        )
        for kind in sorted(kinds)
    ]


def write_facts(path: str | os.PathLike[str], facts: Iterable[Fact]) -> None:
    """Adds facts to a file; those of the same key are replaced. It is written whole or not at all.

    Args:
        path: Of the file; made if it is not there.
        facts: New ones.

    Raises:
        FactsError: For a file that is there and cannot be read; it is left as it is.
    """
    target = Path(path)
    there = read_facts(target) if target.exists() else []
    every = {fact.key: fact for fact in (*there, *facts)}
    data = {"schema": SCHEMA, "facts": [every[key].as_dict() for key in sorted(every)]}
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.partial")
    partial.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    partial.replace(target)


def read_facts(path: str | os.PathLike[str]) -> list[Fact]:
    """Returns the facts of a file, in order of their keys.

    Raises:
        FactsError: For a file that is not there, or holds something else.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise FactsError(f"{path} is of schema {data['schema']!r}; this version reads {SCHEMA}")
        return [_fact(one) for one in data["facts"]]
    except OSError as error:
        raise FactsError(f"{path} cannot be read: {error.strerror}") from None
    except (LookupError, TypeError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FactsError(f"{path} holds no facts: {error!r:.200}") from None


def _fact(data: Mapping[str, Any]) -> Fact:
    return Fact(**{**data, "pass_rate": Estimate(**data["pass_rate"])})


def _pass_rate(trials: Iterable[Trial], formula: str) -> Estimate:
    graded = [trial for trial in trials if trial.outcome == "graded" and trial.rollout]
    values = [float(passed(trial.rollout, formula)) for trial in graded if trial.rollout]
    return estimate(values, [trial.task for trial in graded])
