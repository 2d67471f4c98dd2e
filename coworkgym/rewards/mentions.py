"""Mentions: where a text names a phrase, an id, a number, an amount of money or a date."""

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from coworkgym.services.money import WORD, written_amounts
from coworkgym.services.patterns import lazy_pattern

LANGUAGES: Final = ("en", "zh", "de")
"""Languages whose reading of `1.234` is known: a decimal, but one thousand in `de`."""

Kind = Literal["text", "id", "number", "money", "date"]


class Mention(NamedTuple):
    """A value and the stretch of normalised text that names it."""

    start: int
    end: int
    value: Hashable


_PLAIN = str.maketrans(
    {
        "，": ";",  # in Chinese a comma ends a clause, and never groups digits
        "’": "'",
        "−": "-",
        "‐": "-",
        "‑": "-",
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


def normalise(text: str) -> str:
    r"""Returns `text` in NFKC without emphasis marks and struck text, blanks made single.

    Line breaks stay, as `\n`; a run of more than 32 marks or symbols is cut.
    """
    text = unicodedata.normalize("NFKC", _LONG_RUN.sub(r"\1", text.translate(_PLAIN)))
    text = _EMPHASIS.sub("", _STRUCK.sub(" ", text))
    return re.sub(r" ?\n[ \n]*", "\n", re.sub(r"[^\S\n]+", " ", text)).strip()


def phrase_key(text: str) -> str:
    """Returns the form in which two phrases are equal: normalised, on one line, case folded."""
    return " ".join(normalise(text).split()).casefold()


def id_key(text: str) -> str:
    """Returns the form in which two ids are equal; zeros lead only ids that are not all digits."""
    key = phrase_key(text)
    return key.lstrip("0") or "0" if re.fullmatch("[0-9]+", key) else key


@lru_cache(4096)
def value_of(kind: Kind, text: str) -> Hashable:
    """Returns the value that mentions of `text` have, its canonical text.

    Raises:
        ValueError: For what is no canonical text of that kind.
    """
    if isinstance(text, str):
        if kind in ("number", "money") and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text):
            return Decimal(text)
        if kind == "date" and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return date.fromisoformat(text)
        if kind in ("text", "id") and any(map(str.isalnum, text)):
            return phrase_key(text) if kind == "text" else id_key(text)
    raise ValueError(f"{text!r} is no canonical value of kind {kind!r}")


def phrases(text: str, wanted: Iterable[str]) -> list[Mention]:
    """Returns where a normalised text names one of the wanted phrases, as `phrase_key`s.

    Phrases stand between word ends (Chinese has none); a longer phrase hides one inside it.
    """
    return [Mention(s, e, phrase_key(text[s:e])) for s, e in _spans(text, wanted, _ends_words)]


def ids(text: str, wanted: Iterable[str]) -> list[Mention]:
    """Returns where a normalised text names one of the wanted ids, as `id_key`s.

    An id inside a longer one (`TK-104` in `TK-104-B`, 170 in 1700) is not named.
    """
    return [Mention(s, e, id_key(text[s:e])) for s, e in _spans(text, wanted, _is_whole_id)]


def _spans(
    text: str, keys: Iterable[str], stands: Callable[[str, int, int], bool]
) -> list[tuple[int, int]]:
    """Where one of the keys stands by itself, in order; the longest where several do."""
    found: list[tuple[int, int]] = []
    covered = bytearray(len(text))
    for key in sorted(set(keys), key=len, reverse=True):
        zeros = "(?<![0-9])0*" if re.fullmatch("[0-9]+", key) else ""
        source = zeros + r"\s+".join(map(re.escape, key.split()))
        for match in re.finditer(source, text, re.IGNORECASE):
            start, end = match.span()
            if not covered[start] and stands(text, start, end):
                covered[start:end] = bytes([1]) * (end - start)
                found.append((start, end))
    return sorted(found)


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


def _is_whole_id(text: str, start: int, end: int) -> bool:
    if _is_word(text, start - 1) or _is_word(text, end):
        return False
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if before and before in "-.+@" and _is_word(text, start - 2):
        return False
    if after and after in "-+@" and _is_word(text, end + 1):
        return False
    if after == "." and re.match("[0-9a-z]", text[end + 1 : end + 2]):
        return False
    if not text[start:end].isdecimal():
        return True
    grouped_before = before in (",", ":", "/") and text[start - 2 : start - 1].isdecimal()
    grouped_after = after in (",", ":", "/") and text[end + 1 : end + 2].isdecimal()
    return not (grouped_before or grouped_after)


_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
_YEAR = "(?:19|20)[0-9]{2}"
_DAY = r"[0-9]{1,2}"
_NO_DIGIT = rf"(?!{WORD}|[-/.][0-9])"
_DATE = lazy_pattern(
    rf"""
    (?<!{WORD})(?<![/.-])(?P<y1>{_YEAR})(?P<s>[-/.])(?P<m1>{_DAY})(?P=s)(?P<d1>{_DAY})(?![0-9/]|-{WORD})
  | (?<!{WORD})(?<![/.-])(?P<a2>{_DAY})(?P<b2>[/.])(?P<c2>{_DAY})(?P=b2)(?P<y2>{_YEAR}){_NO_DIGIT}
  | (?<!{WORD})(?P<n3>{_MONTH})\ ?(?P<d3>{_DAY})(?:st|nd|rd|th)?{_NO_DIGIT}
    (?:,?\ (?P<y3>{_YEAR}){_NO_DIGIT})?
  | (?<!{WORD})(?<![/.-])(?P<d4>{_DAY})(?:st|nd|rd|th)?(?:\ of)?[ -](?P<n4>{_MONTH})
    (?:,?[ -](?P<y4>{_YEAR}){_NO_DIGIT})?
  | (?:(?<![0-9])(?P<y5>{_YEAR})\ ?年\ ?)?(?<![0-9])(?P<m5>{_DAY})\ ?月\ ?(?P<d5>{_DAY})\ ?[日号]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NO_QUANTITY = lazy_pattern(
    rf"(?<!{WORD})(?:[0-9]{{1,2}}(?::[0-9]{{2}}){{1,2}}(?![0-9])(?:\ ?[ap]\.?m\b)?"
    rf"|[0-9]{{1,2}}\ ?[ap]\.?m\b|[0-9]{{1,2}}/[0-9]{{1,2}}(?![0-9/])|{_MONTH},?\ {_YEAR}(?![0-9]))"
    r"|[0-9]{1,2}点(?:[0-9]{1,2}分)?|[0-9]{4}年(?:[0-9]{1,2}月)?|(?<![0-9])[0-9]{1,2}月"
    r"|(?m:^1?[0-9][.)]\ )",
    re.IGNORECASE,
)


def dates(text: str, today: date | None, year: int) -> list[Mention]:
    """Returns the dates that a normalised text names; 10/05/2026 is October, 05.10.2026 too.

    Args:
        text: Normalised text.
        today: A date without a year is the nearest one to this.
        year: Its year when `today` is None.
    """
    found = []
    for match in _DATE.finditer(text):
        parts = {name[0]: part for name, part in match.groupdict().items() if part}
        value = _date(parts, today, year)
        if value:
            found.append(Mention(*match.span(), value))
    return found


def _date(parts: dict[str, str], today: date | None, year: int) -> date | None:
    if "a" in parts:
        first, second = int(parts["a"]), int(parts["c"])
        month, day = (second, first) if parts["b"] == "." or first > 12 else (first, second)
    else:
        named = "n" in parts
        month = _MONTHS.index(parts["n"][:3].lower()) + 1 if named else int(parts["m"])
        day = int(parts["d"])
    if "y" in parts:
        return _valid_date(int(parts["y"]), month, day)
    if today is None:
        return _valid_date(year, month, day)
    near = (_valid_date(today.year + shift, month, day) for shift in (0, -1, 1))
    return min(filter(None, near), key=lambda day: abs(day - today), default=None)


def _valid_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def numbers(text: str, language: str, currency: str | None = None) -> list[Mention]:
    """Returns the numbers that a normalised text names, as exact decimals, whatever their unit.

    Parts of dates, times and ids are none. With a currency, numbers are amounts of money:
    percentages are left out, and an amount in another currency has a value that equals no decimal.
    """
    for pattern in (_DATE, _NO_QUANTITY):
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
        text: Normalised text.
        kind: What to look for.
        wanted: Values of that kind; a date lends its year where text and `today` give none.
        language: As in `numbers`.
        currency: As in `numbers`, for money.
        today: As in `dates`.
    """
    if isinstance(wanted[0], date):
        return dates(text, today, wanted[0].year)
    if isinstance(wanted[0], Decimal):
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


def masked(text: str, found: Iterable[Mention], wanted: Hashable) -> str:
    """Returns `text` with one mark for every mention."""
    parts, position = [], 0
    for mention in found:
        parts += [text[position : mention.start], HIT if mention.value == wanted else OTHER]
        position = mention.end
    text = "".join([*parts, text[position:]])
    numeric = isinstance(wanted, Decimal)
    return _EQUATION.sub(_mark_operands, text) if numeric else text


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
