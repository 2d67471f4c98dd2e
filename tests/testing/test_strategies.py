"""The strategies draw what they say, print it short, and shrink to little."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from coworkgym import Episode, Task, get_package, packages
from coworkgym.envs.spaces import ToolCallSpace
from coworkgym.frozen import json_text
from coworkgym.rewards.checklist import validate
from coworkgym.services import MALFORMED, World
from coworkgym.tasks.file import FORMAT, task_from_data
from coworkgym.testing import (
    checks,
    episodes,
    items,
    odd_texts,
    tasks,
    tool_calls,
    worlds,
    writing_calls,
)
from coworkgym.testing.words import texts

FEW = settings(max_examples=15)
NAMES = [package.name for package in packages()]


def easy(name: str = "escalation") -> Task:
    package = get_package(name)
    return package.build(package.item(level="easy", seed=2))


TASK = easy()
RECORDS = json_text([[*rows.values()] for rows in TASK.base.tables.values()])


def seen(strategy: st.SearchStrategy[Any], key: Any, examples: int = 100) -> Counter[Any]:
    """Counts what is drawn."""
    counts: Counter[Any] = Counter()

    @settings(max_examples=examples)
    @given(strategy)
    def look(drawn: Any) -> None:
        counts.update(key(drawn))

    look()
    return counts


@pytest.mark.parametrize("name", NAMES)
def test_valid_calls_reach_their_tool_in_every_package(name: str) -> None:
    task = easy(name)
    space = ToolCallSpace(task.tools)

    @FEW
    @given(tool_calls(task), writing_calls(task))
    def valid(call: Any, write: Any) -> None:
        for one in (call, write):
            assert space.contains(one._asdict())
            assert Episode(task).act(one).error not in MALFORMED

    valid()


@pytest.mark.parametrize("name", NAMES)
def test_malformed_calls_are_refused_in_every_package(name: str) -> None:
    task = easy(name)

    @FEW
    @given(tool_calls(task, valid=False))
    def malformed(call: Any) -> None:
        episode = Episode(task)
        assert episode.act(call).error in MALFORMED
        assert episode.office.world.diff() == []

    malformed()


def test_every_way_of_being_malformed_is_drawn() -> None:
    calls = tool_calls(TASK, valid=False)
    assert set(seen(calls, lambda call: [Episode(TASK).act(call).error])) == MALFORMED


def test_calls_are_about_the_records_and_many_succeed() -> None:
    for call in seen(tool_calls(TASK), lambda call: [json_text(call)]):
        name, arguments = json.loads(call)
        schema = TASK.tools[name].schema["parameters"]["properties"]
        free = {n: v for n, v in arguments.items() if not {"enum", "format"} & schema[n].keys()}
        assert all(text in RECORDS for text in texts(free)), call
    errors = seen(tool_calls(TASK), lambda call: [Episode(TASK).act(call).error])
    assert errors[None] > errors.total() / 2
    assert len(seen(writing_calls(TASK), lambda call: [call.name])) > 5


def test_drawn_checklists_make_tasks_that_can_be_saved_and_scored() -> None:
    kinds: Counter[str] = Counter()

    @settings(max_examples=60)
    @given(checks(TASK), episodes(TASK))
    def usable(drawn: Any, episode: Episode) -> None:
        kinds.update(check.statement.kind for check in drawn)
        validate(drawn, TASK.gates)
        task = replace(TASK, checks=drawn)
        content = {"format": FORMAT, "digest": task.digest, **task.data()}
        assert task_from_data(json.loads(json_text(content))) == task
        evidence = episode.evidence()
        for check in drawn:
            assert 0 <= check.statement.verdict(evidence).value <= 1
            assert check.statement.verdict(evidence) == check.statement.verdict(evidence)

    usable()
    assert len(kinds) > 10


def test_episodes_are_at_their_beginning_middle_and_end() -> None:
    def key(episode: Episode) -> Any:
        yield episode.over
        yield "solved" if episode.score().solved else "open"
        yield from (event.error is None for event in episode.office.log[:1])

    counts = seen(episodes(TASK), key)
    assert set(counts) == {True, False, "solved", "open"}


def test_worlds_differ_from_their_base_and_are_settled() -> None:
    def key(world: World) -> Any:
        assert world.fork().digest() == world.digest()
        assert world.base is TASK.base
        yield len(world.diff())

    assert len(seen(worlds(TASK), key)) > 2


def test_items_can_be_narrowed() -> None:
    narrow = items(levels=["easy"], languages=["zh"], splits=["test"])
    drawn = seen(narrow, lambda item: [item[:1] + item[2:3] + item[4:]])
    assert {rest for _, *rest in drawn for rest in [tuple(rest)]} == {("test", "easy", "zh")}
    assert {name for name, *_ in drawn} == set(NAMES)


def test_tasks_of_a_package_that_is_not_registered_can_be_drawn() -> None:
    mine = replace(get_package("escalation"), name="nowhere")
    levels = seen(tasks(mine, levels=["warmup", "easy"]), lambda task: [task.item.level], 20)
    assert set(levels) == {"warmup", "easy"}


def test_odd_texts_hold_what_trips_others() -> None:
    for odd in ("\x00", "\ud83d", "🚀", "\u202e"):
        assert odd in find(odd_texts(), lambda text, odd=odd: odd in text)


def test_draws_shrink_to_little_and_print_it() -> None:
    quick = settings(max_examples=500, database=None)
    episode = find(episodes(TASK), lambda e: e.steps >= 2, settings=quick)
    assert episode.steps == 2
    assert repr(episode).startswith("Episode(Task(Item(package='escalation'")
    world = find(worlds(TASK), lambda w: w.diff() != [], settings=quick)
    assert len(world.diff()) == 1
    assert repr(world).startswith("World(changed: ")
    assert len(find(checks(TASK), lambda _: True, settings=quick)) == 1
    call = find(tool_calls(TASK), lambda c: c.name == "gmail_send_message", settings=quick)
    assert set(call.arguments) == {"to", "subject", "body"}
