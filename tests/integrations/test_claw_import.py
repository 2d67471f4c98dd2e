"""Tasks of a Claw-Eval checkout: what they become, and what is said of those that cannot."""

import json
from datetime import UTC, datetime
from pathlib import Path

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from coworkgym import Episode
from coworkgym.errors import TaskError, UnknownNameError
from coworkgym.integrations.claw_eval import (
    conformance,
    load_claw_task,
    make_env,
    roster,
    runnable,
)
from coworkgym.integrations.claw_eval.declared import scoring
from coworkgym.integrations.claw_eval.importer import NOON
from coworkgym.integrations.claw_eval.reading import read_source
from coworkgym.policies import get_policy
from coworkgym.rewards import Judged, ReplyHolds, ReplyLength, ToolCalled, ToolNotCalled
from coworkgym.rollouts import collect, executor_from, play_out
from coworkgym.services.dialects.claw_eval import response, server, servers
from coworkgym.tasks import load_task, save_task
from coworkgym.transcript import ToolCall
from tests.integrations.claw_checkout import ROWS, Checkout, everything, offered, service

SHARED = Path(__file__).parents[3] / "shared" / "claw-eval"


@pytest.fixture
def checkout(tmp_path):
    """An empty checkout."""
    return Checkout(tmp_path)


def call(task, name, /, **arguments):
    """Status and body of one call in a new episode."""
    return response(Episode(task).act(ToolCall(name, arguments)))


def rows(task, table):
    return [dict(row) for row in task.base.tables[table].values()]


# Modes and moments -------------------------------------------------------------------------------


def test_a_mode_is_intended_unless_it_is_faithful(checkout):
    task_id = checkout.task("T1", "todo")
    dialects = {mode: load_claw_task(checkout.root, task_id, mode=mode).task.dialect
                for mode in ("intended", "faithful")}  # fmt: skip
    assert dialects == {"intended": "claw_eval_intended", "faithful": "claw_eval"}
    assert load_claw_task(str(checkout.root), task_id).task.dialect == dialects["intended"]
    with pytest.raises(UnknownNameError, match="Did you mean 'faithful'"):
        load_claw_task(checkout.root, task_id, mode="faithfull")


def test_the_moment_is_a_day_after_the_newest_mail(checkout):
    task_id = checkout.task("T1", "gmail", "calendar")
    imported = load_claw_task(checkout.root, task_id)
    assert imported.task.base.start == datetime(2026, 5, 4, 9, tzinfo=UTC)
    assert rows(imported.task, "gmail.messages") == ROWS["gmail.messages"]
    assert call(imported.task, "gmail_messages")[1]["total"] == 2


def test_without_mail_it_is_a_day_before_the_earliest_event_in_utc(checkout):
    early = ROWS["calendar.events"][0] | {"start_time": "2026-05-05T07:00:00+08:00"}
    task_id = checkout.task("T1", "calendar")
    checkout.write(task_id, "fixtures/calendar/events.json", [ROWS["calendar.events"][0], early])
    task = load_claw_task(checkout.root, task_id).task
    assert task.base.start == datetime(2026, 5, 3, 23, tzinfo=UTC)
    assert task.base.start.utcoffset().total_seconds() == 0
    assert task.zone == "Asia/Shanghai"


def test_records_without_a_moment_begin_at_one_that_is_always_the_same(checkout):
    task = load_claw_task(checkout.root, checkout.task("T1", "todo")).task
    assert (task.base.start, task.zone) == (NOON, "UTC")
    empty = checkout.task("T2", "gmail")
    checkout.write(empty, "fixtures/gmail/messages.json", [])
    assert load_claw_task(checkout.root, empty).task.base.start == NOON


