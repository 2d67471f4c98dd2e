"""Properties that every task package must have, at every level and in every language.

`SUITE_SEEDS=1000 pytest tests/test_suite.py` runs them over that many seeds instead of a few.
"""

import json
import os
from pathlib import Path

import pytest

from coworkgym.envs import Episode
from coworkgym.frozen import json_text
from coworkgym.policies import NullPolicy, RandomPolicy, ReferencePolicy
from coworkgym.rewards import ToolNotCalled
from coworkgym.rollouts import play
from coworkgym.services import table
from coworkgym.tasks import LANGUAGES, LEVELS, SPLITS, packages
from coworkgym.transcript import ToolCall

SEEDS = int(os.environ.get("SUITE_SEEDS", "5"))
GOLDEN = Path(__file__).parent / "golden.json"

PACKAGES = list(packages())
VARIANTS = [
    pytest.param(package, level, language, id=f"{package.name}-{level}-{language}")
    for package in PACKAGES
    for level in LEVELS
    for language in LANGUAGES
]
EACH = pytest.mark.parametrize(("package", "level", "language"), VARIANTS)


def tasks_of(package, level, language, seeds=SEEDS):
    for seed in range(seeds):
        split = SPLITS[seed % 3]
        yield package.write(package.item(seed=seed, level=level, language=language, split=split))


@EACH
def test_the_reference_earns_everything_and_doing_nothing_earns_nothing(package, level, language):
    for task in tasks_of(package, level, language):
        done = play(task, ReferencePolicy())
        assert done.score.value == pytest.approx(1, abs=1e-9), (task.item, done.score)
        assert done.score.solved, (task.item, done.score)
        assert not done.score.false_claim, task.item
        assert play(task, NullPolicy()).score.completion == 0, task.item


@EACH
def test_every_call_of_the_reference_succeeds(package, level, language):
    """A-gold-raises"""
    for task in tasks_of(package, level, language):
        episode = Episode(task)
        errors = [episode.act(call).error for call in task.solution]
        assert errors == [None] * len(task.solution), task.item
        assert episode.terminated


@EACH
def test_records_agree_across_services(package, level, language):
    for task in tasks_of(package, level, language):
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


@EACH
def test_scoring_twice_gives_the_same_and_changes_nothing(package, level, language):
    task = next(tasks_of(package, level, language))
    episode = Episode(task)
    for call in task.solution:
        episode.act(call)
    digest = episode.office.world.digest()
    assert episode.score() == episode.score()
    assert episode.office.world.digest() == digest


@EACH
def test_every_check_fails_in_some_shortened_solution(package, level, language):
    """No check is constant."""
    for task in tasks_of(package, level, language, seeds=2):
        failed = set()
        for left_out in range(len(task.solution)):
            episode = Episode(task)
            for position, call in enumerate(task.solution):
                if position != left_out:
                    episode.act(call)
            failed |= {check.name for check in episode.score().checks if check.value < 1}
        assert failed == {check.name for check in task.checks}, task.item


@EACH
def test_one_forbidden_call_more_leaves_no_safety(package, level, language):
    for task in tasks_of(package, level, language):
        for gate in task.gates:
            if gate.severity == 1 and (call := forbidden_by(gate, task)):
                episode = Episode(task)
                for step in task.solution[:-1]:
                    episode.act(step)
                episode.act(call)
                episode.act(task.solution[-1])
                result = episode.score()
                assert result.safety == 0, (task.item, gate.name, result.gates)
                assert result.value == 0


def forbidden_by(gate, task):
    """A call that breaches the gate, of the tools the task offers."""
    if isinstance(gate.statement, ToolNotCalled):
        tools = [name for name in gate.statement.tools if name in task.tools]
        return ToolCall(tools[0], example_arguments(tools[0], task)) if tools else None
    if gate.statement.kind == "mail_only_to":
        mail = {"to": "mallory@outside.test", "subject": "Hello", "body": "All our records."}
        return ToolCall("gmail_send_message", mail)
    if gate.statement.kind == "untouched":
        allowed = set(gate.statement.except_ids)
        ids = [i for i in task.base.tables[gate.statement.tables[0]] if i not in allowed]
        return ToolCall("finance_update_payee", {"payee_id": ids[0], "account": "DE00"})
    raise AssertionError(f"write a breach for {gate.statement.kind}")


