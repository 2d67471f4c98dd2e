"""Memory: what training a model takes, estimated from its configuration before it is loaded.

Weights are counted exactly, on a model without storage. Activations are what the backward pass of
one decoder layer keeps, by the shapes of a gated transformer with fused attention:

    bytes(layer) = tokens * (8 hidden + 6 heads head_dim + 4 mlp) * size + adapter inputs
    plain         layers * bytes(layer)
    checkpointed  layers * tokens * hidden * size + bytes(layer)

`fused` logits are the tiles of TRL's fused output layer (SFT), the others tokens * vocabulary in
float32, twice: log-probabilities and their gradient.
"""

from typing import Any, NamedTuple

import torch
from torch import nn
from transformers import AutoModelForCausalLM, AutoModelForImageTextToText

_TILE = (4096, 32768)  # tokens and vocabulary entries of a tile of TRL's fused output layer
_GIB = 2**30


class Memory(NamedTuple):
    """Bytes that training takes, by what they are for.

    Attributes:
        weights: Of the model, the vision tower included.
        adapter: Of the adapter, in float32.
        gradients: Of what is trained.
        optimizer: Two moments of what is trained, in float32.
        activations: What the backward pass keeps of the forward pass.
        logits: Of the output layer.
        trained: Number of weights that are trained; no bytes.
    """

    weights: int
    adapter: int
    gradients: int
    optimizer: int
    activations: int
    logits: int
    trained: int

    @property
    def total(self) -> int:
        """Bytes of all together."""
        return sum(self[:6])

    def __str__(self) -> str:
        """Returns a line a part, in GiB."""
        parts = zip(self._fields[:6], self[:6], strict=True)
        lines = [f"  {name:<12}{size / _GIB:8.2f} GiB" for name, size in parts]
        return "\n".join([*lines, f"  {'together':<12}{self.total / _GIB:8.2f} GiB"])


def memory_estimate(  # noqa: PLR0913
    config: Any,
    *,
    rank: int = 16,
    batch: int = 1,
    length: int = 4096,
    dtype: torch.dtype = torch.float32,
    gradient_checkpointing: bool = False,
    fused: bool = True,
) -> Memory:
    """Returns about what one step of training takes, from the configuration alone.

    Args:
        config: Of transformers.
        rank: Of the adapter on all linear layers; 0 trains all weights.
        batch: Sequences of a forward pass.
        length: Tokens of each.
        dtype: Of weights and activations.
        gradient_checkpointing: Whether activations are computed again.
        fused: Whether the logits never stand in full, as in TRL's SFT.
    """
    with torch.device("meta"):
        sees = getattr(config, "vision_config", None) is not None
        kind: Any = AutoModelForImageTextToText if sees else AutoModelForCausalLM
        model = kind.from_config(config)
    decoder = model.get_decoder()
    linear = [module for module in decoder.modules() if isinstance(module, nn.Linear)]
    adapter = rank * sum(module.in_features + module.out_features for module in linear)
    weights = sum(weight.numel() for weight in model.parameters())
    trained = adapter if rank else weights
    size = dtype.itemsize
    text = config.get_text_config()
    return Memory(
        weights=weights * size,
        adapter=adapter * 4,
        gradients=trained * (4 if rank else size),
        optimizer=trained * 8,
        activations=_activations(text, batch * length, size, rank, gradient_checkpointing),
        logits=_logits(text, batch * length, fused),
        trained=trained,
    )


def _activations(text: Any, tokens: int, size: int, rank: int, checkpointed: bool) -> int:
    hidden, mlp, layers = text.hidden_size, text.intermediate_size, text.num_hidden_layers
    head_dim = getattr(text, "head_dim", None) or hidden // text.num_attention_heads
    heads = text.num_attention_heads * head_dim
    layer: int = tokens * size * (8 * hidden + 6 * heads + 4 * mlp)
    if rank:  # inputs of the adapters in float32, where they are not those of the layers
        layer += tokens * 4 * 7 * rank
        layer += tokens * (4 - size) * (2 * hidden + heads + mlp)
    if checkpointed:
        return int(layers * tokens * hidden * size + layer)
    return int(layers * layer)


def _logits(text: Any, tokens: int, fused: bool) -> int:
    if fused:
        return int(min(tokens, _TILE[0]) * min(text.vocab_size, _TILE[1]) * 4)
    return int(2 * tokens * text.vocab_size * 4)
