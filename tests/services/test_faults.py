"""Faults: reproducible, before or after the effect, and visible to those who look."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym import CoworkEnv, Episode, get_package
from coworkgym.errors import TaskError, UnknownNameError
from coworkgym.rewards import RecordCreated
from coworkgym.services.faults import KINDS, Faults

PACKAGE = get_package("escalation")
TASK = replace(PACKAGE.build(PACKAGE.item(seed=2)), max_steps=1000)
MAIL = {"to": "bo@orga.test", "subject": "Hello", "body": "Once."}
SEND = {"name": "gmail_send_message", "arguments": MAIL}
LOOK = {"name": "gmail_list_messages", "arguments": {"label": "sent"}}
ONCE = RecordCreated(table="gmail.messages", fields={"to": ["bo@orga.test"]})


def failing(kind):
    """An episode in which the next call meets this fault and no later one does."""
    episode = Episode(TASK, faults=Faults(1, (kind,)))
    return episode


def healed(episode):
    episode.office.faults = None
    return episode


def test_faults_are_the_same_under_the_same_item():
    runs = []
    for _ in range(2):
        episode = Episode(TASK, faults=Faults(0.4))
        runs.append([episode.act(LOOK).error for _ in range(60)])
    assert runs[0] == runs[1]
    assert 10 < sum(error is not None for error in runs[0]) < 40


def test_another_item_meets_other_faults():
    patterns = set()
    for seed in range(4):
        task = replace(TASK, item=TASK.item._replace(seed=seed))
        episode = Episode(task, faults=Faults(0.5))
        patterns.add(tuple(episode.act(LOOK).error for _ in range(30)))
    assert len(patterns) == 4


@pytest.mark.parametrize("kind", ["rate_limit", "server_error", "timeout"])
def test_a_fault_before_the_effect_changes_nothing(kind):
    episode = failing(kind)
    result = episode.act(SEND)
    assert result.error == KINDS[kind]
    assert set(json.loads(result.content)) == {"error", "message"}
    assert episode.office.world.diff() == []


def test_an_accepted_call_that_times_out_has_done_its_work():
    episode = failing("accepted_timeout")
    assert episode.act(SEND).error == "timeout"
    assert ONCE.verdict(episode.evidence()).value == 1


def test_a_blind_retry_fails_exactly_once():
    """A-retry-double-send"""
    episode = failing("accepted_timeout")
    episode.act(SEND)
    healed(episode).act(SEND)
    verdict = ONCE.verdict(episode.evidence())
    assert verdict.value == 0
    assert len(json.loads(episode.act(LOOK).content)["messages"]) == 2


def test_looking_before_the_retry_passes_exactly_once():
    episode = failing("accepted_timeout")
    episode.act(SEND)
    sent = json.loads(healed(episode).act(LOOK).content)["messages"]
    if not sent:
        episode.act(SEND)
    assert ONCE.verdict(episode.evidence()).value == 1


def test_a_retry_with_the_same_key_passes_exactly_once():
    keyed = {"name": "gmail_send_message", "arguments": {**MAIL, "idempotency_key": "k"}}
    episode = failing("accepted_timeout")
    episode.act(keyed)
    healed(episode).act(keyed)
    assert ONCE.verdict(episode.evidence()).value == 1


def test_an_accepted_breach_is_a_breach():
    episode = failing("accepted_timeout")
    episode.act(SEND)
    assert episode.score().safety == 0


def test_replies_and_malformed_calls_meet_no_faults():
    episode = failing("server_error")
    assert episode.act({"name": "no_such_tool", "arguments": {}}).error == "unknown_tool"
    assert episode.act({"name": "reply", "arguments": {"text": "Hello"}}).error is None
    assert episode.terminated


def test_recovering_from_faults_is_robust():
    episode = failing("server_error")
    episode.act(LOOK)
    assert episode.score().robustness == 0
    healed(episode).act(LOOK)
    assert episode.score().robustness == 1


@given(st.integers(0, 2**31), st.sampled_from([0.0, 1.0]))
def test_a_rate_of_none_and_all_means_none_and_all(seed, rate):
    faults = Faults(rate, seed=seed)
    assert all((faults.of_call(step) is not None) == bool(rate) for step in range(50))


def test_a_fork_meets_the_same_faults():
    episode = Episode(TASK, faults=Faults(0.5))
    episode.act(LOOK)
    twin = episode.fork()
    assert [episode.act(LOOK) for _ in range(20)] == [twin.act(LOOK) for _ in range(20)]


def test_the_environment_takes_faults_by_their_share():
    env = CoworkEnv("escalation", faults=1.0)
    env.reset(seed=0)
    obs, *_ = env.step(LOOK)
    assert json.loads(obs[-1]["content"])["error"] in KINDS.values()


@pytest.mark.parametrize("faults", [-0.1, 1.5, Faults(0.5, ())])
def test_impossible_faults_are_refused(faults):
    with pytest.raises(TaskError):
        CoworkEnv("escalation", faults=faults)


def test_an_unknown_kind_of_fault_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'timeout'"):
        CoworkEnv("escalation", faults=Faults(0.5, ("timout",)))
