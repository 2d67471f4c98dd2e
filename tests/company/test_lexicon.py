"""The lexicon: pools that are large enough, and disjoint between splits."""

import random
from collections.abc import Iterator
from itertools import chain, combinations, islice
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.company.lexicon import LANGUAGES, SPLITS, FirmName, Lexicon, Word, both, lexicon
from coworkgym.errors import UnknownNameError

every_pool = pytest.mark.parametrize(
    ("language", "split"), [(language, split) for language in LANGUAGES for split in SPLITS]
)
every_language = pytest.mark.parametrize("language", LANGUAGES)


def people_of(pool: Lexicon) -> Iterator[tuple[str, str]]:
    """All names and mailboxes, short given names first."""
    pairs = (both(one, two) for one in pool.given for two in pool.given)
    for word in chain(pool.given, pairs if pool.two_part_given else ()):
        for family in pool.families[word.digit]:
            yield pool.person_of(word, family)


def firms_of(pool: Lexicon) -> list[FirmName]:
    return [pool.firm_of(kind, stem) for kind in pool.kinds for stem in pool.stems[kind.digit]]


@every_language
def test_every_person_is_in_exactly_one_split(language: str) -> None:
    # All English names; all Chinese ones with one given character, and many with two.
    names = {s: {one for one, _ in islice(people_of(lexicon(language, s)), 80_000)} for s in SPLITS}
    assert [names[one] & names[two] for one, two in combinations(SPLITS, 2)] == [set()] * 3
    if language == "en":
        given_names, families = len(lexicon("en", "test").given), len(_families("en"))
        assert sum(len(pool) for pool in names.values()) == given_names * families


@every_language
def test_every_firm_is_in_exactly_one_split(language: str) -> None:
    firms = {split: firms_of(lexicon(language, split)) for split in SPLITS}
    names = {firm.name for firm in chain(*firms.values())}
    domains = {firm.domain for firm in chain(*firms.values())}
    kinds = lexicon(language, "train").kinds
    stems = {word for split in SPLITS for word in chain(*lexicon(language, split).stems)}
    assert len(names) == len(domains) == len(kinds) * len(stems) == sum(map(len, firms.values()))


@every_language
def test_four_fifths_are_for_training(language: str) -> None:
    sizes = {split: len(firms_of(lexicon(language, split))) for split in SPLITS}
    shares = {split: size / sum(sizes.values()) for split, size in sizes.items()}
    assert shares == pytest.approx({"train": 0.8, "validation": 0.1, "test": 0.1}, abs=0.02)


@every_pool
def test_the_pools_are_large_enough(language: str, split: str) -> None:
    pool = lexicon(language, split)
    people, firms = (20_000, 5_000) if split == "train" else (2_000, 500)
    drawable = list(islice(people_of(pool), 200_000))
    assert len({name for name, _ in drawable}) >= people
    assert len({mailbox for _, mailbox in drawable}) >= people
    assert len(firms_of(pool)) >= firms


@every_pool
def test_no_word_stands_alone(language: str, split: str) -> None:
    pool = lexicon(language, split)
    assert min(len(partners) for partners in (*pool.families, *pool.stems)) >= 3


@given(st.integers(min_value=0), st.sampled_from(LANGUAGES), st.sampled_from(SPLITS))
def test_what_is_drawn_is_of_the_split(seed: int, language: str, split: str) -> None:
    pool = lexicon(language, split)
    draw = random.Random(seed).random
    firm = pool.firm(draw)
    stem, kind = firm.domain.rsplit(".", 1)[0].split("-")
    digit = (crc32(stem.encode()) + crc32(kind.encode())) % 10
    assert digit in {"train": range(8), "validation": [8], "test": [9]}[split]
    assert firm in firms_of(pool)
    assert pool.number(int(draw() * 10_000)) % 10 in pool.digits


@given(st.integers(min_value=0), st.sampled_from(LANGUAGES), st.sampled_from(SPLITS))
def test_each_part_of_a_persons_name_counts(seed: int, language: str, split: str) -> None:
    pool = lexicon(language, split)
    name, _ = pool.person(random.Random(seed).random)
    *given, family = name.split() if language == "en" else [*name[1:], name[0]]
    spelling = {word.text: word.latin for word in pool.given}
    surnames = {word.text: word.latin for word in _families(language)}
    parts = [*(spelling[part] for part in given), surnames[family]]
    digit = sum(crc32(part.encode()) for part in parts) % 10
    assert digit in {"train": range(8), "validation": [8], "test": [9]}[split]


@every_pool
def test_numbers_reach_every_digit_of_the_split_and_no_other(language: str, split: str) -> None:
    pool = lexicon(language, split)
    assert {pool.number(number) % 10 for number in range(1_000)} == set(pool.digits)
    assert all(pool.number(number) // 10 == number // 10 for number in range(1_000))


@every_language
def test_spellings_are_plain_letters(language: str) -> None:
    pool = lexicon(language, "train")
    words = [*pool.given, *_families(language), *chain(*pool.stems)]
    assert all(word.latin.isascii() and word.latin.isalpha() for word in words)
    assert all(word.latin == word.latin.lower() for word in words)


@every_language
def test_a_title_is_of_one_department(language: str) -> None:
    pool = lexicon(language, "train")
    titles = [role.title for role in (*pool.roles, pool.manager)]
    assert len(set(titles)) == len(titles)


def test_departments_correspond_in_both_languages() -> None:
    english = [office[0].department for office in lexicon("en", "train").offices]
    assert set(english) <= set(lexicon("zh", "train").by_name)


def test_unknown_splits_and_languages_are_named() -> None:
    with pytest.raises(UnknownNameError, match=r"Unknown split 'tset'\. Did you mean 'test'"):
        lexicon("en", "tset")
    with pytest.raises(UnknownNameError, match=r"Unknown language 'zn'.*Allowed: en, zh"):
        lexicon("zn", "test")


def _families(language: str) -> list[Word]:
    pools = (lexicon(language, split) for split in SPLITS)
    return list(dict.fromkeys(chain(*(chain(*pool.families) for pool in pools))))
