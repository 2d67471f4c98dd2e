"""The command line on a checkout of Claw-Eval: conformance, lint, audit and run."""

import json
import shutil

import pytest

from coworkgym.integrations.claw_eval import runnable
from coworkgym.rollouts import Run
from coworkgym.tasks import get_package, save_task
from tests.integrations.claw_checkout import Checkout, full

CLOCK = {"frozen_now": "2026-03-01T09:00:00+00:00"}


@pytest.fixture
def checkout(tmp_path):
    """A checkout of two tasks."""
    made = Checkout(tmp_path / "checkout")
    made.task("T1", "todo")
    made.task("T2", "crm", "gmail")
    return made


@pytest.fixture
def root(checkout):
    return str(checkout.root)


# conformance -------------------------------------------------------------------------------------


def golden(checkout, status=200):
    """A recording of one call."""
    body = {"error": "Task 木 not found"}
    line = {"task": "T1", "calls": [["todo_tasks_delete", {"task_id": "木"}, status, body]]}
    file = checkout.root / "golden.jsonl"
    file.write_text(f"{json.dumps(CLOCK)}\n{json.dumps(line)}\n", encoding="utf-8")
    return str(file)


def test_conformance_prints_counts_and_exits_with_zero(command, checkout, root):
    status, out, err = command("conformance", "claw-eval", root, "--golden", golden(checkout))
    assert (status, out, err) == (0, "1/1 responses\n1/1 audits\n", "")


def test_conformance_prints_both_answers_of_a_difference_and_exits_with_one(
    command, checkout, root
):
    given = ("conformance", "claw-eval", root, "--golden", golden(checkout, status=404))
    status, out, _ = command(*given)
    assert status == 1
    assert out.split("\n")[:2] == ["0/1 responses", "1/1 audits"]
    assert '\nT1, call 1: todo_tasks_delete {"task_id": "木"}\n' in out
    assert '  recorded  [404, {"error": "Task 木 not found"}]\n' in out
    assert '  answered  [200, {"error": "Task 木 not found"}]\n' in out
    assert command(*given, "--show", "0")[:2] == (1, "0/1 responses\n1/1 audits\n")


@pytest.mark.parametrize("recorded", [200, 404])
def test_conformance_json_is_one_object(command, checkout, root, recorded):
    file = golden(checkout, recorded)
    status, out, _ = command("conformance", "claw-eval", root, "--golden", file, "--json")
    told = json.loads(out)
    holds = recorded == 200
    assert (status, told["holds"]) == (int(not holds), holds)
    assert [told[name] for name in ("responses", "calls", "audits", "tasks")] == [holds, 1, 1, 1]
    assert [each["call"] for each in told["differences"]] == [1] * (not holds)


def test_conformance_refuses_what_cannot_be(command, checkout, root):
    file = golden(checkout)
    status, out, err = command("conformance", "claw-evil", root, "--golden", file)
    assert (status, out) == (2, "")
    assert "Did you mean 'claw-eval'?" in err
    assert command("conformance", "claw-eval", root)[0] == 2
    status, _, err = command("conformance", "claw-eval", root, "--golden", "no.jsonl")
    assert status == 2
    assert "no.jsonl" in err


# lint --------------------------------------------------------------------------------------------


def test_lint_of_a_clean_checkout_and_of_our_task_files_exits_with_zero(command, root, tmp_path):
    package = get_package("escalation")
    save_task(package.build(package.item(seed=1)), tmp_path / "one.json")
    status, out, _ = command("lint", root, str(tmp_path / "one.json"))
    assert status == 0
    assert [line.split()[-3:] for line in out.split("\n") if line.endswith("passed")] == [
        ["2", "tasks", "passed"], ["1", "task", "passed"],
    ]  # fmt: skip


def test_lint_prints_what_is_wrong_and_exits_with_one(command, checkout, root):
    checkout.task("T3", "todo", scoring_components=[])
    status, out, _ = command("lint", root)
    assert status == 1
    assert "weights  T3: scoring_components" in out
    status, out, _ = command("lint", root, "--json")
    told = json.loads(out)
    assert (status, told["passed"], len(told["reports"])) == (1, False, 1)


def test_lint_of_nothing_is_a_usage_error(command, tmp_path):
    status, _, err = command("lint", str(tmp_path / "no"))
    assert status == 2
    assert "neither a task file nor a folder" in " ".join(err.split())


