"""Misspelled domains: near, never the same, nobody's."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.company import LANGUAGES, SPLITS, Company
from coworkgym.company.domains import near_miss
from coworkgym.company.lexicon import lexicon
from coworkgym.errors import TaskError


def company(seed: int = 0, language: str = "en") -> Company:
    return Company(random.Random(seed), split="train", language=language, customers=8)


def distance(one: str, two: str) -> int:
    """Levenshtein."""
    row = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(two, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def is_near(near: str, domain: str) -> bool:
    name, top = domain.rsplit(".", 1)
    near_name, near_top = near.rsplit(".", 1)
    if near_top != top:
        return near_name == name
    return near_name == f"{name}-billing" or distance(near_name, name) in (1, 2)


@given(st.integers(min_value=0), st.sampled_from(LANGUAGES))
def test_a_lookalike_is_near_and_nobodys(seed: int, language: str) -> None:
    cast = company(seed, language)
    known = {cast.domain, *(firm.domain for firm in cast.customers)}
    for domain in sorted(known):
        near = cast.lookalike(domain)
        assert near not in known
        assert is_near(near, domain)
        known.add(near)


def test_repeated_lookalikes_differ() -> None:
    cast = company()
    drawn = [cast.lookalike(cast.domain) for _ in range(15)]
    assert len(set(drawn)) == 15


def test_a_lookalike_that_is_taken_is_drawn_again() -> None:
    cast = company()
    taken = {cast.lookalike(cast.domain) for _ in range(10)}
    assert not {cast.lookalike(cast.domain) for _ in range(5)} & taken


def test_running_out_of_lookalikes_is_an_error() -> None:
    cast = company()
    with pytest.raises(TaskError, match="no look-alike"):
        for _ in range(100):
            cast.lookalike(cast.domain)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_lookalike_is_the_domain_of_another_firm(language: str) -> None:
    pools = [lexicon(language, split) for split in SPLITS]
    domains = {
        pool.firm_of(kind, stem).domain
        for pool in pools
        for kind in pool.kinds
        for stem in pool.stems[kind.digit]
    }
    rng = random.Random(0)
    one_a_stem = {domain.split("-")[0]: domain for domain in sorted(domains)}
    for domain in one_a_stem.values():
        assert not {near_miss(rng.random, domain) for _ in range(200)} & domains


def test_lookalikes_come_in_every_kind() -> None:
    rng = random.Random(0)
    drawn = {near_miss(rng.random, "monvale-foods.example") for _ in range(500)}
    assert {
        "mnovale-foods.example",
        "monnvale-foods.example",
        "monvle-foods.example",
        "m0nvale-foods.example",
        "rnonvale-foods.example",
        "monvale-foods-billing.example",
        "monvale-foods.test",
    } <= drawn


@pytest.mark.parametrize("domain", ["a.example", "ab.com", "oo-m.test"])
def test_short_domains_have_lookalikes_too(domain: str) -> None:
    drawn = {near_miss(random.Random(seed).random, domain) for seed in range(50)}
    assert domain not in drawn
    assert all(re.fullmatch(r"[a-z0-9-]+\.[a-z]+", near) for near in drawn)
