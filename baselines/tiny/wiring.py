"""Wiring: what attention heads begin as, so that training need not find it.

Layer 0 writes, beside each token, each of the three tokens before and what stood lately. Layer 1
has heads that look for where the present token stood before and read what followed [1], and others
that write, beside each token, the halves of the id of the listed record it stands in, and of the id
that was named last. Layer 2 reads a value of the record whose id was named last, and writes beside
the words of a question the id of the record that holds them; layer 3 says that id. Each is a rough
beginning, in superposition with the rest.

[1] Olsson et al. 2022, In-context Learning and Induction Heads, https://arxiv.org/abs/2209.11895
"""

from typing import Any, NamedTuple

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM
from transformers.models.qwen3.modeling_qwen3 import Qwen3Attention

Matrix = torch.Tensor

# Dimensions of the embedding that say what a token is.
CONSTANT, OPENS, SPEAKS, PREFIX = 0, 1, 2, 3  # any, a record's id key, a turn, the letters of an id
# Dimensions that heads write: places after an id key, after the beginning of a turn, after letters.
_FIRST, _SECOND, _SPOKEN, _HALF, _LISTED, _FOUND = 4, 5, 6, 8, 10, 11
RESERVED = 12
_SHARP = 3.0  # how much sharper attention begins than at random
_LATELY, _NEARBY = 5, 7  # pairs of dimensions that turn over ten and over fifty tokens
_GATE = 10.0  # how much where to look weighs against what to look for
_QUIET, _LOUD = 0.02, 0.08  # as loud as an embedding; as loud as an answer


class _Head(NamedTuple):
    """One head of a layer: its attention and the rows that are its own."""

    attention: Qwen3Attention
    rows: slice
    speed: Matrix  # radians a token, by pair of dimensions


class _Beside(NamedTuple):
    """Where heads write what they read: rotations of the embedding."""

    one: Matrix
    two: Matrix
    three: Matrix
    near: Matrix
    first: Matrix
    second: Matrix
    named_first: Matrix
    named_second: Matrix
    found_first: Matrix
    found_second: Matrix


def wire(model: Qwen3ForCausalLM) -> None:
    """Sets heads of the first four layers; what stays random is made quiet."""
    size = model.config.hidden_size
    for layer in model.model.layers:
        layer.self_attn.o_proj.weight *= 0.1
        layer.mlp.down_proj.weight *= 0.1
        layer.self_attn.q_norm.weight *= _SHARP
    model.model.norm.weight *= _SHARP
    beside = _Beside(*(_turn(size) for _ in range(10)))
    here = torch.eye(size)
    here[:RESERVED] = 0
    for place, turn in enumerate((beside.two, beside.three)):
        turn[_FIRST + place, OPENS] = turn[_SPOKEN + place, SPEAKS] = 1
    beside.one[_HALF, PREFIX] = beside.two[_HALF + 1, PREFIX] = 1
    beside.first[_LISTED, _FIRST] = beside.found_first[_FOUND, _LISTED] = 1
    _wire_reading(model, beside, here)
    _wire_choosing(model, beside, here)


def _wire_reading(model: Qwen3ForCausalLM, beside: _Beside, here: Matrix) -> None:
    """What stood before, and what followed where the same stood before."""
    for offset, turn in enumerate((beside.one, beside.two, beside.three), 1):
        _look_back(_head(model, 0, offset - 1), offset, turn)
    _look_around(_head(model, 0, 3), beside.near)
    for layer in range(1, model.config.num_hidden_layers):
        _look_for(_head(model, layer, 0), [(here, beside.one)], here)
    pairs = [(here, beside.one), (beside.one, beside.two)]
    _look_for(_head(model, 1, 1), pairs, here)


def _wire_choosing(model: Qwen3ForCausalLM, beside: _Beside, here: Matrix) -> None:
    """Which record a token stands in, which one is asked for, and what it says."""
    _look_up(_head(model, 1, 2), {_FIRST: 2.0, _SPOKEN: 2.0}, beside.first)
    _look_up(_head(model, 1, 3), {_SECOND: 2.0, _SPOKEN + 1: 2.0}, beside.second)
    _look_up(_head(model, 1, 4), {_HALF: 2.0}, beside.named_first)
    _look_up(_head(model, 1, 5), {_HALF + 1: 2.0}, beside.named_second)
    same = [(here, here), (beside.one, beside.one)]
    _look_for(_head(model, 2, 1), same, beside.first, beside.found_first, listed=True)
    _look_for(_head(model, 2, 2), same, beside.second, beside.found_second, listed=True)
    named = [(beside.named_first, beside.first), (beside.named_second, beside.second),
             (beside.near, beside.one)]  # fmt: skip
    for layer in (2, 3):
        _look_for(_head(model, layer, 3), named, here, listed=True)
    _look_up(_head(model, 3, 1), {_FOUND: 2.0}, here, beside.found_first, asked=PREFIX)
    _look_up(_head(model, 3, 2), {_FOUND: 2.0}, here, beside.found_second, asked=_HALF)


