# ruff: noqa: E402
"""Dry runs: lengths are those of real chats, and nothing is trained."""

from importlib.util import find_spec

import pytest

for module in ("torch", "trl", "peft", "datasets"):
    if find_spec(module) is None:
        pytest.skip(f"needs coworkgym[train]: no {module}", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("default")  # TRL and transformers warn of their own plans

from micro_model import micro, tokenizer

from baselines import grpo
from baselines.dry_run import dry_run, lengths_of
from baselines.templates import encode
from coworkgym.policies import ReferencePolicy
from coworkgym.policies.local import ChatFormat
from coworkgym.rollouts import run_episode
from coworkgym.tasks import get_package


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("micro")
    micro().save_pretrained(place)
    tokenizer().save_pretrained(place)
    return str(place)


def test_lengths_are_those_of_the_reference():
    package, form = get_package("escalation"), ChatFormat(tokenizer())
    item = package.item(seed=3, level="warmup")
    task = package.build(item)
    found = lengths_of(form, [item], budget=10_000)
    rollout = run_episode(task, ReferencePolicy())
    whole = encode(form, list(rollout.transcript), list(task.tool_schemas))
    assert found.prompt + found.episode == len(whole.ids)
    assert found.written == whole.trained
    assert 0 < found.tools < found.prompt
    assert found.fits == 1


def test_a_budget_below_the_reference_is_told():
    item = get_package("escalation").item(seed=3, level="warmup")
    assert lengths_of(ChatFormat(tokenizer()), [item], budget=20).fits == 0


def test_a_dry_run_prints_and_trains_nothing(folder, tmp_path, capsys):
    out = tmp_path / "run"
    args = grpo.Args(
        model=folder, out=str(out), steps=3, groups=2, k=4, items=2, cpu=True, threads=1,
        lora_rank=2, packages=["escalation", "payment_change"], dry_run=True,
    )  # fmt: skip
    with pytest.raises(SystemExit) as left:
        grpo.main(args)
    assert not left.value.code
    printed = capsys.readouterr().out
    assert "escalation" in printed and "payment_change" in printed
    assert "episodes  24" in printed and "GiB" in printed
    assert not out.exists()
    found = dry_run(args)
    assert found.tokens == 24 * sum(one.prompt + one.episode for one in found.lengths) // 2
    assert found.seconds > 0
