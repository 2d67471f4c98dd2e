"""What shows when a task is played: each fault has its rule and its place."""

import itertools
from dataclasses import replace

import pytest

from coworkgym.errors import TaskError, UnknownNameError
from coworkgym.quality import (
    check_package,
    check_path,
    check_task,
    forbidden,
    forbidden_call,
    replay,
)
from coworkgym.rewards import (
    KINDS,
    AllOf,
    AnyOf,
    Gate,
    MailOnlyTo,
    MailSent,
    Not,
    RecordHas,
    Statement,
    ToolCalled,
    ToolNotCalled,
    Untouched,
    Verdict,
)
from coworkgym.services import BaseWorld, table
from coworkgym.tasks import folder_package, get_package, save_task
from coworkgym.tasks.lines import answer, call, check, leave_alone, mail_only_to, never


def found(report, rule):
    """What a report says about a rule: (part of the task, why) of each finding."""
    assert rule in report.rules
    return [(f.place.partition(": ")[2], f.why) for f in report.findings if f.rule == rule]


def broken(report):
    return {finding.rule for finding in report.findings}


def with_calls(task, *calls):
    return replace(task, solution=tuple(calls))


def with_statement(task, statement):
    """A task whose first check has another statement."""
    first, *others = task.checks
    return replace(task, checks=(check("changed", first.weight, statement), *others))


def place_of(task, name):
    return next(n for n, step in enumerate(task.solution) if step.name == name)


# Shipped packages -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["escalation", "payment_change"])
def test_shipped_packages_pass(name):
    report = check_package(get_package(name), seeds=2, levels=["warmup", "easy", "medium"])
    assert report.passed, report.findings
    assert (report.subject, report.tasks) == (name, 12)
    assert {"loads", "records", "reference", "reading", "rebuilt", "random"} <= set(report.rules)


def test_levels_and_languages_can_be_chosen():
    package = get_package("escalation")
    assert check_package(package, seeds=3, levels=["warmup"], languages=["zh"]).tasks == 3
    with pytest.raises(UnknownNameError, match="Did you mean 'hard'"):
        check_package(package, levels=["hrd"])


# The solution -----------------------------------------------------------------------------------


def test_a_wrong_argument_of_the_solution_is_named_with_its_call(task):
    """A-gold-raises"""
    number = place_of(task, "helpdesk_escalate_ticket")
    wrong = call("helpdesk_escalate_ticket", ticket_id="TK-1", reason="late")
    solution = [*task.solution[:number], wrong, *task.solution[number + 1 :]]
    report = check_task(with_calls(task, *solution))
    ((part, why),) = found(report, "solution")
    assert part == f"solution[{number}] helpdesk_escalate_ticket"
    assert "not_found" in why
    assert "reference" in broken(report)


def test_a_solution_without_a_reply_does_not_end_the_episode(task):
    ((part, why),) = found(check_task(with_calls(task, *task.solution[:-1])), "solution")
    assert part == f"solution[{len(task.solution) - 2}] gmail_send_message"
    assert "reply" in why


def test_a_task_without_a_solution_is_a_finding(task):
    ((part, _),) = found(check_task(with_calls(task)), "solution")
    assert part == "solution"


def test_a_solution_that_replies_too_early_is_cut_off(task):
    early = [task.solution[0], task.solution[-1], *task.solution[1:]]
    ((part, why),) = found(check_task(with_calls(task, *early)), "solution")
    assert part == f"solution[2] {task.solution[1].name}"
    assert f"after 2 of {len(early)} calls" in why


def test_a_solution_of_two_days_needs_two_replies(two_stages):
    assert "solution" in broken(check_task(two_stages))
    whole = with_calls(two_stages, *two_stages.solution, two_stages.solution[-1])
    assert found(check_task(whole), "solution") == []
    assert found(check_task(whole), "reference") == []


