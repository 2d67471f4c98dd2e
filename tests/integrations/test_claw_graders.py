"""Published graders on episodes of ours, with a checkout whose package the test writes."""

import json
import sys

import pytest

from coworkgym import Episode
from coworkgym.errors import GraderError, TaskError
from coworkgym.integrations.claw_eval import (
    ChatJudge,
    StubJudge,
    grade_theirs,
    load_claw_task,
)
from coworkgym.integrations.claw_eval.graders import dispatches, messages
from coworkgym.transcript import ToolCall
from tests.integrations.claw_checkout import full


@pytest.fixture
def checkout(tmp_path):
    """A full checkout of one task."""
    return full(tmp_path)


@pytest.fixture
def episode(checkout):
    """An episode with calls of every kind, and a reply."""
    task = load_claw_task(checkout.root, "T1").task
    made = Episode(task)
    made.say({"content": "I look.", "tool_calls": [
        {"name": "todo_tasks", "arguments": {"status": "pending", "colour": "red"}},
        {"name": "todo_tasks_update", "arguments": '{"task_id": "todo_001", "status": "done"}'},
    ]})  # fmt: skip
    made.say({"content": "", "tool_calls": [
        {"name": "todo_tasks_create", "arguments": {}},
        {"name": "todo_fly", "arguments": {}},
        {"name": "todo_tasks", "arguments": "{"},
    ]})  # fmt: skip
    made.say({"content": "", "tool_calls": [{"name": "reply", "arguments": {"text": "Done."}}]})
    return made


def seen(checkout):
    """What the grader was given."""
    return json.loads((checkout.folder("T1") / "seen.json").read_text(encoding="utf-8"))


def test_the_score_is_what_the_grader_and_its_formula_give(checkout, episode):
    found = grade_theirs(checkout.root, "T1", episode, StubJudge(0.25))
    assert found == (0.3, 0.25, 0.5, 0.25, 1.0)
    assert grade_theirs(str(checkout.root), "T1", episode).completion == 0, "a stub gives nothing"


def test_the_grader_sees_the_talk_in_blocks(checkout, episode):
    grade_theirs(checkout.root, "T1", episode)
    told = seen(checkout)["messages"]
    assert [message["role"] for message in told] == [
        "user", "assistant", "user", "user", "assistant", "user", "user", "user", "assistant",
    ], "a reply has no result"  # fmt: skip
    assert told[0]["content"] == [{"type": "text", "text": "Please look at what is new."}]
    said, first, second = told[1]["content"]
    assert said == {"type": "text", "text": "I look."}
    assert (first["name"], first["input"]) == (
        "todo_tasks", {"status": "pending", "colour": "red"},
    )  # fmt: skip
    assert second["input"] == {"task_id": "todo_001", "status": "done"}, "text is read"
    assert [block["input"] for block in told[4]["content"]] == [{}, {}, {}]
    (result,) = told[2]["content"]
    assert (result["type"], result["tool_use_id"]) == ("tool_result", first["id"])
    assert json.loads(result["content"][0]["text"])["total"] == 2
    assert told[-1]["content"] == [{"type": "text", "text": "Done."}]


def test_the_grader_sees_every_call_with_its_status_and_body(checkout, episode):
    grade_theirs(checkout.root, "T1", episode)
    told = seen(checkout)
    calls = told["dispatches"]
    assert [(call["tool_name"], call["response_status"]) for call in calls] == [
        ("todo_tasks", 200), ("todo_tasks_update", 200), ("todo_tasks_create", 422),
        ("todo_fly", 404), ("todo_tasks", 422),
    ]  # fmt: skip
    assert calls[0]["request_body"] == {"status": "pending", "colour": "red"}, "as it was sent"
    assert calls[1]["response_body"]["task"]["status"] == "done"
    assert [call["endpoint_url"] for call in calls[2:4]] == ["/todo/tasks/create", ""]
    assert calls[3]["response_body"] == {"error": "unknown tool 'todo_fly'"}
    uses = [b for m in told["messages"] for b in m["content"] if b["type"] == "tool_use"]
    assert [use["id"] for use in uses] == [call["tool_use_id"] for call in calls]


def test_the_grader_sees_the_task_and_the_audit_of_each_service(checkout, episode):
    grade_theirs(checkout.root, "T1", episode)
    told = seen(checkout)
    assert told["task"] == "T1"
    assert list(told["audit"]) == ["todo", "crm"]
    assert [call["endpoint"] for call in told["audit"]["todo"]["calls"]] == [
        "/todo/tasks", "/todo/tasks/update",
    ]  # fmt: skip
    assert [row["status"] for row in told["audit"]["todo"]["updated_tasks"]] == ["done"]


def test_calls_have_the_ids_of_the_talk_after_texts_and_calls_that_were_not_run(checkout):
    task_id = checkout.task("T2", "todo", user_agent={"persona": "I own a shop."})
    episode = Episode(load_claw_task(checkout.root, task_id).task)
    episode.say({"content": "Which wall?"})
    episode.say({"content": " "})
    listing = {"name": "todo_tasks", "arguments": {}}
    done = {"name": "reply", "arguments": {"text": "All is painted, as you asked."}}
    episode.say({"content": "", "tool_calls": [listing, done, listing]})
    told = list(messages(episode.transcript.messages))
    assert episode.over
    assert told[1]["content"] == [{"type": "text", "text": "Which wall?"}]
    assert told[2]["content"] == [{"type": "text", "text": "I don't have that."}]
    uses = [b["id"] for m in told for b in m["content"] if b["type"] == "tool_use"]
    results = [b["tool_use_id"] for m in told for b in m["content"] if b["type"] == "tool_result"]
    assert uses == results == ["call_1", "call_3"]
    assert [call["tool_use_id"] for call in dispatches(episode)] == ["call_1"]


