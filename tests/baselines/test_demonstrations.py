"""Demonstrations: what is kept of the rollouts, what goes, and why."""

import json
from dataclasses import replace

import pytest

pytest.importorskip("transformers", reason="needs coworkgym[train]")

from baselines.demonstration_rows import cut_results, mistakes, prefix_of, recovers
from baselines.demonstrations import Args, demonstrations, main
from baselines.teachers import TEACHERS
from coworkgym.errors import SettingsError
from coworkgym.frozen import FrozenDict, freeze
from coworkgym.rollouts import collect
from coworkgym.tasks import get_package

PACKAGE = get_package("escalation")
ITEMS = [PACKAGE.item(seed=seed, level="easy") for seed in range(3)]


def play(policy, items=ITEMS, samples=1):
    made = TEACHERS[policy]() if policy in TEACHERS else policy
    settings = made.settings_here() if policy in TEACHERS else None
    return list(collect(items, made, settings=settings, samples=samples))


class Slip:
    """Asks for a ticket that is not there, and then plays the solution."""

    name = "slip"

    def __init__(self):
        self.reference = TEACHERS["paraphrasing"]()

    def begin(self, task):
        self.reference.begin(task)

    def act(self, transcripts, tools):
        call = {"name": "helpdesk_get_ticket", "arguments": {"ticket_id": "TK-0"}}
        slip = {"role": "assistant", "content": "", "tool_calls": [call]}
        rest = [[*transcript[:2], *transcript[4:]] for transcript in transcripts]
        answers = zip(transcripts, rest, strict=True)
        return [
            slip if len(transcript) == 2 else self.reference.act([other], [])[0]
            for transcript, other in answers
        ]


def kinds(rows):
    return sorted(row["kind"] for row in rows)


def test_an_always_solved_task_keeps_one_of_each_prefix():
    same = [one._replace(sample=n) for n in range(4) for one in play("reference")]
    rows, report = demonstrations(same)
    assert len(rows) == len(ITEMS)
    assert report.tasks["escalation"] == {"always solved": 3}
    assert report.dropped["escalation"]["same prefix"] == 9
    other, _ = demonstrations([*same, *play("reordering", samples=4)])
    assert len(other) > len(ITEMS)
    shapes = [(row["seed"], prefix_of(_plain(row), 4)) for row in other]
    assert len(set(shapes)) == len(shapes)


def _plain(row):
    from baselines.templates import read_row

    return read_row(row)[0]


def test_of_equals_the_shortest_stays():
    explored, short = play("exploring", samples=3), play("reference")
    rows, _ = demonstrations([*explored, *short], Args(prefix=0))
    assert [row["policy"] for row in rows] == ["reference"] * 3


def test_a_task_solved_at_times_keeps_several_distinct():
    rollouts = [*play("exploring", samples=8), *play("null")]
    rows, report = demonstrations(rollouts, Args(middle=3))
    assert report.tasks["escalation"] == {"solved at times": 3}
    by_seed = {seed: [r for r in rows if r["seed"] == seed] for seed in range(3)}
    assert all(len(found) == 3 for found in by_seed.values())
    assert all(len({prefix_of(_plain(r)) for r in found}) == 3 for found in by_seed.values())
    assert all(row["rate"] == pytest.approx(8 / 9) for row in rows)
    assert report.dropped["escalation"]["not solved"] == 3
    assert report.dropped["escalation"]["enough of the task"] > 0


def test_hopeless_and_unsolved_tasks_go():
    rows, report = demonstrations(play("null"))
    assert rows == []
    assert report.dropped["escalation"] == {"ungraded": 0, "task too hard": 3}
    half = [one._replace(score=replace(one.score, completion=0.5)) for one in play("null")]
    _, report = demonstrations(half)
    assert +report.dropped["escalation"] == {"task never solved": 3}


def test_ungraded_rollouts_do_not_count():
    one = play("reference")[0]
    void = one._replace(sample=1, score=replace(one.score, status="ungraded"))
    rows, report = demonstrations([one, void])
    assert len(rows) == 1 and rows[0]["rate"] == 1
    assert report.dropped["escalation"]["ungraded"] == 1


def test_too_few_too_many_and_too_long_go():
    rollouts = play("reference")
    most = max(one.steps for one in rollouts)
    for rules, reason in (
        (Args(min_calls=most + 1), "too few calls"),
        (Args(max_calls=2), "too many calls"),
        (Args(max_chars=100), "too long"),
        (Args(max_tokens=10), "too long"),
    ):
        rows, report = demonstrations(rollouts, rules, lambda row: 11)
        assert rows == []
        assert report.dropped["escalation"][reason] == 3


