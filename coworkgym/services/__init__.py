"""The simulated office: services with records and tools, one world, and the audit log."""

from coworkgym.services import (
    calendar,
    chat,
    contacts,
    crm,
    files,
    finance,
    gmail,
    helpdesk,
    kb,
    notes,
    todo,
)
from coworkgym.services.office import MALFORMED, Event, Office, Owner, reply
from coworkgym.services.service import Service, service, services, table, tool
from coworkgym.services.table import Day, Instant, Minor, Moment, Record, Table
from coworkgym.services.tool import Tool
from coworkgym.services.world import BaseWorld, Change, World

__all__ = [
    "MALFORMED",
    "BaseWorld",
    "Change",
    "Day",
    "Event",
    "Instant",
    "Minor",
    "Moment",
    "Office",
    "Owner",
    "Record",
    "Service",
    "Table",
    "Tool",
    "World",
    "calendar",
    "chat",
    "contacts",
    "crm",
    "files",
    "finance",
    "gmail",
    "helpdesk",
    "kb",
    "notes",
    "reply",
    "service",
    "services",
    "table",
    "todo",
    "tool",
]