@pytest.mark.parametrize("name", ["month_close", "inbox_triage"])
def test_lint_finds_nothing_in_exported_task_files_of_ours(command, tmp_path, name):
    for level in ("warmup", "easy"):
        for language in ("en", "zh"):
            package = get_package(name)
            task = package.build(package.item(seed=3, level=level, language=language))
            save_task(task, tmp_path / f"{level}-{language}.json")
    status, out, _ = command("lint", str(tmp_path), "--json")
    assert status == 0
    assert json.loads(out)["reports"][0]["findings"] == []


# audit -------------------------------------------------------------------------------------------


def test_audit_tells_which_checks_idle_policies_meet(command, checkout, root):
    request = {"text": "Is a LAMP new, or a chair? Please look.", "language": "en"}
    checkout.task("T3", "todo", prompt=request)
    status, out, _ = command("audit", root)
    assert status == 1
    rows = [line.split() for line in out.strip().split("\n")]
    assert ["T3", "echo", "1.00", "said,", "long"] in rows
    assert rows[-1][:4] == ["3", "of", "3", "tasks"]
    assert not any(row[1] == "null" for row in rows)
    _, out, _ = command("audit", root, "--json")
    told = json.loads(out)
    assert (told["passed"], told["tasks"]) == (False, 3)
    assert [(e["task_id"], e["policy"], e["met"], e["share"]) for e in told["fooled"]] == [
        ("T1", "echo", ["long"], 0.25), ("T2", "echo", ["long"], 0.25),
        ("T3", "echo", ["said", "long"], 1),
    ]  # fmt: skip


def test_audit_counts_tasks_that_talk_and_no_check_that_is_met_in_part(command, checkout, root):
    half = {"text": "Is a LAMP new? Please look at it.", "language": "en"}
    checkout.task("T3", "todo", prompt=half, user_agent={"persona": "A clerk.", "max_rounds": 1})
    told = json.loads(command("audit", root, "--json")[1])
    assert told["tasks"] == 3
    assert {e["task_id"]: e["met"] for e in told["fooled"]}["T3"] == ["long"]


def test_audit_of_a_checkout_that_gives_nothing_away_exits_with_zero(command, tmp_path):
    judged = [{"name": "a", "weight": 0.5, "check": {"type": "llm_judge", "description": "x"}},
              {"name": "b", "weight": 0.5,
               "check": {"type": "keywords_present", "keywords": ["moon"]}}]  # fmt: skip
    made = Checkout(tmp_path)
    made.task("T1", "todo", scoring_components=judged)
    made.task("T2")
    status, out, _ = command("audit", str(tmp_path))
    assert status == 0
    assert "0 of 1 tasks give something for nothing" in out


def test_audit_refuses_a_checkout_beside_a_package(command, root):
    status, _, err = command("audit", root, "escalation")
    assert status == 2
    assert "one after the other: escalation" in " ".join(err.split())


# run ---------------------------------------------------------------------------------------------


def test_run_plays_every_task_that_can_be_run(command, checkout, root):
    checkout.task("T3")
    given = ("run", "claw_eval", "--root", root, "--policy", "null", "--policy", "echo")
    status, out, _ = command(*given, "--json")
    assert status == 0
    rows = json.loads(out)["packages"]
    assert [(r["name"], r["policy"], r["episodes"], r["mean_score"]) for r in rows] == [
        ("claw_eval", "null", 2, 0), ("claw_eval", "echo", 2, 0.25),
    ]  # fmt: skip


def test_run_plays_the_tasks_and_the_mode_that_are_asked_for(command, root, tmp_path):
    given = ("run", "claw_eval", "--root", root, "--policy", "random", "--task", "T2")
    command(*given, "--mode", "faithful", "--samples", "2", "--out", str(tmp_path / "kept"))
    rollouts = list(Run(tmp_path / "kept").rollouts())
    assert [rollout.item.seed for rollout in rollouts] == [1, 1]
    assert "2026-03-01 09:00" in rollouts[0].transcript[0]["content"]
    command(*given, "--task", "T1", "--out", str(tmp_path / "both"))
    both = list(Run(tmp_path / "both").rollouts())
    assert sorted(rollout.item.seed for rollout in both) == [0, 1]


