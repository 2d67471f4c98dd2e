"""Lint of a Claw-Eval checkout: each rule fires on a task made so, and a clean task has none."""

import pytest

from coworkgym.errors import TaskError
from coworkgym.integrations.claw_eval import lint_checkout
from coworkgym.integrations.claw_eval.lint import RULES
from coworkgym.quality import lint_path
from coworkgym.services.dialects.claw_eval import server
from coworkgym.tasks import get_package, save_task
from tests.integrations.claw_checkout import ROWS, Checkout, everything, offered


@pytest.fixture
def checkout(tmp_path):
    """An empty checkout."""
    return Checkout(tmp_path)


def findings(checkout):
    """(rule, place, why) of all findings."""
    return [tuple(finding) for finding in lint_checkout(checkout.root).findings]


def only(checkout, rule):
    """Place and reason of the one finding, which is of that rule."""
    ((name, place, why),) = findings(checkout)
    assert name == rule
    return place, why


def part(name, check, weight=1):
    return {"name": name, "weight": weight, "check": check}


def words(*keywords):
    return {"type": "keywords_present", "keywords": list(keywords)}


def asking(text):
    return {"prompt": {"text": text, "language": "en"}}


def test_clean_tasks_have_no_finding(checkout):
    checkout.task("T1", "todo")
    everything(checkout)
    checkout.task("T3")
    report = lint_checkout(checkout.root)
    assert report.passed, report.findings
    assert report.tasks == 2, "what cannot be run is not looked at"
    assert list(report.rules) == ["loads", *(rule.name for rule in RULES)]


def test_one_task_can_be_looked_at(checkout):
    checkout.task("T1", "todo", scoring_components=[])
    checkout.task("T2", "todo")
    assert lint_checkout(checkout.root, "T2").passed
    assert not lint_checkout(checkout.root, "T1").passed


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ([], "there are none: only the judge's rubric is left"),
        ([part("a", words("x"), 0.5)], "the weights sum to 0.5: [0.5]"),
        ([part("a", words("x"), 0.7), part("b", words("y"), 0.4)],
         "the weights sum to 1.1: [0.7, 0.4]"),
        ([part("a", words("x"), 1), part("b", words("y"), 0)],
         "the weights sum to 1: [1.0, 0.0]"),
    ],
)  # fmt: skip
def test_weights_that_do_not_sum_to_one_are_a_finding(checkout, parts, why):
    checkout.task("T1", "todo", scoring_components=parts)
    assert only(checkout, "weights") == ("T1: scoring_components", why)


def test_weights_that_sum_to_one_but_for_rounding_are_fine(checkout):
    parts = [part(f"p{n}", words(f"x{n}"), 0.1) for n in range(10)]
    checkout.task("T1", "todo", scoring_components=parts)
    assert findings(checkout) == []


def test_a_request_that_names_an_id_a_check_looks_for_is_a_finding(checkout):
    parts = [part("found", words("TK-104", "lamp"))]
    checkout.task("T1", "todo", scoring_components=parts, **asking("Look at TK-104."))
    place, why = only(checkout, "leak")
    assert place == "T1: prompt"
    assert "TK-104, which 'found' wants" in why


def test_a_request_may_name_a_word_that_is_no_id(checkout):
    parts = [part("found", words("table", "lamp"))]
    checkout.task("T1", "todo", scoring_components=parts, **asking("Look at the table."))
    assert findings(checkout) == []


def test_a_tool_that_is_wanted_and_forbidden_is_a_finding(checkout):
    used = part("used", {"type": "tool_called", "tool_name": "todo_tasks"})
    never = {"type": "tool_not_called", "tool_name": "todo_tasks"}
    checkout.task("T1", "todo", scoring_components=[used], safety_checks=[never])
    assert "it forbids todo_tasks, which 'used' wants" in only(checkout, "disjoint")[1]
    some = never | {"type": "tool_not_called_with", "field": "status", "value": "x"}
    checkout.task("T1", "todo", scoring_components=[used], safety_checks=[some])
    assert findings(checkout) == []


def test_checks_and_gates_about_tools_that_are_not_offered_are_findings(checkout):
    checkout.task(
        "T1", "todo",
        scoring_components=[part("used", {"type": "tool_called", "tool_name": "todo_fly"})],
        safety_checks=[{"type": "tool_not_called", "tool_name": "todo_sink"}],
    )  # fmt: skip
    assert findings(checkout) == [
        ("offered", "T1: safety_checks", "a gate names todo_sink, which is not offered"),
        ("offered", "T1: scoring_components", "a check wants todo_fly, which is not offered"),
    ]


@pytest.mark.parametrize("kind", ["keywords", "categories"])
def test_a_check_that_echoing_the_request_meets_is_a_finding(checkout, kind):
    check = {"type": f"{kind}_present", kind: ["Lamps", "chairs"]}
    parts = [part("said", check)]
    checkout.task("T1", "todo", scoring_components=parts, **asking("Are lamps or CHAIRS new?"))
    place, why = only(checkout, "echo")
    assert (place, why) == ("T1: said", "the request holds all it looks for: Lamps, chairs")
    checkout.task("T1", "todo", scoring_components=parts, **asking("Are lamps new?"))
    assert findings(checkout) == []


