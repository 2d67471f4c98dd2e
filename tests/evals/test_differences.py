"""Differences: runs that differ in more than the policy are refused, one by one."""

import json
from functools import partial

import pytest
from made_runs import identity, pair_of, rollout, run

from coworkgym.errors import CoworkError, UnknownNameError
from coworkgym.evals import ALLOWABLE, Difference, RunsDiffer, compare
from coworkgym.rollouts import Run


@pytest.fixture
def pair(tmp_path):
    return partial(pair_of, tmp_path)


REFUSED = [
    ("user", "user", {"user": "chat:m"}, "scripted", "chat:m"),
    ("judge", "judge", {"judge": "chat:j"}, None, "chat:j"),
    ("interface", "interface", {"interface": "shell"}, "function", "shell"),
    ("faults", "faults", {"faults": 0.2}, None, 0.2),
    ("limits", "max_steps", {"max_steps": 9}, None, 9),
    ("limits", "max_context", {"max_context": 4000}, None, 4000),
    ("limits", "timeout", {"timeout": 60.0}, None, 60.0),
    ("formula", "formula", {"formula": "claw_eval"}, "score", "claw_eval"),
    ("seed", "seed", {"seed": 3}, 0, 3),
]


@pytest.mark.parametrize(("name", "what", "settings", "mine", "yours"), REFUSED)
def test_other_settings_are_refused_unless_allowed(pair, name, what, settings, mine, yours):
    a, b = pair(**settings)
    with pytest.raises(RunsDiffer) as caught:
        compare(a, b)
    assert caught.value.differences == (Difference(name, what, mine, yours),)
    assert f"{what}: {mine!r} against {yours!r} (allow: {name})" in str(caught.value)
    others = [other for other in ALLOWABLE if other != name]
    with pytest.raises(RunsDiffer):
        compare(a, b, allow=others)
    comparison = compare(a, b, allow=[name])
    assert comparison.allowed == caught.value.differences


def harnessed(tmp_path, mine, yours):
    some = [rollout(n) for n in range(3)]
    return (run(tmp_path / "a", some, harness=mine), run(tmp_path / "b", some, harness=yours))


def test_another_harness_is_refused_part_by_part(tmp_path):
    a, b = harnessed(
        tmp_path, {"call_form": "tools", "system": "x"}, {"call_form": "text", "template": "t"}
    )
    with pytest.raises(RunsDiffer) as caught:
        compare(a, b)
    assert caught.value.differences == (
        Difference("harness", "harness call_form", "tools", "text"),
        Difference("harness", "harness system", "x", None),
        Difference("harness", "harness template", None, "t"),
    )
    assert len(compare(a, b, allow=["harness"]).allowed) == 3


def test_a_policy_without_a_harness_compares_with_any(tmp_path):
    a, b = harnessed(tmp_path, {}, {"call_form": "text"})
    assert compare(a, b).allowed == ()


def test_other_tasks_are_refused_and_common_ones_compared_when_allowed(tmp_path):
    a = run(tmp_path / "a", [rollout(n) for n in range(4)])
    b = run(tmp_path / "b", [rollout(n, 0, 0.0) for n in (2, 3, 9)])
    with pytest.raises(RunsDiffer, match="tasks of one run only") as caught:
        compare(a, b)
    assert "warmup/en/000000" in caught.value.differences[0].a
    assert caught.value.differences[0].b == "escalation-v0/train/warmup/en/000009"
    comparison = compare(a, b, allow=["tasks"])
    assert comparison.tasks == 2
    assert comparison.left_out[:2] == (2, 1)


def test_tasks_that_were_asked_for_and_never_played_belong_to_the_run(tmp_path):
    a = run(tmp_path / "a", [rollout(0)], [identity(1)])
    b = run(tmp_path / "b", [rollout(0)])
    with pytest.raises(RunsDiffer, match="tasks of one run only"):
        compare(a, b)


def test_a_task_of_another_content_under_the_same_id_is_not_the_same(tmp_path):
    """A-fixture-mismatch"""
    a = run(tmp_path / "a", [rollout(n) for n in range(3)])
    b = run(tmp_path / "b", [rollout(0, facts={"digest": "other"}), rollout(1), rollout(2)])
    with pytest.raises(RunsDiffer, match=r"digest of .*000000.* against 'other' \(allow: tasks\)"):
        compare(a, b)
    comparison = compare(a, b, allow=["tasks"])
    assert (comparison.tasks, comparison.left_out.other_digest) == (2, 1)


def test_other_samples_are_refused(tmp_path):
    a = run(tmp_path / "a", [rollout(n, s) for n in range(3) for s in range(2)])
    b = run(tmp_path / "b", [rollout(n) for n in range(3)])
    with pytest.raises(RunsDiffer, match=r"samples of .* and 2 more: \[0, 1\] against \[0\]"):
        compare(a, b)
    assert compare(a, b, allow=["samples"]).tasks == 3


def test_another_version_is_refused(pair):
    a, b = pair()
    facts = json.loads((b.path / "run.json").read_text())
    facts["versions"]["coworkgym"] = "9.9"
    facts["versions"]["numpy"] = "1.0"
    (b.path / "run.json").write_text(json.dumps(facts))
    with pytest.raises(RunsDiffer, match=r"version of coworkgym: .* against '9.9'") as caught:
        compare(a, Run(b.path))
    assert len(caught.value.differences) == 1
    assert len(compare(a, Run(b.path), allow=["versions"]).allowed) == 1


def test_all_differences_are_told_at_once(pair):
    a, b = pair(seed=3, user="chat:m", max_steps=5)
    with pytest.raises(RunsDiffer) as caught:
        compare(a, b)
    assert {one.name for one in caught.value.differences} == {"user", "limits", "seed"}
    with pytest.raises(RunsDiffer) as caught:
        compare(a, b, allow=["limits", "seed"])
    assert [one.name for one in caught.value.differences] == ["user"]
    assert isinstance(caught.value, CoworkError)


def test_an_unknown_name_cannot_be_allowed(pair):
    with pytest.raises(UnknownNameError, match="Did you mean 'judge'"):
        compare(*pair(), allow=["judges"])
