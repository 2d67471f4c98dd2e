"""CRM: customers, their tier and who looks after them."""

from typing import Literal

from pydantic import Field

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import Day, Minor, Moment, Record

CRM = Service("crm")

Tier = Literal["enterprise", "business", "standard"]
CustomerStatus = Literal["active", "churned"]


class Note(Record):
    """A remark on a customer."""

    author: str
    text: str
    at: Moment


class Customer(Record):
    """A customer's account."""

    customer_id: str
    name: str
    contact_person: str
    email: str
    phone: str
    industry: str
    tier: Tier
    status: CustomerStatus = "active"
    annual_revenue: Minor
    currency: str
    account_manager: str
    customer_since: Day
    notes: list[Note] = Field(default_factory=list)


class Export(Record):
    """A report about customers."""

    report_id: str
    title: str
    customer_ids: list[str]
    summary: str
    exported_at: Moment


CUSTOMERS = CRM.table("customers", Customer, key="customer_id", prefix="CUS-")
EXPORTS = CRM.table("reports", Export, key="report_id", prefix="CR-")

_COLUMNS = ("customer_id", "name", "contact_person", "tier", "status", "industry", "currency",
            "annual_revenue")  # fmt: skip


@CRM.tool
def crm_list_customers(
    office: Office,
    status: CustomerStatus | None = None,
    tier: Tier | None = None,
    industry: str | None = None,
    name: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List customers.

    Args:
        name: Part of the name.
        cursor: next of the page before.
    """
    part = (name or "").casefold()
    rows = [
        row
        for row in office.world.rows(CUSTOMERS)
        if status in (None, row["status"])
        and tier in (None, row["tier"])
        and industry in (None, row["industry"])
        and part in row["name"].casefold()
    ]
    scope = [status, tier, industry, part]
    return office.listing(CUSTOMERS, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


@CRM.tool
def crm_get_customer(office: Office, customer_id: str) -> Json:
    """Read one customer in full."""
    return office.read(CUSTOMERS, customer_id)


@CRM.tool(writes=True)
def crm_update_customer(
    office: Office,
    customer_id: str,
    status: CustomerStatus | None = None,
    tier: Tier | None = None,
    contact_person: str | None = None,
    email: str | None = None,
    phone: str | None = None,
    account_manager: str | None = None,
) -> Json:
    """Change a customer's account.

    Args:
        account_manager: Contact id of the manager.
    """
    customer = office.edit(
        CUSTOMERS, customer_id, status=status, tier=tier, contact_person=contact_person,
        email=email, phone=phone, account_manager=account_manager,
    )  # fmt: skip
    return _changed(office, "updated", customer)


@CRM.tool(writes=True)
def crm_add_note(office: Office, customer_id: str, text: str) -> Json:
    """Add a remark to a customer."""
    notes = office.record(CUSTOMERS, customer_id)["notes"]
    remark = {"author": office.owner.email, "text": text, "at": office.world.now_text}
    customer = office.world.update(CUSTOMERS, customer_id, notes=[*notes, remark])
    return _changed(office, "noted", customer)


@CRM.tool(writes=True)
def crm_export_report(office: Office, title: str, customer_ids: list[str], summary: str) -> Json:
    """Export a report about some customers.

    Args:
        customer_ids: Ids of the customers it covers.
    """
    if not customer_ids:
        raise ToolError("invalid_argument", "'customer_ids' must name at least one customer.")
    for customer_id in customer_ids:
        office.record(CUSTOMERS, customer_id)
    report = office.world.insert(
        EXPORTS, title=title, customer_ids=customer_ids, summary=summary,
        exported_at=office.world.now_text,
    )  # fmt: skip
    return {"status": "exported", "report": office.show(EXPORTS, report)}


def _changed(office: Office, status: str, customer: FrozenDict) -> Json:
    return {"status": status, "customer": office.show(CUSTOMERS, customer)}
