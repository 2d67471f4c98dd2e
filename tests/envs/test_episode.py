"""Episode: messages with several calls, stages, forks, and what is never changed afterwards."""

import json
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from coworkgym import CoworkEnv, Episode, Task
from coworkgym.envs.episode import MORNING, EarlyEnd
from coworkgym.errors import EpisodeError
from coworkgym.rewards import score
from coworkgym.services.helpdesk import TICKETS
from coworkgym.services.instants import time_zone
from coworkgym.transcript import ToolCall, from_openai, to_openai
from coworkgym.users import SimulatedUser, Turn

READ = {"name": "helpdesk_list_tickets", "arguments": {}}


def comment(ticket_id: str, text: str) -> dict[str, Any]:
    return {
        "name": "helpdesk_comment_ticket",
        "arguments": {"ticket_id": ticket_id, "text": text},
    }


def message(*calls: Any, content: str = "") -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def answers(episode: Episode) -> dict[str, Any]:
    """What each call was answered, by its id, in the order of the transcript."""
    return {
        one["tool_call_id"]: json.loads(one["content"])
        for one in episode.transcript.messages
        if one["role"] == "tool"
    }


def finish(episode: Episode, actions: Sequence[Any]) -> Episode:
    for action in actions:
        episode.act(action)
    return episode


@pytest.fixture
def easy(build: Callable[..., Task]) -> Task:
    """A task with all tools."""
    return build(level="easy", seed=1)


@pytest.fixture
def ticket_id(easy: Task) -> str:
    """An open ticket of it."""
    tickets = easy.base.tables["helpdesk.tickets"].values()
    return next(ticket["ticket_id"] for ticket in tickets if ticket["status"] == "open")


# Whole messages ---------------------------------------------------------------------------------


def test_every_call_of_a_message_runs_and_is_answered(easy: Task, ticket_id: str) -> None:
    """A-parallel-subset"""
    episode = Episode(easy)
    results = episode.say(message(*(comment(ticket_id, text) for text in ("a", "b", "c"))))
    assert [result.error for result in results] == [None] * 3
    assert list(answers(episode)) == ["call_1", "call_2", "call_3"]
    asked = episode.transcript.messages[2]["tool_calls"]
    assert [call["id"] for call in asked] == list(answers(episode))
    ticket = episode.office.world.get(TICKETS, ticket_id)
    assert [remark["text"] for remark in ticket["comments"]] == ["a", "b", "c"]
    assert episode.steps == 3
    episode.act(READ)
    assert list(answers(episode))[-1] == "call_4"


def test_calls_of_a_message_run_and_are_answered_in_call_order(easy: Task, ticket_id: str) -> None:
    """A-parallel-order"""
    episode = Episode(easy)
    close = {"ticket_id": ticket_id, "resolution": "Fixed."}
    calls = [
        {"name": "helpdesk_close_ticket", "arguments": close},
        {"name": "no_such_tool"},
        {"name": "helpdesk_get_ticket", "arguments": {"ticket_id": ticket_id}},
        {"name": "helpdesk_reopen_ticket", "arguments": {"ticket_id": ticket_id}},
        {"name": "helpdesk_get_ticket", "arguments": {"ticket_id": ticket_id}},
    ]
    results = episode.say(message(*calls))
    assert [result.error for result in results] == [None, "unknown_tool", None, None, None]
    assert [event.name for event in episode.office.log] == [call["name"] for call in calls]
    told = list(answers(episode).values())
    assert told == [json.loads(result.content) for result in results]
    assert (told[2]["status"], told[4]["status"]) == ("closed", "open")
    again = Episode(easy)
    again.say(message(*calls))
    assert again.office.log == episode.office.log


def test_text_beside_calls_is_kept_and_is_no_reply(easy: Task, ticket_id: str) -> None:
    """A-msg-plus-tools"""
    episode = Episode(easy)
    episode.say(message(READ, comment(ticket_id, "Seen."), content="I look first. [DONE]"))
    assert not episode.over
    assert episode.transcript.messages[2]["content"] == "I look first. [DONE]"
    assert [event.name for event in episode.office.log] == [READ["name"], "helpdesk_comment_ticket"]
    assert episode.evidence().replies == ()


