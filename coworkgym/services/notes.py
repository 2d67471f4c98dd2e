"""Notes: what was said in meetings, and with whom it was shared."""

from pydantic import Field

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.arguments import Recipients
from coworkgym.services.gmail import canonical_or_contact
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.snippets import first_hit, snippet
from coworkgym.services.table import Moment, Record

NOTEBOOK = Service("notes")


class MeetingNote(Record):
    """The notes of a meeting."""

    note_id: str
    title: str
    created_at: Moment
    participants: list[str] = Field(default_factory=list)
    content: str
    duration_minutes: int | None = None


class Share(Record):
    """A note as it was given to somebody."""

    share_id: str
    note_id: str
    recipients: list[str]
    shared_at: Moment


NOTES = NOTEBOOK.table("notes", MeetingNote, key="note_id", prefix="NT-")
SHARES = NOTEBOOK.table("shares", Share, key="share_id", prefix="SH-")

_COLUMNS = ("note_id", "title", "created_at", "participants", "duration_minutes")


@NOTEBOOK.tool
def notes_list(office: Office, max_results: int = 10, cursor: str | None = None) -> Json:
    """List meeting notes, newest first.

    Args:
        cursor: next of the page before.
    """
    return _listing(office, _newest(office), max_results, cursor, ["list"])


@NOTEBOOK.tool
def notes_search(
    office: Office, query: str, max_results: int = 10, cursor: str | None = None
) -> Json:
    """Search the meeting notes, newest first.

    Args:
        query: Words that must all occur in title, text or participants.
        cursor: next of the page before.
    """
    words = query.casefold().split()
    rows = [row for row in _newest(office) if all(word in _text(row) for word in words)]
    answer = _listing(office, rows, max_results, cursor, ["search", words])
    for shown in answer["notes"]:
        content = office.record(NOTES, shown["note_id"])["content"]
        shown["snippet"] = snippet(content, first_hit(content, words) or 0)
    return answer


@NOTEBOOK.tool
def notes_get(office: Office, note_id: str) -> Json:
    """Read one note in full."""
    return office.read(NOTES, note_id)


@NOTEBOOK.tool(writes=True)
def notes_create(
    office: Office,
    title: str,
    content: str,
    participants: list[str] | None = None,
    duration_minutes: int | None = None,
) -> Json:
    """Write the notes of a meeting.

    Args:
        participants: Who took part.
    """
    if duration_minutes is not None and duration_minutes < 1:
        raise ToolError(
            "invalid_argument", f"'duration_minutes' must be 1 or more, got {duration_minutes}."
        )
    note = office.world.insert(
        NOTES, title=title, created_at=office.world.now_text, participants=participants or [],
        content=content, duration_minutes=duration_minutes,
    )  # fmt: skip
    return {"status": "created", "note": office.show(NOTES, note)}


@NOTEBOOK.tool(writes=True)
def notes_share(office: Office, note_id: str, recipients: Recipients) -> Json:
    """Give a note to other people.

    Args:
        recipients: Addresses, separated by commas.
    """
    office.record(NOTES, note_id)
    addresses = dict.fromkeys(canonical_or_contact(office, entry) for entry in recipients)
    share = office.world.insert(
        SHARES, note_id=note_id, recipients=list(addresses), shared_at=office.world.now_text
    )
    return {"status": "shared", "record": office.show(SHARES, share)}


def _newest(office: Office) -> list[FrozenDict]:
    """All notes, newest first; notes of one moment in record order."""
    return sorted(office.world.rows(NOTES), key=lambda row: str(row["created_at"]), reverse=True)


def _text(row: FrozenDict) -> str:
    return "\n".join([row["title"], row["content"], *row["participants"]]).casefold()


def _listing(
    office: Office, rows: list[FrozenDict], limit: int, cursor: str | None, scope: Json
) -> dict[str, Json]:
    return office.listing(
        NOTES, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope, limit_name="max_results"
    )
