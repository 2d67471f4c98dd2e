"""Money: integer minor units and an ISO 4217 currency, written as decimal text."""

import re
from collections.abc import Iterator, Mapping
from decimal import Context, Decimal, DecimalException, Inexact, InvalidOperation, Overflow
from typing import Final, NamedTuple

from coworkgym.errors import nearest
from coworkgym.frozen import FrozenDict
from coworkgym.services.patterns import lazy_pattern

_TWO_DIGITS = """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD
    CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD
    HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD
    MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON
    RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD
    TZS UAH USD UYU UZS VED VES WST XCD YER ZAR ZMW
"""
_NO_DIGITS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
_THREE_DIGITS = "BHD IQD JOD KWD LYD OMR TND"

DIGITS: Final[Mapping[str, int]] = FrozenDict(
    dict.fromkeys(_TWO_DIGITS.split(), 2)
    | dict.fromkeys(_NO_DIGITS.split(), 0)
    | dict.fromkeys(_THREE_DIGITS.split(), 3)
)
"""Decimal digits by currency: how many of them a minor unit stands for."""

_SIGNS = """
    EUR: € euro euros eur 欧元
    USD: us$ usd 美元 美金
    USD AUD CAD HKD MXN NZD SGD TWD: $ dollar dollars
    GBP: £ pound pounds gbp 英镑
    CNY: 元 块 人民币 yuan rmb renminbi cny
    JPY: 日元 日圆 yen jpy
    CNY JPY: ¥
    HKD: 港元 港币
    KRW: ₩ 韩元 won krw
    CHF: 瑞郎 francs chf
    INR: ₹ rupees inr
"""
_SIGN_CODES = {
    name: frozenset(codes.split())
    for codes, names in re.findall(r"([A-Z ]+): (.+)", _SIGNS)
    for name in names.split()
}

LETTER: Final = r"(?-i:[^\W\d\u2e80-\U0010ffff])"
"""Pattern of a letter that joins into words; Chinese, written without blanks, does not."""

WORD: Final = r"(?-i:[^\W\u2e80-\U0010ffff])"
"""The same with digits."""

_TEXT = lazy_pattern(r"-?[0-9]+(?:\.([0-9]+))?")
_GROUPED = lazy_pattern(r"[0-9]+|[0-9]{1,3}([.,])[0-9]{3}(?:\1[0-9]{3})*")
_EXACT = Context(prec=40, traps=[Inexact, InvalidOperation, Overflow])

_CODES = {code: frozenset({code}) for code in DIGITS}  # in capitals only: "all" is no lek
_UNIT = rf"(?:{'|'.join(_CODES)}|(?i:{'|'.join(map(re.escape, _SIGN_CODES))}))(?!{LETTER})"
_SCALES = {
    "百": 2, "千": 3, "万": 4, "百万": 6, "千万": 7, "亿": 8, "万亿": 12, "thousand": 3, "k": 3,
    "million": 6, "mn": 6, "m": 6, "billion": 9, "bn": 9, "": 0,
}  # fmt: skip
_AMOUNT = lazy_pattern(
    rf"""
    (?:(?<!{LETTER})(?P<minus>(?<![0-9])-)?(?P<left>{_UNIT})\ ?
      |(?<!{WORD})(?<![#.第])(?<![0-9][,:/'])(?<!{WORD}-))
    (?P<sign>[-+])?
    (?P<number>(?>[0-9]{{1,3}}(?:\ [0-9]{{3}}){{1,6}}(?:[.,][0-9]+)?(?![.,]?[0-9]|\ [0-9])
      |[0-9]++(?:[.,'][0-9]++)*+))
    (?:\ ?(?P<scale>万亿|[百千]?万|[百千亿]|(?:(?i:thousand|million|billion)|[mb]n|[kKM])(?!{WORD})
      |m(?=\ ?{_UNIT})))?+
    (?P<percent>\ ?(?:%|(?i:per\ ?cent)(?!{WORD})))?+
    (?:\ ?(?P<right>{_UNIT})(?(left)(?!\ ?[0-9])))?
    (?!{WORD}|-{WORD}|[:/][0-9])
    """,
    re.VERBOSE,
)


class WrittenAmount(NamedTuple):
    """An amount in a text: where it stands, its value, and the currencies it may be in."""

    start: int
    end: int
    value: Decimal
    currencies: frozenset[str]
    is_percent: bool


def to_decimal_text(minor: int, currency: str) -> str:
    """Returns the amount as an agent reads it: `1250.00` for 125000 EUR, `1001` for 1001 JPY.

    Raises:
        ValueError: For a currency that is not in `DIGITS`, or an amount that is no integer.
    """
    digits = _digits(currency)
    text = f"{abs(minor):0{digits + 1}d}"
    sign = "-" if minor < 0 else ""
    return f"{sign}{text[:-digits]}.{text[-digits:]}" if digits else sign + text


