"""Notes: minutes of meetings, and whom they were shared with."""

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, columns, listed

NOTES = Server(
    "notes", "Note", "notes", "note_id", default="T013zh_meeting_notes", lists=("shared",)
)

_COLUMNS = ("note_id", "title", "created_at", "participants", "duration_minutes")


@NOTES.route("/notes/list")
def notes(desk: Desk, max_results: int = 10) -> Json:
    """The first notes."""
    return listed("notes", [columns(row, _COLUMNS) for row in desk.rows[:max_results]])


@NOTES.route("/notes/get")
def note(desk: Desk, note_id: str) -> Json:
    """A note."""
    return desk.get(note_id) or desk.missing(note_id)


@NOTES.route("/notes/share")
def share(desk: Desk, note_id: str, recipients: list[str]) -> Json:
    """A note that is shared; it need not exist."""
    record = {"note_id": note_id, "recipients": recipients, "timestamp": desk.stamp}
    return {"status": "shared", "record": desk.note("shared", record)}
