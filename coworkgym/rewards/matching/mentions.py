"""Mentions: where a text names a phrase, an id, a number, an amount of money, a date or a time."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import date, time
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

from coworkgym.rewards.matching.clock_times import CLOCK_TIME, times
from coworkgym.rewards.matching.plain_text import Mention, fold, id_key, normalise, phrase_key
from coworkgym.rewards.matching.spelled_numbers import in_digits
from coworkgym.rewards.matching.written_dates import DATE, MONTH, dates
from coworkgym.services.money import WORD, written_amounts
from coworkgym.services.patterns import lazy_pattern

__all__ = [
    "HIT", "LANGUAGES", "MARK", "MARKS", "OPERAND", "OR", "OTHER", "Kind", "Mention",
    "check_language", "dates", "find", "ids", "masked", "normalise", "numbers", "phrase_key",
    "phrases", "readable", "value_of",
]  # fmt: skip

LANGUAGES: Final = ("en", "zh", "de")
"""Languages whose reading of `1.234` is known: a decimal, but one thousand in `de`."""


def check_language(language: str) -> None:
    """Raises ValueError for a language that is not in `LANGUAGES`."""
    if language not in LANGUAGES:
        raise ValueError(f"Unknown language {language!r}. Allowed: {', '.join(LANGUAGES)}.")


Kind = Literal["text", "id", "number", "money", "date", "time"]

_CANONICAL = {
    "text": r"(?s:.*[^\W_].*)",
    "id": r"(?s:.*[^\W_].*)",
    "number": r"-?[0-9]+(\.[0-9]+)?",
    "money": r"-?[0-9]+(\.[0-9]+)?",
    "date": "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "time": "[0-9]{2}:[0-9]{2}Z?",
}


@lru_cache(4096)
def value_of(kind: Kind, text: str) -> Hashable:
    """Returns the value that mentions of `text` have, its canonical text.

    Raises:
        ValueError: For what is no canonical text of that kind.
    """
    pattern = _CANONICAL.get(kind, "")
    if not isinstance(text, str) or not re.fullmatch(pattern, text):
        raise ValueError(f"{text!r} is no canonical value of kind {kind!r}")
    if kind in ("text", "id"):
        return phrase_key(text) if kind == "text" else id_key(text)
    if kind == "date":
        return date.fromisoformat(text)
    return time.fromisoformat(text) if kind == "time" else Decimal(text)


def readable(text: str, kind: Kind) -> str:
    """Returns the normalised text in which `find` sees the most, spelled numbers in digits."""
    plain = normalise(text)
    return in_digits(plain) if kind in ("number", "money") else plain


def phrases(text: str, wanted: Iterable[str]) -> list[Mention]:
    """Returns where a normalised text names one of the wanted phrases, as `phrase_key`s.

    Phrases stand between word ends (Chinese has none); a longer phrase hides one inside it.
    """
    return _spans(text, wanted, _ends_words)


def ids(text: str, wanted: Iterable[str]) -> list[Mention]:
    """Returns where a normalised text names one of the wanted ids, as `id_key`s.

    An id inside a longer one (`TK-104` in `TK-104-B`, 170 in 1700) is not named.
    """
    return _spans(text, wanted, _is_whole_id)


def _spans(
    text: str, keys: Iterable[str], stands: Callable[[str, int, int], bool]
) -> list[Mention]:
    """Where one of the keys stands by itself, in order; the longest where several do."""
    found: list[Mention] = []
    folded = fold(text).replace("\n", " ")
    covered = bytearray(len(text))
    for key in sorted(set(keys), key=len, reverse=True):
        for start, end in _places(folded, key):
            if not covered[start] and stands(text, start, end):
                covered[start:end] = bytes([1]) * (end - start)
                found.append(Mention(start, end, key))
    return sorted(found)


def _places(folded: str, key: str) -> Iterator[tuple[int, int]]:
    if key.isdecimal() and key.isascii():
        yield from (match.span() for match in re.finditer(f"(?<![0-9])0*{key}", folded))
        return
    start = folded.find(key)
    while start >= 0:
        yield start, start + len(key)
        start = folded.find(key, start + len(key))


def _is_word(text: str, place: int) -> bool:
    """Whether the character at a place joins into words, as WORD does."""
    if not 0 <= place < len(text):
        return False
    character = text[place]
    return (character.isalnum() or character == "_") and character < "\u2e80"


def _ends_words(text: str, start: int, end: int) -> bool:
    inside_left = _is_word(text, start - 1) and _is_word(text, start)
    inside_right = _is_word(text, end - 1) and _is_word(text, end)
    return not (inside_left or inside_right)


_ID_GOES_ON = lazy_pattern(r"[-+@](?![\u2e80-\U0010ffff])\w|\.[0-9a-z]")
_ID_OF_DIGITS_GOES_ON = lazy_pattern(r"[,:/][0-9]| ?%")


def _is_whole_id(text: str, start: int, end: int) -> bool:
    if _is_word(text, start - 1) or _is_word(text, end) or _ID_GOES_ON.match(text, end):
        return False
    before = text[max(0, start - 1) : start]
    if before and before in "-.+@" and _is_word(text, start - 2):
        return False
    if not text[start:end].isdecimal():
        return not (text[end - 1].isdecimal() and re.match("/[0-9]", text[end : end + 2]))
    grouped_before = before in (",", ":", "/") and text[start - 2 : start - 1].isdecimal()
    return not (grouped_before or _ID_OF_DIGITS_GOES_ON.match(text, end))


_NO_QUANTITY = lazy_pattern(
    rf"(?<!{WORD})(?:[0-9]{{1,2}}/[0-9]{{1,2}}(?![0-9/])|{MONTH},?(?:\ of)?\ (?:19|20)[0-9]{{2}}"
    r"(?![0-9]))|[0-9]{1,2}点(?:[0-9]{1,2}分)?|[0-9]{4}年(?:[0-9]{1,2}月)?|(?<![0-9])[0-9]{1,2}月"
    r"|(?m:^1?[0-9][.)]\ )",
    re.IGNORECASE,
)


def numbers(text: str, language: str, currency: str | None = None) -> list[Mention]:
    """Returns the numbers that a normalised text names, as exact decimals, whatever their unit.

    Parts of dates, times and ids are none. With a currency, numbers are amounts of money:
    percentages are left out, and an amount in another currency has a value that equals no decimal.
    """
    for pattern in (DATE, CLOCK_TIME, _NO_QUANTITY):
        text = pattern.sub(lambda match: "|" * len(match[0]), text)
    found = []
    for start, end, value, currencies, is_percent in written_amounts(text, language):
        if currency is None or (not is_percent and currency in (currencies or {currency})):
            found.append(Mention(start, end, value))
        elif not is_percent:
            found.append(Mention(start, end, (value, currencies)))
    return found


def find(
    text: str,
    kind: Kind,
    wanted: Sequence[Hashable],
    language: str,
    currency: str | None,
    today: date | None,
) -> list[Mention]:
    """Returns the mentions of a kind; of phrases and ids, only those of the wanted values.

    Args:
        text: Text as `readable` returns it.
        kind: What to look for.
        wanted: Values of that kind; a date lends its year where text and `today` give none.
        language: As in `numbers`.
        currency: As in `numbers`, for money.
        today: As in `dates`.
    """
    first = wanted[0]
    if isinstance(first, date):
        return dates(text, today, first.year)
    if isinstance(first, time):
        return times(text)
    if isinstance(first, Decimal):
        return numbers(text, language, currency if kind == "money" else None)
    keys = [str(value) for value in wanted]
    return ids(text, keys) if kind == "id" else phrases(text, keys)


HIT, OTHER, OPERAND, OR = "\ue000", "\ue001", "\ue002", "\ue003"
"""Stand for a mention of the wanted value, of another one, of an operand, and for an "or"."""

MARKS = HIT + OTHER + OPERAND
MARK = f"[{MARKS}]"
_EQUATION = lazy_pattern(
    rf"{MARK}(?: ?[a-z]{{0,12}} ?\)? ?[-+*×÷/=^x]{{1,2}} ?\(?{MARK})+", re.IGNORECASE
)
_RANGE = lazy_pattern(
    rf"(?<!from )(?<![由从]){MARK}(?: ?[–—~] ?|-| to |至|到){MARK}"
    rf"|\bbetween {MARK} and {MARK}|{MARK}[和与到至]{MARK}之间",
    re.IGNORECASE,
)


def masked(text: str, found: Iterable[Mention], wanted: Hashable) -> str:
    """Returns `text` with one mark for every mention; ends of a range of numbers are operands."""
    parts, position = [], 0
    for mention in found:
        parts += [text[position : mention.start], HIT if mention.value == wanted else OTHER]
        position = mention.end
    text = "".join([*parts, text[position:]])
    if not isinstance(wanted, Decimal):
        return text
    text = _RANGE.sub(lambda match: re.sub(MARK, OPERAND, match[0]), text)
    return _EQUATION.sub(_mark_operands, text)


def _mark_operands(match: re.Match[str]) -> str:
    """Keeps the last side of an equation, or the first if only that one is a single number."""
    left, equals, right = match[0].rpartition("=")
    if not equals and not re.search(r"[+*×÷^]|\bx\b", right):
        return match[0]
    sides = [re.sub(f"[^{MARKS}]", "", side) for side in (left, right)]
    kept = 1 if len(sides[1]) == 1 else 0 if len(sides[0]) == 1 else None
    return "".join(
        side if index == kept else OPERAND * len(side) for index, side in enumerate(sides)
    )