def test_calls_after_the_reply_are_answered_but_not_run(easy: Task, ticket_id: str) -> None:
    episode = Episode(easy)
    reply = {"name": "reply", "arguments": {"text": "Finished."}}
    results = episode.say(message(comment(ticket_id, "before"), reply, comment(ticket_id, "after")))
    assert [result.error for result in results] == [None, None, "not_run"]
    assert answers(episode)["call_3"]["error"] == "not_run"
    assert episode.terminated
    assert episode.steps == 2
    remarks = episode.office.world.get(TICKETS, ticket_id)["comments"]
    assert [remark["text"] for remark in remarks] == ["before"]


def test_calls_beyond_the_last_step_are_answered_but_not_run(task: Task) -> None:
    episode = Episode(task)
    results = episode.say(message(*[READ] * (task.max_steps + 2)))
    assert [result.error for result in results] == [None] * task.max_steps + ["not_run"] * 2
    assert len(answers(episode)) == task.max_steps + 2
    assert episode.truncated
    assert episode.steps == task.max_steps


@pytest.mark.parametrize("content", ["", " \n", None, [], {}])
@pytest.mark.parametrize("calls", [None, []])
def test_an_empty_message_is_answered_with_an_error(content: Any, calls: Any, task: Task) -> None:
    episode = Episode(task)
    results = episode.say({"role": "assistant", "content": content, "tool_calls": calls})
    assert [result.error for result in results] == ["malformed_call"]
    assert not episode.over
    assert episode.transcript.last["role"] == "user"
    assert "empty" in episode.transcript.last["content"]
    assert episode.steps == 1


TABLE = 'Overdue:\r\n\n| id | age |\n|---|---|\n| TK-1 | 49 h |\n\t"quoted" \\n 你好 🚀\n\n'


@pytest.mark.parametrize("text", [TABLE, "TERMINATE", "null", '{"name": "reply"}', "x" * 200_000])
def test_text_without_calls_is_the_reply_byte_for_byte(text: str, task: Task) -> None:
    """A-list-as-string"""
    episode = Episode(task)
    episode.say({"role": "assistant", "content": text})
    assert episode.terminated
    assert episode.evidence().replies[-1].text == text
    assert episode.transcript.messages[2]["content"] == text
    by_call = Episode(task)
    by_call.act({"name": "reply", "arguments": json.dumps({"text": text})})
    assert by_call.evidence().replies[-1].text == text


def test_text_that_is_no_valid_reply_is_refused_and_the_episode_goes_on(task: Task) -> None:
    episode = Episode(task)
    results = episode.say({"role": "assistant", "content": "Done\x00."})
    assert [result.error for result in results] == ["invalid_argument"]
    assert not episode.over
    assert "control character" in episode.transcript.last["content"]


@pytest.mark.parametrize("send", ["call", "message", "text"])
def test_the_interface_is_noted_with_every_call(send: str, task: Task) -> None:
    episode = Episode(task, interface="mcp")
    reply = {"name": "reply", "arguments": {"text": "Finished."}}
    if send == "call":
        episode.act(reply)
    else:
        episode.say({"content": "Finished."} if send == "text" else message(reply))
    assert [event.interface for event in episode.office.log] == ["mcp"]


def test_an_ended_episode_takes_nothing_more(task: Task) -> None:
    episode = Episode(task)
    episode.say({"content": "Finished."})
    for use in (lambda: episode.act(READ), lambda: episode.say({"content": "More."})):
        with pytest.raises(EpisodeError, match="ended"):
            use()


# Stages -----------------------------------------------------------------------------------------


def test_the_next_request_comes_on_the_next_morning(two_stages: Task) -> None:
    episode = Episode(two_stages)
    evening = episode.office.now
    episode.act(READ)
    episode.say({"content": "Finished."})
    assert not episode.over
    morning = episode.office.now.astimezone(time_zone(two_stages.zone))
    assert morning.hour == MORNING
    assert (morning.date() - evening.astimezone(morning.tzinfo).date()).days == 1
    asked = episode.transcript.last
    assert asked["role"] == "user"
    assert asked["content"].endswith(f"\n{two_stages.stages[1].request}")
    assert f"{morning:%Y-%m-%d} 09:0" in asked["content"]
    episode.say({"content": "Nothing new."})
    assert episode.terminated
    assert [reply.text for reply in episode.evidence().replies] == ["Finished.", "Nothing new."]


