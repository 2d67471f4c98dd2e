"""The random policy: schema-valid calls filled with what it has seen. The floor of every task."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from coworkgym.envs import sample_call
from coworkgym.frozen import Json, json_text
from coworkgym.transcript import Message

_SEEN = re.compile(r"[A-Z]{2,5}-\d+|[\w.+-]+@[\w.-]+\w")  # ids and addresses
_LAST = 6  # messages it draws words from


class RandomPolicy:
    """Draws a tool and arguments; texts are ids and addresses seen in the newest messages.

    The draw depends only on the seed and the transcript, so that results are the same whatever
    else is in the batch.

    Args:
        seed: Another seed, other draws.
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def act(
        self, transcripts: Sequence[Sequence[Message]], tools: Sequence[Json]
    ) -> list[dict[str, Any]]:
        """Returns one random call for each transcript."""
        return [self._draw(t, schemas) for t, schemas in zip(transcripts, tools, strict=True)]

    def _draw(self, transcript: Sequence[Message], schemas: Json) -> dict[str, Any]:
        text = json_text([self.seed, len(transcript), transcript[0], transcript[-1]])
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        rng = np.random.default_rng(int.from_bytes(digest, "big"))
        recent = "\n".join(message["content"] for message in transcript[-_LAST:])
        words = sorted(set(_SEEN.findall(recent))) or ["?"]
        call = sample_call(rng, schemas, words)
        return {"role": "assistant", "content": "", "tool_calls": [call]}