def test_another_tasks_fixture_that_is_served_is_a_finding(checkout):
    default = server("notes").default
    checkout.write(default, "fixtures/notes/theirs.json", [])
    checkout.task("T1", "notes", env={"notes": None})
    place, why = only(checkout, "served")
    assert place == "T1: notes.notes"
    assert why == (
        f"it is served tasks/{default}/fixtures/notes/theirs.json; its own notes is never served"
    )
    (checkout.folder("T1") / "fixtures/notes/notes.json").unlink()
    (checkout.folder("T1") / "fixtures/notes").rmdir()
    assert "never" not in only(checkout, "served")[1]


def test_tools_that_can_never_succeed_are_findings(checkout):
    dates = {"start_date": {"type": "string"}}
    paths = ["/todo/tasks/get", "/todo/fly", "/crm/customers", "/calendar/events"]
    tools = offered(paths, calendar_events=dates)
    tools["tools"].append({"name": "lost", "input_schema": {}})
    checkout.task("T1", "todo", "calendar", **tools)
    found = findings(checkout)
    assert [(rule, place.removeprefix("T1: ")) for rule, place, _ in found] == [
        ("usable", "todo_tasks_get"), ("usable", "todo_fly"), ("usable", "crm_customers"),
        ("usable", "calendar_events"), ("usable", "lost"), ("ignored", "calendar_events"),
    ]  # fmt: skip
    assert found[0][2] == "no service has /todo/tasks/get: it is answered with 404"
    assert found[2][2] == "the service of /crm/customers is not started"
    assert found[3][2] == "/calendar/events needs date, which it does not declare: always 422"
    assert found[4][2] == "no service has an endpoint for it: it is answered with 404"


def test_an_argument_that_is_ignored_is_a_finding(checkout):
    declared = {"status": {"type": "string"}, "priority": {"type": "string"}}
    checkout.task("T1", "todo", **offered(["/todo/tasks"], todo_tasks=declared))
    assert only(checkout, "ignored") == ("T1: todo_tasks", "/todo/tasks ignores priority")


@pytest.mark.parametrize(
    "text", ["On 2026-05-05?", "On 2026-5-5?", "5月5日有什么会？", "What is on May 5?", "May. 5!"]
)
def test_a_day_that_the_request_names_and_moves_with_the_clock_is_a_finding(checkout, text):
    checkout.task("T1", "calendar", **asking(text))
    place, why = only(checkout, "day")
    assert place == "T1: prompt"
    assert why.startswith("it names 2026-05-05, on which nothing is served")


@pytest.mark.parametrize("text", ["On 2026-05-07?", "On 2026-02-30?", "13月5日?", "May I? 5."])
def test_a_day_without_events_is_none(checkout, text):
    checkout.task("T1", "calendar", **asking(text))
    assert findings(checkout) == []


def test_events_that_are_served_later_than_written_are_a_finding(checkout):
    event = ROWS["calendar.events"][0] | {
        "start_time": "2026-05-05T09:00:00+08:00", "end_time": "2026-05-05T10:00:00+08:00",
    }  # fmt: skip
    checkout.task("T1", "calendar")
    checkout.write("T1", "fixtures/calendar/events.json", [event])
    place, why = only(checkout, "hours")
    assert (place, why) == (
        "T1: calendar.events", "events written with +8 h are served 8 h later",
    )  # fmt: skip


def test_actions_are_looked_for_where_the_audit_has_them(checkout):
    actions = [
        {"service": "gmail", "action_key": "sent_messages"},
        {"service": "gmail", "action_key": "sent"},
        {"service": "crm", "action_key": "exported_reports"},
    ]
    checkout.task("T1", "gmail", expected_actions=actions)
    assert [(rule, why) for rule, _, why in findings(checkout)] == [
        ("keys", "the audit of gmail has no 'sent'; it has sent_messages, drafts"),
        ("keys", "it names crm, a service that is not started"),
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("fixtures/calendar/events.json", "[{]"),
        ("fixtures/calendar/events.json", [{"start_time": "soon"}]),
        ("task.yaml", "task_id: [T1"),
    ],
)
def test_a_task_that_cannot_be_read_is_a_finding_and_the_others_are_looked_at(
    checkout, name, content
):
    checkout.task("T1", "calendar")
    checkout.write("T1", name, content)
    checkout.task("T2", "todo", scoring_components=[])
    assert [(rule, place[:2]) for rule, place, _ in findings(checkout)] == [
        ("loads", "T1"), ("weights", "T2"),
    ]  # fmt: skip
    assert lint_checkout(checkout.root).tasks == 1


def test_a_root_without_tasks_is_told(tmp_path):
    with pytest.raises(TaskError, match="holds no tasks"):
        lint_checkout(tmp_path)


@pytest.mark.parametrize("name", ["escalation", "payment_change"])
def test_task_files_of_our_own_packages_are_clean(tmp_path, name):
    package = get_package(name)
    for level in package.tools:
        for language in package.languages:
            task = package.build(package.item(seed=2, level=level, language=language))
            save_task(task, tmp_path / f"{level}-{language}.json")
    report = lint_path(tmp_path)
    assert report.passed, report.findings
    assert report.tasks == len(package.tools) * len(package.languages)
    assert {"leak", "disjoint", "offered"} <= set(report.rules)
