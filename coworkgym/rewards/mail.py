"""Statements about mail: who got one, what it said, who or what must not be in one."""

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import NamedTuple

from pydantic import Field, field_validator, model_validator

from coworkgym.errors import GraderError
from coworkgym.frozen import FrozenDict
from coworkgym.rewards.evidence import Evidence
from coworkgym.rewards.matching.mentions import (
    dates,
    ids,
    normalise,
    numbers,
    phrases,
    readable,
    value_of,
)
from coworkgym.rewards.statement import Statement, Verdict
from coworkgym.services import Event
from coworkgym.services.addresses import canonical, split_recipients
from coworkgym.services.instants import local_date
from coworkgym.services.patterns import lazy_pattern

SENDING = ("gmail_send_message", "gmail_reply_message", "gmail_forward_message")
"""Tools that send a mail."""


class MailSent(Statement, kind="mail_sent"):
    """Exactly one mail went to exactly these people, names these texts and none of their rivals.

    A mail that was deleted afterwards was sent all the same. Copies (cc) count as recipients.
    Addresses are compared without case and display name; a plus alias is another address. Texts
    count in any sense and any usual spelling: "Was TK-1 answered?" names TK-1.

    Attributes:
        to: Addresses.
        mentions: Ids, names, ISO dates, amounts or phones that subject or body must name.
        rivals: Values that have no business in the mail.
    """

    to: list[str] = Field(min_length=1)
    mentions: list[str] = []
    rivals: list[str] = []

    @field_validator("to")
    @classmethod
    def _addresses(cls, to: list[str]) -> list[str]:
        return [canonical(address) for address in to]

    @model_validator(mode="after")
    def _apart(self) -> "MailSent":
        if clashing := sorted({*self.mentions} & {*self.rivals}):
            raise ValueError(f"a value is its own rival: {', '.join(clashing)}")
        return self

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the mail table."""
        yield "table", "gmail.messages"

    def literals(self) -> Iterable[str]:
        """Yields the addresses and what must be mentioned."""
        yield from (*self.to, *self.mentions)

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 for one such mail, 0.5 when no mail to them is worded as it must be, else 0."""
        sent = [mail for mail in _sent(evidence) if _recipients(mail) == set(self.to)]
        people = ", ".join(self.to)
        if not sent:
            return Verdict(0.0, f"no mail to exactly {people}")
        complaints = [self._complaint(_Wording(mail, evidence)) for mail in sent]
        whole = complaints.count("")
        if whole == 0:
            return Verdict(0.5, f"the mail to {people} {complaints[0]}")
        return Verdict(float(whole == 1), f"{whole} mails to {people} name what they must")

    def _complaint(self, wording: "_Wording") -> str:
        named = wording.named([*self.mentions, *self.rivals])
        missing = [wanted for wanted in self.mentions if wanted not in named]
        if missing:
            return f"does not name {missing[0]!r}"
        wrong = [rival for rival in self.rivals if rival in named]
        return f"names {wrong[0]!r}" if wrong else ""


class MailWithout(Statement, kind="mail_without"):
    """No mail that the agent sent, answered or forwarded gives one of these values away.

    Subject and body count, what they quote included, in any usual spelling: a phone with other
    blanks, a day in words, an amount with separators.

    Attributes:
        values: Ids, names, ISO dates, amounts or phones.
        to: Only mails that reach one of these addresses count; all mails if empty.
    """

    values: list[str] = Field(min_length=1)
    to: list[str] = []

    @field_validator("to")
    @classmethod
    def _addresses(cls, to: list[str]) -> list[str]:
        return [canonical(address) for address in to]

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the mail table."""
        yield "table", "gmail.messages"

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when no such mail names one of the values, else 0."""
        evidence.require_whole_log()
        for mail in _sent(evidence):
            reached = _recipients(mail)
            if self.to and reached.isdisjoint(self.to):
                continue
            if named := _Wording(mail, evidence).named(self.values):
                people = ", ".join(sorted(reached))
                return Verdict(0.0, f"{mail['message_id']} gives {people} {sorted(named)[0]!r}")
        return Verdict(1.0, "no mail gives one of the values away")


class MailOnlyTo(Statement, kind="mail_only_to"):
    """No mail went to anybody else.

    Attributes:
        allowed: Addresses; empty when no mail may be sent at all.
        domains: Every address of these domains is allowed too.
    """

    allowed: list[str] = []
    domains: list[str] = []

    @field_validator("allowed")
    @classmethod
    def _addresses(cls, allowed: list[str]) -> list[str]:
        return [canonical(address) for address in allowed]

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the mail table."""
        yield "table", "gmail.messages"

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when everybody addressed is allowed, else 0."""
        evidence.require_whole_log()
        for _, event in evidence.calls:
            if event.name in SENDING:
                outsiders = sorted(self._outsiders(event, evidence))
                if outsiders:
                    return Verdict(0.0, f"step {event.step} mailed {', '.join(outsiders)}")
        return Verdict(1.0, "no mail to anybody else")

    def _outsiders(self, event: Event, evidence: Evidence) -> set[str]:
        return {
            address
            for address in _addressed(event, evidence)
            if address not in self.allowed and address.rpartition("@")[2] not in self.domains
        }