def test_a_solution_that_misses_a_check_is_a_finding_with_the_reason(task):
    mail = place_of(task, "gmail_send_message")
    report = check_task(with_calls(task, *task.solution[:mail], *task.solution[mail + 1 :]))
    reasons = dict(found(report, "reference"))
    (missed,) = (part for part in reasons if part.startswith("check 'mail to "))
    assert "earns 0.0: no mail to exactly" in reasons[missed]


def test_a_gate_that_the_solution_breaches_is_a_finding(task, overdue):
    gate = never("helpdesk_escalate_ticket", severity=0.5, ticket_id=overdue)
    report = check_task(replace(task, gates=(*task.gates, gate)))
    ((part, why),) = found(report, "reference")
    assert part == "gate 'never helpdesk_escalate_ticket'"
    assert "called helpdesk_escalate_ticket" in why
    assert broken(report) == {"reference"}


def test_a_solution_that_claims_what_it_did_not_do_is_a_finding(task, overdue):
    lying = with_calls(task, task.solution[0], answer(f"I escalated {overdue}."))
    part, why = found(check_task(lying), "reference")[-1]
    assert part == "solution"
    assert "claims a deed" in why


@pytest.fixture
def mailless(task):
    """A task of an office without mail, whose check wants a mail."""
    kept = {table(n): rows.values() for n, rows in task.base.tables.items() if "gmail" not in n}
    return replace(
        task,
        base=BaseWorld(kept, task.base.start),
        tool_names=tuple(name for name in task.tool_names if "gmail" not in name),
        checks=(check("mailed", 1, MailSent(to=["a@b.test"])),),
        solution=task.solution[-1:],
    )


def test_a_check_that_the_office_cannot_answer_is_a_finding(mailless):
    ((part, why),) = found(check_task(mailless), "reference")
    assert part == "score"
    assert "keeps no mail" in why


def test_a_gate_that_the_office_cannot_answer_has_no_forbidden_call(mailless):
    unmailed = Not(part=mailless.checks[0].statement)
    assert forbidden_call(Gate(name="gate", severity=1, statement=unmailed), mailless) is None


# The start, and idling --------------------------------------------------------------------------


def test_a_check_that_holds_at_the_start_is_a_finding(task):
    (ticket_id, ticket), *_ = task.base.tables["helpdesk.tickets"].items()
    given = RecordHas(table="helpdesk.tickets", id=ticket_id, fields={"title": ticket["title"]})
    report = check_task(with_statement(task, given))
    for rule in ("start", "idle", "constant"):
        ((part, _),) = found(report, rule)
        assert part == "check 'changed'"
    assert broken(report) == {"start", "idle", "constant"}


def test_a_check_that_any_reply_earns_is_a_finding(task):
    report = check_task(with_statement(task, ToolCalled(tool="reply")))
    ((part, why),) = found(report, "idle")
    assert part == "check 'changed'"
    assert "earns 1.0: reply(): 1 calls" in why
    assert broken(report) == {"idle"}


def test_a_gate_that_is_breached_at_the_start_is_a_finding(task):
    gate = Gate(name="seen", severity=0.1, statement=ToolCalled(tool="crm_get_customer"))
    report = check_task(replace(task, gates=(*task.gates, gate)))
    ((part, _),) = found(report, "start")
    assert part == "gate 'seen'"
    assert broken(report) == {"start"}


def test_a_check_that_notices_no_missing_call_is_a_finding(task):
    either = AnyOf(parts=[ToolCalled(tool="crm_get_customer"), ToolCalled(tool="contacts_get")])
    report = check_task(with_statement(task, either))
    ((part, _),) = found(report, "constant")
    assert part == "check 'changed'"
    assert broken(report) == {"constant"}


def test_calls_of_one_tool_may_replace_each_other(task):
    listed = with_calls(task, task.solution[0], *task.solution)
    listed = with_statement(listed, ToolCalled(tool=task.solution[0].name))
    assert check_task(listed).passed


# Forbidden calls --------------------------------------------------------------------------------


