"""Audits: shipped packages pass, and each way of fooling a score is found and named."""

from dataclasses import replace

import pytest

from coworkgym.errors import GraderError, TaskError, UnknownNameError
from coworkgym.quality import Audit, Tolerance, Weakness, audit_package, audit_page, audit_path
from coworkgym.rewards import (
    KINDS,
    AnyOf,
    Gate,
    RecordCreated,
    RecordHas,
    ReplyStates,
    Statement,
    ToolCalled,
    Untouched,
    Verdict,
)
from coworkgym.tasks import get_package, packages, save_task
from coworkgym.tasks.lines import answer, check, never, says, seen
from coworkgym.transcript import ToolCall


def copy(change, name="escalation"):
    """A copy of a package whose tasks are changed."""
    package = get_package(name)
    return replace(package, write=lambda item: change(package.write(item)))


def audited(change, name="escalation", **options):
    given = {"seeds": 3, "levels": ["easy"], "languages": ["en"]} | options
    return audit_package(copy(change, name), **given)


def found(audit, rule):
    """What was found of a rule: about -> why."""
    return {w.about: w.why for w in audit.weaknesses if w.rule == rule}


def with_check(task, part, statement):
    """The task in which the first check whose name holds `part` has another statement."""
    number = next(n for n, line in enumerate(task.checks) if part in line.name)
    checks = list(task.checks)
    checks[number] = checks[number].model_copy(update={"statement": statement})
    return replace(task, checks=tuple(checks))


def without_gate(task, part):
    kept = tuple(gate for gate in task.gates if part not in gate.name)
    assert len(kept) < len(task.gates)
    if all(gate.severity < 1 for gate in kept):
        kept = (*kept, never("gmail_delete_message"))
    return replace(task, gates=kept)


def target_of(task):
    return task.checks[0].statement.groups[0].ids[0]


def manager_of(task):
    return next(line.statement.to[0] for line in task.checks if line.statement.kind == "mail_sent")


# Shipped packages -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [package.name for package in packages()])
def test_a_shipped_package_passes(name):
    audit = audit_package(get_package(name), seeds=4, levels=["easy", "medium"])
    assert audit.passed, [weakness[:5] for weakness in audit.weaknesses]
    assert audit.tasks == 8
    assert {row.policy for row in audit.earned} >= {"null", "echo", "random", "copy_record"}
    assert all(row.mutants for row in audit.mutated)


def test_auditing_twice_finds_the_same():
    package = get_package("data_request")
    first, second = (audit_package(package, seeds=2, levels=["easy"]) for _ in range(2))
    assert first == second


# Twelve planted faults --------------------------------------------------------------------------


def test_a_keyword_check_that_echoing_meets_is_found():
    def change(task):
        return with_check(task, "reply names", ReplyStates(value="enterprise", grounded=False))

    assert "'reply names *' pays 0.1" in found(audited(change), "exploit")["echo"]


def test_a_recipient_check_that_mailing_everybody_meets_is_found():
    def change(task):
        to_manager = RecordCreated(table="gmail.messages", fields={"to": [manager_of(task)]})
        task = with_check(task, "mail to", to_manager)
        return without_gate(without_gate(task, "mail only to"), "leave gmail.messages")

    assert "'mail to * about *' pays" in found(audited(change), "exploit")["mail_everybody"]


def test_a_gate_that_undoing_misses_is_found():
    def change(task):
        other = next(
            i for i, row in task.base.tables["helpdesk.tickets"].items()
            if row["status"] == "open" and i != target_of(task)
        )  # fmt: skip
        kept = RecordHas(table="helpdesk.tickets", id=other, fields={"status": "open"})
        gate = Gate(name="the other stays open", severity=1, counts="effect", statement=kept)
        task = without_gate(task, "leave other helpdesk.tickets")
        return replace(task, gates=(*task.gates, gate))

    weak = found(audited(change), "mutant")
    assert "undone: the other stays open" in weak


def test_a_reply_check_that_a_list_of_all_ids_meets_is_found():
    def change(task):
        return with_check(task, "reply names", says(target_of(task), kind="id"))

    assert "'reply names *' pays 0.1" in found(audited(change), "exploit")["keywords"]


