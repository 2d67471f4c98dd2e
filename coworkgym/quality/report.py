"""Report: what is wrong with a task, a file, a folder of files or a package, and where."""

import math
import os
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from coworkgym.errors import TaskError
from coworkgym.policies import RandomPolicy
from coworkgym.quality.check import PACKAGE_RULES, TASK_RULES
from coworkgym.quality.lint import STATIC, Rule, reference
from coworkgym.quality.tolerance import TOLERANCE
from coworkgym.rollouts import play_out
from coworkgym.tasks import SPLITS, Item, Language, Level, Task, TaskPackage, load_task

GUESSING = TOLERANCE.guessing
DRAWS = 15  # random episodes of a level and language, at least

_LOADS = {"loads": "The task can be read or built, and fits its digest."}
_BUILDS = {
    "rebuilt": "An item gives the same task each time.",
    "seeds": "Another seed gives another task.",
    "random": f"Random calls earn less than {GUESSING} on average, above warmup.",
}


class Finding(NamedTuple):
    """One thing that is wrong.

    Attributes:
        rule: Name of the rule that is broken.
        place: Where: the task, and the part of it.
        why: What is wrong there.
    """

    rule: str
    place: str
    why: str


class Report(NamedTuple):
    """What came of checking one subject.

    Attributes:
        subject: The package, item or path that was checked.
        tasks: How many tasks could be read or built, and were checked.
        rules: What was demanded, by the name of the rule.
        findings: What is wrong.
    """

    subject: str
    tasks: int
    rules: dict[str, str]
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def check_task(task: Task) -> Report:
    """Checks one task by every rule that needs no more than the task itself."""
    place = place_of(task.item)
    findings = tuple(_findings(task, place, TASK_RULES))
    return Report(place, 1, _demands(TASK_RULES), findings)


def check_path(path: str | os.PathLike[str], rules: Sequence[Rule] = TASK_RULES) -> Report:
    """Checks a task file, or every `*.json` file of a folder; one that cannot be read is a finding.

    Args:
        path: The file or folder.
        rules: By default all that need no more than the task itself.

    Raises:
        TaskError: For a path that does not exist, or a folder without task files.
    """
    files = task_files(path)
    findings: list[Finding] = []
    unread = 0
    for file in files:
        try:
            findings += _findings(load_task(file), file.name, rules)
        except TaskError as error:
            findings.append(Finding("loads", file.name, str(error)))
            unread += 1
    demands = _LOADS | _demands(rules)
    return Report(str(path), len(files) - unread, demands, tuple(findings))


def lint_path(path: str | os.PathLike[str]) -> Report:
    """Looks at a task file, or every one of a folder, without judging an episode.

    Raises:
        TaskError: See `check_path`.
    """
    return check_path(path, STATIC)


def task_files(path: str | os.PathLike[str]) -> list[Path]:
    """Returns a task file, or the `*.json` files of a folder in order of their names.

    Raises:
        TaskError: For a path that does not exist, or a folder without task files.
    """
    root = Path(path)
    files = sorted(root.glob("*.json")) if root.is_dir() else [root]
    if not files or not root.exists():
        raise TaskError(f"{root} is neither a task file nor a folder of task files (*.json)")
    return files


def check_package(
    package: TaskPackage,
    *,
    seeds: int = 5,
    levels: Sequence[Level] | None = None,
    languages: Sequence[Language] | None = None,
) -> Report:
    """Checks the tasks of a package; of a package made of task files, the files.

    Args:
        package: What to check.
        seeds: Tasks of each level and language; the splits take turns.
        levels: By default all of the package.
        languages: By default all of the package.

    Raises:
        UnknownNameError: For a level or language the package does not have.
    """
    if package.source:
        return check_path(package.source)
    findings: list[Finding] = []
    count = 0
    for level in levels or tuple(package.tools):
        for language in languages or package.languages:
            tasks: list[Task] = []
            for seed in range(seeds):
                split = SPLITS[seed % len(SPLITS)]
                item = package.item(seed=seed, level=level, language=language, split=split)
                findings += _build(package, item, tasks)
            findings += _guessed(tasks)
            count += len(tasks)
    rules = _LOADS | _demands(PACKAGE_RULES) | _BUILDS
    return Report(package.name, count, rules, tuple(findings))


def _build(package: TaskPackage, item: Item, tasks: list[Task]) -> Iterator[Finding]:
    """Builds a task, adds it to the others, and yields what is wrong with it."""
    following = item._replace(seed=item.seed + 1)
    written = [write(package, wanted) for wanted in (item, item, following)]
    built = [task for task in written if isinstance(task, Task)]
    if len(built) < len(written):
        yield from dict.fromkeys(failed for failed in written if isinstance(failed, Finding))
        return
    task, again, other = built
    tasks.append(task)
    yield from _findings(task, place_of(item), PACKAGE_RULES)
    if again != task:
        yield Finding("rebuilt", place_of(item), "built again, it is another task")
    if replace(other, item=item) == task:
        yield Finding("seeds", place_of(item), "the next seed gives the same task")


def write(package: TaskPackage, item: Item) -> Task | Finding:
    """Returns the task of an item; a package can raise whatever it likes, then it is a finding."""
    try:
        return package.write(item)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[-3:]
        lines = " > ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
        return Finding("loads", place_of(item), f"{type(error).__name__}: {error} ({lines})")


def _guessed(tasks: Sequence[Task]) -> Iterator[Finding]:
    """Yields a finding when random calls earn too much in the tasks of one level and language."""
    if not tasks or tasks[0].item.level == "warmup":
        return
    policies = [RandomPolicy(seed) for seed in range(-(-DRAWS // len(tasks)))]
    values = [play_out(task, policy).score().value for policy in policies for task in tasks]
    mean = math.fsum(values) / len(values)
    if mean >= GUESSING:
        item = tasks[0].item
        why = f"random calls earn {mean:.3g} on average of {len(values)} episodes"
        yield Finding("random", f"{item.package}, {item.level} {item.language}", why)


def _findings(task: Task, place: str, rules: Sequence[Rule]) -> Iterator[Finding]:
    run = reference(task)
    for rule in rules:
        for part, why in rule.faults(run):
            yield Finding(rule.name, f"{place}: {part}", why)


def _demands(rules: Sequence[Rule]) -> dict[str, str]:
    return {rule.name: rule.demand for rule in rules}


def place_of(item: Item) -> str:
    """Returns an item in words."""
    return f"{item.package}, {item.level} {item.language} {item.split}, seed {item.seed}"