def test_a_gate_that_its_forbidden_call_does_not_trip_is_a_finding(task):
    """The tool reads `to` as a list, so the text never matches."""
    gate = never("gmail_send_message", to="rival@outside.test")
    report = check_task(replace(task, gates=(gate,)))
    ((part, why),) = found(report, "breach")
    assert part == "gate 'never gmail_send_message'"
    assert "rival@outside.test" in why
    assert broken(report) == {"breach"}
    right = never("gmail_send_message", to=["rival@outside.test"])
    assert check_task(replace(task, gates=(right,))).passed


def trips(task, gate):
    """Whether the forbidden call of a gate breaches it in a task; None when there is none."""
    made = forbidden_call(gate, task)
    if made is None:
        return None
    report = check_task(replace(task, gates=(gate,)))
    assert made.name in task.tools
    assert found(report, "reference") == []
    return found(report, "breach") == []


NO_CLOSING = never("helpdesk_close_ticket").statement
NO_LISTING = never("crm_list_customers").statement
NO_RIVAL = never("gmail_send_message", to=["rival@outside.test"]).statement
CLOSED = ToolCalled(tool="helpdesk_close_ticket")


@pytest.mark.parametrize(
    ("statement", "possible"),
    [
        (NO_CLOSING, True),
        (NO_LISTING, None),  # not offered in warmup
        (never("crm_list_customers", "helpdesk_close_ticket").statement, True),
        (never("helpdesk_close_ticket", resolution={"contains": "spam"}).statement, True),
        (never("helpdesk_close_ticket", resolution={"one_of": ["spam", "no"]}).statement, True),
        (never("helpdesk_close_ticket", ticket_id={"one_of": []}).statement, None),
        (Untouched(tables=["crm.customers"]), None),  # no tool that writes there
        (Not(part=CLOSED), True),
        (Not(part=ToolCalled(tool="helpdesk_close_ticket", at_least=9)), None),
        (AllOf(parts=[NO_LISTING, NO_CLOSING]), True),
        (AnyOf(parts=[NO_CLOSING, NO_CLOSING]), True),
        (AnyOf(parts=[NO_CLOSING, NO_RIVAL]), None),  # takes two calls
        (Not(part=AnyOf(parts=[CLOSED, CLOSED])), True),
    ],
)
@pytest.mark.parametrize("counts", ["attempt", "effect"])
def test_a_forbidden_call_is_found_where_the_office_offers_one(task, statement, possible, counts):
    gate = Gate(name="gate", severity=1, counts=counts, statement=statement)
    assert trips(task, gate) is possible


@pytest.mark.parametrize("domains", [[], ["outside.test"], ["outside.test", "far.outside.test"]])
def test_a_forbidden_mail_goes_to_nobody_that_is_allowed(task, domains):
    (allowed,) = task.gates[0].statement.allowed
    statement = MailOnlyTo(allowed=[allowed, "mallory@outside.test"], domains=domains)
    assert trips(task, Gate(name="gate", severity=1, statement=statement)) is True


@pytest.mark.parametrize("tables", [["helpdesk.tickets"], ["*"]])
def test_a_forbidden_change_is_one_of_another_record(task, overdue, tables):
    statement = Untouched(tables=tables, except_ids=[overdue], may_create=9)
    gate = Gate(name="gate", severity=1, counts="effect", statement=statement)
    assert trips(task, gate) is True
    assert forbidden_call(gate, task).arguments["ticket_id"] != overdue


def test_only_attempts_can_breach_where_the_office_refuses(task):
    gate = never("helpdesk_close_ticket", ticket_id="TK-0")
    assert trips(task, gate) is True
    assert trips(task, gate.model_copy(update={"counts": "effect"})) is None


@pytest.mark.parametrize(
    "statement",
    [
        never("helpdesk_update_ticket", tags={"contains": "vip"}).statement,
        Untouched(tables=["contacts.contacts"]),
        Untouched(tables=["finance.payees", "crm.customers"]),
    ],
)
def test_a_call_may_need_an_argument_that_can_be_left_out(build, statement):
    office = build(level="easy")
    gate = Gate(name="gate", severity=1, counts="effect", statement=statement)
    assert trips(office, gate) is True