def to_minor(value: str | int | float | Decimal, currency: str) -> int:
    """Returns the minor units of an amount in major units; nothing is ever rounded.

    Numbers count by value (floats by their shortest text, so 19.99 is 1999). Text is digits with an
    optional leading minus, decimal point, and `currency` before or after; it may not show more
    digits than the currency has, zeros included, for `1.000` EUR may well be a thousand.

    Raises:
        ValueError: For anything else, naming the value.
    """
    digits = _digits(currency)
    amount = _decimal(value, currency)
    if amount is None or not amount.is_finite():
        raise _refusal(value, currency)
    try:
        return int(_EXACT.quantize(_EXACT.scaleb(amount, digits), Decimal(1)))
    except DecimalException:
        raise _refusal(value, currency) from None


def read_number(written: str, language: str) -> Decimal | None:
    """Returns the number that a person wrote: 1234.5 for `1,234.50`, `1.234,50` or `1 234,50`.

    Where one mark could be either, as in `1.234`, the language decides: `de` reads a thousand,
    every other one a decimal. None for what is no number, such as `1.2.3`.
    """
    if written.isascii() and written.isdecimal():
        return Decimal(written)
    text = re.sub("[ ']", "", written)
    marks = re.findall("[.,]", text)
    last = marks[-1] if marks else ""
    head, _, tail = text.rpartition(last) if last else (text, "", "")
    if len(marks) == 1:
        either = len(tail) == 3 and re.fullmatch("[1-9][0-9]{0,2}", head)
        is_point = not either or last == ("," if language == "de" else ".")
    else:
        is_point = len(set(marks)) == 2
    whole = head if is_point else text
    if not _GROUPED.fullmatch(whole):
        return None
    return Decimal(re.sub("[.,]", "", whole) + (f".{tail}" if is_point else ""))


def written_amounts(text: str, language: str) -> Iterator[WrittenAmount]:
    """Yields the numbers of a text with the currency beside them, of none or of several meanings.

    Digits that are glued to letters, hyphens or `#`, as in ids, are no numbers.
    """
    for match in _AMOUNT.finditer(text):
        value = read_number(match["number"], language)
        if value is not None:
            sign = "-" if "-" in (match["minus"], match["sign"]) else ""
            if sign or match["scale"]:
                value = Decimal(f"{sign}{value:f}e{_SCALES[(match['scale'] or '').lower()]}")
            percent = match["percent"] is not None
            yield WrittenAmount(*match.span(), value, _currencies(match), percent)


def split_evenly(minor: int, parts: int) -> list[int]:
    """Returns `parts` shares that differ by at most one minor unit and sum to `minor`.

    Larger shares come first: 1001 by 2 is [501, 500], and -1001 by 2 is [-501, -500].

    Raises:
        ValueError: For fewer than one part.
    """
    if parts < 1:
        raise ValueError(f"an amount is split into one part or more, got {parts!r}")
    share, rest = divmod(abs(minor), parts)
    sign = -1 if minor < 0 else 1
    return [sign * (share + (index < rest)) for index in range(parts)]


def _digits(currency: str) -> int:
    if currency not in DIGITS:
        raise ValueError(f"Unknown currency {currency!r}.{nearest(str(currency), DIGITS)}")
    return DIGITS[currency]


def _refusal(value: object, currency: str) -> ValueError:
    digits = DIGITS[currency]
    return ValueError(
        f"{value!r} is no amount in {currency}, which has {digits} decimal digits;"
        f" write it like {to_decimal_text(125 * 10**digits, currency)!r}."
    )


def _decimal(value: object, currency: str) -> Decimal | None:
    """Returns the exact decimal that `value` writes, or None when it is no amount at all."""
    if isinstance(value, str):
        return _from_text(value.strip(), currency)
    if isinstance(value, float):
        return Decimal(float.__repr__(value))
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return Decimal(value)
    return None


def _from_text(text: str, currency: str) -> Decimal | None:
    leads = text.startswith(currency)
    bare = text.removeprefix(currency) if leads else text.removesuffix(currency)
    match = _TEXT.fullmatch(bare.strip())
    if match is None or len(match[1] or "") > DIGITS[currency]:
        return None
    return Decimal(match[0])


def _currencies(match: re.Match[str]) -> frozenset[str]:
    """Returns the currencies that an amount may be in, by the words on both sides of it."""
    sides = [match[side] for side in ("left", "right") if match[side]]
    either = [_CODES.get(side) or _SIGN_CODES[side.lower()] for side in sides]
    return either[0].intersection(*either) or either[0] if either else frozenset()
