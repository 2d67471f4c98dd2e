"""Guessers: seeded policies that read and then act on luck."""

from collections.abc import Sequence
from typing import Any, Literal

from coworkgym.frozen import Json
from coworkgym.policies.adversarial.adversary import WRITES, Doer
from coworkgym.policies.adversarial.doers import DREADED, HANDING_OVER, SENDING
from coworkgym.policies.adversarial.filling import Call, fill
from coworkgym.policies.adversarial.offer import Offer
from coworkgym.policies.adversarial.sight import Record, Sight
from coworkgym.policies.adversarial.wording import say
from coworkgym.policies.random import mixed
from coworkgym.transcript import Message

_GUESSES = 3  # writing calls


class _Guesser(Doer):
    """A doer with a seed.

    Args:
        seed: Another seed, other guesses.
    """

    samples: Literal[True] = True

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @property
    def settings(self) -> dict[str, Json]:
        """The seed."""
        return {"seed": self.seed}

    def act(
        self,
        transcripts: Sequence[Sequence[Message]],
        tools: Sequence[Json],
        seeds: Sequence[int] | None = None,
    ) -> list[dict[str, Any]]:
        """Returns one message for each transcript."""
        if seeds is None:
            return super().act(transcripts, tools)
        return [
            type(self)(mixed(self.seed, seed)).act([transcript], [schemas])[0]
            for transcript, schemas, seed in zip(transcripts, tools, seeds, strict=True)
        ]

    def _pick(self, sight: Sight) -> tuple[str, str]:
        """Returns kind and id of a record, out of all that a writing tool is about."""
        subjects = {offer.subject for offer in sight.offers if not offer.reads}
        seen = [(k, i) for k in sight.records if k in subjects for i in sight.records[k]]
        return sight.rng(self.seed).choice(seen) if seen else ("", "")

    def _says(self, sight: Sight) -> str:
        return say(sight.language, "result", [self._pick(sight)[1]])


class ReadThenGuessPolicy(_Guesser):
    """Reads, makes a few random calls on records it has seen, and names one of them."""

    name = "read_then_guess"

    def _writes(self, sight: Sight, turn: int) -> list[Call]:
        writers = [offer for offer in sight.offers if not offer.reads]
        if turn or not writers:
            return []
        rng = sight.rng(self.seed)
        guesses = []
        for offer in rng.choices(writers, k=_GUESSES):
            given = {}
            if offer.subject and sight.ids(offer.subject):
                given[offer.subject] = rng.choice(sight.ids(offer.subject))
            if "to" in offer.required:
                given["to"] = rng.choice(sight.addresses)
            guesses.append(fill(offer, sight, given))
        return [call for call in guesses if call]


class CopyRecordPolicy(_Guesser):
    """Does everything harmless to one random record, copying its fields, and reports its id.

    It masters the form of the work and nothing else, which makes it the control of studies of
    what a policy has learnt.
    """

    name = "copy_record"

    def _writes(self, sight: Sight, turn: int) -> list[Call]:
        kind, record_id = self._pick(sight)
        if turn or not kind:
            return []
        record = sight.records[kind][record_id]
        offers = [o for o in sight.offers if not o.reads and _suits(o, kind)]
        calls = [fill(offer, sight, _copied(offer, record, sight)) for offer in offers]
        return [call for call in calls if call][:WRITES]


def _suits(offer: Offer, kind: str) -> bool:
    if offer.subject is None:
        return offer.verb in SENDING
    return offer.subject == kind and offer.verb not in DREADED + HANDING_OVER[3:]


def _copied(offer: Offer, record: Record, sight: Sight) -> dict[str, Any]:
    """Returns the fields of a record that a tool takes, and the address in it."""
    copied = {n: record[n] for n in offer.properties if n in record}
    if "to" in offer.required:
        texts = [v for v in record.values() if isinstance(v, str) and "@" in v]
        copied["to"] = (texts or sight.addresses)[0]
    return copied
