"""Statements about mail: who got one, what it said, who must not get one."""

from collections.abc import Iterable, Iterator

from pydantic import Field, field_validator

from coworkgym.errors import GraderError
from coworkgym.frozen import FrozenDict
from coworkgym.rewards.evidence import Evidence
from coworkgym.rewards.matching import states
from coworkgym.rewards.statement import Statement, Verdict
from coworkgym.services import Event
from coworkgym.services.addresses import canonical, split_recipients

SENDING = ("gmail_send_message", "gmail_reply_message", "gmail_forward_message")
"""Tools that send a mail."""


class MailSent(Statement, kind="mail_sent"):
    """Exactly one mail went to exactly these people and states these texts.

    A mail that was deleted afterwards was sent all the same. Copies (cc) count as recipients.
    Addresses are compared without case and display name; a plus alias is another address.

    Attributes:
        to: Addresses.
        mentions: Ids or names that subject or body must state; see `matching.states`.
    """

    to: list[str] = Field(min_length=1)
    mentions: list[str] = []

    @field_validator("to")
    @classmethod
    def _addresses(cls, to: list[str]) -> list[str]:
        return [canonical(address) for address in to]

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the mail table."""
        yield "table", "gmail.messages"

    def literals(self) -> Iterable[str]:
        """Yields the addresses and what must be mentioned."""
        yield from (*self.to, *self.mentions)

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 for one such mail, 0.5 when no mail to them states all of it, else 0."""
        sent = [mail for mail in _sent(evidence) if _recipients(mail) == set(self.to)]
        people = ", ".join(self.to)
        if not sent:
            return Verdict(0.0, f"no mail to exactly {people}")
        complaints = [self._complaint(mail) for mail in sent]
        whole = complaints.count("")
        if whole == 0:
            return Verdict(0.5, f"the mail to {people} {complaints[0]}")
        return Verdict(float(whole == 1), f"{whole} mails to {people} state what they must")

    def _complaint(self, mail: FrozenDict) -> str:
        text = f"{mail['subject']}\n{mail['body']}"
        for wanted in self.mentions:
            match = states(text, "id" if any(map(str.isdigit, wanted)) else "text", wanted)
            if not match.holds:
                return f"does not state {wanted!r}: {match.why}"
        return ""


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
    """Everybody a call of a sending tool addressed, even when the office refused it."""
    for change in event.changes:
        if change.after is not None:
            yield from _recipients(change.after)
    if event.changes:
        return
    given = [event.arguments.get("to") or [], event.arguments.get("cc") or []]
    for entry in (entry for entries in given for entry in split_recipients(entries)):
        yield _lenient(entry)
    if event.name == "gmail_reply_message":
        original = evidence.initial.tables["gmail.messages"].get(event.arguments["message_id"])
        if original is not None:
            yield _lenient(original["from"])


def _lenient(entry: str) -> str:
    try:
        return canonical(entry)
    except ValueError:
        return entry
