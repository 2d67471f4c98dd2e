"""The tiny model: a Qwen3 of about a million weights, before it is trained.

Random attention needs thousands of steps until it copies, and more until it chooses. So the weights
do not begin at random altogether: tokens that hold the same word begin alike, and some heads begin
as what training would make of them; see `wiring`. Training changes everything.
"""

import re
from typing import NamedTuple

import torch
from transformers import PreTrainedTokenizerBase, Qwen3Config, Qwen3ForCausalLM

from baselines.tiny.wiring import CONSTANT, OPENS, PREFIX, RESERVED, SPEAKS, wire

_PART = re.compile(r"[a-z]+|\d+|[^\sa-z\d]+")
_TOOL = re.compile(r'"name": "(\w+)"')
_OPENER = re.compile(r'(^|\{)"[a-z]+_id":"$')
_LETTERS = re.compile("[A-Z]{2,4}-$")


class Size(NamedTuple):
    """What the model is made of."""

    hidden: int = 192
    layers: int = 4
    heads: int = 6
    head_dim: int = 64
    mlp: int = 256
    theta: float = 1e8  # slow rotations leave most of a head's dimensions to content
    context: int = 4096


def new_model(
    size: Size, tokenizer: PreTrainedTokenizerBase, seed: int, wired: bool = True
) -> Qwen3ForCausalLM:
    """Returns an untrained model.

    Args:
        size: Its measures.
        tokenizer: Whose tokens it reads.
        seed: Of the weights.
        wired: Whether weights begin as said above, which takes four layers of six heads, or at
            random altogether.
    """
    torch.manual_seed(seed)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=size.hidden,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.heads,
        head_dim=size.head_dim,
        intermediate_size=size.mlp,
        tie_word_embeddings=True,
        max_position_embeddings=size.context,
        rope_parameters={"rope_type": "default", "rope_theta": size.theta},
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    model = Qwen3ForCausalLM(config)
    if wired:
        with torch.no_grad():
            model.model.embed_tokens.weight[:] = _embeddings(tokenizer, size.hidden)
            wire(model)
    return model


def _embeddings(tokenizer: PreTrainedTokenizerBase, hidden: int) -> torch.Tensor:
    """Returns (tokens, hidden): half of a token is its words', in any case, and half its own."""
    texts = tokenizer.batch_decode([[i] for i in range(len(tokenizer))])
    generator = torch.Generator().manual_seed(torch.initial_seed())
    words: dict[str, torch.Tensor] = {}
    made = torch.zeros(len(texts), hidden)
    for token, text in enumerate(texts):
        own = torch.randn(hidden, generator=generator)
        parts = _TOOL.findall(text) or _PART.findall(text.lower())
        spoken = [part for part in parts if part[0].isalnum()]
        for part in spoken:
            words.setdefault(part, torch.randn(hidden, generator=generator))
        shared = sum(words[part] for part in spoken) if spoken and len(spoken) < 5 else own
        made[token] = (own + shared / max(1, len(spoken)) ** 0.5) / 2**0.5
        made[token, :RESERVED] = 0
        made[token, OPENS] = 3.0 * bool(_OPENER.search(text))
        made[token, PREFIX] = 3.0 * bool(_LETTERS.match(text))
        made[token, SPEAKS] = 3.0 * (text == "<|im_start|>")
    made[:, CONSTANT] = 3.0
    return 0.02 * made