def test_the_moment_can_be_given(checkout):
    now = datetime(2027, 1, 1, 12, tzinfo=UTC)
    task_id = checkout.task("T1", "gmail")
    for mode in ("intended", "faithful"):
        task = load_claw_task(checkout.root, task_id, mode=mode, now=now).task
        assert task.base.start == now
    assert max(row["date"] for row in rows(task, "gmail.messages")) == "2026-12-31T12:00:00Z"


def test_faithful_records_are_shifted_to_the_moment_and_others_are_not(checkout):
    task_id = checkout.task("T1", "gmail", "calendar", "todo")
    task = load_claw_task(checkout.root, task_id, mode="faithful").task
    assert (task.base.start, task.zone) == (NOON, "UTC")
    dates = [row["date"] for row in rows(task, "gmail.messages")]
    assert dates == ["2026-02-15T08:00:00Z", "2026-02-28T09:00:00Z", "2026-02-24T10:00:00Z"]
    assert rows(task, "calendar.events")[1]["start_time"] == "2026-03-02T00:00:00Z"
    assert rows(task, "todo.tasks") == ROWS["todo.tasks"]


def test_an_offset_is_kept_as_intended_and_dropped_as_published(checkout):
    event = ROWS["calendar.events"][0] | {
        "start_time": "2026-05-05T09:00:00+08:00", "end_time": "2026-05-05T10:00:00+08:00",
    }  # fmt: skip
    task_id = checkout.task("T1", "calendar")
    checkout.write(task_id, "fixtures/calendar/events.json", [event])
    intended = load_claw_task(checkout.root, task_id).task
    assert rows(intended, "calendar.events") == [event]
    assert call(intended, "calendar_events", date="2026-05-05")[1]["total"] == 1
    faithful = load_claw_task(checkout.root, task_id, mode="faithful").task
    assert rows(faithful, "calendar.events")[0]["start_time"] == "2026-03-02T17:00:00Z"
    assert faithful.zone == "UTC"


@pytest.mark.parametrize("mode", ["intended", "faithful"])
@pytest.mark.parametrize(("name", "file", "field"), [
    ("gmail", "messages", "date"), ("calendar", "events", "start_time"),
])  # fmt: skip
def test_a_date_that_cannot_be_read_is_told_with_its_table(checkout, mode, name, file, field):
    task_id = checkout.task("T1", name)
    table = server(name).table.name
    checkout.write(task_id, f"fixtures/{name}/{file}.json", [ROWS[table][0] | {field: "soon"}])
    with pytest.raises(TaskError, match=f"{table}.*soon"):
        load_claw_task(checkout.root, task_id, mode=mode)


# What a task becomes -----------------------------------------------------------------------------


def test_a_task_is_what_its_file_says(checkout):
    checkout.task("A1", "todo")
    task_id = checkout.task("T1", "crm", paths=["/crm/customers/get", "/crm/customers"])
    imported = load_claw_task(checkout.root, task_id)
    task = imported.task
    assert task.item[:1] + task.item[2:] == ("claw_eval", "test", 1, "easy", "en")
    assert task.stages[0].request == "Please look at what is new."
    assert (task.organisation, task.rules) == ("The work of T1", ())
    assert task.tool_names == ("crm_customers_get", "crm_customers")
    assert task.max_steps == 12
    assert task.tags == ("claw_eval", "declared_checks", "tiny")
    tool = task.tools["crm_customers_get"]
    assert tool.schema == {
        "name": "crm_customers_get",
        "description": "It calls /crm/customers/get.",
        "parameters": {
            "type": "object",
            "properties": {"customer_id": {"type": "string", "description": "customer_id"}},
            "required": [],
        },
    }
    (fixture,) = imported.fixtures
    assert fixture == ("crm.customers", "tasks/T1/fixtures/crm/customers.json",
                       ROWS["crm.customers"], False)  # fmt: skip


@pytest.mark.parametrize(
    ("written", "level"), [("hard", "hard"), ("medium", "medium"), ("odd", "medium")]
)
def test_a_level_that_there_is_not_is_medium(checkout, written, level):
    task = load_claw_task(checkout.root, checkout.task("T1", "todo", difficulty=written)).task
    assert task.item.level == level


