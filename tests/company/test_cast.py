"""The cast: consistent, unique, deterministic, and disjoint between splits."""

import os
import random
import re
import subprocess
import sys
from datetime import date
from itertools import combinations
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.company import LANGUAGES, SPLITS, TIERS, Company, Firm, Person, Supplier
from coworkgym.company.accounts import BANKS
from coworkgym.errors import TaskError, UnknownNameError

ROOT = Path(__file__).parents[2]

seeds = st.integers(min_value=0, max_value=2**32)
splits = st.sampled_from(SPLITS)
languages = st.sampled_from(LANGUAGES)
every_pool = pytest.mark.parametrize(
    ("language", "split"), [(language, split) for language in LANGUAGES for split in SPLITS]
)


def company(
    seed: int = 0, *, split: str = "train", language: str = "en", customers: int = 8
) -> Company:
    return Company(
        random.Random(seed),
        split=split,
        language=language,
        customers=customers,
        suppliers=4,
        staff=10,
    )


def people(cast: Company) -> list[Person]:
    firms: list[Firm | Supplier] = [*cast.customers, *cast.suppliers]
    return [*cast.staff, *(firm.contact for firm in firms)]


def records(cast: Company) -> tuple[object, ...]:
    return (
        (cast.name, cast.domain, cast.city, cast.zone, cast.currency),
        cast.staff,
        cast.managers,
        cast.customers,
        cast.suppliers,
        cast.new_person(),
        cast.new_firm(),
        cast.new_supplier(),
        cast.lookalike(cast.domain),
        cast.new_iban(),
    )


# Determinism


@given(seeds, splits, languages)
def test_one_seed_gives_one_company(seed: int, split: str, language: str) -> None:
    once = records(company(seed, split=split, language=language))
    again = records(company(seed, split=split, language=language))
    other = records(company(seed + 1, split=split, language=language))
    assert once == again
    assert once != other


def test_other_processes_build_the_same_company_under_any_hash_seed() -> None:
    code = (
        "import random; from coworkgym.company import Company\n"
        "for language in ('en', 'zh'):\n"
        "    c = Company(random.Random(5), split='test', language=language, customers=20)\n"
        "    print(ascii([c.staff, c.customers, c.new_person(), c.lookalike(c.domain)]))\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for hash_seed in ("0", "1", "random")
    }
    assert len(printed) == 1
    assert len(printed.pop()) > 1000


def test_a_company_leaves_the_global_random_state_alone() -> None:
    before = random.getstate()
    records(company())
    assert random.getstate() == before


# Uniqueness


@every_pool
def test_everything_is_unique_however_much_is_drawn(language: str, split: str) -> None:
    cast = company(3, split=split, language=language, customers=400)
    strangers = [cast.new_person() for _ in range(300)]
    customers = [*cast.customers, *(cast.new_firm() for _ in range(40))]
    suppliers = [*cast.suppliers, *(cast.new_supplier() for _ in range(40))]
    firms: list[Firm | Supplier] = [*customers, *suppliers]
    everybody = [*cast.staff, *strangers, *(firm.contact for firm in firms)]
    lookalikes = [cast.lookalike(firm.domain) for firm in firms]
    columns = {
        "person": [one.name for one in everybody],
        "email": [one.email for one in everybody],
        "mailbox": [one.email.split("@")[0] for one in everybody],
        "phone": [one.phone for one in everybody],
        "contact id": [one.contact_id for one in everybody],
        "firm": [cast.name, *(firm.name for firm in firms)],
        "domain": [cast.domain, *lookalikes, *(firm.domain for firm in firms)],
        "customer id": [customer.customer_id for customer in customers],
        "payee id": [supplier.payee_id for supplier in suppliers],
        "iban": [firm.iban for firm in firms] + [cast.new_iban() for _ in range(100)],
    }
    assert [name for name, column in columns.items() if len(set(column)) != len(column)] == []


def test_running_out_of_names_is_an_error_not_a_hang() -> None:
    cast = company(split="test")
    with pytest.raises(TaskError, match="no name of this split is left"):
        for _ in range(5_000):
            cast.new_firm()


