"""Audit: whether the checks and gates of a package or task file can be fooled, and how.

Adversaries, which do not know the answer, try to earn reward without the work; mutants are the
reference solution with one thing wrong. Both are played over seeds and levels.
"""

import math
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coworkgym.envs import Episode
from coworkgym.errors import TaskError
from coworkgym.policies import DETERMINISTIC, GUESSERS, get_policy
from coworkgym.quality.footprint import Footprint
from coworkgym.quality.ledger import Earned, Ledger, Mutated, Weakness
from coworkgym.quality.mutations import Course, mutants, rewrites
from coworkgym.quality.report import Finding, place_of, task_files, write
from coworkgym.quality.tolerance import TOLERANCE, Tolerance
from coworkgym.rewards import Score
from coworkgym.rollouts import play_out
from coworkgym.tasks import SPLITS, Item, Language, Level, Task, TaskPackage, load_task

AUDITED: tuple[Level, ...] = ("easy", "medium", "hard")
"""Levels that are audited unless others are asked for."""

Progress = Callable[[], object]  # called after each task


class Audit(NamedTuple):
    """What came of auditing one subject.

    Attributes:
        subject: The package or path.
        tasks: How many tasks were audited.
        earned: What each policy earned.
        reading: The best score of an episode that changed nothing, where acting is right.
        mutated: Mutants by kind.
        weaknesses: What is wrong, each with the shortest episode that shows it.
    """

    subject: str
    tasks: int
    earned: tuple[Earned, ...]
    reading: float
    mutated: tuple[Mutated, ...]
    weaknesses: tuple[Weakness, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.weaknesses

    def count(self, rule: str) -> int:
        """Returns how many weaknesses of a rule there are."""
        return sum(weakness.rule == rule for weakness in self.weaknesses)

    def most(self, *, guesses: bool) -> float:
        """Returns the largest mean score of a guesser, or of a deterministic adversary."""
        return max((row.mean for row in self.earned if row.guesses is guesses), default=math.nan)

    def facts(self) -> dict[str, Any]:
        """Returns the audit as JSON."""
        weak = [
            w._asdict() | {"calls": [call._asdict() for call in w.calls]} for w in self.weaknesses
        ]
        return self._asdict() | {
            "passed": self.passed,
            "earned": [row._asdict() for row in self.earned],
            "mutated": [row._asdict() for row in self.mutated],
            "weaknesses": weak,
        }


def audit_package(
    package: TaskPackage,
    *,
    seeds: int = 20,
    levels: Sequence[Level] = AUDITED,
    languages: Sequence[Language] | None = None,
    tolerance: Tolerance = TOLERANCE,
    progress: Progress = lambda: None,
) -> Audit:
    """Audits tasks of a package; of a package made of task files, the files.

    Args:
        package: What to audit.
        seeds: Tasks of each level; languages and splits take turns.
        levels: Which levels.
        languages: By default all of the package.
        tolerance: What policies may earn.
        progress: Called after each task.

    Raises:
        UnknownNameError: For a level or language the package does not have.
    """
    if package.source:
        return audit_path(package.source, tolerance=tolerance, progress=progress)
    spoken = languages or package.languages
    items = [
        package.item(
            seed=seed,
            level=level,
            language=spoken[seed % len(spoken)],
            split=SPLITS[seed % len(SPLITS)],
        )
        for level in levels
        for seed in range(seeds)
    ]
    return _audit(package.name, (_written(package, item) for item in items), tolerance, progress)


def audit_path(
    path: str | os.PathLike[str],
    *,
    tolerance: Tolerance = TOLERANCE,
    progress: Progress = lambda: None,
) -> Audit:
    """Audits a task file, or every `*.json` file of a folder.

    Raises:
        TaskError: For a path that does not exist, or a folder without task files.
    """
    return _audit(str(path), map(_loaded, task_files(path)), tolerance, progress)


def _written(package: TaskPackage, item: Item) -> Task | Weakness:
    task = write(package, item)
    return Weakness(*task, task=place_of(item)) if isinstance(task, Finding) else task


def _loaded(file: Path) -> Task | Weakness:
    try:
        return load_task(file)
    except TaskError as error:
        return Weakness("loads", file.name, str(error), file.name)


def _audit(
    subject: str, tasks: Iterable[Task | Weakness], tolerance: Tolerance, progress: Progress
) -> Audit:
    ledger, count = Ledger(tolerance), 0
    for task in tasks:
        if isinstance(task, Weakness):
            ledger.report(task)
        else:
            count += 1
            _audit_task(task, ledger)
        progress()
    return Audit(
        subject,
        count,
        tuple(ledger.earned()),
        ledger.reading,
        tuple(ledger.mutated()),
        tuple(ledger.weaknesses()),
    )


def _audit_task(task: Task, ledger: Ledger) -> None:
    """Plays the reference, its mutants if it is right, and every adversary."""
    course = Course(task)
    reference = course.after[-1]
    score = _scored(reference, ledger)
    if score is not None:
        ledger.add_reference(reference, score)
        if score.solved:
            _play_mutants(course, ledger)
    for name in (*DETERMINISTIC, *GUESSERS):
        episode = play_out(task, get_policy(name, seed=task.item.seed))
        score = _scored(episode, ledger)
        if score is not None and score.status == "graded":
            ledger.add_policy(name, episode, score, guesses=name in GUESSERS)


def _play_mutants(course: Course, ledger: Ledger) -> None:
    footprint = Footprint.of(course.after[-1].evidence(), course.task.gates)
    for mutant in (*mutants(course), *rewrites(course)):
        episode = course.branch(mutant.kept, mutant.calls)
        episode.truncated = not episode.terminated  # who says nothing more is cut off
        score = _scored(episode, ledger)
        if score is not None:
            ledger.add_mutant(mutant, episode, score, footprint)


def _scored(episode: Episode, ledger: Ledger) -> Score | None:
    """The score; checks of other people can raise whatever they like, and the audit goes on."""
    try:
        return episode.score()
    except Exception as error:
        why = f"scoring raises {type(error).__name__}: {error}"
        ledger.report(Weakness("grades", type(error).__name__, why, place_of(episode.task.item)))
        return None
