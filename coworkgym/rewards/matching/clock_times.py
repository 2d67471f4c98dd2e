"""Clock times: the times of day that a text names, as a local time or, where it says so, in UTC."""

import re
from datetime import UTC, datetime, time, timedelta, timezone

from coworkgym.rewards.matching.plain_text import Mention
from coworkgym.rewards.matching.spelled_numbers import numeral
from coworkgym.services.money import WORD
from coworkgym.services.patterns import lazy_pattern

_HOURS = "twelve one two three four five six seven eight nine ten eleven".split()
_HALF_DAY = r"(?:[ap]\.?m\b|in\ the\ (?:morning|afternoon|evening)|at\ night)"
_PART = "上午|早上|早晨|凌晨|清晨|中午|正午|下午|午后|傍晚|晚上|晚间|夜里|夜间"
_LATE = ("下午", "午后", "傍晚")
_NIGHT = ("晚上", "晚间", "夜里", "夜间")
_ZH = "[零一二两三四五六七八九十]"
_ENDS = r"(?=[整钟开到至前后之左的见举;。,.!?:)、\s]|$)"  # 3点建议 is three suggestions
CLOCK_TIME = lazy_pattern(
    rf"""
    (?:(?P<part1>{_PART})\ ?|(?<=[0-9]T)|(?<!{WORD})(?<![.\#/])(?<![0-9]:)(?<![^\W\d]-))
    (?P<hour1>[0-9]{{1,2}}):(?P<minute1>[0-9]{{2}})(?::[0-9]{{2}}(?:\.[0-9]+)?)?
    (?:\ ?(?P<half1>{_HALF_DAY})|\ ?h(?:rs?|ours)?\b)?
    (?P<zone>\ ?(?:Z\b|(?:UTC|GMT)\b(?:[+-][0-9]{{1,2}}\b)?)|\+[0-9]{{2}}:?[0-9]{{2}}
      |(?<=:[0-9]{{2}}:[0-9]{{2}})-[0-9]{{2}}:[0-9]{{2}})?(?!{WORD}|[:.][0-9])
  | (?<!{WORD})(?<![.\#/])(?<![0-9]:)(?<![^\W\d]-)
    (?P<hour2>[0-9]{{1,2}}|{"|".join(_HOURS)})(?::(?P<minute2>[0-9]{{2}}))?
    (?:\ ?(?P<half2>{_HALF_DAY})|\ o'clock\b(?:\ (?P<half2b>{_HALF_DAY}))?
      |(?=\ ?(?:[-–~]|to)\ ?[0-9]{{1,2}}(?::[0-9]{{2}})?\ ?(?P<half2c>[ap])\.?m\b))
  | (?<!{WORD})(?P<shift>half|quarter)\ (?P<way>past|to)\ (?P<hour3>[0-9]{{1,2}}|{"|".join(_HOURS)})
    (?!{WORD})(?:\ ?(?P<half3>{_HALF_DAY}))?
  | (?<!{WORD})(?P<noon>noon|midday|midnight)(?!{WORD})|(?P<noon_zh>正午|午夜)(?!\ ?[0-9十])
  | (?:(?P<part4>{_PART})\ ?)?(?<![0-9.:第百])(?<!{_ZH})
    (?P<hour4>[0-9]{{1,2}}|{_ZH}{{1,3}})(?:点|时(?![间候限段差]))
    (?:(?P<minute4>[0-9]{{1,2}}|{_ZH}{{1,3}})分(?!钟)|(?P<minute4b>[0-9]{{2}}|{_ZH}{{2,3}})|(?P<half4>半)
      |(?P<quarters>[一三])刻|(?(part4)|{_ENDS}))
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Pattern of a time of day."""


def times(text: str) -> list[Mention]:
    """Returns the times of day that a normalised text names.

    Without "pm" or 下午 hours are those of a 24-hour clock. A time marked Z, UTC, GMT or with an
    offset is one in UTC, which equals no local time; names of zones ("Berlin time") say nothing.
    """
    found = []
    for match in CLOCK_TIME.finditer(text):
        parts = {re.sub("[0-9].?$", "", k): v for k, v in match.groupdict().items() if v}
        value = _time(parts)
        if value:
            found.append(Mention(*match.span(), value))
    return found


def _time(parts: dict[str, str]) -> time | None:
    named = (parts.get("noon") or parts.get("noon_zh") or "").lower()
    if named:
        return time(0 if named in ("midnight", "午夜") else 12)
    hour, minute = _number(parts["hour"]), _minute(parts)
    hour = _hour(hour, parts.get("half", "").lower(), parts.get("part", ""))
    if parts.get("way", "").lower() == "to":
        hour, minute = (hour - 1) % 24, 60 - minute
    if not (0 <= minute < 60 and (0 <= hour < 24 or (hour, minute) == (24, 0))):
        return None
    return _in_utc(hour % 24, minute, parts["zone"]) if "zone" in parts else time(hour % 24, minute)


def _minute(parts: dict[str, str]) -> int:
    if "shift" in parts:
        return 30 if parts["shift"].lower() == "half" else 15
    if "quarters" in parts:
        return 15 * _number(parts["quarters"])
    return 30 if parts.get("half") == "半" else _number(parts.get("minute", "0"))


def _hour(hour: int, half: str, part: str) -> int:
    """Returns the hour on a 24-hour clock."""
    at_night = half == "at night" or part in _NIGHT
    if hour == 12 and (half[:1] == "a" or "morning" in half or part == "凌晨" or at_night):
        return 0
    if part in ("中午", "正午"):
        return hour + 12 if hour < 4 else hour
    late = half[:1] == "p" or half.endswith(("afternoon", "evening")) or part in _LATE
    if at_night:
        return hour + 12 if 5 < hour < 12 else hour
    return hour + 12 if late and hour < 12 else hour


def _number(written: str) -> int:
    """Returns the number below 100 of 15, three or 十五; -1 for what is none."""
    if written[0] in "0123456789":
        return int(written)
    if written.lower() in _HOURS:
        return _HOURS.index(written.lower()) or 12
    value = numeral(written)
    return -1 if value is None else value


def _in_utc(hour: int, minute: int, zone: str) -> time:
    sign, _, offset = zone.rpartition("-") if "-" in zone else zone.rpartition("+")
    digits = re.sub("[^0-9]", "", offset) if sign or zone[0] in "+-" else ""
    hours, minutes = int(digits[:2] or 0), int(digits[2:] or 0)
    shift = timedelta(hours=hours, minutes=minutes) * (-1 if "-" in zone else 1)
    local = datetime(2000, 1, 2, hour, minute, tzinfo=timezone(shift))
    return local.astimezone(UTC).timetz()
