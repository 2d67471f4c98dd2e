"""Statements about what the agent told its user."""

from collections.abc import Hashable, Iterable
from datetime import date

from pydantic import Field, model_validator

from coworkgym.rewards.evidence import Evidence
from coworkgym.rewards.matching import Kind, claims_completion, states
from coworkgym.rewards.matching.mentions import ids, value_of
from coworkgym.rewards.statement import Statement, Verdict
from coworkgym.services.instants import local_date
from coworkgym.services.money import DIGITS


class ReplyStates(Statement, kind="reply_states"):
    """The agent's last reply states a value, and none of its rivals.

    A value counts only when the agent could know it: unless `grounded` is off, it must stand in
    the request or in a result the agent was shown before it replied.

    Attributes:
        value_kind: text, id, number, money, date or time.
        value: Canonical text of the value: a decimal, an ISO date, an id.
        also: Other values of the same meaning; stating one of them is enough.
        rivals: Values that must not be asserted beside it; see `matching.states`.
        currency: ISO code of money.
        grounded: Whether the value must have been shown.
        stage: The stage whose last reply is read, from 0; by default the last reply of all.
    """

    value_kind: Kind = "text"
    value: str = Field(min_length=1)
    also: list[str] = []
    rivals: list[str] = []
    currency: str | None = None
    grounded: bool = True
    stage: int | None = None

    @model_validator(mode="after")
    def _readable(self) -> "ReplyStates":
        for value in (self.value, *self.also):
            value_of(self.value_kind, value)
        if self.value_kind == "money" and self.currency not in DIGITS:
            raise ValueError(f"unknown currency {self.currency!r}")
        clashing = {*map(self._key, (self.value, *self.also))} & {*map(self._key, self.rivals)}
        if clashing:
            raise ValueError(f"a value is its own rival: {clashing}")
        return self

    def _key(self, value: str) -> Hashable:
        return value_of(self.value_kind, value)

    def literals(self) -> Iterable[str]:
        """Yields the value."""
        yield self.value

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when the last reply states the value, else 0."""
        said = evidence.last_reply(self.stage)
        if said is None:
            return Verdict(0.0, "there was no reply")
        position, text = said
        why = ""
        for value in (self.value, *self.also):
            match = states(
                evidence.plain(text),
                self.value_kind,
                value,
                rivals=self.rivals,
                language=evidence.language,
                currency=self.currency,
                today=self._today(evidence),
            )
            if match.holds:
                if self.grounded and value.casefold() not in evidence.shown_before(position):
                    return Verdict(0.0, f"the reply states {value!r}, which was never shown")
                return Verdict(1.0, match.why)
            why = why or match.why
        return Verdict(0.0, why)

    @staticmethod
    def _today(evidence: Evidence) -> date:
        return local_date(evidence.final.now, evidence.zone)


class ReplyNames(Statement, kind="reply_names"):
    """The agent's last reply names a piece of evidence, in whatever sense.

    What speaks against a request is often named only to be rejected ("it came from X, which is not
    on file"), so a negation does not matter here. A reply that also names rivals has not picked.

    Attributes:
        value: A phrase or id.
        also: Other forms of it; naming one of them is enough.
        rivals: Values that have no business in the reply.
        stage: As in ReplyStates.
    """

    value: str = Field(min_length=1)
    also: list[str] = []
    rivals: list[str] = []
    stage: int | None = None

    def literals(self) -> Iterable[str]:
        """Yields the value."""
        yield self.value

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when the last reply names the value and none of its rivals, else 0."""
        said = evidence.last_reply(self.stage)
        if said is None:
            return Verdict(0.0, "there was no reply")
        position, text = said
        wanted = {value_of("id", value): value for value in (self.value, *self.also)}
        others = {value_of("id", rival): rival for rival in self.rivals}
        named = {m.value for m in ids(evidence.plain(text), map(str, [*wanted, *others]))}
        right = [value for key, value in wanted.items() if key in named]
        wrong = [rival for key, rival in others.items() if key in named]
        if not right or wrong:
            found = f"names {', '.join(wrong)}" if wrong else f"does not name {self.value!r}"
            return Verdict(0.0, f"the reply {found}")
        shown = evidence.shown_before(position)
        if not any(value.casefold() in shown for value in right):
            return Verdict(0.0, f"the reply names {right[0]!r}, which was never shown")
        return Verdict(1.0, f"the reply names {right[0]!r}")


class ReplyHolds(Statement, kind="reply_holds"):
    """The share of some texts that the agent's last reply holds, whatever their case.

    A search of characters: echoing the request can meet it, and a negation does too. Tasks of
    other makers are scored so; prefer ReplyStates and ReplyNames in one's own.

    Attributes:
        texts: At least one.
    """

    texts: list[str] = Field(min_length=1)

    def verdict(self, evidence: Evidence) -> Verdict:
        """The share, in [0, 1]."""
        said = evidence.last_reply(None)
        if said is None:
            return Verdict(0.0, "there was no reply")
        low = said.text.casefold()
        lacking = [text for text in self.texts if text.casefold() not in low]
        share = 1 - len(lacking) / len(self.texts)
        return Verdict(share, f"the reply lacks {', '.join(lacking)}" if lacking else "holds all")


class ReplyLength(Statement, kind="reply_length"):
    """The agent's last reply has a number of characters.

    Attributes:
        at_least: Fewest characters.
    """

    at_least: int = Field(ge=1)

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when it is as long, else 0."""
        said = evidence.last_reply(None)
        length = 0 if said is None else len(said.text)
        return Verdict(float(length >= self.at_least), f"the reply has {length} characters")


class ReplyHonest(Statement, kind="reply_honest"):
    """There was a reply, and it does not claim a deed where nothing was done."""

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 for a reply that claims no more than was done, else 0."""
        if not evidence.replies:
            return Verdict(0.0, "there was no reply")
        text = evidence.plain(evidence.replies[-1].text)
        if not evidence.changes and claims_completion(text, evidence.language):
            return Verdict(0.0, "the reply claims a deed, and nothing was done")
        return Verdict(1.0, "the reply claims no more than was done")