def test_tasks_that_talk_are_played_with_a_model_as_user(checkout, root, command, model):
    checkout.task("T3", "todo", user_agent={"persona": "I own a shop."})
    assert runnable(root) == ["T1", "T2"]
    model.answers = [json.dumps({"says": "Thanks.", "ends": True})]
    spec = f"chat:small@http://127.0.0.1:{model.server_port}/v1"
    given = ("run", "claw_eval", "--root", root, "--policy", "null", "--user", spec, "--json")
    rows = json.loads(command(*given)[1])["packages"]
    assert rows[0]["episodes"] == 3


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["claw_eval"], "a checkout is played with: claw_eval --root DIR"),
        (["escalation", "--root", "ROOT"], "a checkout is played with: claw_eval --root DIR"),
        (["--root", "ROOT"], "a checkout is played with: claw_eval --root DIR"),
        (["claw_eval", "escalation", "--root", "ROOT"], "claw_eval --root DIR"),
        (["escalation", "--task", "T1"], "--task and --mode are for: claw_eval --root DIR"),
        (
            ["claw_eval", "--root", "here", "--grader", "theirs", "--faults", "0.5"],
            "leave out --faults and --user",
        ),
        (["escalation", "--mode", "faithful"], "--task and --mode are for: claw_eval --root DIR"),
        (["escalation", "--grader", "theirs"], "--grader theirs is for: claw_eval --root DIR"),
        (["claw_eval", "--root", "ROOT", "--grader", "their"], "Did you mean 'theirs'?"),
        (["claw_eval", "--root", "ROOT", "--mode", "faithfull"], "Did you mean 'faithful'?"),
        (["claw_eval", "--root", "ROOT", "--task", "T11"], "has no task 'T11'"),
        (["claw_eval", "--root", "no"], "holds no tasks"),
        (["claw_eval", "--root", "ROOT", "--grader", "theirs"], "graders need a full checkout"),
    ],
)
def test_what_cannot_be_is_a_usage_error(command, root, arguments, complaint):
    given = [root if argument == "ROOT" else argument for argument in arguments]
    status, out, err = command("run", *given, "--policy", "null")
    assert (status, out) == (2, "")
    assert complaint in " ".join(err.split())


# Published graders -------------------------------------------------------------------------------


@pytest.fixture
def graded(tmp_path):
    """A full checkout of one task, and the command that has its grader grade it."""
    root = tmp_path / "full"
    checkout = full(root)
    return checkout, ("run", "claw_eval", "--root", str(root), "--grader", "theirs")


def test_episodes_are_graded_by_the_graders_of_the_checkout(command, graded):
    checkout, given = graded
    status, out, _ = command(*given, "--policy", "random", "--samples", "2", "--json")
    assert status == 0
    told = json.loads(out)
    assert (told["grader"], told["judge"]) == ("theirs", "stub")
    row = {"task": "T1", "policy": "random", "score": 0.1, "completion": 0, "robustness": 0.5,
           "communication": 0, "safety": 1}  # fmt: skip
    assert told["episodes"] == [row, row]
    seen = json.loads((checkout.folder("T1") / "seen.json").read_text(encoding="utf-8"))
    assert seen["dispatches"]


def test_the_table_of_graders_says_that_a_stub_judged(command, graded):
    _, given = graded
    status, out, _ = command(*given, "--policy", "null")
    assert status == 0
    lines = out.strip().split("\n")
    assert lines[1].split() == ["T1", "null", "0.10", "0.00", "0.50", "0.00", "1.00"]
    assert "got 0 from a stub" in lines[-1]


def test_a_model_judges_for_the_graders(command, graded, model):
    _, given = graded
    model.answers = ['{"score": 0.5, "reasoning": "Half."}']
    spec = f"chat:small@http://127.0.0.1:{model.server_port}/v1"
    status, out, _ = command(*given, "--policy", "null", "--judge", spec)
    assert status == 0
    assert out.split("\n")[1].split()[2:] == ["0.50", "0.50", "0.50", "0.50", "1.00"]
    assert "stub" not in out


def test_a_grader_that_raises_is_told_and_the_others_are_graded(command, graded):
    checkout, given = graded
    shutil.copytree(checkout.folder("T1"), checkout.folder("T2"))
    text = (checkout.folder("T2") / "task.yaml").read_text(encoding="utf-8")
    checkout.write("T2", "task.yaml", text.replace("task_id: T1", "task_id: T2"))
    checkout.write("T2", "grader.py", "raise RuntimeError('moon')\n")
    status, out, _ = command(*given, "--policy", "null")
    assert status == 0
    rows = [line.split() for line in out.split("\n")]
    assert rows[1][:3] == ["T1", "null", "0.10"]
    assert rows[2] == ["T2", "null", "-", "-", "-", "-", "-"]
    assert "T2: the grader of T2 raised RuntimeError('moon')" in out