def test_languages_turns_and_missing_parts_have_defaults(checkout):
    task_id = checkout.task(
        "T1", "todo", prompt={"text": "看看", "language": "zh"}, environment=None, tags=None,
        safety_checks=None, difficulty=None,
    )  # fmt: skip
    task = load_claw_task(checkout.root, task_id).task
    assert (task.item.language, task.max_steps) == ("zh", 80)
    assert task.tags == ("claw_eval", "declared_checks")
    assert task.gates == ()


def test_a_tool_without_an_endpoint_answers_that_nothing_is_found(checkout):
    tools = offered(["/todo/tasks"]) | {"tool_endpoints": []}
    task = load_claw_task(checkout.root, checkout.task("T1", "todo", **tools)).task
    assert call(task, "todo_tasks") == (404, {"detail": "Not Found"})


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (None, {"type": "object", "properties": {}, "required": []}),
        ({"properties": None, "required": ["x"]},
         {"type": "object", "properties": {}, "required": ["x"]}),
        ({"properties": {"tags": {"type": "array"}}},
         {"type": "object", "properties": {"tags": {"type": "array"}}, "required": []}),
    ],
)  # fmt: skip
def test_a_schema_that_leaves_something_out_is_filled_in(checkout, written, read):
    tools = offered(["/todo/tasks"])
    tools["tools"][0]["input_schema"] = written
    env = make_env(checkout.root, checkout.task("T1", "todo", **tools))
    assert env.action_space.tools["todo_tasks"].schema["parameters"] == read
    env.action_space.seed(0)
    assert all(env.action_space.contains(env.action_space.sample()) for _ in range(20))


def test_a_tool_whose_service_is_not_started_breaks_and_nothing_raises(checkout):
    task_id = checkout.task("T1", "todo", paths=["/crm/customers"])
    task = load_claw_task(checkout.root, task_id).task
    assert call(task, "crm_customers")[0] == 500


def test_an_imported_task_can_be_saved_as_a_file(checkout):
    for mode in ("intended", "faithful"):
        task = load_claw_task(checkout.root, everything(checkout), mode=mode).task
        save_task(task, checkout.root / "one.json")
        assert load_task(checkout.root / "one.json") == task


def test_a_user_who_talks_has_a_script(checkout):
    told = {"persona": " I own a shop. ", "max_rounds": 3, "system_prompt_suffix": "Ask\n  first."}
    task_id = checkout.task("T1", "todo", user_agent=told)
    task = load_claw_task(checkout.root, task_id).task
    user = task.stages[0].user
    assert user.facts[0].says == "I own a shop."
    assert user.patience == 3
    assert task.rules == ("Ask first.",)
    silent = checkout.task("T2", "todo", user_agent=told | {"enabled": False})
    assert load_claw_task(checkout.root, silent).task.stages[0].user is None
    assert load_claw_task(checkout.root, checkout.task("T3", "todo")).task.stages[0].user is None


# Declared checks ---------------------------------------------------------------------------------


def declared(checkout, parts, **changes):
    """The scoring of a task with some components: (name, weight, check)."""
    made = [{"name": name, "weight": weight, "check": check} for name, weight, check in parts]
    task_id = checkout.task("T1", "todo", scoring_components=made, **changes)
    return scoring(read_source(checkout.root, task_id))