def test_a_claim_that_is_paid_without_a_change_is_found():
    def change(task):
        claimed = AnyOf(parts=[ReplyStates(value="escalated", grounded=False)])
        return with_check(task, "escalated", claimed)

    assert "'overdue tickets escalated' pays 0.35" in found(audited(change), "exploit")["claim"]


def test_a_check_that_always_holds_is_found():
    def change(task):
        return with_check(
            task, "manager behind", Untouched(tables=["crm.reports"], may_create=None)
        )

    assert found(audited(change), "dead_check") == {
        "manager behind * looked up": "it is 1 in every episode"
    }


def test_a_gate_that_nothing_can_breach_is_found():
    def change(task):
        return replace(task, gates=(*task.gates, never("finance_pay_transaction")))

    assert list(found(audited(change), "dead_gate")) == ["never finance_pay_transaction"]


def test_weights_that_pay_for_reading_are_found():
    weights = {"escalated": 0.2, "tier behind": 0.5, "mail to": 0.2}

    def change(task):
        read = seen("helpdesk_list_tickets", "helpdesk_get_ticket", shows=[target_of(task)])
        task = with_check(task, "tier behind", read)
        checks = [
            line.model_copy(
                update={"weight": next((w for p, w in weights.items() if p in line.name), 0.05)}
            )
            for line in task.checks
        ]
        return replace(task, checks=tuple(checks))

    audit = audited(change)
    assert found(audit, "reading")
    assert audit.reading == pytest.approx(0.5)


def test_weights_that_do_not_sum_to_one_are_found():
    def change(task):
        return replace(task, checks=(*task.checks, check("more", 0.5, ToolCalled(tool="reply"))))

    audit = audited(change)
    assert "the weights of the checks must sum to 1" in next(iter(found(audit, "loads").values()))
    assert audit.tasks == 0


def test_a_check_that_accepts_a_distractor_is_found():
    def change(task):
        task = with_check(task, "escalated", ToolCalled(tool="helpdesk_escalate_ticket"))
        task = with_check(task, "tier behind", ToolCalled(tool="crm_get_customer"))
        return without_gate(task, "leave other helpdesk.tickets")

    weak = found(audited(change), "mutant")
    assert any(about.startswith("retarget") and "escalate" in about for about in weak)


def test_collateral_changes_that_nothing_looks_at_are_found():
    audit = audited(lambda task: without_gate(task, "leave other helpdesk.tickets"))
    assert list(found(audit, "unaccounted")) == ["helpdesk.tickets"]


def test_other_fields_of_the_right_record_that_nothing_looks_at_are_found():
    def change(task):
        gates = []
        for gate in task.gates:
            if "helpdesk.tickets" in gate.name:
                open_to_all = gate.statement.model_copy(update={"except_fields": None})
                gate = gate.model_copy(update={"statement": open_to_all})
            gates.append(gate)
        return replace(task, gates=tuple(gates))

    assert list(found(audited(change), "unaccounted")) == ["helpdesk.tickets"]


def test_a_second_mail_that_nothing_looks_at_is_found():
    def change(task):
        sent = ToolCalled(tool="gmail_send_message", arguments={"to": [manager_of(task)]})
        return without_gate(with_check(task, "mail to", sent), "leave gmail.messages")

    weak = found(audited(change), "mutant")
    assert any(about.startswith("duplicate") and "gmail_send" in about for about in weak)


def test_a_refusal_that_is_always_paid_is_found():
    def change(task):
        refused = ReplyStates(value="suspicious", also=["refuse", "cannot"], grounded=False)
        return with_check(task, "reply names", refused)

    assert "always_refuse" in found(audited(change, "payment_change", seeds=6), "exploit")


# What cannot be audited -------------------------------------------------------------------------


