"""Contacts: found by a part of the name, in its own case."""

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, listed

CONTACTS = Server(
    "contacts", "Contact", "contacts", "contact_id", default="T009zh_contact_lookup",
    lists=("sent_messages",),
)  # fmt: skip


@CONTACTS.route("/contacts/search")
def search(desk: Desk, query: str, department: str | None = None) -> Json:
    """Contacts by a part of name and department."""
    found = [row for row in desk.rows if query in row["name"]]
    if department is not None:
        found = [row for row in found if department in row["department"]]
    return listed("contacts", found)


@CONTACTS.route("/contacts/get")
def contact(desk: Desk, contact_id: str) -> Json:
    """A contact."""
    return desk.get(contact_id) or desk.missing(contact_id)


@CONTACTS.route("/contacts/send_message")
def send(desk: Desk, contact_id: str, message: str) -> Json:
    """A message to a contact, who need not exist."""
    sent = {"contact_id": contact_id, "message": message, "timestamp": desk.stamp}
    return {"status": "sent", "record": desk.note("sent_messages", sent)}
