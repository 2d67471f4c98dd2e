"""Inline: episodes are played in this process."""

from collections.abc import Iterable, Iterator

from coworkgym.policies import AsyncPolicy
from coworkgym.rollouts.lockstep import play_in_step
from coworkgym.rollouts.playing import Job, Unit
from coworkgym.rollouts.rollout import Ended
from coworkgym.rollouts.waiting import play_waiting


class Inline:
    """Plays units here: side by side in step, or each waiting for its server."""

    def play(self, units: Iterable[Unit], job: Job) -> Iterator[Ended]:
        """Yields how each unit ended, as they end."""
        if isinstance(job.policy, AsyncPolicy):
            return play_waiting(units, job)
        return play_in_step(units, job)