def _head(model: Qwen3ForCausalLM, layer: int, number: int) -> _Head:
    config = model.config
    width, half = config.head_dim, config.head_dim // 2
    speed = _theta(config) ** (-torch.arange(half) / half)
    rows = slice(number * width, (number + 1) * width)
    return _Head(model.model.layers[layer].self_attn, rows, speed)


def _theta(config: Qwen3Config) -> float:
    rope: Any = config.rope_parameters
    return float(rope["rope_theta"])


def _turn(size: int) -> Matrix:
    """A random rotation, to write one token beside another; flags stay out of it."""
    turn = torch.zeros(size, size)
    free = size - RESERVED
    turn[RESERVED:, RESERVED:] = torch.linalg.qr(torch.randn(free, free))[0]
    return turn


def _through(head: _Head, size: int) -> Matrix:
    """A random way through the head: orthonormal, (head, hidden), with all flags but CONSTANT."""
    width = head.rows.stop - head.rows.start
    through = torch.zeros(width, size)
    through[:RESERVED, :RESERVED] = torch.eye(RESERVED)
    through[0] = 0
    rest = torch.linalg.qr(torch.randn(size - RESERVED, width - RESERVED))[0].T
    through[RESERVED:, RESERVED:] = rest
    return through


def _carry(head: _Head, read: Matrix, write: Matrix, loud: float) -> None:
    """Lets the head read by `read` (hidden, hidden) and write it by `write`."""
    through = _through(head, read.shape[0])
    head.attention.v_proj.weight[head.rows] = through @ read
    head.attention.o_proj.weight[:, head.rows] = loud * write @ through.T


def _place(head: _Head, ask: Matrix, offer: Matrix) -> None:
    """Lets position alone decide: both sides are the same for all tokens."""
    for made, wanted in ((head.attention.q_proj, ask), (head.attention.k_proj, offer)):
        made.weight[head.rows] *= 0.02
        made.weight[head.rows, CONSTANT] += wanted


def _look_back(head: _Head, offset: int, write: Matrix) -> None:
    """Reads the token `offset` places back; the swiftest pairs tell neighbours apart."""
    half = len(head.speed)
    ask, offer = torch.zeros(2 * half), torch.zeros(2 * half)
    ask[:3] = 1.0
    offer[:3] = torch.cos(head.speed[:3] * offset)
    offer[half : half + 3] = torch.sin(head.speed[:3] * offset)
    _place(head, ask, offer)
    _carry(head, torch.eye(write.shape[0]), write, _QUIET)


def _look_around(head: _Head, write: Matrix) -> None:
    """Reads the tokens of late."""
    ask = torch.zeros(2 * len(head.speed))
    ask[_LATELY] = 1.0
    _place(head, ask, ask)
    _carry(head, torch.eye(write.shape[0]), write, _QUIET)


def _look_up(
    head: _Head, flags: dict[int, float], write: Matrix, read: Matrix | None = None,
    asked: int = CONSTANT,
) -> None:  # fmt: skip
    """Reads the nearest token with a flag; where `asked` is another flag, only from such tokens."""
    ask, last = torch.zeros(2 * len(head.speed)), head.rows.stop - 1
    ask[_NEARBY] = 0.6
    _place(head, ask, ask)
    head.attention.q_proj.weight[last, asked] = 0.8
    for flag, weight in flags.items():
        head.attention.k_proj.weight[last, flag] = weight
    loud = _QUIET if read is None else _LOUD
    _carry(head, torch.eye(write.shape[0]) if read is None else read.T, write, loud)


def _look_for(
    head: _Head, match: list[tuple[Matrix, Matrix]], read: Matrix, write: Matrix | None = None,
    *, listed: bool = False,
) -> None:  # fmt: skip
    """Attends where what one side asks for stands on the other, and writes what it reads there.

    Args:
        head: What is set.
        match: What is asked for, and where it has to stand: both as they were written.
        read: What is read there, as it was written.
        write: Where to; by default as the answer.
        listed: Whether to look in listed records only.
    """
    half, size = len(head.speed), read.shape[0]
    still = [i for i in range(half) if head.speed[i] < 2e-3]
    places = torch.tensor([*still[:-1], *(i + half for i in still[:-1])])
    asks, offers = torch.zeros(2 * half, size), torch.zeros(2 * half, size)
    share = len(places) // len(match)
    for i, (ask, offer) in enumerate(match):
        mine = places[i * share : (i + 1) * share]
        through = torch.zeros(share, size)
        through[:, RESERVED:] = torch.linalg.qr(torch.randn(size - RESERVED, share))[0].T
        asks[mine], offers[mine] = through @ ask.T, through @ offer.T
    if listed:
        asks[-1, CONSTANT], offers[-1, _LISTED] = _GATE, _GATE
    head.attention.q_proj.weight[head.rows] = asks
    head.attention.k_proj.weight[head.rows] = offers
    if write is None:
        _carry(head, read.T, torch.eye(size), _LOUD)
    else:
        _carry(head, read.T + _flags(size), write, _QUIET)


def _flags(size: int) -> Matrix:
    flags = torch.zeros(size, size)
    flags[_LISTED, _LISTED] = 1
    return flags
