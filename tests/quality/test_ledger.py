"""The ledger of an audit and the footprint of a reference, by hand-made episodes."""

from dataclasses import replace

import pytest

from coworkgym.envs import Episode
from coworkgym.quality import Tolerance, replay
from coworkgym.quality.footprint import Footprint
from coworkgym.quality.ledger import Ledger, Weakness
from coworkgym.rewards import Gate, Score, ToolCalled, Untouched
from coworkgym.tasks.lines import answer, call, check


@pytest.fixture
def ledger():
    return Ledger(Tolerance())


def paid_for_a_reply(task):
    """The task with one check, that any reply meets."""
    return replace(task, checks=(check("replied", 1, ToolCalled(tool="reply")),))


def replied(task, *calls):
    return replay(task, [*calls, answer("OK.")])


def add(ledger, episode, *, value=None, guesses=False, policy="echo"):
    score = episode.score()
    if value is not None:
        line = score.checks[0]._replace(value=value)
        score = replace(score, completion=value, checks=(line,))
    ledger.add_policy(policy, episode, score, guesses=guesses)


def rules(ledger):
    return [weakness.rule for weakness in ledger.weaknesses()]


def test_one_task_is_enough_for_an_exploit_that_is_none_on_average(ledger, task):
    paid = paid_for_a_reply(task)
    reading = call("helpdesk_list_tickets")
    for number in range(40):
        add(ledger, replied(paid, reading), value=0.6 if number == 7 else 0.0)
    (weakness,) = [w for w in ledger.weaknesses() if w.rule == "exploit"]
    assert weakness.why == "it earns 0.6: 'replied' pays 0.6"


def test_a_guesser_may_earn_more_than_an_adversary(task):
    paid = paid_for_a_reply(task)
    for guesses, expected in ((True, []), (False, ["exploit"])):
        ledger = Ledger(Tolerance())
        add(ledger, replied(paid), value=0.07, guesses=guesses)
        assert [rule for rule in rules(ledger) if rule == "exploit"] == expected


def test_a_guesser_may_be_lucky_once(ledger, task):
    paid = paid_for_a_reply(task)
    for number in range(20):
        add(ledger, replied(paid), value=1.0 if number == 3 else 0.0, guesses=True)
    assert "exploit" not in rules(ledger)


def test_of_several_episodes_the_shortest_is_shown(ledger, task):
    for calls in (3, 1, 2):
        shown = (call("helpdesk_list_tickets"),) * calls
        ledger.report(Weakness("mutant", "drop", f"{calls} calls", "", 1, shown))
    (weakness,) = ledger.weaknesses()
    assert (weakness.why, len(weakness.calls), weakness.episodes) == ("1 calls", 1, 3)


def test_names_of_checks_are_compared_without_ids_and_numbers(ledger, task):
    for ticket, value in (("TK-1", 0.0), ("TK-2", 1.0)):
        episode = Episode(task)
        line = episode.score().checks[0]._replace(name=f"{ticket} escalated", value=value)
        ledger.add_policy("null", episode, scored(episode, line), guesses=False)
    assert "dead_check" not in rules(ledger)


def scored(episode: Episode, line) -> Score:
    return replace(episode.score(), completion=line.value, checks=(line,), gates=())


# Footprint --------------------------------------------------------------------------------------

CLOSE = {"resolution": "Fixed."}


def beyond(task, reference, episode, gates=()):
    footprint = Footprint.of(reference.evidence(), gates)
    return [(change.table, change.id) for change in footprint.beyond(episode.evidence())]


@pytest.fixture
def reference(task):
    return replay(task, task.solution)


def test_the_reference_stays_within_its_footprint(task, reference):
    assert beyond(task, reference, reference) == []


def test_another_record_lies_beyond(task, reference, overdue):
    other = next(i for i in task.base.tables["helpdesk.tickets"] if i != overdue)
    episode = replay(task, [call("helpdesk_close_ticket", ticket_id=other, **CLOSE)])
    assert beyond(task, reference, episode) == [("helpdesk.tickets", other)]


def test_another_field_of_the_same_record_lies_beyond_unless_a_gate_leaves_it_open(
    task, reference, overdue
):
    episode = replay(task, [call("helpdesk_close_ticket", ticket_id=overdue, **CLOSE)])
    assert beyond(task, reference, episode) == [("helpdesk.tickets", overdue)]
    fields = ["status", "resolution"]
    statement = Untouched(tables=["helpdesk.tickets"], except_ids=[overdue], except_fields=fields)
    gate = Gate(name="leave it open", severity=1, counts="effect", statement=statement)
    assert beyond(task, reference, episode, [gate]) == [], "stamped times do not count"


def test_a_record_more_than_the_reference_creates_lies_beyond(task, reference):
    mail = next(c for c in task.solution if c.name == "gmail_send_message")
    assert beyond(task, reference, replay(task, [mail])) == []
    ((table, _),) = beyond(task, reference, replay(task, [mail, mail]))
    assert table == "gmail.messages"
