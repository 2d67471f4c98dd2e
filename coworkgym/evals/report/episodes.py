"""Episodes that a report points at: breaches of each gate, the longest and the slowest."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from coworkgym.evals.report.column import Column
from coworkgym.rewards import GateResult
from coworkgym.rollouts import Rollout

EXAMPLES = 3
"""Episodes that are shown of a breach, for each run."""

MOST = 5
"""Episodes that are shown as the longest and as the slowest, for each run."""


class Pointer(NamedTuple):
    """An episode, and where it is to be seen.

    Attributes:
        id: Of the episode.
        href: Its page in a viewer; empty where none is known.
        fact: What is remarkable about it.
    """

    id: str
    href: str
    fact: str = ""


class Breaches(NamedTuple):
    """How often one run breached one gate.

    Attributes:
        breached: Number of episodes.
        judged: Graded episodes with this gate.
        examples: The first of them.
    """

    breached: int
    judged: int
    examples: list[Pointer]


class GateRow(NamedTuple):
    """One gate of a package, and its breaches in each run."""

    package: str
    gate: str
    severity: float
    runs: list[Breaches]


def gate_rows(columns: Sequence[Column]) -> list[GateRow]:
    """Returns the gates that were breached at all: the severest first, then the most frequent."""
    seen = [_gates(column) for column in columns]
    keys = {key for one in seen for key, found in one.items() if found.breached}
    empty = Breaches(0, 0, [])
    rows = [GateRow(*key, [one.get(key, empty) for one in seen]) for key in sorted(keys)]
    return sorted(rows, key=lambda row: (-row.severity, -sum(one.breached for one in row.runs)))


def _gates(column: Column) -> dict[tuple[str, str, float], Breaches]:
    verdicts: dict[tuple[str, str, float], list[tuple[Rollout, GateResult]]] = {}
    for rollout in column.rollouts:
        for gate in rollout.score.gates:
            key = (rollout.item.package, gate.name, gate.severity)
            verdicts.setdefault(key, []).append((rollout, gate))
    found = {}
    for key, pairs in verdicts.items():
        breached = [(rollout, gate) for rollout, gate in pairs if gate.breached]
        examples = [_pointer(column, one, gate.why) for one, gate in breached[:EXAMPLES]]
        found[key] = Breaches(len(breached), len(pairs), examples)
    return found


def longest(column: Column) -> list[Pointer]:
    """Returns the episodes with the most calls."""
    ordered = sorted(column.rollouts, key=lambda rollout: (-rollout.steps, rollout.id))[:MOST]
    return [_pointer(column, rollout, f"{rollout.steps} calls") for rollout in ordered]


def slowest(column: Column) -> list[Pointer]:
    """Returns the episodes that took the longest time."""
    seconds = column.run.seconds()
    known = [rollout for rollout in column.rollouts if rollout.id in seconds]
    ordered = sorted(known, key=lambda rollout: (-seconds[rollout.id], rollout.id))[:MOST]
    return [_pointer(column, rollout, f"{seconds[rollout.id]:,.2f} s") for rollout in ordered]


def _pointer(column: Column, rollout: Rollout, fact: str) -> Pointer:
    href = f"{column.link.rstrip('/')}/#/episode/{quote(rollout.id)}" if column.link else ""
    return Pointer(rollout.id, href, fact)
