"""Dialects: the house's own, words that a task chooses, and what goes through pickles and files."""

import json
import pickle
from dataclasses import replace

import pytest

from coworkgym import Episode
from coworkgym.errors import TaskError, UnknownNameError
from coworkgym.frozen import FrozenDict, freeze
from coworkgym.rewards import Check, ReplyHolds, ToolCalled, ToolNotCalled, Untouched
from coworkgym.services import BaseWorld, Office, Owner, World, reply, service, table, tool
from coworkgym.services.dialects import ToolOverride, dialect
from coworkgym.services.dialects.claw_eval import FAITHFUL, INTENDED, response, servers
from coworkgym.services.dialects.dialect import HOUSE
from coworkgym.services.faults import Faults
from coworkgym.tasks import Item, Stage, Task, load_task, save_task
from coworkgym.tasks.lines import never
from coworkgym.transcript import ToolCall

LIST = ToolOverride(
    "show_tickets",
    "Shows tickets.",
    freeze({"type": "object", "properties": {"status": {"type": "string"}}}),
    "/helpdesk/tickets",
)
HOUSE_LIST = ToolOverride("helpdesk_list_tickets", "Shows tickets.", LIST.parameters)


@pytest.fixture
def imported(make_claw):
    """A task of the other office, with two records under one id."""
    tickets = make_claw().state()["helpdesk.tickets"]
    tables = {t: () for each in servers() for t in each.tables if each.name == "helpdesk"}
    tables[FAITHFUL.table("helpdesk.tickets")] = [*tickets, tickets[0]]
    return Task(
        item=Item("claw_eval", split="test"),
        organisation="North",
        owner=Owner("me", "me@north.test"),
        zone="UTC",
        rules=(),
        stages=(Stage("Which tickets are open?"),),
        base=BaseWorld(tables, make_claw().office.now),
        tool_names=("show_tickets",),
        checks=(Check(name="says", weight=1, statement=ReplyHolds(texts=["h1", "h3"])),),
        gates=(never("show_tickets", status="secret"),),
        solution=(ToolCall("show_tickets", FrozenDict()),),
        max_steps=9,
        dialect="claw_eval",
        overrides=(LIST,),
    )


# The house ---------------------------------------------------------------------------------------


def test_the_house_has_the_registered_tools_and_tables():
    assert dialect("") is HOUSE
    assert HOUSE.tool("todo_list_tasks") is tool("todo_list_tasks")
    assert HOUSE.table("todo.tasks") is table("todo.tasks")
    assert list(HOUSE.tables_of("todo_list_tasks")) == list(service("todo").tables)
    with pytest.raises(UnknownNameError, match="Did you mean 'todo_list_tasks'"):
        HOUSE.tool("todo_list_task")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'todo\.tasks'"):
        HOUSE.table("todo.task")


def test_the_house_refuses_in_its_own_words(task):
    office = Episode(task).office
    for call, code in (
        (ToolCall("", {}), "malformed_call"),
        (ToolCall(3, {}), "malformed_call"),
        (ToolCall("helpdesk_list_ticket", {}), "unknown_tool"),
        (ToolCall("helpdesk_list_tickets", "{"), "incomplete_json"),
        (ToolCall("helpdesk_list_tickets", [1]), "invalid_argument"),
    ):
        result = office.call(call)
        said = json.loads(result.content)
        assert (said["error"], result.error) == (code, code)
    assert "Did you mean 'helpdesk_list_tickets'" in office.log[2].result


def test_a_dialect_that_does_not_exist_is_told_with_the_nearest(task):
    assert (dialect("claw_eval"), dialect("claw_eval_intended")) == (FAITHFUL, INTENDED)
    with pytest.raises(UnknownNameError, match="Did you mean 'claw_eval'"):
        dialect("clawe_val")
    with pytest.raises(UnknownNameError, match="dialect"):
        replace(task, dialect="french")


# Words of a task ---------------------------------------------------------------------------------


