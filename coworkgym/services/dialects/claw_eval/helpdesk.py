"""Helpdesk: tickets, updated and closed as often as one likes."""

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, columns, given, listed

HELPDESK = Server(
    "helpdesk", "Ticket", "tickets", "ticket_id", default="T017zh_ticket_triage",
    lists=("closed", "updated_tickets"),
)  # fmt: skip

_COLUMNS = ("ticket_id", "title", "reporter", "department", "priority", "status", "created_at")


@HELPDESK.route("/helpdesk/tickets")
def tickets(desk: Desk, status: str = "open") -> Json:
    """Tickets of a status, or all."""
    kept = [row for row in desk.rows if status in ("all", row["status"])]
    return listed("tickets", [columns(row, _COLUMNS) for row in kept])


@HELPDESK.route("/helpdesk/tickets/get")
def ticket(desk: Desk, ticket_id: str) -> Json:
    """A ticket."""
    return desk.get(ticket_id) or desk.missing(ticket_id)


@HELPDESK.route("/helpdesk/tickets/update")
def update(
    desk: Desk,
    ticket_id: str,
    priority: str | None = None,
    tags: list[str] | None = None,
    category: str | None = None,
) -> Json:
    """A ticket with the fields that are not null; noted even if there are none."""
    if desk.get(ticket_id) is None:
        return desk.missing(ticket_id)
    changed = desk.set(ticket_id, given(priority=priority, tags=tags, category=category))
    return {"status": "updated", "ticket": desk.note("updated_tickets", changed)}


@HELPDESK.route("/helpdesk/tickets/close")
def close(desk: Desk, ticket_id: str, resolution: str) -> Json:
    """A ticket that is closed, or closed again."""
    if desk.get(ticket_id) is None:
        return desk.missing(ticket_id)
    changed = desk.set(ticket_id, {"status": "closed", "resolution": resolution})
    return {"status": "closed", "ticket": desk.note("closed", changed)}
