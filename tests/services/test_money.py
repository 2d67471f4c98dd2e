"""Money: exact, in the digits that the currency has."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.services.money import DIGITS, split_evenly, to_decimal_text, to_minor

currencies = st.sampled_from(sorted(DIGITS))
amounts = st.integers(min_value=-(10**15), max_value=10**15)


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (125000, "EUR", "1250.00"),
        (1001, "JPY", "1001"),
        (-5, "EUR", "-0.05"),
        (0, "USD", "0.00"),
        (1234, "KWD", "1.234"),
        (-1, "KRW", "-1"),
    ],
)
def test_an_amount_is_written_with_the_digits_of_its_currency(
    minor: int, currency: str, text: str
) -> None:
    """A-minor-units"""
    assert to_decimal_text(minor, currency) == text
    assert to_minor(text, currency) == minor


@given(amounts, currencies)
def test_text_and_minor_units_convert_into_each_other(minor: int, currency: str) -> None:
    """A-minor-units"""
    text = to_decimal_text(minor, currency)
    assert to_minor(text, currency) == minor
    assert to_minor(Decimal(text), currency) == minor
    assert to_minor(f"{text} {currency}", currency) == minor
    assert to_minor(f"{currency} {text}", currency) == minor


@given(st.integers(min_value=-(10**12), max_value=10**12), currencies)
def test_a_float_that_was_read_from_text_is_exact(minor: int, currency: str) -> None:
    """A-float-eq"""
    assert to_minor(float(to_decimal_text(minor, currency)), currency) == minor


@pytest.mark.parametrize(
    ("value", "currency", "minor"),
    [
        (19.99, "USD", 1999),
        (5, "EUR", 500),
        (1001.0, "JPY", 1001),
        (1e3, "JPY", 1000),
        (Decimal("1.500"), "EUR", 150),
        (1.005, "KWD", 1005),
        (" 12.5 ", "EUR", 1250),
        ("EUR-3", "EUR", -300),
    ],
)
def test_numbers_count_by_value(value: str | float | Decimal, currency: str, minor: int) -> None:
    """A-float-eq"""
    assert to_minor(value, currency) == minor


def test_binary_noise_is_refused_and_named() -> None:
    """A-float-eq"""
    with pytest.raises(ValueError, match=r"0\.30000000000000004 is no amount in EUR"):
        to_minor(0.1 + 0.2, "EUR")


@pytest.mark.parametrize(
    ("value", "currency"),
    [
        (1.005, "USD"),
        ("1.2345", "KWD"),
        (1000.5, "JPY"),
        ("1.000", "EUR"),
        ("1001.00", "JPY"),
        (True, "EUR"),
        (None, "EUR"),
        ([1], "EUR"),
        (float("nan"), "EUR"),
        (float("inf"), "EUR"),
        (Decimal("NaN"), "EUR"),
        (Decimal("-Infinity"), "EUR"),
        (Decimal("1E+999999"), "EUR"),
        (Decimal("1E-999999"), "EUR"),
        (1e300, "EUR"),
        ("", "EUR"),
        ("NaN", "EUR"),
        ("1e3", "EUR"),
        ("+5", "EUR"),
        (".5", "EUR"),
        ("5.", "EUR"),
        ("1,250.00", "EUR"),
        ("1.234,56", "EUR"),
        ("12 34", "EUR"),
        ("1250.00 USD", "EUR"),
        ("EUR 5 EUR", "EUR"),
        ("EUR", "EUR"),
        ("5" * 5000, "EUR"),
        ("١٢", "EUR"),
        ("9**9**9", "EUR"),
    ],
)
def test_what_is_no_exact_amount_is_refused_by_name(value: object, currency: str) -> None:
    """A-minor-units, A-float-eq, A-locale-amount"""
    with pytest.raises(ValueError, match=f"is no amount in {currency}") as refusal:
        to_minor(value, currency)  # type: ignore[arg-type]
    assert str(refusal.value).startswith(repr(value))


@given(st.text() | st.floats() | st.decimals() | st.integers() | st.booleans(), currencies)
def test_conversion_is_exact_or_refused(value: str | float | Decimal, currency: str) -> None:
    """A-float-eq"""
    try:
        minor = to_minor(value, currency)
    except ValueError:
        return
    assert not isinstance(value, str) or value.strip()
    if not isinstance(value, str):
        exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        assert Decimal(to_decimal_text(minor, currency)) == exact


def test_an_unknown_currency_names_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"Unknown currency 'EURO'\. Did you mean 'EUR'\?"):
        to_minor("5", "EURO")
    with pytest.raises(ValueError, match="Unknown currency 'eur'"):
        to_decimal_text(5, "eur")


def test_minor_units_are_integers() -> None:
    with pytest.raises(ValueError, match="float"):
        to_decimal_text(500.0, "EUR")  # type: ignore[arg-type]


def test_yen_are_never_split_into_halves() -> None:
    """A-minor-units"""
    assert split_evenly(1001, 2) == [501, 500]
    assert split_evenly(-1001, 2) == [-501, -500]
    assert split_evenly(2, 3) == [1, 1, 0]


@given(amounts, st.integers(min_value=1, max_value=50))
def test_shares_sum_exactly_and_differ_by_one_at_most(minor: int, parts: int) -> None:
    """A-minor-units"""
    shares = split_evenly(minor, parts)
    assert len(shares) == parts
    assert sum(shares) == minor
    assert max(shares) - min(shares) <= 1


@pytest.mark.parametrize("parts", [0, -1])
def test_an_amount_needs_a_part(parts: int) -> None:
    with pytest.raises(ValueError, match=str(parts)):
        split_evenly(100, parts)


def test_digits_cover_the_exceptions() -> None:
    assert {DIGITS[code] for code in ("JPY", "KRW", "VND")} == {0}
    assert {DIGITS[code] for code in ("KWD", "BHD", "TND")} == {3}
    assert {DIGITS[code] for code in ("EUR", "USD", "CNY", "GBP")} == {2}
    assert all(len(code) == 3 and code.isupper() for code in DIGITS)
