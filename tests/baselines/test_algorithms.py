# ruff: noqa: E402
"""The four algorithms: what each makes of the same rollouts, and their scripts from end to end."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

for module in ("torch", "trl", "peft", "datasets"):
    if find_spec(module) is None:
        pytest.skip(f"needs coworkgym[train]: no {module}", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("default")  # TRL and transformers warn of their own plans

import torch
from micro_model import CHARACTERS, characters, micro, tokenizer

from baselines import dr_grpo, gdpo, gigpo, grpo
from baselines.arguments import from_command_line
from baselines.credit import Recipe, columns_of, credit, stepwise
from baselines.earned import Earned
from baselines.rollouts import Place, Play, play
from coworkgym.errors import SettingsError, UnknownNameError
from coworkgym.tasks import get_package

SCRIPTS = ("grpo", "dr_grpo", "gdpo", "gigpo")
ITEM = get_package("escalation").item(seed=3, level="warmup")
SMOKE = {
    "steps": 1, "groups": 1, "k": 2, "micro_batch": 2, "items": 1, "max_tokens": 8, "budget": 60,
    "lora_rank": 2, "learning_rate": 1e-3, "cpu": True, "threads": 1, "eval_every": 1,
    "eval_items": 1, "max_steps": 2,
}  # fmt: skip


def earned(group="g", steps=(0.0,), anchors=None, ended="user", **rewards):
    """A rollout that earned this."""
    given = {"success": math.fsum(steps), "safety": 1.0, "format": 1.0, "efficiency": 0.0}
    return Earned(
        group=group, item=ITEM, sample=0, steps=tuple(steps), calls=1, malformed=0, solved=False,
        anchors=tuple(anchors or [None] * len(steps)), rewards=given | rewards, completion=0.0,
        ended=ended,
    )  # fmt: skip


@pytest.fixture(scope="module")
def told():
    """The same task solved, left alone, and done harm in."""
    parts = dict(enumerate(CHARACTERS))
    asked = [Place("g", ITEM, n, n) for n in range(3)]
    return [one.earned for one in play(characters([ITEM], parts), asked, Play(budget=1000))]


# What each makes of rollouts -------------------------------------------------------------------


def test_gdpo_ranks_solving_over_idling_over_breaching(told):
    """On the columns as shipped; beside the raw completion, a breach that does the work wins."""
    solved, idle, breach = gdpo.Gdpo(gdpo.Args().components).advantages(told)
    assert solved > idle > breach
    reckless = replace(told[2], rewards={**told[2].rewards, "completion": 1.0})
    raw = [
        replace(told[0], rewards={**told[0].rewards, "completion": 1.0}),
        replace(told[1], rewards={**told[1].rewards, "completion": 0.0}),
        reckless,
    ]
    names = ("completion", "safety")
    solved, idle, breach = gdpo.Gdpo(names).advantages(raw)
    assert not idle > breach + 1e-9
    heavier = gdpo.Gdpo(names, (1.0, 0.5)).advantages(raw)
    assert heavier[2] > heavier[1]
    gated = gdpo.Gdpo(("success", "safety"), (1.0, 0.5)).advantages(raw)
    assert gated[0] > gated[1] > gated[2]


def test_gdpo_counts_a_format_error_as_minus_one():
    rows = [earned(steps=(-1.0,), ended="malformed", success=0.4), earned(steps=(0.0,))]
    table = gdpo.Gdpo(("success", "reward", "safety")).rewards(rows)
    assert table.tolist() == [[-1.0, -1.0, 1.0], [0.0, 0.0, 1.0]]


def test_gdpo_filters_by_component():
    """A-variance-filter-gdpo: totals agree, components do not."""
    alike = [earned("a", success=1.0, safety=0.0), earned("a", success=0.0, safety=0.5)]
    dead = [earned("b", success=0.5, safety=0.5)] * 2
    estimator, recipe = gdpo.Gdpo(("success", "safety"), (1.0, 2.0)), Recipe(dynamic_filter=True)
    found = credit(alike + dead, estimator, recipe)
    assert found.informative.tolist() == [True, True, False, False]
    assert found.trained.tolist() == [True, True, False, False]
    assert found.advantages[1] == -found.advantages[0] > 0
    alone = credit(alike, estimator, recipe)  # what is left out moves no mean of the batch either
    assert found.advantages[:2].tolist() == alone.advantages.tolist()
    assert found.advantages[2:].tolist() == [0.0, 0.0]


def test_the_floor_comes_after_the_batch_step_of_gdpo():
    bad = [earned("a", (-1.0,), ended="malformed", format=0.0)] * 4
    good = [earned("b", (value,)) for value in (0.0, 0.0, 1.0, 1.0)]
    found = credit(
        bad + good, gdpo.Gdpo(("success", "safety")), Recipe(floor=True, dynamic_filter=True)
    )
    assert found.advantages[:4].tolist() == [-0.5] * 4
    assert found.advantages[4] < 0 < found.advantages[7] and found.trained.all()


def test_dr_grpo_does_not_divide_by_the_std():
    rows = [earned(steps=(value,)) for value in (0.0, 0.1)]
    assert dr_grpo.DrGrpo().advantages(rows).tolist() == pytest.approx([-0.05, 0.05])
    assert grpo.Grpo().advantages(rows)[1] == pytest.approx(0.05 / (0.1 / 2**0.5 + 1e-4))


def test_gigpo_tells_steps_of_one_rollout_apart():
    """The vector `gigpo_two_tasks`, task A: three rollouts that share states."""
    rows = [
        earned(steps=(0, 0, 1), anchors=("s0", "s1", "s2")),
        earned(steps=(0, 0), anchors=("s0", "s1")),
        earned(steps=(0, 1), anchors=("s0", "s3")),
    ]
    found = stepwise(rows, gigpo.Args().settings())
    expected = ([0.6183333, 0.8083333, 1 / 3], [-1.2841667, -1.1416667], [0.6658333, 1 / 3])
    for one, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, value, atol=1e-6)
    reference = stepwise(rows, gigpo.Args(statistics="reference", omega=0.0).settings())
    np.testing.assert_allclose([one[0] for one in reference], [2 / 7, -5 / 7, 2 / 7], atol=1e-6)


def test_gigpo_leaves_rollouts_without_steps_out():
    rows = [earned(steps=(1.0,), anchors=("s",)), earned(steps=(), anchors=(), ended="void"),
            earned(steps=(0.0,), anchors=("s",))]  # fmt: skip
    found = credit(rows, gigpo.Gigpo(gigpo.Args().settings()), Recipe())
    assert [len(one) for one in found.advantages] == [1, 0, 1]
    assert found.advantages[0] == pytest.approx([1.0]) and found.trained.tolist() == [1, 0, 1]


def test_the_floor_of_gigpo_is_on_every_step():
    rows = [earned(steps=(0.0, -1.0), anchors=("s", "t"), ended="malformed")] * 4
    found = credit(rows, gigpo.Gigpo(gigpo.Args().settings()), Recipe(floor=True))
    assert [one.tolist() for one in found.advantages] == [[-0.5, -0.5]] * 4


def test_a_column_that_nobody_knows_is_unknown(told):
    assert np.isnan(columns_of(told, ["charm"])).all()
    with pytest.raises(UnknownNameError, match="success"):
        gdpo.Args(components=["sucess"])
    with pytest.raises(SettingsError, match="as many weights"):
        gdpo.Args(components=["success"], weights=[1.0, 2.0])
    with pytest.raises(SettingsError, match="gamma"):
        gigpo.Args(gamma=1.5)


# Command lines ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_argument_is_a_described_option(name, capsys):
    script = import_module(f"baselines.{name}")
    with pytest.raises(SystemExit):
        from_command_line(script.Args, script.__doc__, ["--help"])
    shown = capsys.readouterr().out
    for field in script.Args.__dataclass_fields__:
        assert f"--{field}" in shown
    assert "arXiv" in shown and "Longest gradient" in shown


def test_a_command_line_becomes_arguments():
    line = "--packages escalation payment_change --k 4 --recipe wild_awm --components success"
    args = from_command_line(gdpo.Args, "", line.split())
    assert args.packages == ["escalation", "payment_change"] and args.k == 4
    assert args.components == ["success"] and args.reward == "wild_awm" and args.floor


# End to end ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("micro")
    micro().save_pretrained(place)
    tokenizer().save_pretrained(place)
    return str(place)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_trains_saves_and_draws(name, folder, tmp_path):
    script, out = import_module(f"baselines.{name}"), tmp_path / "run"
    trainer = script.main(script.Args(model=folder, out=str(out), **SMOKE))
    assert trainer.state.global_step == 1
    for file in ("adapter/adapter_config.json", "args.json", "transcripts.jsonl", "log.jsonl"):
        assert (out / file).is_file()
    assert not find_spec("matplotlib") or (out / "curves.png").stat().st_size > 5000
    line = json.loads((out / "log.jsonl").read_text().splitlines()[0])
    assert math.isfinite(line["loss"]) and "eval/solved" in line and "entropy" in line
    if name == "gigpo":
        assert line["office/anchor_size"] >= 1


def test_the_same_seed_gives_the_same_first_rewards(folder, tmp_path):
    lines = []
    for n in range(2):
        grpo.main(grpo.Args(**{**SMOKE, "eval_every": 0}, model=folder, out=str(tmp_path / str(n))))
        written = (tmp_path / str(n) / "transcripts.jsonl").read_text()
        log = json.loads((tmp_path / str(n) / "log.jsonl").read_text().splitlines()[0])
        lines.append((written, log["loss"], log["reward"], log["rewards/format/mean"]))
    assert lines[0] == lines[1]


def test_all_weights_of_a_vision_model_train_on_text(tmp_path):
    """One step of a Qwen3-VL of a few thousand weights, through its text path."""
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    torch.manual_seed(0)
    text = {
        "vocab_size": len(tokenizer()), "hidden_size": 32, "intermediate_size": 32,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
        "max_position_embeddings": 4096, "pad_token_id": 0, "eos_token_id": 2, "bos_token_id": None,
        "rope_parameters": {
            "rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 1, 1],
            "mrope_interleaved": True,
        },
    }  # fmt: skip
    vision = {
        "depth": 1, "hidden_size": 16, "intermediate_size": 16, "num_heads": 2, "patch_size": 4,
        "out_hidden_size": 32, "deepstack_visual_indexes": [0], "num_position_embeddings": 16,
    }  # fmt: skip
    config = Qwen3VLConfig(text_config=text, vision_config=vision)
    Qwen3VLForConditionalGeneration(config).save_pretrained(tmp_path / "model")
    tokenizer().save_pretrained(tmp_path / "model")
    given = {
        **SMOKE,
        "eval_every": 0,
        "model": str(tmp_path / "model"),
        "out": str(tmp_path / "run"),
    }
    trainer = gigpo.main(gigpo.Args(**given))
    assert trainer.state.global_step == 1 and (tmp_path / "run" / "adapter").is_dir()


@pytest.mark.slow
def test_a_run_can_be_started_from_a_shell_and_evaluated(folder, tmp_path):
    options = [f"--{name}={value}" for name, value in SMOKE.items() if name != "cpu"]
    line = [sys.executable, "-m", "baselines.grpo", "--model", folder, "--out", str(tmp_path / "a")]
    done = subprocess.run([*line, "--cpu", *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    warm = [*line[:-1], str(tmp_path / "b"), "--adapter", str(tmp_path / "a" / "adapter")]
    done = subprocess.run([*warm, "--cpu", *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    policy = f"transformers:{tmp_path / 'b' / 'adapter'}"
    kinds = ["escalation", "--level", "warmup", "--episodes", "1", "--samples", "1", "--json"]
    run = "from coworkgym.cli import main; main()"
    line = [sys.executable, "-c", run, "eval", *kinds, "--policy", policy]
    limits = ["--max-tokens", "8", "--max-steps", "2", "--out", str(tmp_path / "eval")]
    done = subprocess.run([*line, *limits], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)


@pytest.mark.slow
def test_two_processes_train_as_one_does(folder, tmp_path):
    """Advantages over all processes, groups whole in each, gradients averaged."""
    given = {**SMOKE, "groups": 2, "k": 4, "micro_batch": 4, "steps": 2, "items": 2}
    options = [f"--{name}={value}" for name, value in given.items() if name != "cpu"]
    line = ["-m", "baselines.gdpo", "--model", folder, "--cpu", *options, "--out"]
    alone = [sys.executable, *line, str(tmp_path / "1")]
    several = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2"]
    logs = []
    for command in (alone, [*several, *line, str(tmp_path / "2")]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        lines = (Path(command[-1]) / "log.jsonl").read_text().splitlines()
        names = ("reward", "grad_norm", "rewards/format/mean", "office/malformed", "eval/format")
        logs.append([[json.loads(one).get(name) for name in names] for one in lines[:2]])
    assert logs[1][0] == pytest.approx(logs[0][0], rel=1e-3)
    assert logs[1][1] == pytest.approx(logs[0][1], rel=1e-3) and logs[0][0][1] > 0
