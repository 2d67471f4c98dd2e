"""Lexicon: the words of one language, dealt out to the splits so that no name is in two of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Literal, NamedTuple, Protocol, TypeVar, cast, get_args
from zlib import crc32

from coworkgym.errors import unknown

Split = Literal["train", "validation", "test"]
Language = Literal["en", "zh"]
SPLITS: tuple[Split, ...] = get_args(Split)
LANGUAGES: tuple[Language, ...] = get_args(Language)
TOP_LEVELS = ("example", "test")  # reserved by RFC 2606: no such address is anybody's

_DIGITS: dict[str, tuple[int, ...]] = {"train": tuple(range(8)), "validation": (8,), "test": (9,)}

T = TypeVar("T")


class Word(NamedTuple):
    """A part of a name: as written, in Latin letters, and its share (0-9) in the name's digit."""

    text: str
    latin: str
    digit: int


class Kind(NamedTuple):
    """A kind of business: how it ends a firm's name and domain, its digit, and its industry."""

    text: str
    latin: str
    digit: int
    industry: str


class City(NamedTuple):
    """A city, its ISO country, IANA zone and currency, and a fictional telephone prefix."""

    name: str
    country: str
    zone: str
    currency: str
    dial: str


class Role(NamedTuple):
    """A department and a job title in it."""

    department: str
    title: str


class FirmName(NamedTuple):
    """What a firm is called, its domain, and its line of business."""

    name: str
    domain: str
    industry: str


class Vocabulary(Protocol):
    """What the module of one language defines; see `words_en`."""

    PERSON: str
    FIRM_ENDING: str
    ADDRESS: str
    TWO_PART_GIVEN: float
    GIVEN: dict[str, str]
    FAMILY: dict[str, str]
    STEMS: dict[str, str]
    KINDS: dict[str, tuple[str, str]]
    MANAGER: str
    DEPARTMENTS: dict[str, tuple[str, list[str]]]
    CITIES: list[tuple[str, str, str, str, str]]
    STREETS: list[str]


def pick(random: Callable[[], float], options: Sequence[T]) -> T:
    """Returns one of the options by one draw from `random`; cheaper than `Random.choice`."""
    return options[int(random() * len(options))]


def _digit(latin: str) -> int:
    """Hashes the Latin form: names that share mail addresses have to share a split."""
    return crc32(latin.encode()) % 10


def _words(spellings: Mapping[str, str]) -> tuple[Word, ...]:
    """Returns the words of a list, each with its digit."""
    return tuple(Word(text, latin, _digit(latin)) for text, latin in spellings.items())


def both(one: Word, two: Word) -> Word:
    """Returns two words as one."""
    return Word(one.text + two.text, one.latin + two.latin, (one.digit + two.digit) % 10)


def _partners(words: Sequence[Word], digits: Sequence[int]) -> tuple[tuple[Word, ...], ...]:
    """Returns, for each digit of a first word, the second words that complete a name of a split."""
    return tuple(
        tuple(word for word in words if (first + word.digit) % 10 in digits) for first in range(10)
    )


class Lexicon:
    """The words of one language, arranged to draw names of one split without rejecting any.

    A name belongs to the split of its digit: 0-7 train, 8 validation, 9 test. The digit is the
    sum, modulo 10, of a stable hash of each word, so new words move no old name. Numbers (of
    accounts, houses, telephones) belong to the split of their last digit.

    Attributes:
        digits: The digits of the split.
        given: Given names, or the characters that they are made of.
        two_part_given: Share of given names made of two of these.
        families: For each digit of a given name, the family names that go with it.
        kinds: Kinds of business.
        stems: For each digit of a kind, the firm stems that go with it.
        offices: The roles of each department, without the account manager's.
        by_name: The same by the department's own and by its English name.
        roles: All of these roles.
        manager: The role of an account manager.
        cities: All cities.
        regions: The cities of each currency.
        streets: Street names.
    """

    def __init__(self, words: Vocabulary, digits: tuple[int, ...]) -> None:
        """Arranges the words for the split that has these digits."""
        self.digits = digits
        self._person, self._address = words.PERSON, words.ADDRESS
        self.given, self.two_part_given = _words(words.GIVEN), words.TWO_PART_GIVEN
        self.families = _partners(_words(words.FAMILY), digits)
        self.kinds = tuple(
            Kind(words.FIRM_ENDING.format(kind), f"-{latin}", _digit(latin), industry)
            for kind, (latin, industry) in words.KINDS.items()
        )
        self.stems = _partners(_words(words.STEMS), digits)
        self.by_name: dict[str, tuple[Role, ...]] = {}
        for english, (name, titles) in words.DEPARTMENTS.items():
            self.by_name[english] = self.by_name[name] = tuple(Role(name, job) for job in titles)
        self.offices = tuple(dict.fromkeys(self.by_name.values()))
        self.roles = tuple(role for office in self.offices for role in office)
        self.manager = Role(self.by_name["Sales"][0].department, words.MANAGER)
        self.cities = tuple(City(*row) for row in words.CITIES)
        self.regions = {
            currency: tuple(city for city in self.cities if city.currency == currency)
            for currency in dict.fromkeys(city.currency for city in self.cities)
        }
        self.streets = tuple(words.STREETS)

    def person(self, random: Callable[[], float]) -> tuple[str, str]:
        """Draws a person: see `person_of`."""
        given = pick(random, self.given)
        if self.two_part_given and random() < self.two_part_given:
            given = both(given, pick(random, self.given))
        return self.person_of(given, pick(random, self.families[given.digit]))

    def person_of(self, given: Word, family: Word) -> tuple[str, str]:
        """Returns the name of a person, and the mailbox: the local part of the mail address."""
        return self._person.format(given.text, family.text), f"{given.latin}.{family.latin}"

    def firm(self, random: Callable[[], float]) -> FirmName:
        """Draws a firm."""
        kind = pick(random, self.kinds)
        return self.firm_of(kind, pick(random, self.stems[kind.digit]))

    def firm_of(self, kind: Kind, stem: Word) -> FirmName:
        """Returns the firm of a kind of business and a stem."""
        slug = stem.latin + kind.latin
        # The top-level domain follows from the name, so that a firm has one domain everywhere.
        domain = f"{slug}.{TOP_LEVELS[len(slug) % 2]}"
        return FirmName(stem.text + kind.text, domain, kind.industry)

    def number(self, number: int) -> int:
        """Returns a number of this split: `number` with another last digit."""
        return number - number % 10 + self.digits[number % len(self.digits)]

    def address(self, random: Callable[[], float], city: City) -> str:
        """Draws a postal address."""
        street = pick(random, self.streets)
        number = self.number(10 + int(random() * 290))
        return self._address.format(number, street, city.name)


@cache
def lexicon(language: str, split: str) -> Lexicon:
    """Returns the lexicon of a language and split, built once.

    Raises:
        UnknownNameError: The language is not in `LANGUAGES`, or the split not in `SPLITS`.
    """
    if language not in LANGUAGES:
        raise unknown("language", language, LANGUAGES)
    if split not in SPLITS:
        raise unknown("split", split, SPLITS)
    words = cast(Vocabulary, import_module(f"coworkgym.company.words_{language}"))
    return Lexicon(words, _DIGITS[split])
