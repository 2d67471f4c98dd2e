"""Stages and talk: what is told, what changes silently, who ends a day."""

import json
from dataclasses import replace

import pytest

from coworkgym import Episode, Task, get_package, load_task, save_task
from coworkgym.errors import TaskError
from coworkgym.services.files import DOCUMENTS
from coworkgym.tasks import Stage
from coworkgym.tasks.spec import RecordChange
from coworkgym.users import Fact, UserScript

PACKAGE = get_package("escalation")
BUILT = PACKAGE.build(PACKAGE.item(seed=5, level="warmup"))
TICKET = next(iter(BUILT.base.tables["helpdesk.tickets"]))
MAIL = {"thread_id": "", "to": [BUILT.owner.email], "subject": "Late news", "body": "Look again.",
        "from": "bo@orga.test", "date": "2029-01-01T08:00:00Z"}  # fmt: skip
TALK = UserScript(
    facts=(Fact(says="The big one.", asked_by=("which",)),), settled_by=("big",), patience=2
)


def staged(*later: Stage, user: UserScript | None = None) -> Task:
    return replace(BUILT, stages=(replace_user(BUILT.stages[0], user), *later), max_steps=100)


def replace_user(stage: Stage, user: UserScript | None) -> Stage:
    return stage._replace(user=user)


TWO_DAYS = staged(
    Stage(
        "And today?",
        (
            RecordChange("gmail.messages", "MSG-9999", MAIL, notice="New mail: Late news"),
            RecordChange("helpdesk.tickets", TICKET, {"status": "pending"}),
        ),
    )
)


def say(episode: Episode, text: str) -> str:
    episode.say({"content": text})
    return str(episode.transcript.last["content"])


def test_a_loud_event_is_told_and_a_silent_one_is_not():
    episode = Episode(TWO_DAYS)
    request = say(episode, "That was all.")
    assert request.splitlines()[1:] == ["And today?", "New mail: Late news"]
    read = episode.act({"name": "helpdesk_list_tickets", "arguments": {"status": "pending"}})
    assert [t["ticket_id"] for t in json.loads(read.content)["tickets"]] == [TICKET]
    assert TICKET not in request


def test_a_record_that_the_agent_deleted_comes_back_changed():
    """An agent that deletes what the next day is about ends up with the new version of it."""
    package = get_package("month_close")
    task = package.build(package.item(level="easy"))
    (change,) = task.stages[1].changes
    before = task.base.tables[change.table][change.id]
    episode = Episode(task)
    deleted = episode.act({"name": "files_delete", "arguments": {"path": before["path"]}})
    assert deleted.error is None
    episode.say({"content": "All files are gone."})
    after = episode.office.world.get(DOCUMENTS, change.id)
    assert after["path"] == before["path"]
    assert after["content"] == change.fields["content"] != before["content"]


def test_a_stage_goes_on_until_its_user_ends_it():
    episode = Episode(staged(user=TALK))
    assert say(episode, "Which customer?") == "The big one."
    assert not episode.over
    say(episode, "The big one is settled.")
    assert episode.terminated


def test_each_stage_has_its_own_user():
    episode = Episode(staged(Stage("And today?", user=TALK)))
    say(episode, "Done.")
    assert episode.office.stage == 1
    assert say(episode, "Which one?") == "The big one."


def test_a_user_without_patience_ends_the_task():
    episode = Episode(staged(user=TALK))
    say(episode, "Hm.")
    assert not episode.over
    assert say(episode, "Hm.") == "I'll take care of it myself then."
    assert episode.terminated


def test_a_talk_of_several_replies_is_logged_in_full():
    episode = Episode(staged(user=TALK))
    say(episode, "Which customer?")
    episode.act({"name": "reply", "arguments": {"text": "Still looking for the big one?"}})
    assert [event.name for event in episode.office.log] == ["reply", "reply"]
    assert [said.text for said in episode.evidence().replies] == [
        "Which customer?",
        "Still looking for the big one?",
    ]


def test_forks_of_a_talk_are_independent():
    episode = Episode(staged(user=TALK))
    say(episode, "Hm.")
    twin = episode.fork()
    say(twin, "Hm.")
    assert twin.terminated
    assert not episode.over


@pytest.mark.parametrize("task", [TWO_DAYS, staged(Stage("More?", user=TALK), user=TALK)])
def test_stages_with_users_and_notices_survive_their_file(task, tmp_path):
    save_task(task, tmp_path / "one.json")
    assert load_task(tmp_path / "one.json") == task
    assert load_task(tmp_path / "one.json").stages == task.stages


def test_a_misspelt_word_in_a_user_script_is_refused_with_the_nearest(tmp_path):
    save_task(staged(user=TALK), tmp_path / "one.json")
    content = json.loads((tmp_path / "one.json").read_text(encoding="utf-8"))
    content["stages"][0]["user"]["patiense"] = content["stages"][0]["user"].pop("patience")
    (tmp_path / "one.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(TaskError, match="Did you mean 'patience'"):
        load_task(tmp_path / "one.json")


def test_tasks_without_talk_are_the_same_files_as_before():
    assert "user" not in BUILT.data()["stages"][0]