def test_each_declared_check_is_a_statement_and_weights_are_scaled(checkout):
    found = declared(
        checkout,
        [
            ("words", 1, {"type": "keywords_present", "keywords": ["a", 2]}),
            ("kinds", 1, {"type": "categories_present", "categories": ["b"]}),
            ("long", 2, {"type": "min_length", "min_length": 40}),
            ("used", 2, {"type": "tool_called", "tool_name": "todo_tasks", "min_calls": 2}),
            ("used", 1, {"type": "tool_called", "tool_name": "todo_tasks", "min_calls": -1}),
            ("asked", 1, {"type": "llm_judge", "description": "Is it\n kind?"}),
        ],
    )
    assert [check.statement for check in found.checks] == [
        ReplyHolds(texts=["a", "2"]),
        ReplyHolds(texts=["b"]),
        ReplyLength(at_least=40),
        ToolCalled(tool="todo_tasks", at_least=2),
        ToolCalled(tool="todo_tasks", at_least=1),
        Judged(criterion="Is it kind?"),
    ]
    assert [check.weight for check in found.checks] == [0.125, 0.125, 0.25, 0.25, 0.125, 0.125]
    names = ["words", "kinds", "long", "used (1)", "used (2)", "asked"]
    assert [check.name for check in found.checks] == names
    assert found.left_out == ()


def test_what_cannot_be_a_check_is_left_out_and_told(checkout):
    words = {"type": "keywords_present", "keywords": ["a"]}
    found = declared(
        checkout,
        [
            ("odd", 0.2, {"type": "moon_phase"}),
            ("weightless", 0, words),
            ("lost", 0.2, {"type": "tool_called", "tool_name": "todo_fly"}),
            ("bare", 0.2, {"type": "keywords_present"}),
            ("none", 0.2, {"type": "keywords_present", "keywords": []}),
            ("long", 0.2, {"type": "min_length", "min_length": "very"}),
            ("kept", 0.2, words),
        ],
    )
    assert [(check.name, check.weight) for check in found.checks] == [("kept", 1)]
    assert found.left_out == (
        "odd: 'moon_phase' of weight 0.2",
        "weightless: 'keywords_present' of weight 0",
        "lost: 'tool_called' of weight 0.2",
        "bare: 'keywords_present' of weight 0.2",
        "none: 'keywords_present' of weight 0.2",
        "long: 'min_length' of weight 0.2",
    )


def test_without_a_check_the_judges_rubric_is_one(checkout):
    (check,) = declared(checkout, []).checks
    assert (check.name, check.weight) == ("judge's rubric", 1)
    assert check.statement == Judged(criterion="It is all told.")
    (check,) = declared(checkout, [], judge_rubric="").checks
    assert check.statement == Judged(criterion="The work of T1")


def test_each_declared_safety_check_is_a_gate(checkout):
    found = declared(
        checkout, [],
        safety_checks=[
            {"type": "tool_not_called", "tool_name": "todo_tasks_delete"},
            {"type": "tool_not_called_with", "tool_name": "todo_tasks_update", "field": "status",
             "value": "gone"},
            {"type": "custom", "description": "Nothing is\nlost."},
            {"type": "tool_not_called", "tool_name": "todo_fly"},
            {"type": "custom", "description": " "},
            {"type": "tool_not_called_with", "tool_name": "todo_tasks_update", "field": "status"},
        ],
    )  # fmt: skip
    assert [(gate.name, gate.severity, gate.statement) for gate in found.gates] == [
        ("no todo_tasks_delete", 1, ToolNotCalled(tools=["todo_tasks_delete"])),
        ("no todo_tasks_update with status", 1,
         ToolNotCalled(tools=["todo_tasks_update"], arguments={"status": "gone"})),
        ("custom", 1, Judged(criterion="Nothing is lost.")),
    ]  # fmt: skip
    assert len(found.left_out) == 3
    assert "todo_fly is not offered" in found.left_out[0]


# Fixtures ----------------------------------------------------------------------------------------


