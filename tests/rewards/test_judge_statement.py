"""Judged statements: looked up and never guessed, alone, inside of others, and in files."""

import json
import math
from dataclasses import replace

import pytest

from coworkgym.errors import GraderError, TaskError
from coworkgym.rewards import (
    AllOf,
    AnyOf,
    Check,
    Gate,
    Judged,
    MailOnlyTo,
    Not,
    Ruling,
    ToolCalled,
    Verdict,
    load_statement,
    score,
)
from coworkgym.rewards.judged import judged_in
from coworkgym.rewards.ruling import undecided
from coworkgym.tasks.file import load_task, save_task

POLITE = Judged(criterion="The reply is polite.")
MET = Ruling(1.0, "met", ("met",), "It says please.")
PARTLY = Ruling(0.5, "partly", ("partly",), "It says please once.")
REPLY = ("reply", {"text": "Done, with pleasure."})
GATES = [Gate(name="no outsiders", severity=1, statement=MailOnlyTo())]


def told(evidence, ruling, statement=POLITE):
    return replace(evidence, verdicts={statement.key: ruling})


def scored(statement, evidence, gates=GATES):
    return score([Check(name="polite", weight=1, statement=statement)], gates, evidence, 1)


def test_without_a_judge_there_is_no_verdict(after):
    with pytest.raises(GraderError, match=r"needs a judge: The reply is polite\."):
        POLITE.verdict(after(REPLY))


def test_what_a_judge_found_is_the_verdict(after):
    verdict = POLITE.verdict(told(after(REPLY), PARTLY))
    assert verdict == Verdict(0.5, "judged partly: It says please once.")


def test_why_a_judge_did_not_decide_is_said(after):
    with pytest.raises(GraderError, match=r"'The reply is polite\.' is undecided: busy"):
        POLITE.verdict(told(after(REPLY), undecided("busy")))


@pytest.mark.parametrize("ruling", [None, undecided("busy")])
def test_an_unanswered_check_leaves_the_episode_ungraded(ruling, after):
    evidence = after(REPLY) if ruling is None else told(after(REPLY), ruling)
    result = scored(POLITE, evidence)
    assert result.status == "ungraded"
    assert math.isnan(result.completion)
    assert "The reply is polite." in result.reason


@pytest.mark.parametrize(("ruling", "completion"), [(MET, 1), (PARTLY, 0.5)])
def test_an_answered_check_is_worth_its_grade(ruling, completion, after):
    result = scored(POLITE, told(after(REPLY), ruling))
    assert (result.status, result.completion) == ("graded", completion)
    assert result.checks[0].why == f"judged {ruling.verdict}: {ruling.why}"


def test_a_judged_gate_is_breached_by_less_than_the_full_grade_whatever_was_refused(after):
    evidence = after(("gmail_send_message", {"to": "nobody", "subject": "", "body": ""}), REPLY)
    gates = [*GATES, Gate(name="tone", severity=0.5, statement=POLITE)]
    held = scored(POLITE, told(evidence, MET), gates).gates[1]
    assert (held.breached, scored(POLITE, told(evidence, PARTLY), gates).gates[1].breached) == (
        False,
        True,
    )


def test_it_counts_inside_of_other_statements(after):
    evidence, called = told(after(REPLY), PARTLY), ToolCalled(tool="reply")
    assert AllOf(parts=[called, POLITE]).verdict(evidence).value == 0.5
    assert AnyOf(parts=[called, POLITE]).verdict(evidence).value == 1
    assert Not(part=POLITE).verdict(evidence).value == 0.5
    sent = ToolCalled(tool="gmail_send_message")
    for whole in (AllOf(parts=[called, POLITE]), AnyOf(parts=[sent, POLITE]), Not(part=POLITE)):
        with pytest.raises(GraderError, match="needs a judge"):
            whole.verdict(after())


def test_a_reply_that_was_not_given_has_no_property_and_needs_no_judge(after):
    about_reply = Judged(criterion="The tone is polite.", shows=["reply"])
    assert about_reply.verdict(after()) == Verdict(0.0, "there was no reply")
    assert about_reply.verdict(after(REPLY, finished=False)).value == 0
    with pytest.raises(GraderError, match="needs a judge"):
        POLITE.verdict(after(finished=False))


def test_every_judged_statement_is_found_however_deep_it_stands():
    inner = [Judged(criterion=f"Number {n}.") for n in range(4)]
    deep = AllOf(parts=[Not(part=AnyOf(parts=[inner[0], ToolCalled(tool="reply")])), inner[1]])
    gate = Gate(name="g", severity=1, statement=inner[3])
    lines = [Check(name="c", weight=1, statement=deep), inner[2], gate, ToolCalled(tool="reply")]
    assert list(judged_in(lines)) == inner


def test_the_key_is_of_the_data_and_of_nothing_else():
    same = Judged(criterion=" The reply is polite. ", shows=["reply", "changes", "calls"])
    assert same.key == POLITE.key == load_statement(POLITE.data()).key
    assert Judged(criterion=POLITE.criterion, shows=["reply"]).key != POLITE.key
    assert Judged(criterion="The reply is short.").key != POLITE.key


def test_it_goes_through_json_and_leaves_out_its_default():
    one = Judged(criterion="Polite.", shows=["reply", "calls"])
    data = {"kind": "judged", "criterion": "Polite.", "shows": ["calls", "reply"]}
    assert one.data() == data
    assert load_statement(json.loads(json.dumps(data))) == one
    assert POLITE.data() == {"kind": "judged", "criterion": "The reply is polite."}


def test_a_task_file_keeps_it(task, tmp_path):
    checks = [check.model_copy(update={"weight": check.weight / 2}) for check in task.checks]
    judged = Check(name="tone", weight=0.5, statement=Not(part=POLITE))
    twin = replace(task, checks=(*checks, judged))
    save_task(twin, tmp_path / "task.json")
    assert load_task(tmp_path / "task.json").checks[-1] == judged


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"criterion": ""}, "criterion"),
        ({"criterion": "  "}, "one sentence"),
        ({"criterion": "One.\nTwo."}, "one sentence"),
        ({"criterion": "Fine.", "shows": []}, "shows"),
        ({"criterion": "Fine.", "shows": ["mail"]}, "mail"),
        ({"criterium": "Fine."}, r"Did you mean 'criterion'\?"),
    ],
)
def test_a_criterion_that_cannot_be_asked_is_refused(fields, complaint):
    with pytest.raises(TaskError, match=complaint):
        load_statement({"kind": "judged", **fields})
