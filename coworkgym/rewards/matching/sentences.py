"""Sentences: how a reply is cut up, and which sentences ask instead of telling."""

import re
from collections.abc import Iterator

from coworkgym.rewards.matching.mentions import MARK
from coworkgym.services.patterns import lazy_pattern


def cues(*alternatives: str) -> re.Pattern[str]:
    """Returns the pattern of any of these alternatives, in any case."""
    return lazy_pattern("|".join(alternatives), re.IGNORECASE)


SENTENCE_END = lazy_pattern(r"(?<=[!?。])\s*|(?<=\.)\s+")
"""Pattern of the gap between two sentences of a line."""

QUESTION = cues(
    r"^\W*(?:is|are|was|were|do|does|did|should|shall|can|could|would|may|has|have|which)\b.*\?\W*$",
    r"^[^\s?]*(?: [^\s?]+){0,3} ?\?\W*$|[吗呢]\?\W*$",
)
"""Pattern of a sentence that asks: by its first word, by its shortness, or by its particle."""

_ITEM = lazy_pattern(r"\s*(?:[-*•+]|[0-9]{1,2}[.)])\s+")
_HEADING = lazy_pattern("^#|:$")
_MENTION = lazy_pattern(MARK)


def sentences(text: str) -> Iterator[str]:
    """Yields the sentences of a masked text that hold a mention.

    The items of a list belong to the heading above them.
    """
    heading = ""
    for line in text.split("\n"):
        item = _ITEM.match(line)
        mentions = _MENTION.search(line)
        if not item:
            last = SENTENCE_END.split(line)[-1]
            is_heading = _HEADING.search(line) and not _MENTION.search(last)
            heading = last[-80:] if is_heading else ""
        if mentions:
            parts = SENTENCE_END.split(f"{heading} {line[item.end() :]}" if item else line)
            yield from filter(_MENTION.search, parts)
