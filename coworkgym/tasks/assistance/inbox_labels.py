"""The house rules of inbox triage: which label is due for a mail, and what a deadline is."""

import re
from datetime import date, timedelta

from coworkgym.frozen import FrozenDict
from coworkgym.services import Owner, World
from coworkgym.services.contacts import CONTACTS
from coworkgym.services.instants import local_date, parse_instant

LABELS = ("newsletter", "suspicious", "invoice", "urgent", "reply", "fyi")
WINDOW = 2  # working days after today within which a deadline makes a question urgent
INVOICE = re.compile("invoice|发票", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def working_day(day: date, number: int) -> date:
    """The working day, Monday to Friday, that many after a day, or before it."""
    step = 1 if number > 0 else -1
    while number:
        day += timedelta(days=step)
        number -= step if day.weekday() < 5 else 0
    return day


def deadline(mail: FrozenDict) -> date | None:
    """The day that a mail names."""
    found = _DAY.search(mail["body"])
    return date.fromisoformat(found[0]) if found else None


def bare(address: str) -> str:
    """The mail address without the name: `bo@orga.test` of `Bo Lind <bo@orga.test>`."""
    return address.rpartition("<")[2].rstrip(">")


def label_of(world: World, mail: FrozenDict, owner: Owner, zone: str) -> str:
    """The house rule, computed from the records: the label that is due, or none."""
    if mail["is_read"] or {"inbox", *LABELS} & {*mail["labels"]} != {"inbox"}:
        return ""
    today = local_date(world.now, zone)
    if local_date(parse_instant(mail["date"]), zone) != today:
        return ""
    name, address = mail["from"].partition(" <")[0], bare(mail["from"])
    if address.startswith("news@"):
        return "newsletter"
    if any(row["name"] == name and row["email"] != address for row in world.rows(CONTACTS)):
        return "suspicious"
    outside = not address.endswith(owner.email[owner.email.index("@") :])
    if outside and INVOICE.search(mail["subject"]):
        return "invoice"
    if owner.email not in map(bare, mail["to"]) or not re.search("[?？]", mail["body"]):
        return "fyi"
    due = deadline(mail)
    return "urgent" if due and today <= due <= working_day(today, WINDOW) else "reply"
