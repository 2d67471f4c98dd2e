"""Results: a small study of policies that need no model, from its jobs to tables and plots."""

import io
import json

import pytest
from rich.console import Console
from study.figures import draw
from study.jobs import run
from study.plan import Arm, Comparison, Size, Study
from study.results import Tables, results
from study.tables import show

SIZE = Size("none", ("escalation",), "warmup", 1, 6, (0, 1))
STUDY = Study(
    "small",
    SIZE,
    arms=(
        Arm("base", "knows nothing", policy="null"),
        Arm("sft_100", "knows all", policy="reference", packages=("escalation", "month_close")),
        Arm("later", "not played yet", policy="random"),
    ),
    comparisons=(
        Comparison("is it better?", "sft_100", "base"),
        Comparison("and this?", "later", "base"),
    ),
)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    work = tmp_path_factory.mktemp("study")
    run(STUDY.jobs(work, ["base", "sft_100"]), work, workers=2)
    return results(STUDY, work)


def test_arms_have_figures_on_what_they_played(found):
    assert set(found["arms"]) == {"base", "sft_100"} and found["missing"] == {"later": [0]}
    assert set(found["arms"]["sft_100"]["packages"]) == {"escalation", "month_close"}
    score = found["arms"]["sft_100"]["packages"]["escalation"]["score"]
    assert (score["value"], score["tasks"], score["by_seed"]) == (1.0, 6, [1.0])
    right = found["arms"]["base"]["packages"]["escalation"]
    assert right["right"]["value"] == 0 and right["right"]["chance"] == pytest.approx(1 / 3)
    assert right["right_above_chance"]["value"] == pytest.approx(-1 / 3, abs=1e-3)


def test_comparisons_are_of_arms_and_packages_that_are_there(found):
    [row] = found["comparisons"]
    assert (row["question"], row["package"], row["value"]) == ("is it better?", "escalation", 1.0)
    assert row["low"] == row["high"] == 1 and row["p"] < 0.05


def test_results_are_json_and_are_shown(found):
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(found))
    console = Console(width=200, file=io.StringIO())
    show(found, console)
    text = console.file.getvalue()
    assert "is it better?" in text and "+1.00 [+1.00, +1.00]" in text


def test_results_are_drawn(found, tmp_path):
    pytest.importorskip("matplotlib")
    drawn = draw(found, tmp_path)
    assert [one.name for one in drawn] == [
        "learning_small_scaling.png",
        "learning_small_effects.png",
    ]
    assert all(one.stat().st_size > 5_000 for one in drawn)


@pytest.fixture(scope="module")
def seeded(tmp_path_factory):
    """Three seeds of a start, two trained from its first, by copies of controls' episodes."""
    play = ("study.playing", "--policy", "null", "--packages", "escalation", "--episodes", "1")
    train = (*play, "--out", "{out}")
    arms = (
        Arm("start", "", train, policy="reference", seeds=(0, 1, 2)),
        Arm("later", "", train, start="start", shared=True, policy="null", seeds=(1, 2)),
        Arm("other", "", train, policy="null", seeds=(2,)),
        Arm("apart", "", train, policy="null", seeds=(7,)),
        Arm("control", "", policy="null"),
    )
    size = SIZE._replace(episodes=2)
    study = Study("seeded", size, arms=arms)
    work = tmp_path_factory.mktemp("seeded")
    run(study.jobs(work), work, workers=2)
    return study, Tables(study, work)


@pytest.mark.parametrize(
    ("ours", "theirs", "rows"),
    [
        ("later", "start", (2, 1)),  # the model that both seeds started from
        ("other", "start", (1, 1)),  # by seed
        ("later", "other", (1, 1)),
        ("start", "control", (3, 1)),  # what is not trained stands against all
        ("control", "start", (3, 3)),
        ("apart", "start", None),
    ],
)
def test_arms_are_compared_by_seed_or_with_what_they_start_from(seeded, ours, theirs, rows):
    study, tables = seeded
    pair = tables.pair(study.arm(ours), study.arm(theirs), "escalation", "score")
    assert (pair and tuple(len(one) for one in pair)) == rows
