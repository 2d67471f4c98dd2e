"""A policy that takes its time: the reference, as if it were a small model on a CPU."""

import time
from collections.abc import Sequence
from typing import Any

from coworkgym.frozen import Json
from coworkgym.policies import ReferencePolicy
from coworkgym.transcript import Message

SECONDS = 0.02


class BusyPolicy(ReferencePolicy):
    """Plays the solution, after 20 ms of CPU in the first turn of each episode."""

    name = "busy"

    def act(
        self, transcripts: Sequence[Sequence[Message]], tools: Sequence[Json]
    ) -> list[dict[str, Any]]:
        """Returns the next call of each transcript, in time."""
        for transcript in transcripts:
            end = time.process_time() + SECONDS
            while len(transcript) == 2 and time.process_time() < end:
                pass
        return super().act(transcripts, tools)
