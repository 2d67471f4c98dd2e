# ruff: noqa: E402
"""The scripts with the tiny model: train, save an adapter, load it again, evaluate it."""

import json
import math
from importlib import import_module
from importlib.util import find_spec

import pytest

for module in ("torch", "trl", "peft", "datasets", "scipy"):
    if find_spec(module) is None:
        pytest.skip(f"needs coworkgym[train,eval]: no {module}", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("default")  # TRL and transformers warn of their own plans

from baselines import sft
from baselines.demonstrations import Args as DemonstrationArgs
from baselines.demonstrations import main as choose
from coworkgym.cli import main as command
from coworkgym.policies import policy_from
from coworkgym.rollouts import collect
from coworkgym.tasks import get_package

SMOKE = {
    "model": "tiny", "steps": 1, "groups": 1, "k": 2, "micro_batch": 2, "items": 1,
    "max_tokens": 48, "budget": 300, "max_steps": 3, "lora_rank": 4, "learning_rate": 1e-3,
    "cpu": True, "threads": 1,
}  # fmt: skip


def evaluated(folder, capsys, monkeypatch):
    """What `coworkgym eval` says of an adapter."""
    kinds = ["escalation", "--level", "warmup", "--episodes", "2", "--samples", "1", "--json"]
    limits = ["--max-tokens", "48", "--max-steps", "3"]
    policy = ["--policy", f"transformers:{folder}"]
    monkeypatch.setattr("sys.argv", ["coworkgym", "eval", *kinds, *limits, *policy])
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        command()
    assert not left.value.code
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    return run["figures"]


@pytest.mark.parametrize("name", ["grpo", "dr_grpo", "gdpo", "gigpo"])
def test_a_script_trains_an_adapter_that_can_be_evaluated(name, tmp_path, capsys, monkeypatch):
    script = import_module(f"baselines.{name}")
    trainer = script.main(script.Args(out=str(tmp_path), **SMOKE))
    assert trainer.state.global_step == 1
    assert all(math.isfinite(line.get("loss", 0.0)) for line in trainer.state.log_history)
    figures = evaluated(tmp_path / "adapter", capsys, monkeypatch)
    assert figures["counts"]["graded"] == 2
    assert 0 <= figures["mean"]["value"] <= 1


def test_sft_learns_demonstrations_and_its_adapter_can_be_evaluated(tmp_path, capsys, monkeypatch):
    package = get_package("escalation")
    items = [package.item(seed=seed, level="warmup") for seed in range(8)]
    for _ in collect(items, policy_from("reference"), store=tmp_path / "run"):
        pass
    choose(DemonstrationArgs(runs=str(tmp_path / "run"), out=str(tmp_path / "demos")))
    found = sft.main(
        sft.Args(
            model="tiny", rows=str(tmp_path / "demos" / "rows.jsonl"), out=str(tmp_path / "sft"),
            steps=6, batch=4, micro_batch=4, rank=8, lr=3e-3, eval_tasks=0, threads=1, cpu=True,
            quiet=True,
        )
    )  # fmt: skip
    losses = [loss for *_, loss in map(pair, found["losses"])]
    assert losses[-1] < losses[0]
    assert evaluated(tmp_path / "sft", capsys, monkeypatch)["counts"]["graded"] == 2


def pair(entry):
    """Step and loss of an entry, whatever it is kept as."""
    return tuple(entry.values()) if isinstance(entry, dict) else tuple(entry)
