"""Faults: tools that fail as in real offices, the same under the same seed."""

import zlib
from typing import NamedTuple

from coworkgym.errors import TaskError, unknown

MESSAGES = {
    "rate_limited": "Too many requests. Please try again after a short delay.",
    "server_error": "An unexpected error occurred. Please try again.",
    "timeout": "The request timed out before it was answered.",
}

KINDS = {
    "rate_limit": "rate_limited",
    "server_error": "server_error",
    "timeout": "timeout",
    "accepted_timeout": "timeout",
}
"""Error code of each kind. An accepted time-out has done its work; the agent cannot tell."""


class Faults(NamedTuple):
    """Which calls fail.

    Attributes:
        rate: Share of the calls that fail, in [0, 1].
        kinds: Of KINDS, equally likely.
        seed: Another seed, other calls; Episode derives it from the task's item.
    """

    rate: float
    kinds: tuple[str, ...] = tuple(KINDS)
    seed: int = 0

    def validate(self) -> "Faults":
        """Returns itself.

        Raises:
            TaskError: For a rate outside [0, 1], or no kinds.
            UnknownNameError: For an unknown kind.
        """
        if not 0 <= self.rate <= 1:
            raise TaskError(f"the rate of faults must be in [0, 1], got {self.rate!r}")
        if not self.kinds:
            raise TaskError("faults need at least one kind")
        for kind in self.kinds:
            if kind not in KINDS:
                raise unknown("kind of fault", kind, KINDS)
        return self

    def of_call(self, step: int) -> str | None:
        """Returns the kind of fault that meets the call of that number, or None."""
        share, choice = (
            zlib.crc32(f"{self.seed}:{step}:{what}".encode()) / 2**32 for what in ("share", "kind")
        )
        return self.kinds[int(choice * len(self.kinds))] if share < self.rate else None
