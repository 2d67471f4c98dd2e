"""Properties that every task package must have, at every level and in every language.

`SUITE_SEEDS=1000 pytest tests/test_suite.py` runs them over that many seeds instead of a few;
`-k escalation` runs one package, `-k gates_trip` one property of `coworkgym.testing`.
"""

import json
import os
from pathlib import Path

import pytest

from coworkgym.quality import forbidden_call
from coworkgym.services import table
from coworkgym.tasks import packages
from coworkgym.testing import golden_digests, package_test, tasks_of, variants

SEEDS = int(os.environ.get("SUITE_SEEDS", "5"))
GOLDEN = Path(__file__).parent / "golden.json"

PACKAGES = list(packages())
VARIANTS = [pytest.param(*variant, id=str(variant)) for variant in variants(*PACKAGES)]
EACH = pytest.mark.parametrize(("package", "level", "language"), VARIANTS)

test_every_package = package_test(*PACKAGES, seeds=SEEDS)


@EACH
def test_records_agree_across_services(package, level, language):
    for task in tasks_of(package, level, language, SEEDS):
        disagreements(task)


def disagreements(task):
    """Fails where one fact reads differently in two services."""
    rows = {
        name: {r[table(name).key]: r for r in t.values()} for name, t in task.base.tables.items()
    }
    contacts, customers = rows.get("contacts.contacts", {}), rows.get("crm.customers", {})
    payees = rows.get("finance.payees", {})
    for ticket in rows.get("helpdesk.tickets", {}).values():
        assert ticket["reporter"] == customers[ticket["customer_id"]]["contact_person"]
        assert customers[ticket["customer_id"]]["name"] in ticket["description"]
    for customer in customers.values():
        assert customer["account_manager"] in contacts
    for contact in contacts.values():
        assert (contact["successor_id"] in contacts) == (contact["status"] == "left")
    for transaction in rows.get("finance.transactions", {}).values():
        payee = payees[transaction["payee_id"]]
        assert payee["name"] in transaction["description"]
        assert payee["currency"] == transaction["currency"]
    people = {p["email"] for p in (*contacts.values(), *customers.values(), *payees.values())}
    names = {p["email"]: p["name"] for p in contacts.values()}
    assert len(names) == len(contacts), "two colleagues share an address"
    assert task.owner.email not in people


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_hard_is_large(package):
    for task in tasks_of(package, "hard", "en", seeds=2):
        assert max(len(rows) for rows in task.base.tables.values()) >= 200


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_the_description_has_its_headings_in_order(package):
    headings = ("Situation", "Tools", "Request", "Records", "Checks", "Gates", "Episode end",
                "Levels", "Version history")  # fmt: skip
    places = [package.doc.find(f"\n{heading}:\n") for heading in headings]
    assert -1 not in places, dict(zip(headings, places, strict=True))
    assert places == sorted(places)
    assert f"v{package.version}:" in package.doc
    assert package.summary


def test_tasks_are_what_they_were_released_as():
    """A change here is a change of reward or records: raise the package's version.

    `python tests/test_suite.py` writes the file anew.
    """
    assert json.loads(GOLDEN.read_text()) == golden_digests(*PACKAGES)


def test_every_serious_gate_can_be_breached():
    """Guards `gates_trip`: there is a forbidden call for every severity-1 gate."""
    for package in PACKAGES:
        task = next(tasks_of(package, "easy", "en", 1))
        serious = [gate for gate in task.gates if gate.severity == 1]
        assert serious
        assert all(forbidden_call(gate, task) for gate in serious)


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(golden_digests(*PACKAGES), indent=1) + "\n")
