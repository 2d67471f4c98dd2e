"""Adversaries: what all policies have in common that try to earn without doing the work."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import Any

from coworkgym.frozen import Json
from coworkgym.policies.adversarial.filling import (
    READS,
    Call,
    closer_looks,
    fill,
    is_named,
    listings,
)
from coworkgym.policies.adversarial.offer import Offer
from coworkgym.policies.adversarial.sight import Sight
from coworkgym.policies.adversarial.wording import say
from coworkgym.transcript import Message

WRITES = 10
"""Calls that write, before the user is answered."""
SWEEP = 40
"""The same where the request itself narrows the list: then the work is as long as the list."""

_SHORT = 40  # characters of an argument; longer ones are prose


class Talker(ABC):
    """Answers every transcript by what it sees there, without memory."""

    name: str

    def act(
        self, transcripts: Sequence[Sequence[Message]], tools: Sequence[Json]
    ) -> list[dict[str, Any]]:
        """Returns one message for each transcript."""
        return [self._answer(Sight(t, s)) for t, s in zip(transcripts, tools, strict=True)]

    def _answer(self, sight: Sight) -> dict[str, Any]:
        return {"role": "assistant", "content": self._says(sight)}

    @abstractmethod
    def _says(self, sight: Sight) -> str:
        """Returns what the user is told."""


class Worker(Talker):
    """Calls tools as long as it has calls, and then reports.

    Work starts anew with each request; whatever else the user says is only answered.
    """

    def _answer(self, sight: Sight) -> dict[str, Any]:
        calls = self._calls(sight) if sight.is_new_day else []
        if not calls:
            return super()._answer(sight)
        return {"role": "assistant", "content": "", "tool_calls": calls}

    @abstractmethod
    def _calls(self, sight: Sight) -> list[Call]:
        """Returns the calls of the next message; none when there are no more."""

    def _says(self, sight: Sight) -> str:
        language = sight.language
        return say(language, "carried_out") + "\n" + say(language, "touched", touched(sight))


class Doer(Worker):
    """Reads in at most two messages, writes in the next ones, and then reports."""

    def _calls(self, sight: Sight) -> list[Call]:
        reading, writing = sight.rounds
        calls: list[Call] = []
        if not writing and reading < len(_LOOKS):
            calls = _LOOKS[reading](sight)
        return calls or self._writes(sight, writing)

    @abstractmethod
    def _writes(self, sight: Sight, turn: int) -> list[Call]:
        """Returns the writing calls of a turn, from 0; none when there are no more."""


def _second_look(sight: Sight) -> list[Call]:
    return closer_looks(sight, READS - len(sight.newest))


_LOOKS = (listings, _second_look)


def touched(sight: Sight) -> list[str]:
    """Returns ids and short values that the agent has written since the user spoke."""
    written = [e.arguments.values() for e in sight.newest if not e.offer.reads]
    values = [value for given in written for value in given if isinstance(value, str)]
    return list(dict.fromkeys(value for value in values if len(value) <= _SHORT))


def hits(offer: Offer, sight: Sight) -> list[Call]:
    """Returns a call of a tool for every record it fits: all that were asked for, or the first."""
    kind = sight.kind_of(offer.subject or "")
    if offer.subject is None or kind is None:
        return []
    chosen = sight.named(kind) or sight.chosen.get(kind, [])
    ids = chosen if 0 < len(chosen) <= SWEEP else sight.ids(kind)[:WRITES]
    calls = (fill(offer, sight, {offer.subject: record_id}) for record_id in ids)
    return [call for call in calls if call]


def fitting(sight: Sight, verbs: Iterable[str]) -> list[Offer]:
    """Returns the writing tools with one of the verbs, those that the request names first.

    It names a tool by what the tool does, or by one of the records that it fits.
    """
    chosen = [offer for offer in sight.offers if offer.verb in verbs and not offer.reads]
    return sorted(chosen, key=lambda offer: not named(offer, sight))


def named(offer: Offer, sight: Sight) -> bool:
    """Whether the request names what a tool does, or a record that it fits."""
    return is_named(offer, sight) or bool(sight.named(offer.subject or ""))


def in_turn(lists: Iterable[Sequence[Call]]) -> list[Call]:
    """Returns the first of each list, then the second of each, and so on."""
    return [call for call in chain(*zip_longest(*lists)) if call is not None]
