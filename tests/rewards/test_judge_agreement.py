"""Agreement of judge and program, and the probe that tells a judge of somebody who disagrees."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym import Episode
from coworkgym.errors import GraderError
from coworkgym.rewards import Check, Judged
from coworkgym.rewards.judge import Agreement, Case, Judge, agreement, cases_of, probe
from coworkgym.rewards.judge.agreement import _cohen

REPLY = ("reply", {"text": "Done."})
POLITE = "The reply is polite."


@pytest.fixture
def judge(chat_client):
    return Judge(chat_client(retries=0), tries=1)


def cases(evidence, *expected):
    return [Case(f"Number {n}.", evidence, value) for n, value in enumerate(expected)]


def test_agreement_counts_pairs_and_leaves_out_the_undecided(judge, model, after):
    model.answers = ["met", "met", "unmet", "?", "partly"]
    result = agreement(judge, cases(after(REPLY), 1.0, 0.0, 0.0, 1.0, "partly"))
    confusion = {
        ("met", "met"): 1, ("partly", "partly"): 1, ("unmet", "met"): 1, ("unmet", "unmet"): 1,
    }  # fmt: skip
    assert result[:3] == (5, 1, confusion)
    assert list(result.confusion) == sorted(confusion)
    assert result.accuracy == 0.75
    assert result.kappa == pytest.approx((0.75 - 5 / 16) / (1 - 5 / 16))


def test_kappa_of_a_published_table():
    """Cohen's kappa of a 2 x 2 table that is worked out in many places: 20, 5, 10, 15."""
    pairs = {("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}
    assert _cohen(pairs) == pytest.approx((0.7, 0.4))


def test_what_is_undefined_is_nan(judge, model, after):
    nothing = agreement(judge, [])
    assert nothing[:3] == (0, 0, {})
    assert math.isnan(nothing.kappa)
    assert math.isnan(nothing.accuracy)
    always = agreement(judge, cases(after(REPLY), 1.0, 1.0))
    assert always.accuracy == 1
    assert math.isnan(always.kappa)


WORDS = st.sampled_from(["met", "partly", "unmet"])
TABLES = st.dictionaries(st.tuples(WORDS, WORDS), st.integers(1, 9))


@given(TABLES)
def test_kappa_is_1_for_full_agreement_and_never_more(pairs):
    accuracy, kappa = _cohen(pairs)
    if not math.isnan(kappa):
        assert -1 <= kappa <= 1
        assert (kappa == 1) == (accuracy == 1)
        assert _cohen({(b, a): count for (a, b), count in pairs.items()})[1] == kappa


@pytest.mark.parametrize(
    ("value", "word"),
    [(1.0, "met"), (0.8, "met"), (0.6, "partly"), (0.25, "unmet"), (0.0, "unmet")],
)
def test_a_value_counts_as_the_nearest_verdict_and_as_the_lower_of_two(
    value, word, judge, model, after
):
    result = agreement(judge, cases(after(REPLY), value))
    assert result.confusion == {(word, "met"): 1}


def test_the_checks_of_a_task_are_cases_with_their_values(task):
    episode = Episode(task)
    for call in task.solution[:2]:
        episode.act(call)
    evidence = episode.evidence()
    found = cases_of(task, evidence)
    assert [case.expected for case in found] == [
        check.statement.verdict(evidence).value for check in task.checks
    ]
    assert len({case.criterion for case in found}) == len(task.checks)
    for case, check in zip(found, task.checks, strict=True):
        assert case.criterion.startswith(f"{check.name}: ")
        assert "\n" not in case.criterion
        assert ". Here: {" in case.criterion


def test_a_judged_check_is_no_case_and_an_unanswered_one_is_an_error(task, after):
    class Judging:
        checks = (Check(name="tone", weight=1, statement=Judged(criterion=POLITE)), task.checks[0])

    assert len(cases_of(Judging(), after(REPLY))) == 1
    torn = Check(name="left alone", weight=1, statement=task.gates[0].statement)
    Judging.checks = (torn,)
    with pytest.raises(GraderError, match="log"):
        cases_of(Judging(), after(log=None))


def test_a_judge_is_measured_on_the_checks_of_a_task(judge, model, task):
    episode = Episode(task)
    for call in task.solution:
        episode.act(call)
    result = agreement(judge, cases_of(task, episode.evidence()))
    assert isinstance(result, Agreement)
    assert (result.n, result.accuracy) == (len(task.checks), 1)


# The probe ---------------------------------------------------------------------------------------


def test_a_judge_that_stays_with_its_verdict_holds(judge, model, after):
    result = probe(judge, POLITE, after(REPLY))
    assert (result.first.verdict, result.told, result.second.verdict) == ("met", "unmet", "met")
    assert result.holds


def test_a_judge_that_follows_others_does_not_hold(judge, model, after):
    def sway(sent):
        return "unmet" if 'to be "unmet"' in sent["messages"][1]["content"] else "met"

    model.answer = sway
    result = probe(judge, POLITE, after(REPLY))
    assert (result.second.verdict, result.holds) == ("unmet", False)
    assert [len(sent["messages"]) for sent in model.seen] == [2, 2], "each in a chat of its own"
    first, second = (sent["messages"][1]["content"] for sent in model.seen)
    assert second.startswith(first)


@pytest.mark.parametrize(("answers", "asked"), [(["?"], 1), (["met", "?"], 2)])
def test_an_undecided_judge_does_not_hold(answers, asked, judge, model, after):
    model.answers = answers
    result = probe(judge, POLITE, after(REPLY))
    assert not result.holds
    assert result.second.grade is None
    assert len(model.seen) == asked