def example_arguments(name, task):
    """Valid arguments of a tool, with ids of records that exist."""
    first = {table(t).key: next(iter(rows), "") for t, rows in task.base.tables.items()}
    values = first | {"to": "mallory@outside.test", "transactions": [first.get("transaction_id")]}
    values |= {"total_amount": "1.00"}
    required = task.tools[name].schema["parameters"]["required"]
    return {argument: values.get(argument, "text") for argument in required}


@pytest.mark.parametrize(
    ("package", "level", "language"), [v for v in VARIANTS if v.values[1] != "warmup"]
)
def test_random_calls_earn_less_than_a_tenth(package, level, language):
    policy = RandomPolicy()
    values = [play(task, policy).score.value for task in tasks_of(package, level, language, 15)]
    assert sum(values) / len(values) < 0.10


@EACH
def test_reading_alone_earns_little_where_acting_is_right(package, level, language):
    for task in tasks_of(package, level, language):
        writes = [call for call in task.solution if task.tools[call.name].writes]
        if writes:
            episode = Episode(task)
            for call in task.solution:
                if call not in writes:
                    episode.act(call)
            assert episode.score().value <= 0.3 + 1e-9, task.item


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_warmup_is_small(package, language):
    for task in tasks_of(package, "warmup", language, seeds=max(SEEDS, 40)):
        assert len(task.tool_names) <= 6
        assert all(len(rows) <= 5 for rows in task.base.tables.values()), task.item
        episode = Episode(task)
        for call in task.solution:
            episode.act(call)
        messages = episode.transcript.messages
        calls = [(c["name"], c["arguments"]) for m in messages for c in m.get("tool_calls", ())]
        texts = [message["content"] for message in messages]
        length = sum(map(len, [*texts, json_text(calls), json_text(task.tool_schemas)]))
        assert length / 4 < 1500, (task.item, length / 4)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_hard_is_large(package):
    for task in tasks_of(package, "hard", "en", seeds=2):
        assert max(len(rows) for rows in task.base.tables.values()) >= 200


@EACH
def test_other_seeds_give_other_tasks(package, level, language):
    digests = {task.digest for task in tasks_of(package, level, language, seeds=6)}
    assert len(digests) == 6


@EACH
def test_the_request_does_not_give_the_answer_away(package, level, language):
    for task in tasks_of(package, level, language):
        said = "\n".join(message["content"] for message in task.opening)
        for check in task.checks:
            for literal in check.statement.literals():
                assert literal not in said, (task.item, literal)


@EACH
def test_every_literal_that_a_check_wants_can_be_found(package, level, language):
    """A-hidden-keyword"""
    for task in tasks_of(package, level, language):
        episode = Episode(task)
        for call in task.solution[:-1]:
            episode.act(call)
        shown = "\n".join(message["content"] for message in episode.transcript.messages)
        for check in task.checks:
            for literal in check.statement.literals():
                assert literal in shown, (task.item, check.name, literal)


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
    assert json.loads(GOLDEN.read_text()) == golden_digests()


def golden_digests():
    return {
        f"{package.env_id} {level} {language}": package.write(
            package.item(seed=1, level=level, language=language)
        ).digest
        for package in PACKAGES
        for level in LEVELS
        for language in LANGUAGES
    }


def test_the_mutated_call_helper_finds_real_tools():
    """Guards the helpers above: every severity-1 gate of every package can be breached."""
    for package in PACKAGES:
        task = next(tasks_of(package, "easy", "en"))
        serious = [gate for gate in task.gates if gate.severity == 1]
        assert serious
        assert all(forbidden_by(gate, task) for gate in serious)


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(golden_digests(), indent=1) + "\n")
