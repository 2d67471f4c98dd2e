"""CRM: customers are found by what they are, and changed one field at a time."""

import pytest


@pytest.fixture
def customers(make_desk):
    """Four customers that differ in tier, status and industry."""
    rows = [
        {"name": "Norte Foods", "tier": "enterprise", "annual_revenue": 125_000},
        {"name": "Sur", "status": "churned", "annual_revenue": 1001, "currency": "JPY"},
        {"name": "Norte Bank", "tier": "enterprise", "industry": "Banking"},
        {"name": "北方", "tier": "business"},
    ]
    return make_desk({"crm.customers": rows})


def listed(desk, **arguments: object) -> list[str]:
    return [row["customer_id"] for row in desk.ok("crm_list_customers", **arguments)["customers"]]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["CUS-1", "CUS-2", "CUS-3", "CUS-4"]),
        ({"tier": "enterprise"}, ["CUS-1", "CUS-3"]),
        ({"status": "churned"}, ["CUS-2"]),
        ({"industry": "Banking"}, ["CUS-3"]),
        ({"name": "NORTE"}, ["CUS-1", "CUS-3"]),
        ({"name": "北"}, ["CUS-4"]),
        ({"name": "norte", "industry": "Retail"}, ["CUS-1"]),
        ({"tier": "business", "status": "churned"}, []),
    ],
)
def test_a_list_holds_what_the_filters_ask_for(customers, filters: dict, expected: list) -> None:
    assert listed(customers, **filters) == expected


def test_revenue_is_shown_in_the_customers_currency(customers) -> None:
    rows = customers.ok("crm_list_customers")["customers"][:2]
    assert [(r["annual_revenue"], r["currency"]) for r in rows] == [
        ("1250.00", "EUR"),
        ("1001", "JPY"),
    ]
    assert customers.ok("crm_get_customer", customer_id="CUS-2")["annual_revenue"] == "1001"


def test_a_customer_is_read_in_full(customers) -> None:
    read = customers.ok("crm_get_customer", customer_id="CUS-1")
    assert (read["email"], read["account_manager"], read["customer_since"]) == (
        "ida@norte.test",
        "CT-1",
        "2020-01-31",
    )
    code, message = customers.refused("crm_get_customer", customer_id="CUS-9")
    assert (code, message) == ("not_found", "There is no customer 'CUS-9'.")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "churned"),
        ("tier", "standard"),
        ("contact_person", "Lea Poe"),
        ("email", "lea@norte.test"),
        ("phone", "7"),
        ("account_manager", "CT-2"),
    ],
)
def test_only_what_is_given_is_changed(customers, field: str, value: str) -> None:
    before = customers.record("crm.customers", "CUS-1")
    answer = customers.ok("crm_update_customer", customer_id="CUS-1", **{field: value})
    assert (answer["status"], answer["customer"][field]) == ("updated", value)
    assert customers.record("crm.customers", "CUS-1") == before | {field: value}
    assert customers.refused("crm_update_customer", customer_id="CUS-9")[0] == "not_found"


def test_a_tier_that_does_not_exist_is_refused(customers) -> None:
    code, message = customers.refused("crm_update_customer", customer_id="CUS-1", tier="Enterprise")
    assert code == "invalid_argument"
    assert "Did you mean 'enterprise'?" in message


def test_a_remark_is_added_at_the_end_and_signed(customers) -> None:
    for text in ("One.", "Two."):
        assert customers.ok("crm_add_note", customer_id="CUS-1", text=text)["status"] == "noted"
    assert customers.record("crm.customers", "CUS-1")["notes"] == [
        {"author": "kim@orga.test", "text": "One.", "at": "2026-03-25T09:00:00Z"},
        {"author": "kim@orga.test", "text": "Two.", "at": "2026-03-25T09:00:30Z"},
    ]
    assert customers.refused("crm_add_note", customer_id="CUS-9", text="x")[0] == "not_found"


def test_a_report_is_kept_and_every_customer_in_it_exists(customers) -> None:
    ids = ["CUS-3", "CUS-1"]
    answer = customers.ok("crm_export_report", title="Top", customer_ids=ids, summary="Two.")
    assert answer["status"] == "exported"
    (kept,) = customers.rows("crm.reports")
    assert (kept["title"], kept["customer_ids"], kept["summary"]) == ("Top", ids, "Two.")
    assert answer["report"]["report_id"] == kept["report_id"] == "CR-1"
    for wrong, code in (([], "invalid_argument"), (["CUS-1", "CUS-9"], "not_found")):
        refusal = customers.refused(
            "crm_export_report", title="Top", customer_ids=wrong, summary=""
        )
        assert refusal[0] == code
    assert len(customers.rows("crm.reports")) == 1
