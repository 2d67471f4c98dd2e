"""Behaviour: worked out by hand on told episodes, and read from real ones."""

import pytest
from made_runs import rollout, told, trials

from coworkgym.evals import behaviour, habits_of
from coworkgym.evals.behaviour import office_calls
from coworkgym.policies import get_policy
from coworkgym.rollouts import Rollout, collect, run_episode
from coworkgym.tasks import packages

GET, FIND, SEND = ("gmail_get", {"id": 1}), ("crm_find", {"q": "x"}), ("gmail_send", {"to": "a"})
DONE = ("reply", {"text": "Done."})


def sent(error=None):
    return (*SEND, error, True)


def test_interfaces_switch_between_consecutive_calls():
    calls = [(*GET, None, False, kind) for kind in ("function", "function", "shell", "function")]
    assert behaviour.interface_switches(told(*calls, DONE)) == pytest.approx(2 / 3)
    assert behaviour.interface_switches(told(GET, DONE)) is None


def test_services_switch_between_consecutive_calls_without_replies():
    assert behaviour.service_switches(told(GET, sent(), FIND, DONE, GET)) == pytest.approx(2 / 3)
    assert behaviour.service_switches(told(GET, sent())) == 0


def test_a_return_is_a_service_left_and_come_back_to():
    assert behaviour.returns(told(GET, sent(), FIND, DONE)) == 0
    assert behaviour.returns(told(GET, FIND, GET, FIND)) == 2
    assert behaviour.returns(told(DONE)) == 0


def test_a_read_is_repeated_when_it_was_answered_before():
    assert behaviour.repeated_reads(told(GET, FIND, GET, GET)) == 2
    other = ("gmail_get", {"id": 2})
    assert behaviour.repeated_reads(told(GET, other)) == 0
    ordered = ("gmail_get", {"a": 1, "b": 2}), ("gmail_get", {"b": 2, "a": 1})
    assert behaviour.repeated_reads(told(*ordered)) == 1
    failed = (*GET, "unavailable", False)
    assert behaviour.repeated_reads(told(failed, GET)) == 0  # a retry
    assert behaviour.repeated_reads(told(GET, failed)) == 1
    assert behaviour.repeated_reads(told(sent(), sent())) == 0
    assert behaviour.repeated_reads(told(SEND, sent())) == 0  # at last it changed something


def test_reads_before_acting_are_different_answered_calls_before_the_first_change():
    assert behaviour.reads_before_acting(told(GET, GET, FIND, sent(), ("crm_get", {}))) == 2
    refused = ("crm_get", {}, "not_found", False)
    assert behaviour.reads_before_acting(told(GET, refused, sent())) == 1
    assert behaviour.reads_before_acting(told(sent())) == 0
    assert behaviour.reads_before_acting(told(GET, DONE)) is None
    assert behaviour.reads_before_acting(told(GET, sent("timeout"), FIND)) == 1  # it was done


def test_acting_without_reading_is_asked_of_episodes_that_act():
    assert behaviour.acted_unread(told(sent(), GET)) is True
    assert behaviour.acted_unread(told(GET, sent())) is False
    assert behaviour.acted_unread(told(GET)) is None
    assert behaviour.acted(told(sent()))
    assert not behaviour.acted(told(GET, DONE))


def test_errors_and_malformed_calls_are_shares_of_all_calls():
    one = told(
        GET,
        ("crm_get", {}, "missing_argument", False),
        ("crm_delete", {}, "unknown_tool", False),
        (*FIND, "not_found", False),
        DONE,
    )
    assert behaviour.errors(one) == pytest.approx(3 / 5)
    assert behaviour.malformed(one) == pytest.approx(2 / 5)
    assert behaviour.errors(told()) is None
    assert behaviour.malformed(told()) is None