def test_another_split_is_refused():
    held_out = play("reference", [PACKAGE.item(seed=0, split="test", level="easy")])
    with pytest.raises(SettingsError, match="what is held out would leak in"):
        demonstrations(held_out)
    assert len(demonstrations(held_out, Args(splits="train,test"))[0]) == 1
    with pytest.raises(SettingsError, match="no rollouts"):
        demonstrations([])


def test_a_prefix_forgets_values_and_keeps_forms():
    call = FrozenDict(
        name="t", arguments=freeze({"a": "TK-1", "b": "x@y.test", "c": ["one"], "d": 3, "e": True})
    )
    assert prefix_of([{"tool_calls": [call]}]) == (
        "t(a=id, b=address, c=[text], d=number, e=boolean)",
    )
    assert prefix_of([{"tool_calls": [call, call]}], 1) == prefix_of([{"tool_calls": [call]}])
    prefixes = {prefix_of(one.transcript, 2) for one in play("reference")}
    assert len(prefixes) == 1


def test_recoveries_are_kept_beside_shorter_rollouts():
    slipped = play(Slip())
    assert all(one.score.solved and not recovers(one) for one in slipped)
    faulty = play("recovering", samples=2)
    assert any(map(recovers, faulty))
    rollouts = [*play("reference"), *faulty]
    kept, report = demonstrations(rollouts, Args(recoveries=True, prefix=0))
    plain, _ = demonstrations(rollouts, Args(prefix=0))
    assert kinds(plain) == ["solved"] * 3
    assert kinds(kept).count("recovery") == len({one.item for one in faulty if recovers(one)})
    assert report.kept["escalation"]["recovery"] == kinds(kept).count("recovery")


def test_mistakes_are_read_and_not_trained():
    rows, _ = demonstrations(play(Slip()))
    assert [row["untrained"] for row in rows] == [[2]] * 3
    assert all(mistakes(one.transcript) == [] for one in play("recovering"))


def test_failures_become_feedback_and_a_second_attempt():
    rows, report = demonstrations([*play("reference"), *play("null")], Args(failures=True))
    row = next(row for row in rows if row["kind"] == "feedback")
    place = next(n for n, m in enumerate(row["messages"]) if m["content"].startswith("[Feedback]"))
    assert "reply names" in row["messages"][place]["content"]
    answers = [n for n, m in enumerate(row["messages"]) if m["role"] == "assistant"]
    assert row["untrained"] == [n for n in answers if n < place]
    assert any(n > place for n in answers)
    ids = [call["id"] for m in row["messages"] for call in m.get("tool_calls") or ()]
    assert ids == [f"call_{n}" for n in range(1, len(ids) + 1)]
    results = [m["tool_call_id"] for m in row["messages"] if m["role"] == "tool"]
    assert results == ids
    assert report.kept["escalation"] == {"solved": 3, "feedback": 3}


def test_long_results_are_cut_at_a_marked_place_and_never_before_what_is_used():
    rows, report = demonstrations(play("exploring"), Args(cut=300))
    whole, _ = demonstrations(play("exploring"))
    cut = [m for row in rows for m in row["messages"] if "characters cut]" in m["content"]]
    assert report.cut == len(cut) > 0
    assert all(m["role"] == "tool" for m in cut)
    for short, full in zip(rows, whole, strict=True):
        told = ""
        for message in short["messages"]:
            for call in message.get("tool_calls") or ():
                given = json.loads(call["function"]["arguments"])
                ids = [v for k, v in given.items() if k.endswith("_id")]
                assert all(str(one) in told for one in ids)
            told += message["content"]
        assert len(told) < sum(len(m["content"]) for m in full["messages"])
    assert cut_results(whole[0], 0) == (whole[0], 0)


def test_main_writes_rows_and_report(tmp_path, capsys):
    made = TEACHERS["exploring"]()
    for name, policy in (("a", made), ("b", "null")):
        list(collect(ITEMS, policy, store=tmp_path / name))
    out = tmp_path / "demos"
    main(Args(runs=f"{tmp_path}/a,{tmp_path}/b", out=str(out), failures=True))
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    report = json.loads((out / "report.json").read_text())
    assert report["kept"]["escalation"] == {"solved": 3, "feedback": 3}
    assert len(rows) == 6 and {row["policy"] for row in rows} == {"exploring"}
    assert "6 rows" in capsys.readouterr().out
    with pytest.raises(SettingsError, match="name the runs"):
        main(Args())