def test_a_task_of_the_house_words_a_tool_that_does_what_it_always_does(task):
    worded = replace(task, overrides=(HOUSE_LIST,))
    schemas = {schema["name"]: schema for schema in worded.tool_schemas}
    assert schemas["helpdesk_list_tickets"] == HOUSE_LIST.schema
    others = {s["name"]: s for s in task.tool_schemas if s["name"] != "helpdesk_list_tickets"}
    assert {name: schemas[name] for name in others} == others
    assert list(worded.tools) == list(task.tools)
    call = ToolCall("helpdesk_list_tickets", {"status": "open"})
    assert Episode(worded).act(call) == Episode(task).act(call)
    assert worded.digest != task.digest


def test_a_reworded_tool_keeps_whether_it_writes():
    for name in ("helpdesk_list_tickets", "helpdesk_close_ticket"):
        made = HOUSE.tool(name, HOUSE_LIST._replace(name=name))
        assert made.writes == tool(name).writes


def test_tools_of_the_other_office_need_words(imported):
    with pytest.raises(TaskError, match="show_tickets needs a schema and a route"):
        _ = replace(imported, overrides=(), solution=()).tools
    made = imported.tools["show_tickets"]
    assert (made.name, made.description, made.schema) == (
        "show_tickets", "Shows tickets.", LIST.schema,
    )  # fmt: skip
    assert list(made.parameters) == ["status"]
    assert list(imported.tools) == ["show_tickets", "reply"]
    assert [schema["name"] for schema in imported.tool_schemas] == ["show_tickets", "reply"]


def test_a_tool_without_its_server_answers_all_the_same(imported):
    lost = LIST._replace(route="/todo/fly")
    episode = Episode(replace(imported, overrides=(lost,)))
    assert response(episode.act(ToolCall("show_tickets", {}))) == (404, {"detail": "Not Found"})


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        (ToolCalled(tool="helpdesk_list_tickets"), "show_tickets"),
        (ToolNotCalled(tools=["show_ticket"]), "show_tickets"),
        (Untouched(tables=["helpdesk.ticket"]), "helpdesk.tickets"),
    ],
)
def test_checks_name_what_the_task_has(imported, statement, name):
    with pytest.raises(UnknownNameError, match=name):
        replace(imported, checks=(Check(name="x", weight=1, statement=statement),))


def test_tasks_of_other_makers_need_no_gate(imported, task):
    assert replace(imported, gates=()).gates == ()
    with pytest.raises(TaskError, match="at least one gate"):
        replace(task, gates=())


# Pickles, files, episodes ------------------------------------------------------------------------


def test_tables_pickle_by_name():
    for each in servers():
        for kind in each.tables:
            assert pickle.loads(pickle.dumps(kind)) is kind


@pytest.mark.parametrize("spoken", [HOUSE, FAITHFUL, INTENDED], ids=lambda d: d.name or "house")
def test_tools_pickle_as_what_they_were_made_of(spoken):
    name = "helpdesk_list_tickets"
    made = spoken.tool(name, LIST._replace(name=name))
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is type(made)
    assert (again.name, again.schema, again.writes) == (name, made.schema, made.writes)
    assert again.validate({"status": "all"}) == made.validate({"status": "all"})


def test_refusals_pickle_with_their_words(make_claw):
    tools = make_claw().office.tools
    with pytest.raises(Exception, match="missing") as caught:
        tools["/gmail/send"].validate({})
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.code, again.message) == (
        type(caught.value), caught.value.code, caught.value.message,
    )  # fmt: skip


def test_tasks_and_episodes_go_through_a_pickle_and_go_on_alike(imported):
    task = pickle.loads(pickle.dumps(imported))
    assert task == imported
    assert task.base.schema == imported.base.schema
    assert dict(Episode(task).office.world.base.tables) == dict(imported.base.tables)
    made = [Episode(one).act(ToolCall("show_tickets", {})) for one in (task, imported)]
    assert made[0] == made[1]
    assert json.loads(made[0].content)["total"] == 3, "twins are two rows"


def test_an_office_of_the_other_dialect_goes_through_a_pickle(make_claw):
    claw = make_claw()
    claw.ok("/todo/tasks/create", title="Wax")
    twin = pickle.loads(pickle.dumps(claw.office))
    call = ToolCall("/todo/tasks/update", FrozenDict(task_id="todo_004", status="done"))
    assert twin.call(call) == claw.office.call(call)
    assert twin.world.digest() == claw.office.world.digest()
    assert twin.dialect.name == "claw_eval"


