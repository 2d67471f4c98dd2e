"""A tiny base model: chat format, tool calls, copying and choosing, but no office's policy."""

from pathlib import Path


def checkpoint_path() -> Path:
    """Returns the folder that holds the weights and the tokenizer.

    `AutoModelForCausalLM.from_pretrained` and `AutoTokenizer.from_pretrained` read it.
    """
    return Path(__file__).with_name("checkpoint")