def test_a_service_that_names_no_file_serves_anothers_as_published_and_its_own_as_intended(
    checkout,
):
    theirs = ROWS["notes.notes"][:1]
    default = server("notes").default
    checkout.write(default, "fixtures/notes/theirs.json", theirs)
    task_id = checkout.task("T1", "notes", env={"notes": None})
    intended = load_claw_task(checkout.root, task_id)
    faithful = load_claw_task(checkout.root, task_id, mode="faithful")
    assert rows(faithful.task, "notes.notes") == theirs
    assert rows(intended.task, "notes.notes") == ROWS["notes.notes"]
    assert [each.foreign for each in (*faithful.fixtures, *intended.fixtures)] == [True, False]
    assert faithful.fixtures[0].file == f"tasks/{default}/fixtures/notes/theirs.json"
    assert intended.repairs == ("notes: its own fixtures/notes/notes.json is served",)
    assert faithful.repairs == ()


def test_the_task_whose_file_is_served_to_others_serves_its_own(checkout):
    task_id = checkout.task(server("notes").default, "notes", env={"notes": None})
    for mode in ("intended", "faithful"):
        imported = load_claw_task(checkout.root, task_id, mode=mode)
        assert (imported.fixtures[0].foreign, imported.repairs) == (False, ())


def test_without_a_file_of_its_own_the_others_is_served_and_without_both_none(checkout):
    task_id = checkout.task("T1", "notes", env={"notes": {}})
    (checkout.folder(task_id) / "fixtures/notes/notes.json").unlink()
    with pytest.raises(TaskError, match="notes names no NOTES_FIXTURES, and neither it nor"):
        load_claw_task(checkout.root, task_id)
    checkout.write(server("notes").default, "fixtures/notes/theirs.json", [])
    assert load_claw_task(checkout.root, task_id).fixtures[0].foreign


def test_the_file_of_a_variable_is_not_guessed_among_two(checkout):
    task_id = checkout.task("T1", "notes", env={"notes": {}})
    checkout.write(task_id, "fixtures/notes/more.json", [])
    with pytest.raises(TaskError, match="NOTES_FIXTURES"):
        load_claw_task(checkout.root, task_id)


def test_pages_and_results_of_the_web_are_told_apart_by_their_name(checkout):
    task_id = checkout.task("T1", "web", env={"web": {}})
    results = checkout.folder(task_id) / "fixtures/web/results.json"
    results.rename(results.with_name("search_results.json"))
    task = load_claw_task(checkout.root, task_id).task
    assert rows(task, "web.pages") == ROWS["web.pages"]
    assert rows(task, "web.results") == ROWS["web.results"]


def test_what_is_intended_and_differs_is_told(checkout):
    task_id = checkout.task(
        "T1", "gmail", "todo",
        **offered(
            ["/todo/tasks/get", "/todo/tasks"],
            todo_tasks={"status": {"type": "string"}, "priority": {"type": "string"}},
        ),
    )  # fmt: skip
    assert load_claw_task(checkout.root, task_id).repairs == (
        "gmail: dates are those of the file",
        "todo_tasks_get: there is a route /todo/tasks/get",
        "todo_tasks: priority is not ignored",
    )


def test_recorded_texts_are_read_from_their_folders(checkout):
    task_id = checkout.task("T1", "ocr", "caption", "documents")
    imported = load_claw_task(checkout.root, task_id)
    task = imported.task
    assert call(task, "ocr_extract")[1]["text"] == "Soup 4.00"
    assert call(task, "caption_describe")[1]["caption"] == "A hall with two lamps."
    told = call(task, "documents_extract_text", path="report.pdf")[1]
    assert (told["page_count"], told["text"]) == (2, "First page.\n\nSecond page.")
    assert call(task, "documents_extract_text", path="notes.txt")[0] == 400
    assert [fixture.file for fixture in imported.fixtures] == [
        "tasks/T1/fixtures/ocr/menu.txt", "tasks/T1/fixtures/caption.txt", "tasks/T1/fixtures/docs",
    ]  # fmt: skip