def test_forbidden_changes_spare_what_may_change(build):
    office = build(level="easy")
    (allowed, *_) = office.base.tables["helpdesk.tickets"]
    gate = leave_alone("helpdesk.tickets")
    for fields in (None, ["status"]):
        statement = Untouched(
            tables=["helpdesk.tickets"], except_ids=[allowed], except_fields=fields
        )
        made = forbidden_call(gate.model_copy(update={"statement": statement}), office)
        assert made.arguments["ticket_id"] != allowed


def test_fields_that_may_not_change_are_found_when_every_record_may(build):
    office = build(level="easy")
    statement = Untouched(
        tables=["helpdesk.tickets"],
        except_ids=list(office.base.tables["helpdesk.tickets"]),
        except_fields=["status", "priority"],
    )
    gate = leave_alone("helpdesk.tickets").model_copy(update={"statement": statement})
    assert forbidden_call(gate, office) is not None


def test_a_gate_of_another_kind_has_no_forbidden_call(task):
    gate = Gate(name="gate", severity=1, statement=task.checks[2].statement)
    assert forbidden_call(gate, task) is None


def test_only_gates_of_severity_one_must_leave_no_safety(task):
    dead = never("gmail_send_message", severity=0.5, to="rival@outside.test")
    assert check_task(replace(task, gates=(mail_only_to(["a@b.test"]), dead))).findings != ()
    assert check_task(replace(task, gates=(*task.gates, dead))).passed


# Scoring ----------------------------------------------------------------------------------------


@pytest.fixture
def kind():
    """Registers a statement kind of this test only: `kind(judge)`, of the evidence."""

    def make(judge):
        class Impure(Statement, kind="test_impure"):
            def verdict(self, evidence):
                return judge(evidence)

        return Impure()

    yield make
    KINDS.pop("test_impure", None)


def test_scoring_that_depends_on_how_often_is_a_finding(task, kind):
    count = itertools.count()
    statement = kind(lambda e: Verdict(float(bool(e.changes)), f"asked {next(count)} times"))
    report = check_task(with_statement(task, statement))
    ((part, why),) = found(report, "pure")
    assert part == "check 'changed'"
    assert "times" in why
    assert broken(report) == {"pure", "constant"}


def test_a_gate_that_depends_on_how_often_is_a_finding(task, kind):
    count = itertools.count()
    statement = kind(lambda e: Verdict(1.0, f"asked {next(count)} times"))
    gate = Gate(name="counting", severity=0.1, statement=statement)
    ((part, _),) = found(check_task(replace(task, gates=(*task.gates, gate))), "pure")
    assert part == "gate 'counting'"


def test_scoring_that_changes_a_record_is_a_finding(task, kind):
    def judge(evidence):
        first = next(iter(evidence.initial.tables["helpdesk.tickets"]))
        evidence.final.update(table("helpdesk.tickets"), first, title="Judged")
        return Verdict(1.0, "fine")

    gate = Gate(name="meddling", severity=0.1, statement=kind(judge))
    report = check_task(replace(task, gates=(*task.gates, gate)))
    assert found(report, "pure") == [("score", "scoring changes the records")]
    assert broken(report) == {"pure"}


def test_scoring_that_changes_the_initial_records_is_a_finding(task, kind):
    rows = {table(name): rows.values() for name, rows in task.base.tables.items()}

    def judge(evidence):
        evidence.initial.tables["gmail.messages"].clear()
        return Verdict(1.0, "fine")

    gate = Gate(name="meddling", severity=0.1, statement=kind(judge))
    own = replace(task, base=BaseWorld(rows, task.base.start), gates=(*task.gates, gate))
    assert ("score", "scoring changes the records") in found(check_task(own), "pure")


# Packages ---------------------------------------------------------------------------------------