def test_the_system_changes_its_records_between_the_stages(two_stages: Task) -> None:
    episode = Episode(two_stages)
    changed, deleted, mail = two_stages.stages[1].changes
    assert episode.office.world.diff() == []
    episode.say({"content": "Finished."})
    world = episode.office.world
    assert world.get(TICKETS, changed.id)["category"] == "reopened"
    assert world.get(TICKETS, deleted.id) is None
    assert {change.id for change in world.diff()} == {changed.id, deleted.id, mail.id}
    system = [event for event in episode.office.log if event.actor == "system"]
    assert [event.changes[0].id for event in system] == [changed.id, deleted.id, mail.id]
    assert {event.stage for event in system} == {1}
    told = "".join(one["content"] for one in episode.transcript.messages[2:])
    assert changed.id not in told
    listed = json.loads(episode.act(READ).content)["tickets"]
    assert deleted.id not in [ticket["ticket_id"] for ticket in listed]


def test_gates_do_not_blame_the_agent_for_what_the_system_changed(two_stages: Task) -> None:
    """A-gate-false-positive"""
    episode = finish(Episode(two_stages), two_stages.solution)
    episode.act(READ)
    assert episode.score().safety == 1
    assert not any(gate.breached for gate in episode.score().gates)
    changed = two_stages.stages[1].changes[0].id
    close = {"ticket_id": changed, "resolution": "Fixed."}
    episode.act({"name": "helpdesk_close_ticket", "arguments": close})
    assert episode.score().safety == 0.5


def test_what_was_done_on_the_first_day_counts_at_the_end(two_stages: Task) -> None:
    episode = finish(Episode(two_stages), two_stages.solution)
    episode.say({"content": two_stages.solution[-1].arguments["text"]})
    assert episode.terminated
    assert episode.score().solved


@pytest.mark.parametrize(
    "token", ["###STOP###", "<|im_end|>", "[TASK_COMPLETE]", "TERMINATE", "</s> DONE", "exit()"]
)
def test_no_word_of_the_agent_ends_the_task(token: str, two_stages: Task) -> None:
    """A-agent-stop-token"""
    episode = Episode(two_stages)
    episode.say(message(READ, content=token))
    assert episode.office.stage == 0
    episode.say({"content": token})
    assert not episode.over
    assert episode.office.stage == 1
    episode.say(message(READ, content=token))
    assert not episode.over
    assert episode.score().completion < 0.75


def test_calls_after_a_reply_do_not_run_in_the_next_stage(two_stages: Task) -> None:
    episode = Episode(two_stages)
    reply = {"name": "reply", "arguments": {"text": "Finished."}}
    results = episode.say(message(reply, reply, READ))
    assert [result.error for result in results] == [None, "not_run", "not_run"]
    assert episode.office.stage == 1
    roles = [one["role"] for one in episode.transcript.messages]
    assert roles == ["system", "user", "assistant", "tool", "tool", "tool", "user"]


def test_the_budget_is_one_for_all_stages(two_stages: Task) -> None:
    episode = Episode(two_stages)
    episode.say({"content": "Finished."})
    while not episode.over:
        episode.act(READ)
    assert episode.truncated
    assert episode.steps == two_stages.max_steps
    assert episode.evidence().replies == ()


class Asks:
    """A user who asks back once."""

    def __init__(self, asked: bool = False) -> None:
        self.asked = asked

    def hear(self, text: str) -> Turn:
        first, self.asked = not self.asked, True
        return Turn("Which ones?" if first else "Thank you.", ends_stage=not first)

    def fork(self) -> SimulatedUser:
        return Asks(self.asked)


def test_a_user_who_asks_back_keeps_the_stage_open(task: Task) -> None:
    episode = Episode(task, user=Asks())
    episode.say({"content": "Two were overdue."})
    assert episode.transcript.last == {"role": "user", "content": "Which ones?"}
    twin = episode.fork()
    for one in (episode, twin):
        assert not one.over
        one.say({"content": "TK-1 and TK-2."})
        assert one.terminated
        assert one.transcript.last["content"] == "Thank you."
    undecided = Episode(task, user=Asks())
    undecided.say({"content": "Two were overdue."})
    fresh = undecided.fork()
    fresh.say({"content": "TK-1."})
    assert not undecided.over


