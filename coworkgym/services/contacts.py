"""Contacts: the company's directory of people."""

from typing import Literal

from coworkgym.frozen import Json
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import Moment, Record

DIRECTORY = Service("contacts")


class Contact(Record):
    """A person in the directory."""

    contact_id: str
    name: str
    department: str
    title: str
    email: str
    phone: str
    location: str = ""
    status: Literal["active", "left"] = "active"
    successor_id: str | None = None
    notes: str = ""


class ContactMessage(Record):
    """A short message sent to a person of the directory."""

    message_id: str
    contact_id: str
    message: str
    sent_at: Moment


CONTACTS = DIRECTORY.table("contacts", Contact, key="contact_id", prefix="CT-")
CONTACT_MESSAGES = DIRECTORY.table("messages", ContactMessage, key="message_id", prefix="CM-")

_COLUMNS = ("contact_id", "name", "department", "title", "email", "status")


@DIRECTORY.tool
def contacts_search(
    office: Office,
    query: str = "",
    department: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """Find people; exact names come first.

    Args:
        query: Part of a name, an address or an id; empty for everyone.
        department: Part of a department's name.
        cursor: next of the page before.
    """
    wanted, part = query.casefold().strip(), (department or "").casefold()
    rows = [
        row
        for row in office.world.rows(CONTACTS)
        if any(wanted in row[field].casefold() for field in ("name", "email", "contact_id"))
        and part in row["department"].casefold()
    ]
    rows.sort(key=lambda row: row["name"].casefold() != wanted)
    scope = [wanted, part]
    return office.listing(CONTACTS, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


@DIRECTORY.tool
def contacts_get(office: Office, contact_id: str) -> Json:
    """Read a person's entry in full."""
    return office.read(CONTACTS, contact_id)


@DIRECTORY.tool(writes=True)
def contacts_update(
    office: Office,
    contact_id: str,
    department: str | None = None,
    title: str | None = None,
    email: str | None = None,
    phone: str | None = None,
    notes: str | None = None,
) -> Json:
    """Change a person's entry."""
    contact = office.edit(
        CONTACTS, contact_id, department=department, title=title, email=email, phone=phone,
        notes=notes,
    )  # fmt: skip
    return {"status": "updated", "contact": office.show(CONTACTS, contact)}


@DIRECTORY.tool(writes=True)
def contacts_send_message(office: Office, contact_id: str, message: str) -> Json:
    """Send a short message to a person of the directory."""
    office.record(CONTACTS, contact_id)
    sent = office.world.insert(
        CONTACT_MESSAGES, contact_id=contact_id, message=message, sent_at=office.world.now_text
    )
    return {"status": "sent", "record": office.show(CONTACT_MESSAGES, sent)}