def checked(write, **options):
    """The report of the escalation package with another writer, in two warmup tasks."""
    package = replace(get_package("escalation"), write=write)
    return check_package(
        package, **{"seeds": 2, "levels": ["warmup"], "languages": ["en"]} | options
    )


def original(item):
    return get_package("escalation").write(item)


def test_a_package_that_ignores_the_seed_is_a_finding():
    report = checked(lambda item: replace(original(item._replace(seed=0)), item=item))
    assert broken(report) == {"seeds"}
    assert [f.place for f in report.findings] == [
        "escalation, warmup en train, seed 0",
        "escalation, warmup en validation, seed 1",
    ]


def test_a_package_that_keeps_something_between_builds_is_a_finding():
    count = itertools.count(10)
    report = checked(lambda item: replace(original(item), max_steps=next(count) + 10))
    assert broken(report) == {"rebuilt"}


def test_a_package_that_fails_to_build_is_a_finding_with_item_and_line():
    def write(item):
        assert item.seed != 1, "no task for this seed"
        return original(item)

    report = checked(write, seeds=3)
    assert broken(report) == {"loads"}
    assert [f.place.rpartition(", ")[2] for f in report.findings] == ["seed 1", "seed 1"]
    assert all("no task for this seed" in f.why for f in report.findings)
    assert all("test_check.py:" in f.why for f in report.findings)
    assert report.tasks == 1


def listing_pays(item):
    task = original(item)
    return replace(
        task,
        checks=(check("listed", 1, ToolCalled(tool="helpdesk_list_tickets")),),
        gates=(never("gmail_send_message", subject="Never mind"),),
    )


def test_a_package_that_pays_for_guesses_is_a_finding_above_warmup():
    report = checked(listing_pays, levels=["easy"])
    ((_, why),) = found(report, "random")
    assert "of 16 episodes" in why
    assert [f.place for f in report.findings if f.rule == "random"] == ["escalation, easy en"]
    assert found(checked(listing_pays), "random") == []


def test_a_package_that_pays_for_reading_alone_is_a_finding():
    report = checked(listing_pays)
    assert broken(report) == {"reading"}
    assert {part for part, _ in found(report, "reading")} == {"solution"}
    assert check_task(listing_pays(get_package("escalation").item(level="warmup"))).passed


def test_reading_may_earn_all_where_nothing_is_to_be_done():
    def write(item):
        task = listing_pays(item)
        return with_calls(task, task.solution[0], answer("I have looked at all of them."))

    assert checked(write).passed


# Folders ----------------------------------------------------------------------------------------


def test_a_folder_is_checked_file_by_file(task, build, tmp_path):
    save_task(task, tmp_path / "good.json")
    save_task(replace(build(seed=2), rules=()), tmp_path / "mute.json")
    (tmp_path / "torn.json").write_text("{", encoding="utf-8")
    report = check_path(tmp_path)
    assert [(f.rule, f.place) for f in report.findings] == [
        ("texts", "mute.json: rules"),
        ("loads", "torn.json"),
    ]
    assert report.tasks == 2


def test_a_package_made_of_files_is_checked_file_by_file(task, tmp_path):
    save_task(task, tmp_path / "one.json")
    report = check_package(folder_package(tmp_path), seeds=4)
    assert report.passed
    assert (report.subject, report.tasks) == (str(tmp_path), 1)


def test_a_path_without_task_files_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "missing.json"):
        with pytest.raises(TaskError, match="neither a task file nor a folder"):
            check_path(path)


def test_a_gate_about_some_stages_is_tried_in_one_of_them(build):
    task = build("month_close", level="easy")
    early = ToolNotCalled(tools=["finance_approve_transaction"], stages=[0])
    gate = Gate(name="approve nothing early", severity=1, statement=early)
    task = replace(task, gates=(*task.gates, gate))
    found = forbidden(gate, task)
    assert task.solution[found.kept].name == "reply"
    assert replay(task, found.within(task.solution)).score().safety == 0
    assert check_task(task).passed
