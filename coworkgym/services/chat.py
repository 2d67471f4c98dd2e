"""Chat: the channels one person is in, and direct messages between two colleagues."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated

from pydantic import AfterValidator

from coworkgym.errors import ToolError, nearest
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.addresses import canonical
from coworkgym.services.contacts import CONTACTS
from coworkgym.services.gmail import canonical_or_contact
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import Moment, Record

CHAT = Service("chat")


def _addresses(members: list[str]) -> list[str]:
    return list(dict.fromkeys(map(canonical, members)))


class Channel(Record):
    """A channel, by the addresses of its members; without a name, two people's direct messages."""

    channel_id: str
    name: str | None = None
    members: Annotated[list[str], AfterValidator(_addresses)]


class ChatMessage(Record):
    """A message in a channel."""

    message_id: str
    channel_id: str
    sender: Annotated[str, AfterValidator(canonical)]
    text: str
    sent_at: Moment


CHANNELS = CHAT.table("channels", Channel, key="channel_id", prefix="CH-")
CHAT_MESSAGES = CHAT.table("messages", ChatMessage, key="message_id", prefix="CHM-")

_COLUMNS = ("message_id", "sender", "text", "sent_at")


@CHAT.tool
def chat_list_channels(office: Office, limit: int = 20, cursor: str | None = None) -> Json:
    """List channels; those without a name are direct messages.

    Args:
        cursor: next of the page before.
    """
    rows = list(office.world.rows(CHANNELS))
    columns = ("channel_id", "name", "members")
    return office.listing(CHANNELS, rows, columns, limit=limit, cursor=cursor, scope=[])


@CHAT.tool
def chat_list_messages(
    office: Office, channel_id: str, limit: int = 20, cursor: str | None = None
) -> Json:
    """List the messages of a channel, newest first.

    Args:
        cursor: next of the page before.
    """
    office.record(CHANNELS, channel_id)
    rows = _newest(m for m in office.world.rows(CHAT_MESSAGES) if m["channel_id"] == channel_id)
    scope = ["list", channel_id]
    return office.listing(CHAT_MESSAGES, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


@CHAT.tool
def chat_search_messages(
    office: Office, query: str, limit: int = 20, cursor: str | None = None
) -> Json:
    """Search the messages of all channels, newest first.

    Args:
        query: Words that must all occur in text or sender.
        cursor: next of the page before.
    """
    words = query.casefold().split()
    rows = _newest(
        row
        for row in office.world.rows(CHAT_MESSAGES)
        if all(word in f"{row['text']}\n{row['sender']}".casefold() for word in words)
    )
    return office.listing(
        CHAT_MESSAGES, rows, ("channel_id", *_COLUMNS), limit=limit, cursor=cursor,
        scope=["search", words],
    )  # fmt: skip


@CHAT.tool(writes=True)
def chat_send_message(office: Office, channel_id: str, text: str) -> Json:
    """Write into a channel."""
    office.record(CHANNELS, channel_id)
    return _send(office, channel_id, text)


@CHAT.tool(writes=True)
def chat_send_direct(office: Office, to: str, text: str) -> Json:
    """Write to one colleague in private.

    Args:
        to: One address.
    """
    address = _colleague(office, to)
    pair = _addresses([office.owner.email, address])
    for channel in office.world.rows(CHANNELS):
        if channel["name"] is None and set(channel["members"]) == set(pair):
            return _send(office, channel["channel_id"], text)
    created = office.world.insert(CHANNELS, members=pair)
    return _send(office, created["channel_id"], text)


def _newest(rows: Iterable[FrozenDict]) -> list[FrozenDict]:
    """Newest first; of messages of one moment the later record."""
    return sorted(rows, key=lambda row: str(row["sent_at"]))[::-1]


def _colleague(office: Office, to: str) -> str:
    """The address of somebody who uses the chat.

    Raises:
        ToolError: `invalid_recipient` or `ambiguous_recipient`.
    """
    address = canonical_or_contact(office, to)
    people = {member for row in office.world.rows(CHANNELS) for member in row["members"]}
    people.add(canonical(office.owner.email))
    if CONTACTS in office.world:
        for contact in office.world.rows(CONTACTS):
            with suppress(ValueError):  # an entry without an address
                if contact["status"] == "active":
                    people.add(canonical(contact["email"]))
    if address not in people:
        raise ToolError(
            "invalid_recipient",
            f"Nobody with the address {address!r} uses the chat.{nearest(address, sorted(people))}",
        )
    return address


def _send(office: Office, channel_id: str, text: str) -> Json:
    if not text.strip():
        raise ToolError("invalid_argument", "'text' must not be empty.")
    message = office.world.insert(
        CHAT_MESSAGES, channel_id=channel_id, sender=office.owner.email, text=text,
        sent_at=office.world.now_text,
    )  # fmt: skip
    return {"status": "sent", "message": office.show(CHAT_MESSAGES, message)}
