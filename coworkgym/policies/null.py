"""The null policy: does nothing and says so little that it earns nothing."""

from collections.abc import Sequence
from typing import Any

from coworkgym.frozen import Json
from coworkgym.transcript import Message


class NullPolicy:
    """Replies at once without looking. Every task must score 0 under it."""

    name = "null"

    def act(
        self, transcripts: Sequence[Sequence[Message]], tools: Sequence[Json]
    ) -> list[dict[str, Any]]:
        """Returns the same reply for every transcript."""
        return [{"role": "assistant", "content": "OK."} for _ in transcripts]
