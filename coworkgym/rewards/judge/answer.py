"""Answers of a judge: the verdict a text ends in, or none. Reasoning is never searched for one."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from coworkgym.frozen import Json, clean_text
from coworkgym.services.patterns import lazy_pattern

_BRACES = lazy_pattern("[{}]")
_LONGEST_REASON = 500


class Answer(NamedTuple):
    """A verdict, empty when there is none, and the reason for it."""

    verdict: str
    reason: str


def read_verdict(text: str, words: Iterable[str]) -> Answer | None:
    """Returns the verdict that a text ends in, or None; never raises.

    A text ends in a verdict when the whole of it, or what stands at its end, is a JSON object
    whose `verdict` is one of the words, or when its last line is exactly one of the words. A code
    fence around that, upper and lower case and space do not matter. An object in an object, two
    verdicts in one object, a number or an unknown word are no verdict.

    Args:
        text: What the model wrote.
        words: The verdicts to choose from.
    """
    known = {word.casefold(): word for word in words}
    text = text.strip()
    if text.endswith("```"):
        text = text.rstrip("`").rstrip()
    before, _, last_line = text.rpartition("\n")
    if word := known.get(last_line.strip().casefold()):
        return Answer(word, _short(before.strip()))
    found = _object_at_end(text)
    given, reason = found.get("verdict"), found.get("reason")
    word = known.get(given.strip().casefold()) if isinstance(given, str) else None
    return Answer(word, _short(str(reason or ""))) if word else None


def _object_at_end(text: str) -> dict[str, Json]:
    """The JSON object that a text ends in, not one inside of another; empty if there is none."""
    depth = 0
    for brace in _BRACES.finditer(text):
        if brace[0] == "}":
            depth -= 1
            continue
        if depth == 0 and (found := _object_from(text, brace.start())) is not None:
            return found
        depth += 1
    return {}


def _object_from(text: str, start: int) -> dict[str, Json] | None:
    try:
        found, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return found if end == len(text) else None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field is given twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_without_doubles)


def _short(reason: str) -> str:
    reason = clean_text(" ".join(reason.split()))
    return reason if len(reason) <= _LONGEST_REASON else f"… {reason[-_LONGEST_REASON:]}"
