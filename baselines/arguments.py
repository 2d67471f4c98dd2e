"""Arguments: the fields of a script's `Args` as options of its command line.

A field is an option, `_` may be written `-`, lists have spaces between, and `--no-name`
switches off what is on. The help of an option is what the `Attributes` of the docstring say.
"""

import re
from argparse import Action, RawDescriptionHelpFormatter
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar, cast

from transformers import HfArgumentParser

T = TypeVar("T")


def from_command_line(
    kind: type[T], description: str | None, line: Sequence[str] | None = None
) -> T:
    """Returns the `Args` that a command line gives.

    Args:
        kind: A dataclass in which every field has a default.
        description: The script's docstring, which `--help` says first.
        line: The words; by default those that this process was started with.
    """
    told = _told(kind)
    for one in fields(cast(Any, kind)):
        one.metadata = {**one.metadata, "help": told.get(one.name, " ")}  # type: ignore[assignment]
    parser = HfArgumentParser(
        cast(Any, kind), description=description, formatter_class=_Help, allow_abbrev=False
    )
    return kind(**vars(parser.parse_args(line)))


class _Help(RawDescriptionHelpFormatter):
    """Help with the default of each option behind it."""

    def _get_help_string(self, action: Action) -> str:
        shown = action.default is not None and action.dest != "help"
        default = f" [{action.default}]" if shown else ""
        return f"{(action.help or '').strip()}{default}".replace("%", "%%")


def _told(kind: type) -> dict[str, str]:
    """What the docstrings of a class and its bases say of attributes, by name."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        attributes = (one.__doc__ or "").partition("Attributes:")[2]
        for name, text in re.findall(r"^ {8}(\w+): (.*(?:\n {12}.*)*)", attributes, re.M):
            found[name] = " ".join(text.split())
    return found
