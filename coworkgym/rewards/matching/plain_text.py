"""Plain text: a reply without its dress, the forms in which phrases are equal, and a mention."""

import re
import unicodedata
from collections.abc import Hashable
from typing import NamedTuple

from coworkgym.services.patterns import lazy_pattern


class Mention(NamedTuple):
    """A value and the stretch of normalised text that names it."""

    start: int
    end: int
    value: Hashable


class Plain(str):
    """A text that `normalise` has been through and need not go through again."""

    __slots__ = ()


_PLAIN = str.maketrans(
    {
        "，": ";",  # in Chinese a comma ends a clause, and never groups digits
        "’": "'",
        "−": "-",
        "‐": "-",
        "‑": "-",
        "¼": ".25",  # NFKC would make 11/2 of one and a half
        "½": ".5",
        "¾": ".75",
        "\uff9e": "\u3099",
        "\uff9f": "\u309a",
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff\ue000\ue001\ue002\ue003"),
    }
)
_LONG_RUN = lazy_pattern(r"([^\w\s]{32})[^\w\s]+")  # NFKC is quadratic in a run of accents
_STRUCK = lazy_pattern(r"~~[^~]+~~")
_EMPHASIS = lazy_pattern(
    r"(?<![A-Za-z0-9*_`])[*_`]+(?=[^\s*_`])|(?<=[^\s*_`])[*_`]+(?![A-Za-z0-9*_`])"
)
_BLANKS = lazy_pattern(r"[^\S\n]+")
_LINE_BREAKS = lazy_pattern(r" ?\n[ \n]*")
_UNDRESSED = lazy_pattern("[A-Za-z0-9]+(?:(?: |[.,:;@/()'+#|&–—-] ?)[A-Za-z0-9]+)*")
"""What normalising leaves alone: ids, addresses, dates, most phrases."""


def normalise(text: str) -> str:
    r"""Returns `text` in NFKC without emphasis marks and struck text, blanks made single.

    Line breaks stay, as `\n`; a run of more than 32 marks or symbols is cut.
    """
    if isinstance(text, Plain):
        return text
    text = unicodedata.normalize("NFKC", _LONG_RUN.sub(r"\1", text.translate(_PLAIN)))
    text = _EMPHASIS.sub("", _STRUCK.sub(" ", text))
    return Plain(_LINE_BREAKS.sub("\n", _BLANKS.sub(" ", text)).strip())


def fold(text: str) -> str:
    """Returns `text` without case, every character in its place."""
    folded = text.casefold()
    if len(folded) == len(text):
        return folded
    return "".join(low if len(low := char.casefold()) == 1 else char for char in text)


def phrase_key(text: str) -> str:
    """Returns the form in which two phrases are equal: normalised, on one line, without case."""
    if _UNDRESSED.fullmatch(text):
        return text.lower()
    return fold(" ".join(normalise(text).split()))


def id_key(text: str) -> str:
    """Returns the form in which two ids are equal; zeros lead only ids that are not all digits."""
    key = phrase_key(text)
    return key.lstrip("0") or "0" if re.fullmatch("[0-9]+", key) else key
