"""Sampling: one draw for each row that depends on its own seed only, with its log-probability."""

import hashlib
from collections.abc import Sequence

import torch
from transformers import LogitsProcessor, StoppingCriteria


def seed_of(seed: int, position: int) -> int:
    """Returns the seed of one turn.

    Args:
        seed: The episode's.
        position: Number of messages before the turn.
    """
    digest = hashlib.blake2b(f"{seed} {position}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


class GumbelDraw(LogitsProcessor):
    """Leaves one token of each row, drawn from softmax(scores / temperature).

    The token that an exponential clock of its rate reaches first is a sample of the softmax (the
    Gumbel-max trick); as each row has dice of its own, neither global ones nor the other rows
    matter. At temperature 0 it is the likeliest token, with log-probability 0.

    Args:
        dice: One a row.
        temperature: At least 0.
        device: Where the scores are.
    """

    def __init__(
        self, dice: Sequence[torch.Generator], temperature: float, device: torch.device
    ) -> None:
        self.temperature = temperature
        self.logprobs: list[torch.Tensor] = []
        self._dice = dice
        self._dtype = torch.float32 if device.type == "mps" else torch.float64

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Notes the log-probability of what it draws.

        Args:
            input_ids: The tokens so far, (rows, length).
            scores: Logits, (rows, vocabulary).
        """
        if self.temperature == 0:
            chosen = scores.argmax(-1, keepdim=True)
            self.logprobs.append(torch.zeros(len(scores), device=scores.device))
        else:
            scaled = scores / self.temperature
            chosen = (scaled - self._clocks(scaled).log_()).argmax(-1, keepdim=True)
            self.logprobs.append(scaled.gather(-1, chosen)[:, 0] - scaled.logsumexp(-1))
        return torch.full_like(scores, -torch.inf).scatter_(-1, chosen, 0.0)

    def _clocks(self, scaled: torch.Tensor) -> torch.Tensor:
        clocks = torch.empty_like(scaled, dtype=self._dtype)
        for row, dice in zip(clocks, self._dice, strict=True):
            row.exponential_(generator=dice)
        return clocks


class RowLimits(StoppingCriteria):
    """Ends each row after its own number of sampled tokens.

    Args:
        start: Length of the padded prompts.
        limits: One a row.
        device: Where the tokens are.
    """

    def __init__(self, start: int, limits: Sequence[int], device: torch.device) -> None:
        self._ends = torch.tensor(limits, device=device) + start

    def __call__(
        self, input_ids: torch.Tensor, scores: torch.Tensor, **kwargs: object
    ) -> torch.Tensor:
        """Which rows have reached their limit."""
        return self._ends <= input_ids.shape[1]
