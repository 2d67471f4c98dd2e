"""What can be seen in a task without judging an episode: each fault has its rule and its place."""

import json
from dataclasses import replace

import pytest

from coworkgym.quality import check_path, check_task
from coworkgym.rewards import (
    AllOf,
    AnyOf,
    MailSent,
    Not,
    Order,
    ReadBefore,
    ReplyStates,
    ToolCalled,
)
from coworkgym.services import BaseWorld, table
from coworkgym.tasks import Stage, save_task
from coworkgym.tasks.lines import answer, call, check, never


def found(report, rule):
    """What a report says about a rule: (place, why) of each finding."""
    assert rule in report.rules
    return [(finding.place, finding.why) for finding in report.findings if finding.rule == rule]


def broken(report):
    return {finding.rule for finding in report.findings}


@pytest.fixture
def path(task, tmp_path):
    save_task(task, tmp_path / "one.json")
    return tmp_path / "one.json"


def edit(path, change):
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def test_a_good_task_passes_as_a_file_and_as_it_is(task, path):
    for report in (check_task(task), check_path(path)):
        assert report.passed, report.findings
        assert report.tasks == 1
    assert check_path(path).subject == str(path)
    assert check_task(task).subject == "escalation, warmup en train, seed 1"


# Loading ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda c: c["checks"][0].update(weight=0.5), "must sum to 1"),
        (lambda c: c["gates"][0].update(severity=0.9), "at least one gate of severity 1"),
        (lambda c: c.update(rules=["Do as you like."]), "the digest is"),
        (lambda c: c["tools"].append("gmail_send_mesage"), "Did you mean 'gmail_send_message'?"),
        (lambda c: c["records"].update({"helpdes.tickets": []}), "Did you mean 'helpdesk'?"),
        (lambda c: c["solution"][0].update(name="crm_get_custome"), "'crm_get_customer'?"),
        (lambda c: c["checks"][0]["statement"].update(kind="read_befor"), "'read_before'?"),
        (lambda c: c.update(checks=[]), "at least one check"),
        (lambda c: c["stages"][0].update(request=" "), "each with a request"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_a_finding_with_its_message(path, change, complaint):
    edit(path, change)
    report = check_path(path)
    ((place, why),) = found(report, "loads")
    assert place == "one.json"
    assert complaint in why
    assert broken(report) == {"loads"}
    assert report.tasks == 0
    assert not report.passed


def test_a_file_that_is_no_json_is_a_finding(path):
    path.write_text("not json", encoding="utf-8")
    assert "not a task file" in found(check_path(path), "loads")[0][1]


# Records and texts ------------------------------------------------------------------------------


def test_an_office_without_records_is_a_finding(task):
    empty = BaseWorld({table(name): [] for name in task.base.schema}, task.base.start)
    ((place, why),) = found(check_task(replace(task, base=empty)), "records")
    assert place.endswith("seed 1: records")
    assert "nothing to work on" in why


@pytest.mark.parametrize(("rules", "place"), [((), "rules"), (("Be kind.", " "), "rules[1]")])
def test_missing_house_rules_are_a_finding(task, rules, place):
    report = check_task(replace(task, rules=rules))
    assert [where.split(": ")[1] for where, _ in found(report, "texts")] == [place]
    assert broken(report) == {"texts"}


# Tools ------------------------------------------------------------------------------------------


def test_a_tool_of_the_solution_must_not_be_forbidden(task):
    forbidding = replace(task, gates=(*task.gates, never("crm_get_customer", severity=0.1)))
    ((place, why),) = found(check_task(forbidding), "disjoint")
    assert place.endswith("gate 'never crm_get_customer'")
    assert "crm_get_customer" in why


def test_a_tool_that_a_check_wants_must_not_be_forbidden(task):
    forbidding = replace(task, gates=(*task.gates, never("contacts_search", severity=0.1)))
    report = check_task(forbidding)
    ((_, why),) = found(report, "disjoint")
    assert "contacts_search, which check 'manager behind" in why
    assert broken(report) == {"disjoint"}


@pytest.mark.parametrize("kind", [AllOf, AnyOf])
def test_parts_count_as_wanted_and_as_forbidden(task, kind):
    wanted = kind(parts=[task.checks[0].statement, ToolCalled(tool="helpdesk_close_ticket")])
    gate = never("helpdesk_close_ticket", severity=0.1)
    gate = gate.model_copy(update={"statement": AllOf(parts=[gate.statement])})
    changed = replace(task, checks=with_statement(task, wanted), gates=(*task.gates, gate))
    assert len(found(check_task(changed), "disjoint")) == 1


def test_forbidding_a_tool_with_some_arguments_is_fine(task):
    gate = never("crm_get_customer", severity=0.1, customer_id="CUS-0")
    assert check_task(replace(task, gates=(*task.gates, gate))).passed


def with_statement(task, statement):
    """The checks of a task, the first with another statement."""
    return (check("changed", task.checks[0].weight, statement), *task.checks[1:])


UNOFFERED = ToolCalled(tool="crm_list_customers")
OFFERED = ToolCalled(tool="crm_get_customer")


@pytest.mark.parametrize(
    "statement",
    [
        UNOFFERED,
        ReadBefore(tools=["crm_list_customers"], shows=["x"]),
        Order(calls=[OFFERED, UNOFFERED]),
        AllOf(parts=[OFFERED, UNOFFERED]),
        AnyOf(parts=[UNOFFERED, UNOFFERED]),
    ],
)
def test_a_check_must_not_want_a_tool_that_is_not_offered(task, statement):
    ((place, why),) = found(
        check_task(replace(task, checks=with_statement(task, statement))), "offered"
    )
    assert place.endswith("check 'changed'")
    assert "crm_list_customers" in why


@pytest.mark.parametrize(
    "statement",
    [
        ReadBefore(tools=["crm_list_customers", "crm_get_customer"], shows=["x"]),
        AnyOf(parts=[UNOFFERED, OFFERED]),
        Not(part=UNOFFERED),
    ],
)
def test_another_way_that_is_offered_will_do(task, statement):
    report = check_task(replace(task, checks=with_statement(task, statement)))
    assert found(report, "offered") == []


# Literals ---------------------------------------------------------------------------------------


def test_a_request_that_names_the_answer_is_a_finding(task, overdue):
    leaking = replace(task, stages=(Stage(f"Please escalate {overdue.lower()}."),))
    report = check_task(leaking)
    assert broken(report) == {"leak"}
    assert {place.split(": ")[1] for place, _ in found(report, "leak")} == {"request"}
    assert all(repr(overdue) in why for _, why in found(report, "leak"))


@pytest.mark.parametrize("longer", ["X{}", "{}7"])
def test_a_longer_word_around_the_answer_leaks_nothing(task, overdue, longer):
    harmless = replace(task, stages=(Stage(f"Please do as in {longer.format(overdue)}."),))
    assert check_task(harmless).passed


def mailing(task, address, **changes):
    """A task in which a mail must go to an address, and does."""
    return replace(
        task,
        checks=(check("mailed", 1, AllOf(parts=[MailSent(to=[address])])),),
        gates=(never("helpdesk_close_ticket"),),
        solution=(
            call("gmail_send_message", to=address, subject="Hello", body="Hello."),
            answer("I sent it."),
        ),
        **changes,
    )


def test_a_literal_that_nothing_shows_is_a_finding(task):
    report = check_task(mailing(task, "hidden@nowhere.test"))
    ((place, why),) = found(report, "reachable")
    assert place.endswith("check 'mailed'")
    assert "'hidden@nowhere.test'" in why
    assert broken(report) == {"reachable"}


def test_a_literal_may_stand_in_the_house_rules(task):
    rules = (*task.rules, "Everything goes to Known@nowhere.test.")
    assert check_task(mailing(task, "known@nowhere.test", rules=rules)).passed


def test_a_value_that_has_to_be_computed_is_shown_nowhere(task):
    counted = ReplyStates(value="7231", value_kind="number", grounded=False)
    report = check_task(
        replace(
            task,
            checks=(check("counted", 1, counted),),
            solution=(*task.solution[:-1], answer("There are 7231.")),
        )
    )
    assert report.passed, report.findings
    shown = counted.model_copy(update={"grounded": True})
    report = check_task(replace(task, checks=(check("counted", 1, shown),)))
    assert len(found(report, "reachable")) == 1


# Warmup -----------------------------------------------------------------------------------------


def test_a_warmup_task_that_is_too_large_is_a_finding(build):
    easy = build(level="easy")
    large = replace(easy, item=easy.item._replace(level="warmup"))
    report = check_task(large)
    parts = [place.split(": ")[1] for place, _ in found(report, "warmup")]
    assert parts[0] == "helpdesk.tickets"
    assert parts[-2:] == ["tools", "length"]
    assert broken(report) == {"warmup"}
    assert check_task(easy).passed


@pytest.mark.parametrize(("count", "faults"), [(5, 0), (6, 1)])
def test_five_records_a_table_are_small_enough(task, count, faults):
    rows = {table(name): list(rows.values()) for name, rows in task.base.tables.items()}
    mails = rows[table("gmail.messages")]
    rows[table("gmail.messages")] = [mails[0] | {"message_id": f"MSG-{n}"} for n in range(count)]
    report = check_task(replace(task, base=BaseWorld(rows, task.base.start)))
    assert len(found(report, "warmup")) == faults
