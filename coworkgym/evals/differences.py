"""Differences: what makes two runs incomparable, beside the policy that they are to compare."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from coworkgym.errors import CoworkError, unknown
from coworkgym.evals.trial import Trial
from coworkgym.frozen import Json
from coworkgym.rollouts import Run, Settings

SETTINGS: dict[str, tuple[str, ...]] = {
    "user": ("user",),
    "judge": ("judge",),
    "interface": ("interface",),
    "faults": ("faults",),
    "limits": ("max_steps", "max_context", "timeout"),
    "formula": ("formula",),
    "seed": ("seed",),
}
"""Settings that must be equal, by the name under which a difference is allowed."""

ALLOWABLE = ("harness", *SETTINGS, "tasks", "samples", "versions")
"""Names of the differences that can be allowed; policy and its options may always differ."""


class Difference(NamedTuple):
    """One thing that is not the same in two runs.

    Attributes:
        name: Under which it can be allowed, one of ALLOWABLE.
        what: What differs.
        a: There, in the first run.
        b: There, in the second.
    """

    name: str
    what: str
    a: Json
    b: Json

    def __str__(self) -> str:
        """What differs, with both values, and how to allow it."""
        return f"{self.what}: {self.a!r} against {self.b!r} (allow: {self.name})"


class RunsDiffer(CoworkError, ValueError):
    """Two runs that differ in more than the policy.

    Args:
        differences: All of them that are not allowed.
    """

    def __init__(self, differences: Sequence[Difference]) -> None:
        listed = "\n".join(f"  {difference}" for difference in differences)
        super().__init__(f"the runs differ in more than the policy:\n{listed}")
        self.differences = tuple(differences)


def require_known(allow: Collection[str]) -> None:
    """Refuses the name of a difference that does not exist.

    Raises:
        UnknownNameError: With the nearest.
    """
    for name in allow:
        if name not in ALLOWABLE:
            raise unknown("difference", name, ALLOWABLE)


def differences(a: Run, b: Run, tasks: tuple[Sequence[Trial], Sequence[Trial]]) -> list[Difference]:
    """Returns everything in which two runs differ, beside policy, options and what they scored.

    Args:
        a: The first run.
        b: The second run.
        tasks: The trials of each.
    """
    return [
        *_settings(a.settings, b.settings),
        *_tasks(*tasks),
        *_samples(*tasks),
        *_versions(a, b),
    ]


def _settings(a: Settings, b: Settings) -> Iterator[Difference]:
    if a.harness and b.harness:  # a policy without one has nothing to be asked through
        for key in sorted({*a.harness, *b.harness}):
            mine, yours = a.harness.get(key), b.harness.get(key)
            if mine != yours:
                yield Difference("harness", f"harness {key}", mine, yours)
    differing = a.differences(b)
    for name, parts in SETTINGS.items():
        for part in parts:
            if part in differing:
                yield Difference(name, part, *differing[part])


def digests(trials: Sequence[Trial]) -> dict[str, str]:
    """Returns the digests of tasks by stem; empty where no trial was finished."""
    found: dict[str, str] = {trial.stem: "" for trial in trials}
    for trial in trials:
        if trial.rollout:
            found[trial.stem] = trial.rollout.task.digest
    return found


def other_digest(a: dict[str, str], b: dict[str, str]) -> set[str]:
    """Returns the stems whose tasks are known to differ."""
    return {stem for stem in a if a[stem] and b.get(stem) and a[stem] != b[stem]}


def _tasks(a: Sequence[Trial], b: Sequence[Trial]) -> Iterator[Difference]:
    mine, yours = digests(a), digests(b)
    if mine.keys() != yours.keys():
        only_a, only_b = sorted(mine.keys() - yours), sorted(yours.keys() - mine)
        yield Difference("tasks", "tasks of one run only", _some(only_a), _some(only_b))
    for stem in sorted(other_digest(mine, yours)):
        yield Difference("tasks", f"digest of {stem}", mine[stem], yours[stem])


def _samples(a: Sequence[Trial], b: Sequence[Trial]) -> Iterator[Difference]:
    mine, yours = _by_task(a), _by_task(b)
    differing = [stem for stem in sorted(mine.keys() & yours) if mine[stem] != yours[stem]]
    if differing:
        first, more = differing[0], len(differing) - 1
        what = f"samples of {first}" + (f" and {more} more" if more else "")
        yield Difference("samples", what, sorted(mine[first]), sorted(yours[first]))


def _versions(a: Run, b: Run) -> Iterator[Difference]:
    mine, yours = (run.versions.get("coworkgym") for run in (a, b))
    if mine != yours:
        yield Difference("versions", "version of coworkgym", mine, yours)


def _by_task(trials: Sequence[Trial]) -> dict[str, set[int]]:
    samples: dict[str, set[int]] = {}
    for trial in trials:
        samples.setdefault(trial.stem, set()).add(trial.sample)
    return samples


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return (", ".join(names[:3]) or "none") + more
