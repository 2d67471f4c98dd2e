"""Ranking: records in the order of how well they match a query, for every kind of search."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from coworkgym.frozen import FrozenDict
from coworkgym.services.patterns import lazy_pattern
from coworkgym.services.snippets import snippet

_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # written without spaces
_WORD = lazy_pattern(rf"[{_HAN}]+|[^\W_{_HAN}]+")
_HAN_WORD = lazy_pattern(f"[{_HAN}]")

_COUNTS = (4, 3, 2)  # what a word counts in title, labels and content
_MOST_TERMS = 64  # of a query; a whole document sent as a query would take seconds


class Texts(NamedTuple):
    """What a record is searched by; a word in the title counts most, one in the content least."""

    title: str
    labels: str
    content: str


class Ranking:
    """Ranks records by the words they share with a query; rare words weigh more.

    How rare a word is depends on the initial records alone, so that a change of one record moves
    no other in a list that is being paged through.

    Args:
        query: As written; without words it matches nothing.
        initial: The records that the base world has of the table.
        texts: What a record is searched by.
    """

    def __init__(
        self, query: str, initial: Iterable[FrozenDict], texts: Callable[[FrozenDict], Texts]
    ) -> None:
        self._texts = texts
        terms = dict.fromkeys(term for word in _words(query) for term in _terms(word))
        known = ["".join(map(_spaced, texts(row))) for row in initial]
        weights = {
            term: sqrt((len(known) + 1) / (sum(term in text for text in known) + 1))
            for term in list(terms)[:_MOST_TERMS]
        }
        self._weights = dict(sorted(weights.items(), key=lambda item: -item[1]))

    def score(self, texts: Texts) -> float:
        """Returns how well the texts match; 0 without any word of the query."""
        spaced = [_spaced(text) for text in texts]
        score = 0.0
        for term, weight in self._weights.items():
            counts = (count for count, text in zip(_COUNTS, spaced, strict=True) if term in text)
            score += weight * next(counts, 0)
        return score

    def order(self, rows: Iterable[FrozenDict]) -> list[FrozenDict]:
        """Returns the records that match, the best first; equals stay in their order."""
        scored = [(self.score(self._texts(row)), row) for row in rows]
        scored.sort(key=lambda pair: -pair[0])
        return [row for score, row in scored if score]

    def snippet(self, content: str) -> str:
        """Returns the content around the first hit of its rarest word, or its beginning."""
        return snippet(content, self._place(content))

    def _place(self, content: str) -> int:
        """Where that hit stands in the casefolded content."""
        words = [(match.start(), f" {match[0]}") for match in _WORD.finditer(content.casefold())]
        for term in self._weights:
            for start, word in words:
                if term in word:
                    return start + max(0, word.index(term) - 1)
        return 0


def _words(text: str) -> list[str]:
    """The words of a text, casefolded; a run of Chinese is one of them."""
    return _WORD.findall(text.casefold())


def _terms(word: str) -> Iterable[str]:
    """The beginning of a word, or every two neighbours of a run of Chinese."""
    if not _HAN_WORD.match(word):
        return [f" {word}"]
    return [word[at : at + 2] for at in range(max(1, len(word) - 1))]


@lru_cache(maxsize=4096)
def _spaced(text: str) -> str:
    """The words of a text with a space before each, which marks where a word begins."""
    return "".join(f" {word}" for word in _words(text))
