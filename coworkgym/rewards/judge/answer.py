"""Answers of a judge: the verdict a text ends in, or none. Reasoning is never searched for one."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from coworkgym.frozen import Json, clean_text
from coworkgym.services.patterns import lazy_pattern

UNCLEAR = "unclear"
"""The verdict that none of the grades can be given. It is no grade, and always offered."""

_BRACES = lazy_pattern(r'\{\s*"|[{}]')
_LONGEST_REASON = 500
_LOOSE = " \t\r\n,`"  # what may stand between two verdicts that follow each other


class Answer(NamedTuple):
    """A verdict, empty when there is none, and the reason for it."""

    verdict: str
    reason: str


def read_verdict(text: str, words: Iterable[str]) -> Answer | None:
    """Returns the verdict that a text ends in, or None; never raises.

    A text ends in a verdict when the whole of it, or what stands at its end, is a JSON object
    whose `verdict` is one of the words, or when its last line is exactly one of the words. A code
    fence around that, upper and lower case and space do not matter. An object in an object, two
    verdicts in one object, a number or an unknown word are no verdict, nor is one that follows
    directly on another verdict and contradicts it.

    Args:
        text: What the model wrote.
        words: The verdicts to choose from.
    """
    known = {word.casefold(): word for word in words}
    text = text.strip()
    objects = _objects(text)
    if text.endswith("```"):
        text = text.rstrip("`").rstrip()
    last: Answer | None = None
    while (ending := _ending(text, objects, known)) is not None:
        text, answer = ending
        if last is not None and answer.verdict != last.verdict:
            return None
        last = last or answer
        text = text.rstrip(_LOOSE).removesuffix("```json").rstrip(_LOOSE)
    return last


def _ending(
    text: str, objects: Mapping[int, tuple[int, Json]], known: Mapping[str, str]
) -> tuple[str, Answer] | None:
    """What stands before the verdict that a text ends in, and that; None without one."""
    before, _, last_line = text.rpartition("\n")
    if word := known.get(last_line.strip().casefold()):
        return before, Answer(word, _short(before.strip()))
    start, found = objects.get(len(text), (0, {}))
    given, reason = found.get("verdict"), found.get("reason")
    word = known.get(given.strip().casefold()) if isinstance(given, str) else None
    return (text[:start], Answer(word, _short(str(reason or "")))) if word else None


def _objects(text: str) -> dict[int, tuple[int, Json]]:
    """The JSON objects in a text, none of them inside of another: end -> (start, object).

    A brace that no quotation mark follows begins no object that could hold a verdict, and hides
    none. What begins like an object and is none, because it was cut off, hides what is in it.
    """
    found: dict[int, tuple[int, Json]] = {}
    depth = end = 0
    for brace in _BRACES.finditer(text):
        start = brace.start()
        if start < end:
            continue
        if brace[0] == "}":
            depth = max(depth - 1, 0)
        elif depth:
            depth += 1
        elif brace[0] != "{":
            try:
                one, end = _DECODER.raw_decode(text, start)
                found[end] = (start, one)
            except (ValueError, RecursionError):
                depth = 1
    return found


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field is given twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_without_doubles)


def _short(reason: str) -> str:
    reason = clean_text(" ".join(reason.split()))
    return reason if len(reason) <= _LONGEST_REASON else f"… {reason[-_LONGEST_REASON:]}"