def test_a_tool_recovers_when_it_succeeds_after_its_last_failure():
    failed = (*GET, "unavailable", False)
    assert behaviour.recovery(told(failed, failed, GET)) == 1
    assert behaviour.recovery(told(GET, failed)) == 0
    assert behaviour.recovery(told(failed, GET, (*FIND, "unavailable", False))) == 0.5
    assert behaviour.recovery(told(GET)) is None


def test_the_value_counts_within_the_budget_only():
    one = told(GET, sent(), DONE, value=0.8)
    assert [behaviour.value_within(one, calls) for calls in (2, 3, 9)] == [0, 0.8, 0.8]


def test_what_the_system_did_is_not_the_agents():
    one = told(GET, DONE)
    system = one.deeds[0]._replace(step=0, actor="system", changes="[[1]]")
    assert behaviour.reads_before_acting(one._replace(deeds=(system, *one.deeds))) is None


def test_a_log_that_does_not_fit_the_transcript_is_refused():
    one = told(GET, DONE)
    with pytest.raises(ValueError, match=r"1 calls in the audit log, 2 in the transcript"):
        office_calls(one._replace(deeds=one.deeds[:1]))


class Talker:
    """Says and calls what is given, in turn."""

    name = "talker"

    def __init__(self, *messages):
        self.messages = list(messages)

    def act(self, transcripts, tools):
        return [self.messages.pop(0) for _ in transcripts]


def test_calls_that_were_not_run_and_replies_as_text_keep_log_and_transcript_together(build):
    task = build("escalation")
    look = {"name": "helpdesk_list_tickets", "arguments": {"limit": 3}}
    broken = {"name": "crm_get_customer", "arguments": '{"customer_id": '}
    messages = [
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": "", "tool_calls": [look, broken, look]},
        {"role": "assistant", "content": "", "tool_calls": [
            {"name": "reply", "arguments": {"text": "Done."}}, look,
        ]},
    ]  # fmt: skip
    one = run_episode(task, Talker(*messages))
    for played in (one, Rollout.from_dict(one.as_dict())):
        names = [call.deed.name for call in office_calls(played)]
        assert names == ["helpdesk_list_tickets", "crm_get_customer", "helpdesk_list_tickets"]
        assert office_calls(played)[0].arguments == '{"limit": 3}'
        assert behaviour.repeated_reads(played) == 1
        assert behaviour.malformed(played) == pytest.approx(2 / 5)
    text = run_episode(task, Talker({"role": "assistant", "content": "I did nothing."}))
    assert office_calls(text) == []


@pytest.mark.parametrize("name", ["random", "reference", "null"])
def test_every_real_episode_can_be_read(name):
    items = [package.item(level="warmup") for package in packages()]
    for one in collect(items, get_policy(name)):
        calls = [
            call["name"] for message in one.transcript for call in message.get("tool_calls", ())
        ]
        expected = [n for n in calls if n in one.task.tools and n != "reply"]
        assert [call.deed.name for call in office_calls(one)] == expected
        if name == "reference":
            assert behaviour.acted_unread(one) in (False, None)
            assert behaviour.errors(one) == 0


def test_habits_are_means_over_the_episodes_they_apply_to():
    some = trials(told(GET, sent(), DONE), told(sent()), told(GET, DONE), rollout(0, 3, None))
    habits = habits_of(some)
    assert (habits.acted.value, habits.acted.n) == (pytest.approx(2 / 3), 3)
    assert (habits.acted_unread.value, habits.acted_unread.n) == (0.5, 2)
    assert habits.reads_before_acting.value == 0.5
    assert (habits.service_switches.value, habits.service_switches.n) == (0, 1)


def test_the_curve_over_budgets_rises_to_the_mean():
    some = trials(*(rollout(n, 0, 0.5, steps=steps) for n, steps in enumerate((2, 4, 4, 50))))
    curve = habits_of(some).within
    assert len(curve) <= 20
    assert curve[-1].calls == 50
    values = [point.value.value for point in curve]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(0.5)
    assert next(point for point in curve if point.calls == 3).value.value == pytest.approx(0.125)
