"""Mail: one person's mailbox."""

from contextlib import suppress
from datetime import timedelta

from pydantic import Field

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.addresses import canonical
from coworkgym.services.arguments import Recipients
from coworkgym.services.contacts import CONTACTS
from coworkgym.services.instants import format_instant
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import Moment, Record

GMAIL = Service("gmail")


class Mail(Record):
    """A message, received, sent or drafted; its labels say which."""

    message_id: str
    thread_id: str
    sender: str = Field(alias="from")
    to: list[str]
    cc: list[str] = Field(default_factory=list)
    subject: str
    body: str
    date: Moment
    labels: list[str] = Field(default_factory=lambda: ["inbox"])
    is_read: bool = False
    idempotency_key: str | None = None


MESSAGES = GMAIL.table("messages", Mail, key="message_id", prefix="MSG-")

_COLUMNS = ("message_id", "from", "to", "subject", "date", "is_read", "labels")


@GMAIL.tool
def gmail_list_messages(
    office: Office,
    days_back: int = 7,
    max_results: int = 20,
    label: str = "inbox",
    cursor: str | None = None,
) -> Json:
    """List mails, newest first.

    Args:
        days_back: How far back to look.
        label: inbox, sent, draft, archive, ... or all.
        cursor: next of the page before.
    """
    if not 0 <= days_back <= 36500:
        raise ToolError("invalid_argument", f"'days_back' must be 0 to 36500, got {days_back}.")
    since = format_instant(office.now - timedelta(days=days_back))
    rows = [row for row in _labelled(office, label) if row["date"] >= since]
    return _listing(office, rows, max_results, cursor, ["list", days_back, label])


@GMAIL.tool
def gmail_search_messages(
    office: Office, query: str, max_results: int = 20, cursor: str | None = None
) -> Json:
    """Search all mails, newest first.

    Args:
        query: Words that must all occur in subject, body or addresses.
        cursor: next of the page before.
    """
    words = query.casefold().split()
    rows = [row for row in _labelled(office, "all") if all(w in _text(row) for w in words)]
    return _listing(office, rows, max_results, cursor, ["search", words])


@GMAIL.tool
def gmail_get_message(office: Office, message_id: str) -> Json:
    """Read one mail in full."""
    return office.read(MESSAGES, message_id)


@GMAIL.tool(writes=True)
def gmail_send_message(
    office: Office,
    to: Recipients,
    subject: str,
    body: str,
    cc: Recipients | None = None,
    idempotency_key: str | None = None,
) -> Json:
    """Send a mail.

    Args:
        to: Addresses, separated by commas.
        idempotency_key: Sending again with the same key sends nothing new.
    """
    sent = _sent_before(office, idempotency_key) or _send(
        office, to, cc or [], subject, body, idempotency_key=idempotency_key
    )
    return {"status": "sent", "message": _brief(office, sent)}


@GMAIL.tool(writes=True)
def gmail_reply_message(office: Office, message_id: str, body: str) -> Json:
    """Answer the sender of a mail."""
    original = office.record(MESSAGES, message_id)
    subject = original["subject"]
    subject = subject if subject.lower().startswith("re:") else f"Re: {subject}"
    sent = _send(office, [original["from"]], [], subject, body, thread_id=original["thread_id"])
    return {"status": "sent", "message": _brief(office, sent)}


@GMAIL.tool(writes=True)
def gmail_forward_message(office: Office, message_id: str, to: Recipients, body: str = "") -> Json:
    """Forward a mail.

    Args:
        to: Addresses, separated by commas.
        body: Text above the forwarded mail.
    """
    original = office.record(MESSAGES, message_id)
    quoted = f"{body}\n\n--- {original['from']}, {original['subject']} ---\n{original['body']}"
    sent = _send(office, to, [], f"Fwd: {original['subject']}", quoted.lstrip())
    return {"status": "sent", "message": _brief(office, sent)}


@GMAIL.tool(writes=True)
def gmail_save_draft(
    office: Office,
    to: Recipients,
    subject: str,
    body: str,
    reply_to_message_id: str | None = None,
) -> Json:
    """Save a mail as a draft without sending it.

    Args:
        to: Addresses, separated by commas.
    """
    thread_id = None
    if reply_to_message_id is not None:
        thread_id = office.record(MESSAGES, reply_to_message_id)["thread_id"]
    draft = _store(office, _resolve(office, to), [], subject, body, ["draft"], thread_id=thread_id)
    return {"status": "draft_saved", "draft": _brief(office, draft)}


