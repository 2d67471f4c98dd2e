"""Loading: a model with its tokenizer and adapter from disk, or what is missing."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworkgym.errors import TaskError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class ModelError(TaskError):
    """A local model that cannot be loaded: which, and what to do."""


def require(*modules: str) -> None:
    """Passes when all modules are installed.

    Raises:
        ModelError: Naming the command that installs them.
    """
    for module in modules:
        if find_spec(module) is None:
            named = "coworkgym[local]" if module != "peft" else "peft"
            raise ModelError(f"{module} is not installed: pip install '{named}'")


@contextmanager
def quiet() -> Iterator[None]:
    """Lets transformers load and save without its progress bars."""
    logging = import_module("transformers.utils.logging")
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def load(
    name: str, device: str | None, dtype: str | None, adapter: str | os.PathLike[str] | None
) -> tuple["PreTrainedModel", "PreTrainedTokenizerBase"]:
    """Returns a model ready to answer, and its tokenizer.

    Args:
        name: A folder, or the id of a model on the Hugging Face hub. A folder with an adapter alone
            stands for the model it was trained on, with it.
        device: Such as `cuda:0`; by default the first GPU, else the CPU.
        dtype: Such as `bfloat16`; by default float32 on the CPU, else what the model was saved in.
        adapter: Folder of a peft adapter, which is merged into the weights.

    Raises:
        ModelError: When one of them is not there or does not fit.
    """
    torch = import_module("torch")
    transformers = import_module("transformers")
    chosen = device or ("cuda" if torch.cuda.is_available() else "cpu")
    wanted = dtype or ("float32" if chosen == "cpu" else "auto")
    if wanted != "auto" and not isinstance(getattr(torch, wanted, None), torch.dtype):
        raise ModelError(f"dtype {wanted!r} is none of torch's; float32 or bfloat16, say")
    name, adapter, words = _parts(name, adapter)
    _require_model(name)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(words)
        sees = hasattr(transformers.AutoConfig.from_pretrained(name), "vision_config")
        kind = "AutoModelForImageTextToText" if sees else "AutoModelForCausalLM"
        with quiet():
            model = getattr(transformers, kind).from_pretrained(name, dtype=wanted)
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot load the model {name!r}: {error}") from error
    if adapter is not None:
        model = _with_adapter(model, Path(adapter))
    return model.to(chosen).eval(), tokenizer


def weights_digest(model: "PreTrainedModel") -> str:
    """Returns a hash of the beginning of every weight; it changes with any training step."""
    digest = hashlib.blake2b(digest_size=8)
    for name, weight in model.named_parameters():
        digest.update(name.encode())
        digest.update(weight.detach().flatten()[:64].float().cpu().numpy().tobytes())
    return digest.hexdigest()


def _parts(
    name: str, adapter: str | os.PathLike[str] | None
) -> tuple[str, str | os.PathLike[str] | None, str]:
    """Returns model, adapter and where the tokenizer is: with the adapter, if one was saved there.

    A folder with an adapter alone stands for the model it was trained on, with it.
    """
    alone = (Path(name) / "adapter_config.json").is_file()
    if alone and not (Path(name) / "config.json").is_file() and adapter is None:
        told = json.loads((Path(name) / "adapter_config.json").read_text(encoding="utf-8"))
        name, adapter = str(told["base_model_name_or_path"]), name
    own = adapter is not None and (Path(adapter) / "tokenizer_config.json").is_file()
    return name, adapter, os.fspath(adapter) if own and adapter is not None else name


def _require_model(name: str) -> None:
    path = Path(name)
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ModelError(f"the folder {name!r} holds no model: there is no config.json in it")
    elif path.exists() or path.is_absolute() or name.startswith(".") or name.count("/") > 1:
        raise ModelError(f"there is no folder {name!r} with a model")


def _with_adapter(model: Any, folder: Path) -> Any:
    require("peft")
    if not (folder / "adapter_config.json").is_file():
        raise ModelError(f"{str(folder)!r} holds no adapter: there is no adapter_config.json in it")
    peft = import_module("peft")
    try:
        return peft.PeftModel.from_pretrained(model, str(folder)).merge_and_unload()
    except (RuntimeError, ValueError, OSError) as error:
        raise ModelError(f"the adapter {str(folder)!r} does not fit the model: {error}") from error
