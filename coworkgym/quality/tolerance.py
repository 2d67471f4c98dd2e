"""Tolerance: what policies that do not do the work may earn."""

from typing import NamedTuple


class Tolerance(NamedTuple):
    """What policies that do not do the work may earn of `Score.value`.

    Where nothing may be changed, reading is part of the work: there, what checks pay for reading
    alone counts in the first line, and not in the next two.

    Attributes:
        task: What a deterministic adversary must stay below on every task.
        mean: What it must stay below on average over a package.
        guessing: What a guesser must stay below on average over a package.
        reading: What an episode that changes nothing earns at most, where acting is right.
    """

    task: float = 0.5
    mean: float = 0.05
    guessing: float = 0.1
    reading: float = 0.3


TOLERANCE = Tolerance()
"""What the library asks of its own packages."""
