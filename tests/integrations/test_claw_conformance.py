"""Recorded calls of Claw-Eval played again: what is equal, and how a difference is told."""

import json

import pytest

from coworkgym.errors import TaskError
from coworkgym.integrations.claw_eval import conformance, load_claw_task
from coworkgym.services import Office, World
from coworkgym.services.dialects.claw_eval import FAITHFUL, audit, response
from coworkgym.transcript import ToolCall
from tests.integrations.claw_checkout import Checkout

CALLS = [
    ("todo_tasks", {}),
    ("todo_tasks", {"status": 3}),
    ("todo_tasks_create", {"title": "打磨"}),
    ("todo_tasks_update", {"task_id": "todo_004", "status": "done"}),
    ("ocr_extract", {}),
    ("todo_fly", {}),
]


@pytest.fixture
def root(tmp_path):
    """A checkout of one task."""
    Checkout(tmp_path).task("T1", "todo", "ocr")
    return tmp_path


@pytest.fixture
def golden(root):
    """A recording as lines: the clock, and the task."""
    imported = load_claw_task(root, "T1", mode="faithful")
    task = imported.task
    office = Office(World(task.base), task.tools, task.zone, task.owner, dialect=FAITHFUL)
    calls = [[n, a, *response(office.call(ToolCall(n, a)))] for n, a in CALLS]
    told = audit(office, imported.source.servers)
    files = {"todo": "tasks/T1/fixtures/todo/tasks.json"}
    line = {"task": "T1", "fixtures": files, "calls": calls, "audit": told}
    return json.loads(json.dumps([{"frozen_now": "2026-03-01T09:00:00+00:00"}, line]))


def played(root, golden, **options):
    """What comes of a recording; lines may be texts."""
    file = root / "golden.jsonl"
    lines = [line if isinstance(line, str) else json.dumps(line) for line in golden]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return conformance(root, file, **options)


def test_what_is_recorded_is_answered_again(root, golden):
    found = played(root, golden)
    assert found == (len(CALLS), len(CALLS), 1, 1, ())
    assert found.holds
    assert played(root, [golden[0], "", golden[1], " ", golden[1]])[:4] == (12, 12, 2, 2)


@pytest.mark.parametrize(
    ("call", "place", "value"),
    [(1, 2, 400), (2, 2, 201), (2, 3, {}), (3, 3, {"detail": []}), (4, 3, None)],
)
def test_another_status_or_body_is_told_with_its_call_and_both_answers(
    root, golden, call, place, value
):
    recorded = golden[1]["calls"][call - 1]
    got = json.dumps(recorded[2:], ensure_ascii=False)
    recorded[place] = value
    found = played(root, golden)
    assert (found.responses, found.calls, found.audits) == (len(CALLS) - 1, len(CALLS), 1)
    assert not found.holds
    (difference,) = found.differences
    assert (difference.task_id, difference.call) == ("T1", call)
    name, arguments = CALLS[call - 1]
    assert difference.what == f"{name} {json.dumps(arguments, ensure_ascii=False)}"
    assert difference.expected[:300] == json.dumps(recorded[2:], ensure_ascii=False)[:300]
    assert difference.got[:300] == got[:300]


@pytest.mark.parametrize(
    ("recorded", "other"), [(1, True), (1, 1.0), (0, False), (None, ""), ([], {})]
)
def test_true_is_not_one_nor_is_one_a_float(root, golden, recorded, other):
    Checkout(root).write("T1", "fixtures/todo/tasks.json", [{"status": "x", "n": recorded}])
    golden[1]["calls"] = [["todo_tasks", {}, 200, None]]
    golden[1]["audit"] = {}
    for value, equal in ((recorded, True), (other, False)):
        rows = [{"n": value, "status": "x"}]
        golden[1]["calls"][0][3] = {"total": 1, "tasks": rows}
        assert played(root, golden).holds == equal


