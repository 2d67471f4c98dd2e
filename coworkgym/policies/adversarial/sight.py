"""Sight: what a policy can know from one transcript and the schemas of its tools."""

import hashlib
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from coworkgym.frozen import Json, freeze, json_text
from coworkgym.policies.adversarial.offer import Offer, read_offers
from coworkgym.transcript import Message

_ADDRESS = re.compile(r"[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_NEW_DAY = re.compile(r"\D{1,12}\d{4}-\d{2}-\d{2} \d{2}:\d{2}")  # how the request of a day begins
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[a-z]{4,}|(?=([\u4e00-\u9fff]{2}))")  # and every two Chinese letters
_TOKEN = re.compile(r"[A-Z0-9]{8,}")  # such as an account number within a text
_LABEL = re.compile(r"([A-Za-z]{3,})\s?[:：]")  # a word that the rules explain
_SHORT = 60  # characters; longer values are prose
_NAME = 5  # characters; shorter values name nothing in particular


Record = dict[str, Any]
"""A record as far as it was shown; what was read later goes over what was read before."""


class Answer:
    """What a tool message says, taken apart.

    Args:
        value: The message, parsed.
    """

    def __init__(self, value: Json) -> None:
        self.value = value
        self.mappings: tuple[Record, ...] = tuple(_mappings(value))
        self.texts: tuple[str, ...] = tuple(_texts(value))


class Exchange(NamedTuple):
    """One call that was answered without an error.

    Attributes:
        offer: The tool that was called.
        arguments: What it was given.
        answer: What came back.
    """

    offer: Offer
    arguments: Mapping[str, Any]
    answer: Answer

    @property
    def result(self) -> Json:
        """What came back, parsed."""
        return self.answer.value


class Sight:
    """What one transcript and the schemas show. Every tool message is parsed once.

    Args:
        transcript: The messages so far.
        tools: The tool schemas.
    """

    def __init__(self, transcript: Sequence[Message], tools: Sequence[Json]) -> None:
        self.transcript = transcript
        self.offers = read_offers(tools)
        self.said = [m["content"] for m in transcript if m["role"] in ("system", "user")]
        self.asked = "\n".join(self.said)
        places = [i for i, m in enumerate(transcript) if m["role"] == "user"]
        self._since = list(transcript[places[-1] + 1 :]) if places else []
        self._turns = len(places)

    @property
    def language(self) -> str:
        """En or zh, by the letters of what was asked."""
        return "zh" if _CHINESE.search(self.asked) else "en"

    @property
    def request(self) -> str:
        """What the user said last."""
        return str(self.said[-1])

    @property
    def owner(self) -> str:
        """The first address in the opening, which is whom the agent works for."""
        return next(iter(_ADDRESS.findall(self.asked)), "owner@office.test")

    @property
    def today(self) -> str:
        """The newest date that was told, as YYYY-MM-DD."""
        told = [found for text in self.said for found in _DATE.findall(text)[:1]]
        return told[-1] if told else "2026-01-01"

    @property
    def is_new_day(self) -> bool:
        """Whether the user asked for work last, and did not only answer a reply."""
        return self._turns <= 1 or bool(_NEW_DAY.match(self.request))

    @cached_property
    def rounds(self) -> tuple[int, int]:
        """How many messages since the user spoke only read, and how many wrote."""
        readers = {offer.name for offer in self.offers if offer.reads}
        asked = [m["tool_calls"] for m in self._since if m.get("tool_calls")]
        reading = sum(all(call["name"] in readers for call in calls) for calls in asked)
        return reading, len(asked) - reading

    @cached_property
    def exchanges(self) -> list[Exchange]:
        """All calls so far that were answered without an error, in order."""
        return list(_exchanges(self.transcript, {offer.name: offer for offer in self.offers}))

    @cached_property
    def newest(self) -> list[Exchange]:
        """The calls since the user spoke that were answered without an error, in order."""
        return list(_exchanges(self._since, {offer.name: offer for offer in self.offers}))

    @cached_property
    def kinds(self) -> list[str]:
        """The parameters that take the id of a record, such as `ticket_id`."""
        names = {name for offer in self.offers for name in offer.properties}
        return sorted(name for name in names if name.endswith("_id") or name in ("id", "path"))

    def kind_of(self, parameter: str) -> str | None:
        """Returns the kind of id that a parameter takes; `transactions` takes `transaction_id`."""
        one = parameter.removesuffix("s") if parameter.endswith("s") else None
        for kind in self.kinds:
            if parameter.endswith(kind) or one in (kind, kind.removesuffix("_id")):
                return kind
        return None

    @cached_property
    def records(self) -> dict[str, dict[str, Record]]:
        """What reading showed: kind, id, record; in the order they were first shown."""
        found: dict[str, dict[str, Record]] = {}
        for offer, _, answer in self.exchanges:
            if offer.reads:
                for kind, record in self._records_in(answer):
                    found.setdefault(kind, {}).setdefault(record[kind], {}).update(record)
        return found

    def _records_in(self, answer: Answer) -> Iterator[tuple[str, Record]]:
        for mapping in answer.mappings:
            kind = next((k for k in mapping if k in self.kinds and type(mapping[k]) is str), None)
            if kind:
                yield kind, mapping

    @cached_property
    def chosen(self) -> dict[str, list[str]]:
        """Ids by kind, of the listings since the user spoke that were narrowed to an option."""
        found: dict[str, dict[str, None]] = {}
        for offer, arguments, answer in self.newest:
            if offer.reads and any("enum" in offer.properties.get(n, ()) for n in arguments):
                for kind, record in self._records_in(answer):
                    found.setdefault(kind, {})[record[kind]] = None
        return {kind: list(ids) for kind, ids in found.items()}

    @cached_property
    def _wanted(self) -> tuple[str, ...]:
        found = _WORD.finditer(self.asked.casefold())
        return tuple(dict.fromkeys(match[1] or match[0] for match in found))

    def _relevance(self, record: Record) -> int:
        """How many words of request and rules a record's short values hold."""
        values = [v for v in record.values() if type(v) is str and len(v) <= _SHORT]
        return _common(" ".join(values), self._wanted)

    @cached_property
    def _ranked(self) -> list[tuple[str, str, Record]]:
        """Kind, id and record, those that request and rules speak of most first."""
        every = [(k, i, record) for k, rows in self.records.items() for i, record in rows.items()]
        return sorted(every, key=lambda row: -self._relevance(row[2]))

    @cached_property
    def _named(self) -> list[tuple[str, str]]:
        owners: dict[tuple[str, str], list[str]] = {}
        for kind, record_id, record in self._ranked:
            for value in record.values():
                if type(value) is str and len(value) >= _NAME and value in self.request:
                    owners.setdefault((kind, value), []).append(record_id)
        return [(kind, ids[0]) for (kind, _), ids in owners.items() if len(ids) == 1]

    def named(self, kind: str) -> list[str]:
        """Returns the ids of the records that the request names by a value of their own."""
        return list(dict.fromkeys(i for other, i in self._named if other == kind))

    def ids(self, kind: str) -> list[str]:
        """Returns the ids of a kind, those that request and rules speak of most first."""
        return [record_id for other, record_id, _ in self._ranked if other == kind]

    @cached_property
    def all_ids(self) -> list[str]:
        """The ids of all kinds."""
        return [record_id for records in self.records.values() for record_id in records]

    @cached_property
    def addresses(self) -> list[str]:
        """Mail addresses, those of the records that were asked for first, the owner's last."""
        texts = [*self.said[1:], *(text for row in self._ranked for text in _texts(row[2]))]
        found = dict.fromkeys(a for text in texts if "@" in text for a in _ADDRESS.findall(text))
        found.pop(self.owner, None)
        return [*found, self.owner]

    @cached_property
    def values(self) -> list[str]:
        """Every short value that was shown: ids, names, addresses, amounts, dates."""
        read = (text for e in self.exchanges if e.offer.reads for text in e.answer.texts)
        return list(dict.fromkeys(text for text in read if 1 < len(text) <= _SHORT))

    @cached_property
    def tokens(self) -> list[str]:
        """Runs of capitals and digits in the prose that was shown, such as account numbers."""
        read = (text for e in self.exchanges if e.offer.reads for text in e.answer.texts)
        prose = " ".join(text for text in read if len(text) > _SHORT)
        return list(dict.fromkeys(_TOKEN.findall(prose)))

    @cached_property
    def labels(self) -> list[str]:
        """Words that the rules explain after a colon, in order."""
        return list(dict.fromkeys(_LABEL.findall(self.asked)))

    def rng(self, seed: int) -> random.Random:
        """Returns a generator that depends on a seed and the opening only."""
        text = json_text([seed, *self.transcript[:2]]).encode()
        return random.Random(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big"))


def _exchanges(messages: Sequence[Message], offers: Mapping[str, Offer]) -> Iterator[Exchange]:
    calls: dict[str, Mapping[str, Any]] = {}
    for message in messages:
        calls |= {call["id"]: call for call in message.get("tool_calls", ())}
        call = calls.get(message.get("tool_call_id", ""))
        if call is not None and call["name"] in offers:
            answer = _read(message["content"])
            if answer and not (isinstance(answer.value, dict) and "error" in answer.value):
                yield Exchange(offers[call["name"]], call["arguments"], answer)


@lru_cache(maxsize=64)  # many policies read the same pages of one task
def _read(text: str) -> Answer | None:
    """Takes a tool message apart; None when it is no JSON."""
    try:
        return Answer(freeze(json.loads(text)))
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _common(text: str, words: tuple[str, ...]) -> int:
    """How many of the words a text holds."""
    folded = text.casefold()
    return sum([word in folded for word in words])


def _mappings(value: Json) -> Iterator[Record]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _mappings(part)


def _texts(value: Json) -> Iterator[str]:
    if type(value) is str:
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
