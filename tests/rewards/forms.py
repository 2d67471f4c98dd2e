"""Tables of replies: what stands for a value, and what does not."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key")


def language_of(reply: str) -> str:
    """zh where there is a Chinese character."""
    return "zh" if any("\u4e00" <= character <= "\u9fff" for character in reply) else "en"


def pairs(table: Mapping[Key, Sequence[str]]) -> list[tuple[Key, str]]:
    """The keys of a table with each of their replies."""
    return [(key, reply) for key, replies in table.items() for reply in replies]