@pytest.mark.parametrize(
    "change",
    [
        lambda audit: audit["calls"].pop(),
        lambda audit: audit["updated_tasks"].clear(),
        lambda audit: audit["calls"][0].update(endpoint="/todo"),
        lambda audit: audit["calls"][0]["request_body"].update(status="x"),
        lambda audit: audit["calls"][1]["response_body"]["task"].update(status="pending"),
        lambda audit: audit.update(created=[]),
    ],
)
def test_another_audit_is_told_with_its_service(root, golden, change):
    change(golden[1]["audit"]["todo"])
    found = played(root, golden)
    assert (found.responses, found.audits, found.tasks) == (len(CALLS), 0, 1)
    assert [each[:3] for each in found.differences] == [("T1", 0, "todo")]
    assert not found.holds


def test_an_audit_recorded_without_answers_is_compared_without_them(root, golden):
    for call in golden[1]["audit"]["todo"]["calls"]:
        del call["response_body"]
    assert played(root, golden).holds
    golden[1]["audit"]["todo"]["calls"][0]["request_body"] = {}
    assert not played(root, golden).holds


def test_an_audit_of_a_service_that_is_not_started_differs(root, golden):
    golden[1]["audit"]["crm"] = {"calls": [], "exported_reports": []}
    assert [each.what for each in played(root, golden).differences] == ["crm"]


def test_only_some_differences_are_kept_and_long_ones_are_cut(root, golden):
    for call in golden[1]["calls"]:
        call[3] = ["x" * 1000]
    found = played(root, golden, show=2)
    assert (found.responses, len(found.differences)) == (0, 2)
    assert all(len(each.expected) == 400 for each in found.differences)
    assert found.differences[0].expected.endswith("...")
    assert played(root, golden, show=0).differences == ()
    assert not played(root, golden, show=0).holds


def test_another_clock_shows_in_what_is_stamped(root, golden):
    golden[0]["frozen_now"] = "2026-03-01T09:00:01+00:00"
    found = played(root, golden)
    assert [each.call for each in found.differences] == [3, 4, 0, 0]
    golden[0]["frozen_now"] = "2026-03-01T17:00:00+08:00"
    assert not played(root, golden).holds, "the offset is stamped, too"


def test_a_recording_of_other_files_is_refused_before_it_is_played(root, golden):
    golden[1]["fixtures"]["todo"] = "tasks/T2/fixtures/todo/tasks.json"
    with pytest.raises(TaskError, match=r"golden\.jsonl:2: todo was recorded with tasks/T2"):
        played(root, golden)


def test_nothing_recorded_does_not_hold(root, golden):
    assert played(root, golden[:1]) == (0, 0, 0, 0, ())
    assert not played(root, golden[:1]).holds


@pytest.mark.parametrize(
    ("line", "text", "complaint"),
    [
        (0, {}, ":1: the first line names the clock"),
        (0, {"frozen_now": 3}, ":1: the first line names the clock"),
        (0, {"frozen_now": "soon"}, ":1: the first line names the clock"),
        (0, {"frozen_now": "2026-03-01T09:00:00"}, ":1: frozen_now needs an offset"),
        (1, '{"task": ', ":2: "),
        (1, "[1]", ":2: a line is an object"),
        (1, {"task": "T1"}, ":2: a line has a task and its calls"),
        (1, {"task": 1, "calls": []}, ":2: a line has a task and its calls"),
        (1, {"task": "T1", "calls": [["todo_tasks", {}]]}, ":2: a call is"),
        (1, {"task": "T1", "calls": ["todo"]}, ":2: a call is"),
        (1, {"task": "T11", "calls": []}, "Did you mean 'T1'"),
    ],
)
def test_a_line_that_is_broken_is_told_with_its_number(root, golden, line, text, complaint):
    golden[line] = text
    with pytest.raises(TaskError, match=complaint):
        played(root, golden)


def test_a_recording_that_is_empty_or_missing_is_told(root):
    with pytest.raises(TaskError, match="it is empty"):
        played(root, [])
    with pytest.raises(TaskError, match=r"no\.jsonl"):
        conformance(root, root / "no.jsonl")
