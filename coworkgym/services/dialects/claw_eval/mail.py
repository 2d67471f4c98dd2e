"""Mail: the newest message is a day old when the server starts."""

from datetime import datetime, timedelta

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import (
    Rows,
    Server,
    columns,
    listed,
    moment,
    served,
)

_COLUMNS = ("message_id", "from", "subject", "date", "is_read", "labels")


def shifted(rows: Rows, now: datetime) -> Rows:
    """Returns messages whose newest is a day old; offsets are dropped, not converted."""
    if not rows:
        return rows
    delta = now - timedelta(days=1) - max(moment(row["date"]) for row in rows)
    return [{**row, "date": served(moment(row["date"]) + delta)} for row in rows]


GMAIL = Server(
    "gmail", "Message", "messages", "message_id", default="T001zh_email_triage",
    lists=("sent_messages", "drafts"), load=shifted,
)  # fmt: skip


@GMAIL.route("/gmail/messages")
def messages(desk: Desk, days_back: int = 7, max_results: int = 20) -> Json:
    """The newest days, in the order of the file."""
    since = desk.office.world.base.start - timedelta(days=days_back)
    rows = [columns(row, _COLUMNS) for row in desk.rows if moment(row["date"]) >= since]
    return listed("messages", rows[:max_results])


@GMAIL.route("/gmail/messages/get")
def message(desk: Desk, message_id: str) -> Json:
    """A message, however old; reading does not mark it."""
    return desk.get(message_id) or desk.missing(message_id)


@GMAIL.route("/gmail/send")
def send(desk: Desk, to: str, subject: str, body: str) -> Json:
    """A message that is sent, and seen in the audit only."""
    sent = {"to": to, "subject": subject, "body": body, "timestamp": desk.stamp}
    return {"status": "sent", "message": desk.note("sent_messages", sent)}


@GMAIL.route("/gmail/drafts/save")
def draft(
    desk: Desk, to: str, subject: str, body: str, reply_to_message_id: str | None = None
) -> Json:
    """A draft, seen in the audit only."""
    saved = {
        "to": to, "subject": subject, "body": body, "reply_to_message_id": reply_to_message_id,
        "timestamp": desk.stamp,
    }  # fmt: skip
    return {"status": "draft_saved", "draft": desk.note("drafts", saved)}


@GMAIL.route("/gmail/contacts/search", repaired=True)
def people(desk: Desk, query: str) -> Json:
    """The people of the mailbox: addresses that hold the query."""
    found = {
        row[side] for row in desk.rows for side in ("from", "to") if isinstance(row[side], str)
    }
    kept = sorted(each for each in found if query.casefold() in each.casefold())
    return listed("contacts", [{"email": each} for each in kept])
