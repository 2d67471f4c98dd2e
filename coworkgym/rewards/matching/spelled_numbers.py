"""Spelled numbers: "three thousand two hundred" and 三千二百, as far as they are quantities.

Ordinals, clock times, dates, approximations (十几, 三四) and words that only hold a numeral ("no
one", 一下, 唯一) are left as they are.
"""

import re

from coworkgym.services.patterns import lazy_pattern

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: value for value, word in enumerate(_ONES)}
_WORDS |= {word: 10 * value for value, word in enumerate(_TENS, start=2)}
_NUMERAL = rf"(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})"
_WORDS["a"] = 1
_PART = rf"(?:(?:half\ )?a(?=[ -](?:hundred|thousand|dozen)\b)|{_NUMERAL}|hundred|thousand|dozen)"
_JOINED = r"(?:(?:(?<=hundred)|(?<=thousand))(?:,?\ and\ |-and-)|(?<=thousand),\ |[ -])"
_DIGIT = rf"(?:{'|'.join(_ONES[:10])})"
_ORDINAL = (
    r"(?:half|quarter|first|second|third|(?:four|fif|six|seven|eigh|nin|\w+teen|\w+tie)th)s?\b"
)
_CLOCK = r"(?:point\b|o'clock|[ap]\.?m\b|in\ the\ (?:morning|afternoon|evening)|past\ )"
_ENGLISH = lazy_pattern(
    rf"""
    (?<![\w'.-])(?<!past\ )(?<!quarter\ to\ )
    (?>(?P<whole>{_PART}\b(?:{_JOINED}{_PART}\b)*)
       (?:\ point(?P<places>(?:\ {_DIGIT}\b)+)|(?P<half>\ and\ a\ half))?)
    (?![\w]|['-]\w|\ {_ORDINAL}|\ {_CLOCK})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ONE_BEFORE = lazy_pattern(
    r"(?:^|[-.:;!?(=|\n] ?|\b(?:is|are|was|were|found|ha[sd]|have|with|total(?:s| of)?|plus) )$",
    re.IGNORECASE,
)
_ONLY_BEFORE = lazy_pattern(r"\b(?:exactly|only|just) $", re.IGNORECASE)
_ONE_AFTER = lazy_pattern(
    r"(?! (?:of|after|another|by|should|must|ca[mn]|could|may|might|would|will|is|was|has|who|that"
    r"|which|thing|point|more|day|or|to)\b)",
    re.IGNORECASE,
)
_ONE_OF_SEVERAL = lazy_pattern(rf" (?:or|to) {_NUMERAL}\b", re.IGNORECASE)


def in_digits(text: str) -> str:
    """Returns a normalised text with its spelled numbers in digits: 共十二封 becomes 共12封."""
    text = _CHINESE.sub(_chinese_digits, _ENGLISH.sub(_english_digits, text))
    return _PERCENT.sub(r"\1%", text)


def _english_digits(match: re.Match[str]) -> str:
    if match[0].lower() == "one" and not _is_quantity(match.string, *match.span()):
        return match[0]
    value = _english(re.findall("[a-z]+", match["whole"].lower()))
    if value is None:
        return match[0]
    places = "".join(str(_WORDS[word]) for word in (match["places"] or "").lower().split())
    places = "5" if match["half"] else places
    return f"{value}.{places}" if places else str(value)


def _is_quantity(text: str, start: int, end: int) -> bool:
    """Whether "one" counts something: not in "one of them", "this one" or "one should"."""
    before = text[max(0, start - 12) : start]
    if _ONLY_BEFORE.search(before) or _ONE_OF_SEVERAL.match(text, end):
        return True
    return bool(_ONE_BEFORE.search(before) and _ONE_AFTER.match(text, end))


def _english(words: list[str]) -> int | None:
    """Returns the number of well-formed words below a million, or None."""
    if words[0] == "half":
        return 6
    total, part, room = 0, 0, 100  # room: what the next word has to be smaller than
    for word in words:
        value = _WORDS.get(word, 0)
        if word in ("hundred", "dozen") and 0 < part < 100:
            part, room = (part * 100, 100) if word == "hundred" else (part * 12, 0)
        elif word == "thousand" and part and not total:
            total, part, room = part * 1000, 0, 100
        elif word in _WORDS and value < room:
            part, room = part + value, 10 if value >= 20 else 0
        elif word != "and":
            return None
    return total + part


_DIGITS = "零一二三四五六七八九"
_PLAIN_NUMERALS = str.maketrans("〇两壹贰叁肆伍陆柒捌玖拾佰仟", "零二一二三四五六七八九十百千")
_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_D = "[0-9一二两三四五六七八九壹贰叁肆伍陆柒捌玖]"
_Z = "[零〇]"
_SECTION = rf"(?:{_D}[千仟])?(?:{_Z}?{_D}[百佰])?(?:{_Z}?{_D}?[十拾])?(?:{_Z}?{_D})?"
_NUMBER = lazy_pattern(rf"(?:(?!亿){_SECTION}亿)?(?:(?!万){_Z}?{_SECTION}万)?{_Z}?{_SECTION}")
_NUMERALS = "[零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟]"
_CHINESE = lazy_pattern(
    rf"(?P<percent>百分之)?(?<![0-9.])(?P<run>[1-9](?=[百千万]{_D}+[十百千])(?:[0-9]|{_NUMERALS})*"
    rf"|{_NUMERALS}+)(?P<point>点(?=[零〇一二三四五六七八九])[零〇一二三四五六七八九]+)?(?P<half>个半)?"
)
_PERCENT = lazy_pattern("百分之([0-9.]+)")
_NO_NUMBER_BEFORE = lazy_pattern(r"(?:[第几初分之午晨晚早]|星期|礼拜|(?<![总件人票张次])数)$")
_NO_NUMBER_AFTER = lazy_pattern(r"[几多余来月号点时刻]|日(?![元圆])|分之")
_COUNTED_AFTER = lazy_pattern(
    r"(?!(.)一\1)[张个封条位份笔件家项天套台块元页种名本周年次%]|部(?!分)|[美欧日港]元|英镑|人民币|小时|分钟"
)
_ALONE_BEFORE = lazy_pattern(r"(?:^|[:=\s为到至成])$")
_ALONE_AFTER = lazy_pattern(r"[;。!?\s]|$")
_ONE_ZH_BEFORE = lazy_pattern(r"(?:^|[只仅共有了剩约:;,。(\s])$")


def _chinese_digits(match: re.Match[str]) -> str:
    run = match["run"].translate(_PLAIN_NUMERALS)
    before = match.string[max(0, match.start() - 2) : match.start()]
    after = match.string[match.end() : match.end() + 4]
    places = (match["point"] or "")[1:].translate(_PLAIN_NUMERALS)
    if _NO_NUMBER_BEFORE.search(before) or _NO_NUMBER_AFTER.match(after) or len(run) > 20:
        return match[0]
    if places and (after[:1] in ("分", "刻", "半") or _is_code(run)):
        return match[0]
    if not (places or match["half"] or match["percent"] or _counts(run, before, after)):
        return match[0]
    value = _chinese(run)
    if value is None:
        return match[0]
    places = "".join(str(_DIGITS.index(digit)) for digit in places)
    places = "5" if match["half"] else places
    return f"{value}{'.' if places else ''}{places}{'%' if match['percent'] else ''}"


def _is_code(run: str) -> bool:
    """Whether these are digits in a row without a unit, as in 二零二六."""
    return len(run) > 1 and not any(unit in run for unit in _UNITS)


def _counts(run: str, before: str, after: str) -> bool:
    """Whether a run of numerals is a quantity: one character has to stand alone or count."""
    if len(run) > 1:
        return not _is_code(run) or (len(run) > 3 and not after.startswith("年"))
    if run not in _DIGITS + "十" or before.endswith("周"):
        return False
    alone = _ALONE_BEFORE.search(before) and _ALONE_AFTER.match(after)
    counting = _COUNTED_AFTER.match(after) and (run != "一" or _ONE_ZH_BEFORE.search(before))
    return bool(alone or counting)


def numeral(written: str) -> int | None:
    """Returns the number of a Chinese numeral such as 二十一 or 零五; None for digits in a row."""
    run = written.translate(_PLAIN_NUMERALS).lstrip("零")
    return None if _is_code(run) else _chinese(run)


def _chinese(run: str) -> int | None:
    if _is_code(run):
        return int("".join(str(_DIGITS.index(digit)) for digit in run))
    if not _NUMBER.fullmatch(run):
        return None
    total, section, digit, unit = 0, 0, 0, 1
    for character in run:
        if character in _UNITS:
            unit = _UNITS[character]
            if unit < 10_000:
                section += (digit or 1) * unit
            else:
                total, section = total + (section + digit) * unit, 0
            digit = 0
        else:
            digit = int(character) if character.isascii() else _DIGITS.index(character)
            unit = 1 if digit == 0 else unit
    return total + section + digit * max(1, unit // 10)  # 一百五 is 150
