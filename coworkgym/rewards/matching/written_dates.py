"""Written dates: the days that a text names, in figures, in words, or from today on."""

import re
from datetime import date, timedelta

from coworkgym.rewards.matching.plain_text import Mention
from coworkgym.rewards.matching.spelled_numbers import numeral
from coworkgym.services.money import WORD
from coworkgym.services.patterns import lazy_pattern

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
"""Pattern of an English month."""

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_DAY_WORDS = {word: day for day, word in enumerate(_ORDINALS, start=1)}
_DAY_WORDS |= {f"twenty-{word}": 20 + day for word, day in _DAY_WORDS.items() if day < 10}
_DAY_WORDS |= {"thirtieth": 30, "thirty-first": 31}

_YEAR = "(?:19|20)[0-9]{2}"
_DAY = r"[0-9]{1,2}"
_NAMED_DAY = rf"(?:(?:{'|'.join(sorted(_DAY_WORDS, key=len, reverse=True))})\b)"
_DAY_TH = rf"(?:{_DAY}(?:st|nd|rd|th)?|{_NAMED_DAY})"
_NUMERALS = "零一二三四五六七八九"
_DAY_ZH = f"(?:{_DAY}|[一二三四五六七八九十]{{1,3}})"
_NO_DIGIT = rf"(?!{WORD}|[-/.][0-9])"
_CAPITAL = "(?=(?-i:[A-Z])|.{2,9}?[0-9])"  # "it may first" names no day
DATE = lazy_pattern(
    rf"""
    (?<!{WORD})(?<![/.-])(?P<y1>{_YEAR})(?P<s>[-/.])(?P<m1>{_DAY})(?P=s)(?P<d1>{_DAY})(?![0-9/]|-{WORD})
  | (?<!{WORD})(?<![/.-])(?P<a2>{_DAY})(?P<b2>[/.])(?P<c2>{_DAY})(?P=b2)(?P<y2>{_YEAR}){_NO_DIGIT}
  | (?<!{WORD}){_CAPITAL}(?P<n3>{MONTH})\ ?(?:the\ )?(?P<d3>{_DAY_TH}){_NO_DIGIT}
    (?:,?\ (?P<y3>{_YEAR}){_NO_DIGIT})?
  | (?<!{WORD})(?<![/.-])(?P<d4>{_DAY_TH})(?:\ of)?[ -](?P<n4>{MONTH})
    (?:,?[ -](?P<y4>{_YEAR}){_NO_DIGIT})?
  | (?:(?<![0-9])(?P<y5>{_YEAR}|[零〇一二三四五六七八九]{{4}})\ ?年\ ?)?
    (?<![0-9十])(?P<m5>{_DAY_ZH})\ ?月\ ?(?P<d5>{_DAY_ZH})\ ?[日号]
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Pattern of a date that needs no today, apart from its year."""

_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_OFFSETS = {
    "day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1,
    "day after tomorrow": 2, "前天": -2, "昨天": -1, "昨日": -1, "今天": 0, "今日": 0, "明天": 1,
    "明日": 1, "后天": 2,
}  # fmt: skip
_WEEKS = {"last": -1, "上": -1, "this": 0, "本": 0, "这": 0, "next": 1, "下": 1}
_RELATIVE = lazy_pattern(
    rf"""
    (?<!{WORD})(?P<offset>(?:day\ before\ )?yesterday|today|(?:day\ after\ )?tomorrow)(?!{WORD}|'s)
  | (?<!大)(?P<offset_zh>[前昨今明后]天|[昨今明]日)
  | (?<!{WORD})(?P<week>last|this(?:\ coming)?|coming|next)\ (?P<weekday>{"|".join(_WEEKDAYS)})
    (?!{WORD}|')
  | (?<![上下])(?P<week_zh>[上本这下])个?(?:周|星期|礼拜)(?P<weekday_zh>[一二三四五六日天])
    """,
    re.VERBOSE | re.IGNORECASE,
)


def dates(text: str, today: date | None, year: int) -> list[Mention]:
    """Returns the dates that a normalised text names; 10/05/2026 is October, 05.10.2026 too.

    "tomorrow" and "next Monday" name a day when `today` is given; "next Friday", said on a
    Wednesday, may be either of two, and names none.

    Args:
        text: Normalised text.
        today: A date without a year is the nearest one to this.
        year: Its year when `today` is None.
    """
    found = []
    for match in DATE.finditer(text):
        parts = {name[0]: part for name, part in match.groupdict().items() if part}
        value = _date(parts, today, year)
        if value:
            found.append(Mention(*match.span(), value))
    if today is not None:
        found += _relative(text, today)
    return sorted(found)


def _date(parts: dict[str, str], today: date | None, year: int) -> date | None:
    if "a" in parts:
        first, second = int(parts["a"]), int(parts["c"])
        month, day = (second, first) if parts["b"] == "." or first > 12 else (first, second)
    else:
        named = "n" in parts
        month = _MONTHS.index(parts["n"][:3].lower()) + 1 if named else _small(parts["m"])
        day = _small(parts["d"])
    if "y" in parts:
        return _valid_date(_year(parts["y"]), month, day)
    if today is None:
        return _valid_date(year, month, day)
    near = (_valid_date(today.year + shift, month, day) for shift in (0, -1, 1))
    return min(filter(None, near), key=lambda day: abs(day - today), default=None)


def _small(written: str) -> int:
    """Returns the number below 100 of 21, 21st, twenty-first or 二十一; 0 for what is none."""
    word = written.lower()
    if word in _DAY_WORDS:
        return _DAY_WORDS[word]
    if word[0] in "0123456789":
        return int(word.rstrip("sthnrd"))
    return numeral(word) or 0


def _year(written: str) -> int:
    digits = written.replace("〇", "零")
    return int("".join(str(_NUMERALS.find(d)) if d in _NUMERALS else d for d in digits))


def _valid_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _relative(text: str, today: date) -> list[Mention]:
    found = []
    for match in _RELATIVE.finditer(text):
        offset = match["offset"] or match["offset_zh"]
        value = today + timedelta(_OFFSETS[offset.lower()]) if offset else _weekday(match, today)
        if value:
            found.append(Mention(*match.span(), value))
    return found


def _weekday(match: re.Match[str], today: date) -> date | None:
    """Returns the day of a named week; in English only if the nearest such day is in that week."""
    if match["week_zh"]:
        day = "一二三四五六日".index(match["weekday_zh"].replace("天", "日"))
        return _in_week(today, _WEEKS[match["week_zh"]], day)
    day = _WEEKDAYS.index(match["weekday"].lower())
    week = match["week"].lower().split()[-1]
    ahead = today + timedelta((day - today.weekday()) % 7)
    if week == "coming":
        return ahead
    nearest = {"last": ahead - timedelta(7), "this": ahead, "next": ahead}[week]
    nearest += timedelta(7 * (week == "next" and ahead == today))
    return nearest if nearest == _in_week(today, _WEEKS[week], day) else None


def _in_week(today: date, weeks: int, day: int) -> date:
    return today + timedelta(7 * weeks + day - today.weekday())
