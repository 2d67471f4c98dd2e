"""States: keys and values that a model has computed, kept by sequence, joined in batches."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from transformers import Cache, DynamicCache, PreTrainedConfig
from transformers.cache_utils import DynamicLayer

_GROWTH = 128  # tokens for which room is made at a time


class States(NamedTuple):
    """Keys and values of the first tokens of a sequence.

    Attributes:
        layers: (keys, values) of each layer, (heads, tokens, size) each.
    """

    layers: tuple[tuple[torch.Tensor, torch.Tensor], ...]

    @property
    def length(self) -> int:
        """Number of tokens."""
        return self.layers[0][0].shape[1]

    @property
    def nbytes(self) -> int:
        """Memory that they take."""
        return sum(keys.nbytes + values.nbytes for keys, values in self.layers)


class _GrowingLayer(DynamicLayer):  # type: ignore[no-untyped-call]
    """Writes new states behind the old; a DynamicLayer copies all of them at every token."""

    _rooms: tuple[torch.Tensor | None, torch.Tensor | None] = (None, None)

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Adds states; returns all."""
        held = (self.keys, self.values) if self.is_initialized else (None, None)
        self.dtype, self.device = key_states.dtype, key_states.device
        key_room, self.keys = _grown(self._rooms[0], held[0], key_states)
        value_room, self.values = _grown(self._rooms[1], held[1], value_states)
        self._rooms, self.is_initialized = (key_room, value_room), True
        return self.keys, self.values


def _grown(
    room: torch.Tensor | None, held: torch.Tensor | None, new: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    start = 0 if held is None else held.shape[-2]
    end = start + new.shape[-2]
    if room is None or end > room.shape[-2]:
        room = new.new_empty(*new.shape[:-2], end + _GROWTH, new.shape[-1])
        if held is not None:
            room[..., :start, :] = held
    room[..., start:end, :] = new
    return room, room[..., :end, :]


def are_kept(config: PreTrainedConfig) -> bool:
    """Whether every layer of a model keeps the states of all tokens, so that they can be reused."""
    layers = DynamicCache(config=config).layers
    return bool(layers) and all(type(layer) is DynamicLayer for layer in layers)


def joined(rows: Sequence[States | None], width: int) -> Cache:
    """Returns a cache with the states of several sequences, padded on the left.

    Args:
        rows: None where nothing is known.
        width: Length of the longest.
    """
    cache = Cache(layer_class_to_replicate=_GrowingLayer)
    like = next((states.layers for states in rows if states), ())
    for layer, pair in enumerate(like):
        keys, values = (
            torch.stack(
                [
                    _padded(own.layers[layer][part] if own else None, width, pair[part])
                    for own in rows
                ]
            )
            for part in (0, 1)
        )
        cache.update(keys, values, layer)
    return cache


def _padded(states: torch.Tensor | None, width: int, like: torch.Tensor) -> torch.Tensor:
    if states is None:
        return like.new_zeros(like.shape[0], width, like.shape[2])
    return torch.nn.functional.pad(states, (0, 0, width - states.shape[1], 0))


def taken(cache: Cache, row: int, places: torch.Tensor) -> States:
    """Returns a copy of the states of one row.

    Args:
        cache: Of a batch.
        row: Which.
        places: Of its own tokens; those that have no states yet are left out.
    """
    layers: Any = cache.layers
    seen = places[places < cache.get_seq_length()].to(layers[0].keys.device)
    return States(
        tuple(
            (layer.keys[row].index_select(1, seen), layer.values[row].index_select(1, seen))
            for layer in layers
        )
    )
