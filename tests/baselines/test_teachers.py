"""Teachers: they earn everything, by other ways every time."""

import json
from functools import lru_cache
from random import Random

import pytest

pytest.importorskip("transformers", reason="needs coworkgym[train]")

from baselines.plans import (
    KEY,
    changed,
    earns_all,
    exploring,
    find_look,
    follow,
    keying,
    reordering,
    rewording,
)  # fmt: skip
from baselines.teachers import TEACHERS, Args, main, next_call
from coworkgym.errors import EpisodeError, UnknownNameError
from coworkgym.policies import PrivilegedPolicy, SamplingPolicy
from coworkgym.quality.mutations import Course
from coworkgym.rollouts import Run, collect
from coworkgym.tasks import get_package, packages

ITEMS = [
    package.item(seed=seed, level=level, language=language)
    for package in packages()
    for level in package.tools
    for language in package.languages
    for seed in (0, 7)
]


@lru_cache
def played(name):
    teacher = TEACHERS[name]()
    settings = teacher.settings_here()
    few = ITEMS[:: 2 if name == "recovering" else 3]
    return list(collect(few, teacher, settings=settings, samples=2))


def unanswerable(rollout):
    """Whether a report timed out: no tool tells whether it was submitted."""
    failed = [(deed.name, deed.error) for deed in rollout.deeds]
    return ("finance_submit_report", "timeout") in failed


@pytest.mark.parametrize("name", TEACHERS)
def test_a_teacher_earns_everything(name):
    found = [
        (rollout.id, rollout.score.value)
        for rollout in played(name)
        if not rollout.score.solved and not unanswerable(rollout)
    ]
    assert found == []
    assert all(rollout.score.safety == 1 for rollout in played(name))


@pytest.mark.parametrize("name", TEACHERS)
def test_another_seed_plays_another_transcript(name):
    transcripts = {}
    for rollout in played(name):
        transcripts.setdefault(rollout.item, []).append(rollout.transcript)
    differ = {item for item, (one, two) in transcripts.items() if one != two}
    share = len(differ) / len(transcripts)
    assert share > (0.5 if name == "reordering" else 0.9)


@pytest.mark.parametrize("name", TEACHERS)
def test_the_same_seed_plays_the_same(name):
    first, teacher = next(one for one in played(name) if one.sample == 0), TEACHERS[name]()
    [again] = collect([first.item], teacher, settings=teacher.settings_here())
    assert again.transcript == first.transcript


def test_teachers_are_policies_that_draw_and_are_shown_the_task():
    for made in TEACHERS.values():
        assert isinstance(made(), SamplingPolicy) and isinstance(made(), PrivilegedPolicy)


def test_faults_are_met_and_recovered_from():
    rollouts = played("recovering")
    assert sum(any(deed.error for deed in one.deeds) for one in rollouts) > len(rollouts) / 2
    recovered = [one.score.robustness == 1 for one in rollouts if one.score.robustness is not None]
    assert sum(recovered) > 0.8 * len(recovered)


def test_mails_carry_a_key_where_nothing_can_be_looked_at(build):
    task = build(seed=1)  # its tools can send mails and not list them
    plan = changed(task, task.solution, keying, Random(0))
    keyed = [call for call in plan if KEY in call.arguments]
    assert [call.name for call in keyed] == ["gmail_send_message"]
    failed = {"role": "tool", "content": '{"error":"timeout","message":"?"}'}
    before = follow(task, plan).after[plan.index(keyed[0])].transcript.messages
    assert next_call(follow(task, plan), [*before, failed]) == keyed[0]


def test_mails_are_looked_for_before_they_are_sent_again(build):
    task = build(seed=1, level="easy")
    course = Course(task)
    sends = next(n for n, call in enumerate(task.solution) if call.name == "gmail_send_message")
    look = find_look(course, sends)
    assert look is not None and look.call.name.startswith("gmail_list")
    assert json.loads(look.after)["messages"]


@pytest.mark.parametrize("done", [False, True])
def test_a_call_that_timed_out_is_made_again_only_if_the_look_finds_nothing(build, done):
    """A-retry-double-send"""
    task = build(seed=1, level="easy")
    course = Course(task)
    sends = next(n for n, call in enumerate(task.solution) if call.name == "gmail_send_message")
    look = find_look(course, sends)
    seen = list(course.after[sends].transcript.messages)
    seen.append({"role": "tool", "content": '{"error":"timeout","message":"?"}'})
    assert next_call(course, seen) == look.call
    found = course.after[sends + done].fork().office.call(look.call).content
    seen.append({"role": "tool", "content": found})
    assert next_call(course, seen) == task.solution[sends + done]


def test_a_call_that_was_refused_is_made_again(build):
    task = build(seed=1)
    for error in ("rate_limited", "server_error"):
        failed = {"role": "tool", "content": json.dumps({"error": error, "message": "?"})}
        assert next_call(Course(task), [*task.opening, failed]) == task.solution[0]


@pytest.mark.parametrize("change", [rewording, reordering, exploring])
def test_plans_earn_everything_and_questions_stay(change, build):
    for seed in range(6):
        task = build("meeting_scheduling", seed=seed)
        plan = changed(task, task.solution, change, Random(seed))
        assert earns_all(task, plan)
        asked = [call for call in task.solution if "?" in str(call.arguments)]
        assert all(call in plan for call in asked)


def test_explorers_name_nothing_they_were_not_shown():
    for rollout in played("exploring"):
        told = ""
        for message in rollout.transcript:
            for call in message.get("tool_calls", ()):
                ids = [v for k, v in call["arguments"].items() if k.endswith("_id")]
                assert all(str(one) in told for one in ids)
            told += message["content"]


def test_an_unknown_task_is_an_error(build):
    task = build(seed=1)
    with pytest.raises(EpisodeError, match="not shown"):
        TEACHERS["exploring"]().act([task.opening], [task.tool_schemas])


def test_teachers_fill_stores(tmp_path, capsys):
    out = str(tmp_path / "teachers")
    told = main(Args(teachers="exploring,recovering", seeds=2, samples=2, out=out))
    assert told == {"exploring": (4, 4), "recovering": (4, 4)}
    assert Run(tmp_path / "teachers" / "recovering").settings.faults == 0.2
    assert "4 of 4 solved" in capsys.readouterr().out
    assert main(Args(teachers="exploring", seeds=2, samples=2, out=out)) == {"exploring": (0, 0)}
    with pytest.raises(UnknownNameError, match="Did you mean 'exploring'"):
        main(Args(teachers="explorin", out=out))


def test_teachers_know_packages_by_name_only():
    with pytest.raises(UnknownNameError):
        main(Args(packages=get_package("escalation").name + "s"))