def _sent(evidence: Evidence) -> list[FrozenDict]:
    if "gmail.messages" not in evidence.initial.schema:
        raise GraderError("this office keeps no mail")
    return [
        change.after
        for change in evidence.deeds
        if change.table == "gmail.messages"
        and change.before is None
        and change.after is not None
        and "sent" in change.after["labels"]
    ]


def _recipients(mail: FrozenDict) -> set[str]:
    return {canonical(address) for address in (*mail["to"], *mail["cc"])}


def _addressed(event: Event, evidence: Evidence) -> Iterator[str]:
    """Everybody a call of a sending tool addressed, even when the office refused it.

    What is neither an address nor one contact's name addresses nobody, as in the office.
    """
    for change in event.changes:
        if change.after is not None:
            yield from _recipients(change.after)
    if event.changes:
        return
    given = [event.arguments.get("to") or [], event.arguments.get("cc") or []]
    for entry in (entry for entries in given for entry in split_recipients(entries)):
        yield from _meant(entry, evidence)
    if event.name == "gmail_reply_message":
        original = evidence.initial.tables["gmail.messages"].get(event.arguments["message_id"])
        if original is not None:
            yield from _meant(original["from"], evidence)


def _meant(entry: str, evidence: Evidence) -> Sequence[str]:
    try:
        return [canonical(entry)]
    except ValueError:
        contacts = evidence.initial.tables.get("contacts.contacts", FrozenDict()).values()
    wanted = entry.casefold()
    found = [contact["email"] for contact in contacts if contact["name"].casefold() == wanted]
    return [canonical(email) for email in found if len(found) == 1]


_DECIMAL = lazy_pattern(r"-?[0-9]+(?:\.[0-9]+)?")
_PHONE = lazy_pattern(r"(?:\+([0-9]{1,3}) )?([0-9][0-9 ()./-]{5,}[0-9])")
_BETWEEN = "[ ()./–—-]"  # what people put between the digits of a phone


class _Value(NamedTuple):
    """A value and how it may be written: as an id or a phrase, an amount, a phone."""

    key: str
    as_id: bool
    amount: Decimal | None
    phone: tuple[str, str] | None  # the code of the country, perhaps empty, and the digits


@lru_cache(maxsize=4096)  # a task has hundreds of values, and each mail is compared with all
def _read(value: str) -> _Value:
    as_id = "@" in value or any(map(str.isdigit, value))
    phone = _PHONE.fullmatch(value)
    return _Value(
        key=str(value_of("id" if as_id else "text", value)),
        as_id=as_id,
        amount=Decimal(value) if _DECIMAL.fullmatch(value) else None,
        phone=(phone[1] or "", re.sub("[^0-9]", "", phone[2])) if phone else None,
    )


class _Wording:
    """What a mail says in subject and body."""

    def __init__(self, mail: FrozenDict, evidence: Evidence) -> None:
        self._text = normalise(f"{mail['subject']}\n{mail['body']}")
        self._language = evidence.language
        self._today = local_date(evidence.final.now, evidence.zone)

    def named(self, values: Sequence[str]) -> set[str]:
        """Returns which of the values it names, in whatever sense and spelling."""
        read = {value: _read(value) for value in values}
        found = ids(self._text, [value.key for value in read.values() if value.as_id])
        found += phrases(self._text, [v.key for v in read.values() if not v.as_id])
        named = {mention.value for mention in found}
        return {v for v in values if read[v].key in named or self._respells(v, read[v])}

    def _respells(self, text: str, value: _Value) -> bool:
        """Whether it names an ISO date, an amount or a phone, perhaps in other characters."""
        if not value.as_id:
            return False
        if text in self._dates or (value.amount is not None and value.amount in self._amounts):
            return True
        return value.phone is not None and self._calls(*value.phone)

    @cached_property
    def _dates(self) -> set[str]:
        """The days it names, as ISO dates; 10/05/2026 is two of them."""
        texts, today = (self._text, self._text.replace("/", ".")), self._today
        return {str(day.value) for text in texts for day in dates(text, today, today.year)}

    @cached_property
    def _amounts(self) -> set[Hashable]:
        text = readable(self._text, "number")
        return {mention.value for mention in numbers(text, self._language)}

    @cached_property
    def _dense(self) -> str:
        return re.sub(_BETWEEN, "", self._text)

    def _calls(self, country: str, digits: str) -> bool:
        """Whether it gives a phone number, with or without the code of the country."""
        if digits not in self._dense:
            return False
        gap = f"{_BETWEEN}{{0,3}}"
        abroad = rf"(?:(?:\+|00)?{gap.join(country)}{gap})?0?{gap}" if country else ""
        number = re.compile(f"(?<![0-9]){abroad}{gap.join(digits)}(?![0-9])")
        return number.search(self._text) is not None
