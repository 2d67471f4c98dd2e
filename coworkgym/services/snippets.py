"""Snippets: the part of a long text that a search hit."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

_SNIPPET, _LEAD = 150, 40  # characters, and how many of them stand before the hit


def first_hit(content: str, words: Iterable[str]) -> int | None:
    """Returns where the first of some casefolded words stands in the casefolded content."""
    folded = content.casefold()
    return min((at for word in words if (at := folded.find(word)) >= 0), default=None)


def snippet(content: str, place: int) -> str:
    """Returns the text around a place of the casefolded content, with ... where it is cut."""
    lengths = accumulate(len(char.casefold()) for char in content)  # 'ß' is folded to 'ss'
    start = max(0, bisect_right(list(lengths), place) - _LEAD)
    end = start + _SNIPPET
    return f"{'...' * (start > 0)}{content[start:end]}{'...' * (end < len(content))}"