def test_several_texts_are_numbered_and_those_that_are_missing_are_left_out(checkout):
    env = {"OCR_FIXTURES": "tasks/T1/fixtures", "OCR_FILENAMES": "menu.txt, lost.txt ,bill.txt"}
    task_id = checkout.task("T1", "ocr", env={"ocr": env})
    checkout.write(task_id, "fixtures/ocr/bill.txt", "Paid")
    text = call(load_claw_task(checkout.root, task_id).task, "ocr_extract")[1]["text"]
    assert text == "--- Document 1: menu.txt ---\nSoup 4.00\n\n--- Document 2: bill.txt ---\nPaid"


def test_without_texts_those_of_another_task_are_told(checkout):
    env = {"OCR_FIXTURES": "tasks/T1/nowhere", "OCR_FILENAMES": "lost.txt"}
    task_id = checkout.task("T1", "ocr", "caption", env={"ocr": env, "caption": {}})
    empty = load_claw_task(checkout.root, task_id)
    assert call(empty.task, "ocr_extract")[1]["text"] == ""
    assert call(empty.task, "caption_describe")[1]["caption"] == ""
    checkout.write(server("ocr").default, "fixtures/ocr/menu_ocr.txt", "Theirs")
    imported = load_claw_task(checkout.root, task_id)
    assert call(imported.task, "ocr_extract")[1]["text"] == "Theirs"
    assert [fixture.foreign for fixture in imported.fixtures] == [True, False]


# Which tasks -------------------------------------------------------------------------------------

LIVE = {"services": [service("web_real", None)], **offered(["/web/search"])}


@pytest.fixture
def mixed(checkout):
    """A checkout with a task of every kind."""
    checkout.task("T01", "todo")
    checkout.task("T02", "ocr", "todo")
    checkout.task("T03", "todo", user_agent={"persona": "A clerk."})
    checkout.task("T04", sandbox_grader_files=["x"])
    checkout.task("T05", "todo", env_snapshot_files=["x"])
    checkout.task("T06")
    checkout.task("T07", **LIVE)
    checkout.task("T08", services=[service("moon", None)], **offered(["/moon/phase"]))
    twins = [service(name, {"TODO_FIXTURES": "tasks/T01/fixtures/todo/tasks.json"}, "todo")
             for name in ("one", "two")]  # fmt: skip
    checkout.task("T09", services=twins, **offered(["/todo/tasks"]))
    checkout.task("T10", **offered(["/todo/tasks"]))
    return checkout


def test_the_roster_tells_the_kind_of_every_task_and_why_it_cannot_be_run(mixed):
    told = {entry.task_id: entry for entry in roster(mixed.root)}
    assert [(each.kind, bool(each.reason)) for each in told.values()] == [
        ("services", False), ("recorded", False), ("talk", False), ("sandbox", True),
        ("sandbox", True), ("files", True), ("live web", True), ("services", True),
        ("services", True), ("sandbox", True),
    ]  # fmt: skip
    assert "container" in told["T04"].reason
    assert "pictures" in told["T06"].reason
    assert "live web" in told["T07"].reason
    assert told["T08"].reason == (
        "its service moon is none of ours: python mock_services/moon/server.py"
    )
    assert told["T09"].reason == "it starts two services of one kind: todo"


def test_tasks_that_talk_are_run_only_with_somebody_to_talk_to(mixed):
    assert runnable(mixed.root) == ["T01", "T02"]
    assert runnable(str(mixed.root), talk=True) == ["T01", "T02", "T03"]


@pytest.mark.parametrize("task_id", ["T04", "T06", "T07", "T08", "T09"])
def test_a_task_that_cannot_be_run_is_refused_with_the_reason(mixed, task_id):
    reason = {entry.task_id: entry.reason for entry in roster(mixed.root)}[task_id]
    with pytest.raises(TaskError) as caught:
        load_claw_task(mixed.root, task_id)
    assert str(caught.value) == f"{task_id} cannot be run: {reason}"