def test_a_task_file_keeps_dialect_words_and_twins(imported, tmp_path):
    save_task(imported, tmp_path / "one.json")
    again = load_task(tmp_path / "one.json")
    assert again == imported
    assert (again.dialect, again.overrides) == ("claw_eval", (LIST,))
    assert again.tools["show_tickets"].schema == LIST.schema
    assert list(again.base.tables["helpdesk.tickets"]) == ["h1", "h2", "h3", "h1 (2)"]


def test_a_file_of_the_house_has_neither_dialect_nor_words(task, tmp_path):
    save_task(task, tmp_path / "one.json")
    content = json.loads((tmp_path / "one.json").read_text(encoding="utf-8"))
    assert not {"dialect", "overrides"} & set(content)
    worded = replace(task, overrides=(HOUSE_LIST,))
    save_task(worded, tmp_path / "two.json")
    assert load_task(tmp_path / "two.json").overrides == (HOUSE_LIST,)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda c: c.update(dialect="claw_evil"), "Did you mean 'claw_eval'"),
        (lambda c: c["overrides"][0].update(rout="x"), "Did you mean 'route'"),
        (lambda c: c["records"].update({"helpdesk.ticket": []}), "'helpdesk.tickets'"),
        (lambda c: c.update(overrides=[]), "needs a schema and a route"),
        (lambda c: c["overrides"][0].update(description="x"), "the digest is"),
    ],
)
def test_a_file_of_another_dialect_that_is_wrong_is_told(imported, tmp_path, change, complaint):
    path = tmp_path / "one.json"
    save_task(imported, path)
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(TaskError, match=complaint):
        load_task(path)


def test_an_episode_of_the_other_office_is_scored_by_its_checks(imported):
    episode = Episode(imported)
    for call in (*imported.solution, ToolCall("reply", {"text": "H1 and h3 are open."})):
        episode.act(call)
    assert episode.over
    assert episode.score().value == 1
    other = Episode(imported)
    other.act(ToolCall("show_tickets", {"status": "secret"}))
    other.act(ToolCall("reply", {"text": "h1, h3"}))
    assert other.score().value == 0


# Faults ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "status", "body"),
    [
        ("rate_limit", 429, {
            "error": "rate_limit_exceeded",
            "message": "Too many requests. Please retry after a short delay.",
            "retry_after_seconds": 2,
        }),
        ("server_error", 500, {
            "error": "internal_server_error",
            "message": "An unexpected error occurred. Please try again.",
        }),
    ],
)  # fmt: skip
def test_faults_are_told_in_the_words_of_the_dialect_and_change_nothing(
    imported, kind, status, body
):
    office = office_of(imported, kind)
    assert response(office.call(ToolCall("show_tickets", {}))) == (status, body)
    assert office.world.diff() == []
    assert office.call(ToolCall("reply", {"text": "Hm."})).error is None


def test_an_accepted_timeout_has_done_its_work(make_claw):
    claw = make_claw()
    claw.office.faults = Faults(1.0, ("accepted_timeout",))
    result = claw.office.call(ToolCall("/todo/tasks/delete", {"task_id": "todo_001"}))
    assert result.error == "timeout"
    assert json.loads(result.content)["error"] == "timeout"
    assert len(claw.state()["todo.tasks"]) == 2


def test_the_house_tells_faults_in_its_own_words(task):
    office = Office(
        World(task.base), task.tools, task.zone, task.owner, Faults(1.0, ("rate_limit",))
    )
    said = json.loads(office.call(ToolCall("helpdesk_list_tickets", {})).content)
    assert said["error"] == "rate_limited"
    assert task.tools["reply"] is reply


def office_of(task, kind):
    """An office in which every call meets a fault."""
    return Office(
        World(task.base), task.tools, task.zone, task.owner, Faults(1.0, (kind,)),
        dialect(task.dialect),
    )  # fmt: skip
