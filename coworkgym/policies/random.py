"""The random policy: schema-valid calls filled with what it has seen. The floor of every task."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from coworkgym.envs import sample_call
from coworkgym.frozen import Json, json_text
from coworkgym.transcript import Message

_SEEN = re.compile(r"[A-Z]{2,5}-\d+|[\w.+-]+@[\w.-]+\w")  # ids and addresses
_LAST = 6  # messages it draws words from


def mixed(own: int, episode: int) -> int:
    """Returns the seed of a policy's draws in an episode; its own where the episode's is 0."""
    return own + (episode << 32)


class RandomPolicy:
    """Draws a tool and arguments; texts are ids and addresses seen in the newest messages.

    The draw depends only on the seed and the transcript, so that results are the same whatever
    else is in the batch.

    Args:
        seed: Another seed, other draws.
    """

    name = "random"

    samples: Literal[True] = True

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @property
    def settings(self) -> dict[str, Json]:
        """The seed."""
        return {"seed": self.seed}

    def act(
        self,
        transcripts: Sequence[Sequence[Message]],
        tools: Sequence[Json],
        seeds: Sequence[int] | None = None,
    ) -> list[dict[str, Any]]:
        """Returns one random call for each transcript."""
        given = [0] * len(transcripts) if seeds is None else seeds
        asked = zip(transcripts, tools, given, strict=True)
        return [self._draw(t, schemas, mixed(self.seed, seed)) for t, schemas, seed in asked]

    def _draw(self, transcript: Sequence[Message], schemas: Json, seed: int) -> dict[str, Any]:
        text = json_text([seed, len(transcript), transcript[0], transcript[-1]])
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        rng = np.random.default_rng(int.from_bytes(digest, "big"))
        recent = "\n".join(message["content"] for message in transcript[-_LAST:])
        words = sorted(set(_SEEN.findall(recent))) or ["?"]
        call = sample_call(rng, schemas, words)
        return {"role": "assistant", "content": "", "tool_calls": [call]}