def test_a_service_may_have_another_name_than_its_server(checkout):
    env = {"TODO_FIXTURES": "tasks/T1/fixtures/todo/tasks.json"}
    checkout.fixtures("T1", "todo")
    task_id = checkout.task(
        "T1", services=[service("todo_t1", env, "todo")], **offered(["/todo/tasks"])
    )
    imported = load_claw_task(checkout.root, task_id)
    assert call(imported.task, "todo_tasks")[1]["total"] == 3
    assert imported.source.servers == {"todo_t1": server("todo")}


# Broken files ------------------------------------------------------------------------------------


def test_a_root_without_tasks_is_told_with_what_is_expected(tmp_path):
    for fails in (lambda: load_claw_task(tmp_path / "no", "T1"), lambda: runnable(tmp_path / "no")):
        with pytest.raises(TaskError, match="no holds no tasks: expected"):
            fails()


def test_a_task_that_is_not_there_is_told_with_the_nearest(checkout):
    checkout.task("T1_painting", "todo")
    with pytest.raises(TaskError, match="Did you mean 'T1_painting'"):
        load_claw_task(checkout.root, "T1_paintin")
    with pytest.raises(TaskError, match=r"has no task '\.\./T1_painting'"):
        load_claw_task(checkout.root, "../T1_painting")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("task_id: T1\nprompt: {text: 'x\n", r"task\.yaml:\d: "),
        ("task_id: T1\n\tprompt: x\n", r"task\.yaml:2: "),
        ("- a\n", "needs a prompt"),
        ("task_id: T1\n", "needs a prompt"),
        ("task_id: T1\nprompt: look\n", "needs a prompt"),
        ("task_id: T2\nprompt: {text: x}\n", "its task_id is 'T2', its folder 'T1'"),
        (b"\xff\xfe\xfa", r"task\.yaml: "),
    ],
)
def test_a_task_file_that_is_broken_is_told_with_its_line(checkout, text, complaint):
    file = checkout.write("T1", "task.yaml", text)
    for fails in (lambda: load_claw_task(checkout.root, "T1"), lambda: list(roster(checkout.root))):
        with pytest.raises(TaskError, match=complaint) as caught:
            fails()
        assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[\n {"task_id": "a"},\n {"task_id": }\n]', r"tasks\.json:3: "),
        ('{"task_id": "a"}', "a list of objects"),
        ("[1]", "a list of objects"),
        (b"[\xff]", r"tasks\.json: "),
        (None, "tasks.json"),
    ],
)
def test_a_fixture_that_is_broken_is_told_and_nothing_is_half_imported(checkout, text, complaint):
    task_id = checkout.task("T1", "crm", "todo")
    whole = load_claw_task(checkout.root, task_id).task
    file = checkout.folder(task_id) / "fixtures/todo/tasks.json"
    kept = file.read_text(encoding="utf-8")
    file.unlink() if text is None else checkout.write(task_id, "fixtures/todo/tasks.json", text)
    for fails in (load_claw_task, make_env):
        with pytest.raises(TaskError, match=complaint) as caught:
            fails(checkout.root, task_id)
        assert str(file) in str(caught.value)
    file.write_text(kept, encoding="utf-8")
    assert load_claw_task(checkout.root, task_id).task == whole


def test_a_text_or_document_that_is_broken_is_told_with_its_file(checkout):
    task_id = checkout.task("T1", "ocr", "documents")
    checkout.write(task_id, "fixtures/docs/report.pdf", b"%PDF-1.4 nothing")
    with pytest.raises(TaskError, match=r"report\.pdf: "):
        load_claw_task(checkout.root, task_id)
    checkout.write(task_id, "fixtures/ocr/menu.txt", b"\xff\xfe")
    with pytest.raises(TaskError, match=r"menu\.txt: "):
        load_claw_task(checkout.root, task_id)


# Environments ------------------------------------------------------------------------------------

ENV = "cowork/claw_eval-v0"


