"""Accounts: IBANs in each country's form, with check digits that hold."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.company import LANGUAGES, SPLITS, Company
from coworkgym.company.accounts import BANKS, Bank, banks_in
from coworkgym.errors import UnknownNameError

LENGTHS = {"AT": 20, "DE": 22, "GB": 22, "IE": 22, "LU": 20, "NL": 18}

banks = st.sampled_from([bank for group in BANKS.values() for bank in group])


def check_sum(iban: str) -> int:
    return int("".join(str(int(letter, 36)) for letter in iban[4:] + iban[:4])) % 97


def test_the_check_sum_of_the_tests_knows_the_standards_example() -> None:
    assert check_sum("GB82WEST12345698765432") == 1
    assert check_sum("GB82WEST12345698765431") != 1


@given(banks, st.data())
def test_check_digits_and_lengths_hold(bank: Bank, data: st.DataObject) -> None:
    account = data.draw(st.integers(min_value=0, max_value=10**bank.width - 1))
    iban = bank.iban(account)
    assert check_sum(iban) == 1
    assert len(iban) == LENGTHS[bank.country]
    assert 2 <= int(iban[2:4]) <= 98
    assert iban.startswith(bank.country)
    assert iban[4:].startswith(bank.code)
    assert int(iban[-bank.width :]) == account


@given(st.integers(min_value=0), st.sampled_from(SPLITS), st.sampled_from(LANGUAGES))
def test_a_cast_has_valid_accounts_at_home(seed: int, split: str, language: str) -> None:
    cast = Company(
        random.Random(seed), split=split, language=language, customers=8, suppliers=4, staff=2
    )
    ibans = [firm.iban for firm in cast.customers] + [one.iban for one in cast.suppliers]
    assert all(check_sum(iban) == 1 for iban in ibans)
    euro = {"AT", "DE", "IE", "LU", "NL"}
    homes = {"EUR": euro, "GBP": {"GB"}, "USD": {"IE"}, "CNY": {"LU"}}
    assert {iban[:2] for iban in ibans} <= homes[cast.currency]


def test_a_new_iban_is_of_the_country_asked_for() -> None:
    cast = Company(random.Random(0), split="train", language="en", customers=1)
    assert {country: cast.new_iban(country)[:2] for country in LENGTHS} == {
        country: country for country in LENGTHS
    }


def test_an_unknown_country_is_named() -> None:
    with pytest.raises(UnknownNameError, match="Unknown country 'XX'"):
        banks_in("XX")


def test_banks_are_told_apart_by_name_and_code() -> None:
    every = [bank for country in LENGTHS for bank in BANKS[country]]
    assert len({bank.name for bank in every}) == len({bank.code for bank in every}) == len(every)
