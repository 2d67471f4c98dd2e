"""What the verbs share: options, the two consoles, finding a task, printing JSON."""

import json
import math
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from coworkgym.tasks import LANGUAGES, LEVELS, SPLITS, Task, get_package, load_task

_WIDE = 120  # columns of what is not printed on a terminal

out = Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDE)
err = Console(stderr=True)

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="A package (escalation), an id, or a task file.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Which task.")]
LevelOption = Annotated[str, typer.Option("--level", help=f"Of {', '.join(LEVELS)}.")]
LanguageOption = Annotated[str, typer.Option("--language", help=f"Of {', '.join(LANGUAGES)}.")]
SplitOption = Annotated[str, typer.Option("--split", help=f"Of {', '.join(SPLITS)}.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object, nothing else.")]


def find_task(name: str, seed: int, level: str, language: str, split: str) -> Task:
    """Returns the task of a task file's path, or of a package's name or id.

    Raises:
        UnknownNameError: For a name, level, language or split that does not exist.
        TaskError: For a file that is no task.
    """
    if is_file(name):
        return load_task(name)
    package = get_package(name)
    variant: dict[str, Any] = {"level": level, "language": language, "split": split}
    return package.build(package.item(seed=seed, **variant))


def is_file(name: str) -> bool:
    """Whether a name on the command line means a task file."""
    return name.endswith(".json") or Path(name).is_file()


def print_json(value: object) -> None:
    """Prints one JSON object on stdout; numbers that are not finite become null."""
    sys.stdout.write(json.dumps(_finite(value), ensure_ascii=False, indent=2) + "\n")


def save_text(path: Path, text: str) -> None:
    """Writes a text file, UTF-8; it appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
