"""Timing: about how long a token takes to train on, before anything is trained."""

import time
from typing import Any

import torch

from baselines.memory import memory_estimate
from baselines.models import new_model

_TRIED = 5e7  # weights of a model that is tried out


def seconds_per_token(
    config: Any, length: int, *, rank: int, gradient_checkpointing: bool = False
) -> float:
    """Returns about how many seconds it takes to train on one token here.

    A small model is tried out, untrained. Of a large one the operations are counted: a token takes
    2 a weight forwards, 2 backwards and 2 for each weight that is trained, and attention
    12 * layers * hidden * length / 2; training reaches about half the speed of a matrix product.

    Args:
        config: Of transformers.
        length: Tokens of a row.
        rank: Of the adapter; 0 trains all weights.
        gradient_checkpointing: Whether everything forwards is done twice.
    """
    memory = memory_estimate(config, rank=rank)
    weights, text = memory.weights // 4, config.get_text_config()
    again: float = 4 / 3 if gradient_checkpointing else 1.0
    if weights < _TRIED:
        return again * _tried(config, length)
    attention = 6 * text.num_hidden_layers * text.hidden_size * length
    return again * float(4 * weights + 2 * memory.trained + attention) / (0.5 * _speed())


def _tried(config: Any, length: int) -> float:
    model, ids = new_model(config), torch.zeros(1, length, dtype=torch.long)
    times = []
    for _ in range(2):
        begun = time.perf_counter()
        model(input_ids=ids, labels=ids).loss.backward()
        times.append(time.perf_counter() - begun)
    return min(times) / length


def _speed() -> float:
    """Operations a second in a matrix product."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype, size = (torch.bfloat16, 8192) if device == "cuda" else (torch.float32, 512)
    one = torch.ones(size, size, device=device, dtype=dtype)
    times = []
    for _ in range(4):
        begun = time.perf_counter()
        (one @ one)[0, 0].item()
        times.append(time.perf_counter() - begun)
    return 2 * float(size) ** 3 / min(times)