# Forks ------------------------------------------------------------------------------------------


def state(episode: Episode) -> tuple[Any, ...]:
    """Everything that can be seen of an episode."""
    return (
        episode.transcript.messages,
        episode.office.log.copy(),
        episode.office.world.digest(),
        episode.office.now,
        episode.steps,
        episode.terminated,
        episode.truncated,
        episode.anchor(),
        episode.score(),
    )


def test_a_fork_at_any_step_continues_as_the_straight_run(two_stages: Task) -> None:
    noise = [READ, {"name": "nonsense"}, {"name": "gmail_send_message", "arguments": '{"to": "kim'}]
    actions = [*noise, *two_stages.solution, READ, two_stages.solution[-1]]
    straight = state(finish(Episode(two_stages), actions))
    for cut in range(len(actions) + 1):
        trunk = finish(Episode(two_stages), actions[:cut])
        before = state(trunk)
        branch = trunk.fork()
        assert state(branch) == before
        assert state(finish(branch, actions[cut:])) == straight
        assert state(trunk) == before
        assert state(finish(trunk, actions[cut:])) == straight


def test_two_forks_do_not_see_each_other(easy: Task, ticket_id: str) -> None:
    trunk = Episode(easy)
    branches = [trunk.fork() for _ in range(2)]
    for branch, text in zip(branches, ("one", "other"), strict=True):
        branch.act(comment(ticket_id, text))
    for branch, text in zip(branches, ("one", "other"), strict=True):
        remarks = branch.office.world.get(TICKETS, ticket_id)["comments"]
        assert [remark["text"] for remark in remarks] == [text]
    assert trunk.office.world.diff() == []
    assert len(trunk.transcript) == 2


@pytest.mark.parametrize("reward", ["score", "dense"])
def test_a_restored_snapshot_continues_as_the_first_time(reward: str, task: Task) -> None:
    env = CoworkEnv("escalation", task=task, reward=reward)
    env.reset(seed=0)
    half = len(task.solution) // 2
    for action in task.solution[:half]:
        env.step(action)
    snapshot = env.snapshot()
    runs = []
    for _ in range(3):
        runs.append([env.step(action) for action in task.solution[half:]])
        env.restore(snapshot)
    assert runs[0] == runs[1] == runs[2]
    assert snapshot.steps == half


def test_a_forked_environment_is_independent(task: Task) -> None:
    env = CoworkEnv("escalation", task=task, reward="dense")
    env.reset(seed=0)
    env.step(READ)
    twin = env.fork()
    taken = [twin.step(action) for action in task.solution]
    assert env.episode.steps == 1
    assert [env.step(action) for action in task.solution] == taken


def test_an_episode_can_be_pickled_at_any_time(two_stages: Task) -> None:
    """A-unpicklable-lock"""
    actions = [*two_stages.solution, READ]
    for cut in range(len(actions) + 1):
        episode = finish(Episode(two_stages), actions[:cut])
        copy = pickle.loads(pickle.dumps(episode))
        assert state(copy) == state(episode)
        assert state(finish(copy, actions[cut:])) == state(finish(episode, actions[cut:]))


# What is never changed --------------------------------------------------------------------------


def test_earlier_observations_never_change(task: Task) -> None:
    """A-returned-reference"""
    env = CoworkEnv("escalation", task=task)
    first, info = env.reset(seed=0)
    kept = [(first, json.dumps(first)), (info["tools"], json.dumps(info["tools"]))]
    for action in task.solution:
        obs, *_, info = env.step(action)
        kept += [(obs, json.dumps(obs)), (info, json.dumps(info))]
    env.reset(seed=0)
    env.step(READ)
    assert all(json.dumps(value) == text for value, text in kept)
    assert len(first) == 2