# Consistency


def test_ids_have_the_shape_of_their_kind() -> None:
    cast = company()
    assert all(re.fullmatch(r"CT-\d{3}", one.contact_id) for one in people(cast))
    assert all(re.fullmatch(r"CUS-\d{4}", firm.customer_id) for firm in cast.customers)
    assert all(re.fullmatch(r"PAY-\d{3}", one.payee_id) for one in cast.suppliers)
    assert (cast.staff, cast.customers) == (
        sorted(cast.staff, key=lambda one: one.contact_id),
        sorted(cast.customers, key=lambda firm: firm.customer_id),
    )


@given(seeds, splits, languages)
def test_a_customers_fields_agree(seed: int, split: str, language: str) -> None:
    cast = company(seed, split=split, language=language)
    assert ZoneInfo(cast.zone).key == cast.zone
    for firm in cast.customers:
        assert firm.contact.email.endswith(f"@{firm.domain}")
        assert firm.contact.location == firm.city
        assert firm.city in firm.address
        assert firm.manager in cast.managers
        assert firm.currency == cast.currency
        assert firm.status == "active"
        assert date(2012, 1, 1) <= date.fromisoformat(firm.since) < date(2024, 1, 1)
    for supplier in cast.suppliers:
        banks = {bank.name: bank.code for group in BANKS.values() for bank in group}
        assert supplier.contact.email.endswith(f"@{supplier.domain}")
        assert supplier.iban[4:].startswith(banks[supplier.bank])
        assert supplier.currency == cast.currency


# Splits


@given(seeds, languages)
def test_companies_of_two_splits_share_nothing(seed: int, language: str) -> None:
    def fields(split: str) -> set[str]:
        cast = company(seed, split=split, language=language, customers=40)
        firms: list[Firm | Supplier] = [*cast.customers, *cast.suppliers]
        strangers = [cast.new_person() for _ in range(40)]
        everybody = [*people(cast), *strangers]
        return {
            cast.name,
            cast.domain,
            *(one.name for one in everybody),
            *(one.email for one in everybody),
            *(one.phone for one in everybody),
            *(one.name for one in firms),
            *(one.domain for one in firms),
            *(one.iban for one in firms),
            *(one.address for one in cast.customers),
        }

    for one, two in combinations(SPLITS, 2):
        assert fields(one) & fields(two) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_firms_domain_is_the_same_in_every_company(language: str) -> None:
    domains: dict[str, str] = {}
    for seed in range(200):
        for firm in company(seed, language=language).customers:
            assert domains.setdefault(firm.name, firm.domain) == firm.domain
    assert {domain.rsplit(".", 1)[1] for domain in domains.values()} == {"example", "test"}


def test_new_entities_do_not_join_the_lists() -> None:
    cast = company()
    before = [list(cast.staff), list(cast.customers), list(cast.suppliers)]
    cast.new_person(), cast.new_firm(), cast.new_supplier()
    assert [cast.staff, cast.customers, cast.suppliers] == before
    assert {cast.new_firm(tier).tier for tier in TIERS} == set(TIERS)


# Errors


def test_unknown_names_are_named() -> None:
    cast = company()
    with pytest.raises(UnknownNameError, match="tier 'gold'"):
        cast.firms("gold")
    with pytest.raises(UnknownNameError, match="tier 'gold'"):
        cast.new_firm("gold")
    with pytest.raises(UnknownNameError, match="Did you mean 'Finance'"):
        cast.new_person(department="Finances")
    with pytest.raises(UnknownNameError, match="country 'XX'"):
        cast.new_iban("XX")
    with pytest.raises(UnknownNameError, match="split 'tset'"):
        company(split="tset")
    with pytest.raises(UnknownNameError, match="language 'de'"):
        company(language="de")


@pytest.mark.parametrize("staff", [0, -1])
def test_a_company_without_staff_is_refused(staff: int) -> None:
    with pytest.raises(TaskError, match=f"staff={staff}"):
        Company(random.Random(0), split="train", language="en", customers=3, staff=staff)
