"""CRM: customers, and reports about them."""

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, chosen, columns, listed

CRM = Server(
    "crm", "Customer", "customers", "customer_id", default="T023zh_crm_data_export",
    lists=("exported_reports",),
)  # fmt: skip

_COLUMNS = ("customer_id", "name", "contact_person", "tier", "status", "industry",
            "annual_revenue")  # fmt: skip


@CRM.route("/crm/customers")
def customers(
    desk: Desk, status: str | None = None, tier: str | None = None, industry: str | None = None
) -> Json:
    """Customers of a status, tier and industry."""
    rows = chosen(desk.rows, status=status, tier=tier, industry=industry)
    return listed("customers", [columns(row, _COLUMNS) for row in rows])


@CRM.route("/crm/customers/get")
def customer(desk: Desk, customer_id: str) -> Json:
    """A customer."""
    return desk.get(customer_id) or desk.missing(customer_id)


@CRM.route("/crm/export")
def export(desk: Desk, title: str, customer_ids: list[str], summary: str) -> Json:
    """A report; ids are not looked at."""
    report = {
        "title": title, "customer_ids": customer_ids, "summary": summary, "timestamp": desk.stamp
    }  # fmt: skip
    return {"status": "exported", "report": desk.note("exported_reports", report)}
