"""Customers and account managers: tiers, sales, who looks after whom."""

import random
from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.company import LANGUAGES, TIERS, Company
from coworkgym.company.lexicon import lexicon

seeds = st.integers(min_value=0)


def company(seed: int = 0, *, language: str = "en", customers: int = 8) -> Company:
    return Company(
        random.Random(seed), split="train", language=language, customers=customers, staff=10
    )


def test_larger_tiers_have_larger_sales() -> None:
    cast = company(customers=200)
    sales = {tier: [firm.annual_revenue for firm in cast.firms(tier)] for tier in TIERS}
    assert min(sales["enterprise"]) >= max(sales["business"])
    assert min(sales["business"]) >= max(sales["standard"])
    assert min(sales["standard"]) > 0
    assert all(type(amount) is int for amount in chain(*sales.values()))


@given(seeds, st.sampled_from(LANGUAGES), st.integers(min_value=3, max_value=40))
def test_every_tier_has_a_customer(seed: int, language: str, customers: int) -> None:
    cast = company(seed, language=language, customers=customers)
    assert len(cast.customers) == customers
    assert {firm.tier for firm in cast.customers} == set(TIERS)
    assert sum(len(cast.firms(tier)) for tier in TIERS) == customers


def test_the_place_in_the_list_does_not_tell_the_tier() -> None:
    firsts = Counter(company(seed, customers=3).customers[0].tier for seed in range(300))
    assert all(70 <= firsts[tier] <= 130 for tier in TIERS)


def test_tiers_follow_the_stated_distribution() -> None:
    tiers = Counter(firm.tier for firm in company(customers=3_000).customers)
    shares = {tier: tiers[tier] / 3_000 for tier in TIERS}
    assert shares == pytest.approx(
        {"enterprise": 0.20, "business": 0.35, "standard": 0.45}, abs=0.03
    )


@given(seeds, st.sampled_from(LANGUAGES), st.integers(min_value=2, max_value=150))
def test_each_manager_has_several_customers(seed: int, language: str, customers: int) -> None:
    cast = company(seed, language=language, customers=customers)
    sales = "Sales" if language == "en" else "客户部"
    load = Counter(firm.manager for firm in cast.customers)
    assert set(load) == set(cast.managers)
    assert all(manager in cast.staff and manager.department == sales for manager in load)
    assert min(load.values()) >= 2
    assert max(load.values()) - min(load.values()) <= 1


def test_only_account_managers_carry_that_title() -> None:
    cast = company(2)
    title = cast.managers[0].title
    others = [one for one in cast.staff if one not in cast.managers]
    others += [firm.contact for firm in cast.customers]
    others += [cast.new_person() for _ in range(500)]
    others += [cast.new_person("Sales") for _ in range(20)]
    assert all(one.title != title for one in others)


def test_the_place_in_the_staff_does_not_tell_the_account_managers() -> None:
    casts = [company(seed, customers=3) for seed in range(300)]
    places = Counter(cast.staff.index(cast.managers[0]) for cast in casts)
    assert all(10 <= places[place] <= 60 for place in range(10))


def test_the_default_staff_fills_every_department() -> None:
    cast = Company(random.Random(0), split="train", language="en", customers=8)
    assert len({one.department for one in cast.staff}) == len(lexicon("en", "train").offices)
    assert len(cast.staff) == len(lexicon("en", "train").offices) + len(cast.managers)


def test_account_managers_are_never_more_than_half_the_staff() -> None:
    cast = company(customers=150)
    assert (len(cast.staff), len(cast.managers)) == (10, 5)


def test_one_person_can_be_the_whole_staff() -> None:
    cast = Company(random.Random(0), split="train", language="en", customers=2, staff=1)
    assert cast.managers == cast.staff
    assert [firm.manager for firm in cast.customers] == cast.staff * 2
