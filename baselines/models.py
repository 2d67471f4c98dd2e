"""Models: what the baselines train, loaded in one way, from a model of a megabyte to one of 8B.

`tiny` is the committed base of `baselines.tiny`, `smollm2` comes as a Python package, and any other
name is a folder or an id of the Hugging Face hub. Models that see are used for text: their vision
tower is loaded, frozen, and gets no adapter.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from peft import LoraConfig, PeftModel
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from baselines.memory import Memory, memory_estimate
from baselines.templates import encode, prepare, read_row, require_trainable
from baselines.tiny import checkpoint_path
from coworkgym.policies.local import ChatFormat, ModelError, load_smollm2

__all__ = [
    "Loaded",
    "Memory",
    "load",
    "load_tokenizer",
    "lora_config",
    "memory_estimate",
    "new_model",
    "read_config",
    "require_trainable",
    "resolve",
    "token_counter",
]


class Loaded(NamedTuple):
    """A model to train.

    Attributes:
        model: Of transformers; of peft, trainable, where an adapter was named.
        tokenizer: With a template to train with, and a padding token.
        name: What was loaded: a folder or an id.
    """

    model: Any
    tokenizer: PreTrainedTokenizerBase
    name: str


def load(
    name: str,
    *,
    dtype: torch.dtype | str | None = None,
    device: str | None = None,
    adapter: str | Path | None = None,
    gradient_checkpointing: bool = False,
) -> Loaded:
    """Returns a model, its tokenizer ready for training, and what was loaded.

    Args:
        name: `tiny`, `smollm2`, a folder, or an id of the Hugging Face hub. A folder with an
            adapter alone stands for the model it was trained on, with it.
        dtype: By default bfloat16 on a GPU, float32 on the CPU.
        device: By default the first GPU, else the CPU.
        adapter: Folder of a peft adapter, which is trained on.
        gradient_checkpointing: Whether activations are computed again in the backward pass, which
            takes a third more time and a fraction of the memory.

    Raises:
        ModelError: When something is not there, does not fit, or knows no tools.
    """
    folder, found = resolve(name)
    tokenizer = load_tokenizer(name)
    adapter = adapter or found
    chosen = device or ("cuda" if torch.cuda.is_available() else "cpu")
    wanted = dtype or (torch.float32 if chosen == "cpu" else torch.bfloat16)
    try:
        model = _model_class(read_config(folder)).from_pretrained(folder, dtype=wanted)
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot load the model {name!r}: {error}") from error
    model = model.to(chosen)
    if adapter is not None:
        model = _with_adapter(model, Path(adapter))
    if gradient_checkpointing:
        model.gradient_checkpointing_enable()
        model.enable_input_require_grads()
    return Loaded(model, tokenizer, folder)


def load_tokenizer(name: str) -> PreTrainedTokenizerBase:
    """Returns the tokenizer of a model, ready for training.

    Args:
        name: As of `load`.

    Raises:
        ModelError: When it is not there, or its template knows no tools.
    """
    folder, adapter = resolve(name)
    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(str(adapter or folder))
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot load the tokenizer of {name!r}: {error}") from error
    prepare(tokenizer)
    tokenizer.padding_side = "right"
    return tokenizer


def token_counter(name: str) -> Callable[[Mapping[str, Any]], int]:
    """Returns what counts the tokens of a training row, tools included.

    Args:
        name: As of `load`.
    """
    form = ChatFormat(load_tokenizer(name))
    return lambda row: len(encode(form, *read_row(row)).ids)


def resolve(name: str) -> tuple[str, Path | None]:
    """Returns the folder or id that a name stands for, and the adapter that the folder holds.

    Raises:
        ModelError: For a folder that holds neither a model nor an adapter.
    """
    if name in ("tiny", "smollm2"):
        path = checkpoint_path() if name == "tiny" else load_smollm2()
        if not (path / "config.json").is_file():
            raise ModelError(f"the model {name!r} is not there: no config.json in {path}")
        return str(path), None
    path = Path(name)
    if not path.is_dir():
        return name, None
    if (path / "config.json").is_file():
        return name, None
    if not (path / "adapter_config.json").is_file():
        raise ModelError(f"{name!r} holds no model: neither config.json nor adapter_config.json")
    data = json.loads((path / "adapter_config.json").read_text(encoding="utf-8"))
    return str(data["base_model_name_or_path"]), path


def read_config(folder: str) -> Any:
    """Returns the configuration of a model.

    Raises:
        ModelError: When there is none of that name.
    """
    try:
        return AutoConfig.from_pretrained(folder)
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot load the model {folder!r}: {error}") from error


def new_model(config: Any) -> Any:
    """Returns an untrained model of a configuration."""
    return _model_class(config).from_config(config)


def lora_config(
    model: PreTrainedModel, rank: int = 16, alpha: int = 32, dropout: float = 0.0
) -> LoraConfig:
    """Returns the adapter of a model: on all linear layers of its language model.

    The output layer gets none, which trainers that fuse it with the loss would not train, nor does
    the vision tower.

    Args:
        model: Without an adapter.
        rank: Of the adapter's matrices, at least 1.
        alpha: The adapter's output is scaled by alpha / rank.
        dropout: Share of its inputs that are left out.

    Raises:
        ModelError: For a model without linear layers that can be adapted.
    """
    decoder: nn.Module = model.get_decoder()  # type: ignore[no-untyped-call]
    inside = next(name for name, module in model.named_modules() if module is decoder)
    linear = [name for name, module in decoder.named_modules() if isinstance(module, nn.Linear)]
    last = "|".join(sorted({name.rpartition(".")[2] for name in linear}))
    if not last:
        raise ModelError(f"{type(model).__name__} has no linear layers for an adapter")
    return LoraConfig(
        task_type="CAUSAL_LM",
        r=rank,
        lora_alpha=alpha,
        lora_dropout=dropout,
        target_modules=rf"{re.escape(inside)}\.(.*\.)?({last})",
    )


def _model_class(config: Any) -> Any:
    sees = getattr(config, "vision_config", None) is not None
    return AutoModelForImageTextToText if sees else AutoModelForCausalLM


def _with_adapter(model: Any, folder: Path) -> Any:
    if not (folder / "adapter_config.json").is_file():
        raise ModelError(f"{str(folder)!r} holds no adapter: there is no adapter_config.json in it")
    try:
        return PeftModel.from_pretrained(model, str(folder), is_trainable=True)
    except (RuntimeError, ValueError, OSError) as error:
        raise ModelError(f"the adapter {str(folder)!r} does not fit the model: {error}") from error