@GMAIL.tool(writes=True)
def gmail_label_message(
    office: Office, message_id: str, add: list[str] | None = None, remove: list[str] | None = None
) -> Json:
    """Add or remove labels of a mail.

    Args:
        add: Labels to add.
        remove: Labels to remove.
    """
    labels = office.record(MESSAGES, message_id)["labels"]
    kept = [label for label in labels if label not in (remove or [])]
    kept += [label for label in dict.fromkeys(add or []) if label not in kept]
    office.world.update(MESSAGES, message_id, labels=kept)
    return {"status": "labelled", "message_id": message_id, "labels": kept}


@GMAIL.tool(writes=True)
def gmail_archive_message(office: Office, message_id: str) -> Json:
    """Move a mail from the inbox to the archive."""
    labels = office.record(MESSAGES, message_id)["labels"]
    kept = [label for label in labels if label not in ("inbox", "archive")]
    office.world.update(MESSAGES, message_id, labels=[*kept, "archive"])
    return {"status": "archived", "message_id": message_id}


@GMAIL.tool(writes=True)
def gmail_delete_message(office: Office, message_id: str) -> Json:
    """Delete a mail for good."""
    office.record(MESSAGES, message_id)
    office.world.delete(MESSAGES, message_id)
    return {"status": "deleted", "message_id": message_id}


def _labelled(office: Office, label: str) -> list[FrozenDict]:
    """Mails with the label, newest first; mails of one moment in record order."""
    wanted = label.casefold()
    rows = [
        row
        for row in office.world.rows(MESSAGES)
        if wanted == "all" or wanted in map(str.casefold, row["labels"])
    ]
    return sorted(rows, key=lambda row: str(row["date"]), reverse=True)


def _text(row: FrozenDict) -> str:
    people = " ".join([row["from"], *row["to"], *row["cc"]])
    return f"{row['subject']}\n{row['body']}\n{people}".casefold()


def _listing(
    office: Office, rows: list[FrozenDict], limit: int, cursor: str | None, scope: Json
) -> Json:
    return office.listing(
        MESSAGES, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope, limit_name="max_results"
    )


def _brief(office: Office, row: FrozenDict) -> dict[str, Json]:
    shown = office.show(MESSAGES, row)
    return {name: shown[name] for name in ("message_id", "to", "cc", "subject", "date")}


def _sent_before(office: Office, key: str | None) -> FrozenDict | None:
    if key is None:
        return None
    sent = (row for row in office.world.rows(MESSAGES) if row["idempotency_key"] == key)
    return next(sent, None)


def _send(
    office: Office,
    to: list[str],
    cc: list[str],
    subject: str,
    body: str,
    **fields: Json,
) -> FrozenDict:
    to, cc = _resolve(office, to), _resolve(office, cc)
    own = canonical(office.owner.email) in {*to, *cc}
    labels = ["sent", "inbox"] if own else ["sent"]
    return _store(office, to, cc, subject, body, labels, **fields)


def _store(
    office: Office,
    to: list[str],
    cc: list[str],
    subject: str,
    body: str,
    labels: list[str],
    *,
    thread_id: str | None = None,
    idempotency_key: str | None = None,
) -> FrozenDict:
    return office.world.insert(
        MESSAGES,
        **{"from": office.owner.email},
        thread_id=thread_id or "",
        to=to,
        cc=cc,
        subject=subject,
        body=body,
        date=office.world.now_text,
        labels=labels,
        is_read=True,
        idempotency_key=idempotency_key,
    )


def _resolve(office: Office, entries: list[str]) -> list[str]:
    """Canonical addresses of addresses and of exact contact names.

    Raises:
        ToolError: `invalid_recipient` or `ambiguous_recipient`; then nobody gets the mail.
    """
    return list(dict.fromkeys(canonical_or_contact(office, entry) for entry in entries))


def canonical_or_contact(office: Office, entry: str) -> str:
    """Returns one canonical address for an address or the exact name of one contact."""
    with suppress(ValueError):
        return canonical(entry)
    named: list[FrozenDict] = []
    if CONTACTS in office.world:
        wanted = entry.casefold()
        named = [c for c in office.world.rows(CONTACTS) if c["name"].casefold() == wanted]
    if len(named) > 1:
        listed = ", ".join(f"{c['contact_id']} <{c['email']}>" for c in named)
        raise ToolError("ambiguous_recipient", f"{entry!r} could be {listed}; give the address.")
    for contact in named:
        with suppress(ValueError):
            return canonical(contact["email"])
    raise ToolError(
        "invalid_recipient", f"{entry!r} is no address, nor the name of a contact who has one."
    )