def test_a_task_that_cannot_be_built_is_reported_and_the_audit_goes_on():
    def change(task):
        assert task.item.seed != 1, "no task for this seed"
        return task

    audit = audited(change)
    assert audit.tasks == 2
    (weakness,) = audit.weaknesses
    assert weakness.rule == "loads"
    assert weakness.task.endswith("seed 1")
    assert "no task for this seed" in weakness.why


@pytest.fixture
def kind():
    """Registers a kind of statement for one test."""
    names = []

    def make(judge):
        name = f"planted_{len(names)}"
        body = {"verdict": lambda self, evidence: judge(evidence)}
        names.append(name)
        return type("Planted", (Statement,), body, kind=name)()

    yield make
    for name in names:
        KINDS.pop(name)


def test_a_check_that_raises_is_reported_with_its_error(kind):
    def broken(evidence):
        raise ZeroDivisionError("oops")

    statement = kind(broken)
    audit = audited(lambda task: with_check(task, "reply names", statement), seeds=1)
    assert found(audit, "grades")["ZeroDivisionError"] == "scoring raises ZeroDivisionError: oops"


def test_a_task_that_cannot_be_graded_is_reported(kind):
    def silent(evidence):
        raise GraderError("nobody has judged it")

    statement = kind(silent)
    audit = audited(lambda task: with_check(task, "reply names", statement), seeds=1)
    assert "it cannot be graded: nobody has judged it" in found(audit, "reference").values()


def test_a_reference_that_fails_is_reported_with_its_calls(kind):
    statement = kind(lambda evidence: Verdict(0.5, "half of it"))
    audit = audited(lambda task: with_check(task, "reply names", statement), seeds=1)
    (weakness,) = [w for w in audit.weaknesses if w.rule == "reference"]
    assert "0.5: half of it" in weakness.why
    assert [call.name for call in weakness.calls][-1] == "reply"
    assert audit.mutated == (), "mutants of a wrong reference say nothing"


def test_levels_and_tolerances_can_be_chosen():
    package = get_package("escalation")
    with pytest.raises(UnknownNameError, match="Did you mean 'hard'"):
        audit_package(package, levels=["hrd"])
    package = get_package("data_request")
    strict = audit_package(package, seeds=2, levels=["easy"], tolerance=Tolerance(reading=0.01))
    assert {weakness.rule for weakness in strict.weaknesses} == {"reading"}


def test_a_folder_is_audited_file_by_file(task, tmp_path):
    save_task(task, tmp_path / "good.json")
    (tmp_path / "torn.json").write_text("{", encoding="utf-8")
    audit = audit_path(tmp_path)
    assert audit.tasks == 1
    assert [w.task for w in audit.weaknesses if w.rule == "loads"] == ["torn.json"]
    with pytest.raises(TaskError, match="neither a task file nor a folder"):
        audit_path(tmp_path / "missing.json")


# The page ---------------------------------------------------------------------------------------


def test_the_page_shows_every_weakness_with_its_shortest_episode():
    audit = audited(lambda task: without_gate(task, "leave other helpdesk.tickets"))
    page = audit_page([audit])
    (weakness,) = [w for w in audit.weaknesses if w.rule == "unaccounted"]
    assert 0 < len(weakness.calls) < 30
    for text in ("unaccounted", "helpdesk.tickets", weakness.task, weakness.calls[-1].name):
        assert text in page
    assert page.count("<li>") >= len(weakness.calls)


def test_the_page_escapes_what_tasks_and_policies_write():
    audit = Audit("<i>", 1, (), 0.0, (), ())
    assert "None was found." in audit_page([audit])
    odd = Weakness("exploit", "<i>", "<i>", "<i>", 1, (answer("<i>"), ToolCall("<i>", None)))
    page = audit_page([audit._replace(weaknesses=(odd,))])
    assert "<i>" not in page
    assert page.count("&lt;i&gt;") == 9


def test_who_says_nothing_more_is_cut_off():
    """The first report is right by chance; without the second one it does not count."""
    package = get_package("meeting_scheduling")
    item = package.item(seed=14, level="medium", split="test")
    audit = audit_package(
        replace(package, write=lambda _: package.write(item)), seeds=1, levels=["medium"]
    )
    assert found(audit, "mutant") == {}