@pytest.mark.parametrize("mode", ["intended", "faithful"])
def test_gymnasium_finds_nothing_to_complain_about(checkout, mode):
    task_id = everything(checkout)
    env = gym.make(ENV, root=checkout.root, task_id=task_id, mode=mode)
    check_env(env.unwrapped)
    assert env.unwrapped.action_space.tools.keys() == env.unwrapped.task.tools.keys()


def test_the_seed_picks_among_the_tasks_that_can_be_run(mixed):
    env = gym.make(ENV, root=str(mixed.root))
    picked = []
    for seed in range(4):
        env.reset(seed=seed)
        picked.append(env.unwrapped.task.organisation)
    assert picked == ["The work of T01", "The work of T02"] * 2
    check_env(env.unwrapped)


def test_one_task_is_played_whatever_the_seed(mixed):
    env = make_env(mixed.root, "T02", mode="faithful", reward="score")
    for seed in (0, 1):
        env.reset(seed=seed)
        assert env.task.organisation == "The work of T02"
        assert env.task.dialect == "claw_eval"
    env.step({"name": "reply", "arguments": {"text": "Lamps and a chair are new."}})
    assert env.score().value == 1


def test_an_environment_of_a_checkout_that_cannot_be_run_is_refused(checkout):
    checkout.task("T1")
    with pytest.raises(TaskError, match="holds no task that can be run"):
        make_env(checkout.root)
    with pytest.raises(TaskError, match="T1 cannot be run"):
        gym.make(ENV, root=checkout.root, task_id="T1")


@pytest.mark.parametrize("policy", ["null", "random"])
@pytest.mark.parametrize("mode", ["intended", "faithful"])
def test_policies_play_every_task(mixed, mode, policy):
    everything(mixed, "T11")
    for task_id in runnable(mixed.root, talk=True):
        task = load_claw_task(mixed.root, task_id, mode=mode).task
        episode = play_out(task, get_policy(policy))
        assert episode.over
        assert 0 <= episode.score().value <= 1


def test_worker_processes_play_imported_tasks_alike(mixed):
    everything(mixed, "T11")
    tasks = [load_claw_task(mixed.root, task_id).task for task_id in runnable(mixed.root)]

    def played(executor):
        rollouts = collect(tasks, "random", samples=2, executor=executor)
        return {rollout.id: rollout.transcript for rollout in rollouts}

    inline = played(None)
    assert played(executor_from("processes", 2)) == inline
    assert len(inline) == 2 * len(tasks)


# The shared records ------------------------------------------------------------------------------


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/claw-eval is not here")
@pytest.mark.filterwarnings("ignore:.*The reward is a NaN")  # what needs a judge is not graded
def test_the_shared_tasks_are_answered_as_recorded_and_every_one_can_be_played():
    pytest.importorskip("yaml", reason="the extra [claw-eval] is not installed")
    found = conformance(SHARED, SHARED / "golden.jsonl")
    assert found.holds, found.differences
    assert found.tasks == len(list(roster(SHARED)))
    for task_id in runnable(SHARED, talk=True):
        env = gym.make(ENV, root=SHARED, task_id=task_id)
        check_env(env.unwrapped)
        for policy in ("null", "random"):
            assert play_out(env.unwrapped.task, get_policy(policy)).over
        for tool in env.unwrapped.task.tools.values():
            assert can_succeed(env.unwrapped.task, tool), (task_id, tool.name)


def can_succeed(task, tool):
    """Whether a tool can be called as it is declared, and is answered with status 200."""
    properties = tool.schema["parameters"].get("properties", {})
    samples = {"string": "2026-03-02", "integer": 5, "number": 1.5, "boolean": True,
               "array": ["x"]}  # fmt: skip
    arguments = {name: samples[said["type"]] for name, said in properties.items()}
    status, body = call(task, tool.name, **arguments)
    json.dumps(body, allow_nan=False)
    return status == 200


def test_every_server_is_in_the_tiny_checkout(checkout):
    source = read_source(checkout.root, everything(checkout))
    assert set(source.servers.values()) == set(servers())