def test_grading_changes_nothing_and_can_be_done_before_the_end(checkout):
    episode = Episode(load_claw_task(checkout.root, "T1").task)
    episode.act(ToolCall("todo_tasks", {}))
    before = (len(episode.office.log), episode.transcript.messages, episode.office.world.digest())
    first = grade_theirs(checkout.root, "T1", episode)
    assert grade_theirs(checkout.root, "T1", episode) == first
    assert before == (
        len(episode.office.log), episode.transcript.messages, episode.office.world.digest(),
    )  # fmt: skip
    assert not episode.over


# Their code --------------------------------------------------------------------------------------


def theirs():
    return [name for name in sys.modules if name.split(".")[0] == "claw_eval"]


def test_their_code_is_forgotten_so_that_another_checkout_brings_its_own(
    checkout, episode, tmp_path
):
    path = list(sys.path)
    grade_theirs(checkout.root, "T1", episode)
    assert theirs() == []
    other = full(tmp_path / "other")
    scoring = other.root / "src/claw_eval/models/scoring.py"
    scoring.write_text("def compute_task_score(found):\n    return 0.125\n", encoding="utf-8")
    assert grade_theirs(other.root, "T1", episode).score == 0.125
    assert grade_theirs(checkout.root, "T1", episode).score == 0.1
    assert (theirs(), sys.path) == ([], path)


@pytest.mark.parametrize(
    "grader",
    [
        "class Grader:\n    def grade(self, **given):\n        raise KeyError('moon')\n",
        "import claw_eval.moon\n",
        "class Grader:\n    def grade(self, **given):\n        return None\n",
    ],
)
def test_a_grader_that_raises_is_an_error_with_its_task_and_is_forgotten_too(
    checkout, episode, grader
):
    path = list(sys.path)
    checkout.write("T1", "grader.py", grader)
    with pytest.raises(GraderError, match="the grader of T1 raised"):
        grade_theirs(checkout.root, "T1", episode)
    assert (theirs(), sys.path) == ([], path)


def test_a_checkout_without_graders_is_told(checkout, episode):
    (checkout.folder("T1") / "grader.py").unlink()
    with pytest.raises(TaskError, match=r"no tasks/T1/grader\.py: graders need a full checkout"):
        grade_theirs(checkout.root, "T1", episode)


# Judges ------------------------------------------------------------------------------------------


def test_a_stub_gives_every_question_its_score():
    judge = StubJudge(0.5)
    assert judge.evaluate("a", "b", "c", "d").score == 0.5
    assert judge.evaluate_actions(task_prompt="a", artifacts="b", rubric="c") == (0.5, "stub")
    assert StubJudge().evaluate("a", "b", "c", "d").score == 0


def test_a_model_judges_what_was_said_and_done(checkout, episode, model, chat_client):
    model.answers = [
        'Well: {"score": 0.75, "reasoning": "Kind."}',
        '```json\n{"score": "1", "reasoning": 7}\n```',
    ]
    found = grade_theirs(checkout.root, "T1", episode, ChatJudge(chat_client()))
    assert (found.completion, found.communication) == (0.75, 1)
    said, done = model.seen
    assert (said["temperature"], [m["role"] for m in said["messages"]]) == (0, ["system", "user"])
    assert said["messages"][1]["content"] == (
        "# Request\nPrompt\n\n# Conversation\nTalk\n\n# Actions\nActs\n\n# Rubric\nRubric"
    )
    assert done["messages"][1]["content"] == (
        "# Request\nPrompt\n\n# Records\nRows\n\n# Rubric\nRubric"
    )


@pytest.mark.parametrize(("score", "kept"), [(7, 1), (-1, 0), (0.5, 0.5), (True, 1)])
def test_a_score_is_kept_between_zero_and_one(model, chat_client, score, kept):
    model.answers = [json.dumps({"score": score})]
    assert ChatJudge(chat_client()).evaluate_actions("a", "b", "c") == (kept, "")


@pytest.mark.parametrize(
    "answer",
    ["Good.", "{}", '{"score": "high"}', '{"score": null}', "[1]", '{"score": NaN}', ""],
)
def test_an_answer_without_a_score_is_an_error_with_the_answer(model, chat_client, answer):
    model.answers = [answer]
    with pytest.raises(GraderError, match="the judge gave no score"):
        ChatJudge(chat_client()).evaluate("a", "b", "c", "d")


def test_a_judge_is_named_by_model_and_address(model):
    model.answers = ['{"score": 1}']
    judge = ChatJudge.at(f"chat:small@http://127.0.0.1:{model.server_port}/v1")
    assert judge.evaluate("a", "b", "c", "d").score == 1
    assert model.seen[0]["model"] == "small"


def test_a_judge_without_an_address_is_refused(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(TaskError, match="no URL"):
        ChatJudge.at("chat:small")
