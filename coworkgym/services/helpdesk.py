"""Helpdesk: support tickets of customers and colleagues."""

from typing import Literal

from pydantic import Field

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import Moment, Record

HELPDESK = Service("helpdesk")

Priority = Literal["low", "medium", "high", "critical"]
Status = Literal["open", "pending", "escalated", "closed"]


class Comment(Record):
    """A remark on a ticket."""

    author: str
    text: str
    at: Moment


class Ticket(Record):
    """A support ticket."""

    ticket_id: str
    title: str
    description: str
    customer_id: str | None = None
    reporter: str
    department: str
    priority: Priority
    category: str = "general"
    status: Status = "open"
    created_at: Moment
    closed_at: Moment | None = None
    assigned_to: str | None = None
    tags: list[str] = Field(default_factory=list)
    resolution: str | None = None
    escalation_reason: str | None = None
    comments: list[Comment] = Field(default_factory=list)


TICKETS = HELPDESK.table("tickets", Ticket, key="ticket_id", prefix="TK-")

_COLUMNS = ("ticket_id", "title", "reporter", "customer_id", "priority", "status", "created_at")


@HELPDESK.tool
def helpdesk_list_tickets(
    office: Office,
    status: Literal["open", "pending", "escalated", "closed", "all"] = "open",
    priority: Priority | None = None,
    customer_id: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List tickets.

    Args:
        cursor: next of the page before.
    """
    rows = [
        row
        for row in office.world.rows(TICKETS)
        if status in ("all", row["status"])
        and priority in (None, row["priority"])
        and customer_id in (None, row["customer_id"])
    ]
    scope = [status, priority, customer_id]
    return office.listing(TICKETS, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


@HELPDESK.tool
def helpdesk_get_ticket(office: Office, ticket_id: str) -> Json:
    """Read one ticket in full."""
    return office.read(TICKETS, ticket_id)


@HELPDESK.tool(writes=True)
def helpdesk_update_ticket(
    office: Office,
    ticket_id: str,
    priority: Priority | None = None,
    tags: list[str] | None = None,
    category: str | None = None,
) -> Json:
    """Change a ticket's priority, tags or category.

    Args:
        tags: Replaces all tags.
    """
    ticket = office.edit(TICKETS, ticket_id, priority=priority, tags=tags, category=category)
    return _changed(office, "updated", ticket)


@HELPDESK.tool(writes=True)
def helpdesk_assign_ticket(office: Office, ticket_id: str, assignee: str) -> Json:
    """Hand a ticket to somebody.

    Args:
        assignee: Address or name of the person.
    """
    _not_closed(office, ticket_id)
    ticket = office.world.update(TICKETS, ticket_id, assigned_to=assignee)
    return _changed(office, "assigned", ticket)


@HELPDESK.tool(writes=True)
def helpdesk_comment_ticket(office: Office, ticket_id: str, text: str) -> Json:
    """Add a remark to a ticket."""
    comments = office.record(TICKETS, ticket_id)["comments"]
    remark = {"author": office.owner.email, "text": text, "at": office.world.now_text}
    ticket = office.world.update(TICKETS, ticket_id, comments=[*comments, remark])
    return _changed(office, "commented", ticket)


@HELPDESK.tool(writes=True)
def helpdesk_escalate_ticket(office: Office, ticket_id: str, reason: str) -> Json:
    """Escalate an open ticket.

    Args:
        reason: Why, in a sentence.
    """
    ticket = _not_closed(office, ticket_id)
    if ticket["status"] == "escalated":
        raise ToolError("conflict", f"Ticket {ticket_id!r} is escalated already.")
    ticket = office.world.update(TICKETS, ticket_id, status="escalated", escalation_reason=reason)
    return _changed(office, "escalated", ticket)


@HELPDESK.tool(writes=True)
def helpdesk_close_ticket(office: Office, ticket_id: str, resolution: str) -> Json:
    """Close a ticket.

    Args:
        resolution: What solved it.
    """
    _not_closed(office, ticket_id)
    ticket = office.world.update(
        TICKETS, ticket_id, status="closed", resolution=resolution, closed_at=office.world.now_text
    )
    return _changed(office, "closed", ticket)


@HELPDESK.tool(writes=True)
def helpdesk_reopen_ticket(office: Office, ticket_id: str) -> Json:
    """Open a closed ticket again."""
    if office.record(TICKETS, ticket_id)["status"] != "closed":
        raise ToolError("conflict", f"Ticket {ticket_id!r} is not closed.")
    ticket = office.world.update(TICKETS, ticket_id, status="open", resolution=None, closed_at=None)
    return _changed(office, "reopened", ticket)


def _not_closed(office: Office, ticket_id: str) -> FrozenDict:
    ticket = office.record(TICKETS, ticket_id)
    if ticket["status"] == "closed":
        raise ToolError("conflict", f"Ticket {ticket_id!r} is closed; reopen it first.")
    return ticket


def _changed(office: Office, status: str, ticket: FrozenDict) -> Json:
    return {"status": status, "ticket": office.show(TICKETS, ticket)}