def test_observations_and_infos_refuse_mutation(task: Task) -> None:
    """A-returned-reference"""
    env = CoworkEnv("escalation", task=task)
    env.reset(seed=0)
    for action in task.solution:
        obs, *_, info = env.step(action)
    call = obs[2]["tool_calls"][0]
    attempts: list[Callable[[], object]] = [
        lambda: obs.append({}),
        lambda: obs.__setitem__(0, {}),
        lambda: obs.__delitem__(0),
        lambda: obs.__iadd__([{}]),
        lambda: obs[0].__setitem__("content", ""),
        lambda: obs[0].update(content=""),
        lambda: obs[0].__ior__({"content": ""}),
        lambda: obs[2]["tool_calls"].clear(),
        lambda: call["arguments"].pop("status"),
        lambda: info["tools"][0].__setitem__("name", "x"),
        lambda: info["score"].__setitem__("value", 1),
        lambda: info["score"]["checks"].sort(),
        lambda: info["rewards"].setdefault("bonus", 1),
    ]
    for attempt in attempts:
        with pytest.raises(TypeError, match="read-only"):
            attempt()


def test_an_action_changed_after_it_was_sent_changes_nothing(easy: Task, ticket_id: str) -> None:
    """A-returned-reference"""
    episode = Episode(easy)
    labels = ["first"]
    action = {
        "name": "helpdesk_update_ticket",
        "arguments": {"ticket_id": ticket_id, "tags": labels},
    }
    episode.act(action)
    before = state(episode)
    labels.append("second")
    action["arguments"]["ticket_id"] = "TK-0"
    assert state(episode) == before
    assert episode.office.world.get(TICKETS, ticket_id)["tags"] == ["first"]


def test_scoring_is_pure_and_repeatable(two_stages: Task) -> None:
    episode = Episode(two_stages)
    for action in two_stages.solution:
        before = state(episode)
        assert episode.score() == episode.score()
        assert json.dumps(episode.score().as_dict()) == json.dumps(episode.score().as_dict())
        assert state(episode) == before
        episode.act(action)


def test_evidence_is_scored_the_same_after_the_office_went_on(task: Task, overdue: str) -> None:
    """A-live-workspace"""
    episode = Episode(task)
    for action in task.solution[:-2]:
        episode.act(action)
    evidence, then = episode.evidence(), episode.score()
    close = {"ticket_id": overdue, "resolution": "Fixed."}
    episode.act({"name": "helpdesk_close_ticket", "arguments": close})
    finish(episode, task.solution[-2:])
    assert score(task.checks, task.gates, evidence, len(task.solution)) == then
    assert episode.score() != then


def test_a_snapshot_is_scored_the_same_after_the_next_reset(
    task: Task, build: Callable[..., Task]
) -> None:
    """A-live-workspace"""
    env = CoworkEnv("escalation", level="warmup")
    env.reset(options={"task": task})
    for action in task.solution:
        *_, info = env.step(action)
    snapshot = env.snapshot()
    env.reset(options={"task": build("payment_change", seed=5)})
    env.step({"name": "gmail_list_messages"})
    assert snapshot.score().as_dict() == info["score"]


def test_a_played_transcript_converts_to_string_arguments_and_back(easy: Task) -> None:
    ticket = next(iter(easy.base.tables["helpdesk.tickets"]))
    episode = Episode(easy)
    episode.act(ToolCall("helpdesk_get_ticket", {"ticket_id": ticket}))
    episode.act({"name": "helpdesk_get_ticket", "arguments": "{ticket"})
    finish(episode, easy.solution)
    messages = episode.transcript.messages
    assert from_openai(to_openai(messages)) == messages
    assert {type(one["content"]) for one in messages} == {str}


def test_what_comes_after_a_call_that_ended_the_episode_is_not_run(build):
    task = build("escalation", level="warmup")
    ticket = next(iter(task.base.tables["helpdesk.tickets"]))
    calls = [
        {"name": "no_such_tool", "arguments": {}},
        {"name": "helpdesk_close_ticket", "arguments": {"ticket_id": ticket, "resolution": "x"}},
    ]
    episode = Episode(task, early_end=EarlyEnd(on_malformed=True))
    results = episode.say({"content": "", "tool_calls": calls})
    assert [result.error for result in results] == ["unknown_tool", "not_run"]
    assert episode.terminated
    assert episode.office.world.diff() == []


def test_a_breach_can_end_the_episode_at_once(build):
    task = build("escalation", level="warmup")
    mail = {"to": "eve@outside.test", "subject": "All", "body": "All."}
    episode = Episode(task, early_end=EarlyEnd(on_breach=True))
    episode.act({"name": "helpdesk_list_tickets", "arguments": {}})
    assert not episode.over
    episode.act({"name": "gmail_send_message", "arguments": mail})
    assert episode.terminated
