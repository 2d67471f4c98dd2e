# ruff: noqa: E402
"""The trainer: what reaches TRL's loss, what a checkpoint holds, what stops a run."""

import json
import math
import shutil
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

for module in ("torch", "trl", "peft", "datasets"):
    if find_spec(module) is None:
        pytest.skip(f"needs coworkgym[train]: no {module}", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("default")  # TRL and transformers warn of their own plans

import torch
from micro_model import Characters, micro, tokenizer

from baselines import gigpo, grpo
from baselines.advantages import dr_grpo as pure_dr_grpo
from baselines.advantages import grpo as pure_grpo
from baselines.credit import Recipe, credit, groups_of, rewards_of
from baselines.models import load
from baselines.rollouts import places
from baselines.rows import plan, require_whole_groups, trimmed
from baselines.running import config_of
from baselines.trainer import OfficeTrainer, TrainingError
from coworkgym.errors import InfrastructureError, SettingsError, UnknownNameError
from coworkgym.policies.local import ModelError
from coworkgym.rollouts import item_of

SMALL = {
    "steps": 2, "groups": 2, "k": 4, "micro_batch": 4, "items": 3, "max_tokens": 300,
    "budget": 420, "lora_rank": 2, "learning_rate": 1e-2, "cpu": True, "transcripts_every": 1,
}  # fmt: skip


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("micro")
    micro().save_pretrained(place)
    tokenizer().save_pretrained(place)
    return str(place)


@pytest.fixture(autouse=True)
def played_by_characters(monkeypatch):
    """Rollouts are told by characters, so that rewards differ; losses are the model's."""

    def policy(self, stack, temperature):
        made = Characters.from_model(
            self.model, tokenizer(), max_tokens=self.office.max_tokens, batch=64,
            temperature=temperature, policy_version=f"step-{self.state.global_step}",
        )  # fmt: skip
        return made.cast(self.office.training_items() + self.office.held_out_items())

    monkeypatch.setattr(OfficeTrainer, "policy", policy)


@pytest.fixture
def make(folder, tmp_path):
    """Makes a trainer of GRPO, or of another estimator."""

    def trainer(estimator=None, how=None, kind=grpo.Args, algorithm=None, **given):
        args = kind(**{"model": folder, "out": str(tmp_path / "run"), **SMALL, **given})
        config = config_of(args, **(algorithm or {"loss_type": "grpo", "scale_rewards": "group"}))
        torch.set_num_threads(1)
        loaded = load(args.model, device="cpu")
        return OfficeTrainer(loaded, args, config, estimator or grpo.Grpo(), how or args.play())

    return trainer


def batch(trainer, start=0):
    """One batch of rollouts, as the loss takes it, before anything is shuffled."""
    size = trainer.office.groups * trainer.office.k
    rows = [trainer.train_dataset[start + n // trainer.office.k] for n in range(size)]
    trainer.model.train()
    return trainer._generate_and_score_completions([dict(row) for row in rows])


def loss_of(trainer, output):
    """Of the whole batch in one pass."""
    trainer.current_gradient_accumulation_steps = 1
    return trainer.compute_loss(trainer.model, output)


def played(trainer):
    return [one.earned for one in trainer._played]


# What reaches the loss -------------------------------------------------------------------------


def test_advantages_are_those_of_the_pure_function(make):
    trainer = make()
    output = batch(trainer)
    earned = played(trainer)
    expected = pure_grpo([one.reward for one in earned], groups_of(earned))
    np.testing.assert_allclose(output["advantages"].numpy(), expected, atol=1e-6)
    assert len(set(np.round(expected, 3))) > 2


def test_the_mask_of_the_loss_is_that_of_the_rollouts(make):
    """A-tool-tokens-in-loss, in a padded batch."""
    trainer = make()
    output = batch(trainer)
    mask = (output["tool_mask"] * output["completion_mask"]).numpy()
    for row, one in zip(mask, trainer._played, strict=True):
        assert row[: len(one.segment.mask)].tolist() == list(one.segment.mask)
        assert not row[len(one.segment.mask) :].any()
    assert output["num_items_in_batch"] == sum(sum(one.segment.mask) for one in trainer._played)


def test_groups_share_one_task(make):
    trainer = make()
    batch(trainer)
    groups = groups_of(played(trainer))
    assert groups[:4] == groups[:1] * 4 and groups[4:] == groups[4:5] * 4
    assert groups[0] != groups[4]
    assert [one.sample for one in played(trainer)] == [0, 1, 2, 3] * 2


def test_the_loss_is_that_of_the_paper(make):
    """At the first pass rho is 1, so that GRPO's loss is minus the mean of the advantages."""
    trainer = make()
    output = batch(trainer)
    output["advantages"] += torch.arange(8.0)  # a group's own sum to 0
    found = loss_of(trainer, output).item()
    assert found == pytest.approx(-output["advantages"].mean().item(), abs=1e-5)


def test_dr_grpo_divides_by_the_budget(make):
    from baselines.dr_grpo import DrGrpo

    trainer = make(DrGrpo(), algorithm={"loss_type": "dr_grpo", "scale_rewards": "none"})
    output = batch(trainer)
    earned = played(trainer)
    expected = pure_dr_grpo([one.reward for one in earned], groups_of(earned))
    np.testing.assert_allclose(output["advantages"].numpy(), expected, atol=1e-6)
    tokens = (output["tool_mask"] * output["completion_mask"]).sum(-1).numpy()
    found = loss_of(trainer, output).item()
    assert found == pytest.approx(-(expected * tokens).sum() / (8 * 420), abs=1e-5) != 0


def test_what_stands_on_masked_tokens_moves_no_weight(make):
    """A-masked-logprob."""
    trainer = make()
    output = batch(trainer)
    output["advantages"] += torch.arange(8.0)
    sound = loss_of(trainer, output).item()
    output["advantages"] = output["advantages"][:, None] * torch.ones(output["tool_mask"].shape)
    output["advantages"][output["tool_mask"] == 0] = 1e6
    assert loss_of(trainer, output).item() == pytest.approx(sound, abs=1e-5)


def test_padding_is_left_out_of_the_loss_and_changes_nothing(make):
    """The loss of each rollout alone, without its padding, is that of TRL with it."""
    trainer = make()
    output = batch(trainer)
    trainer.current_gradient_accumulation_steps = 1
    widths = set()
    for n in range(8):
        row = {k: v[n : n + 1] if v.ndim else v for k, v in output.items()}
        small = trimmed(row)
        widths.add((small["prompt_ids"].shape[1], small["completion_ids"].shape[1]))
        padded = trainer._compute_loss(trainer.model, row)
        assert trainer._compute_loss(trainer.model, small).item() == pytest.approx(
            padded.item(), abs=1e-5
        )
        assert small["tool_mask"].shape == small["completion_ids"].shape
        assert small["prompt_mask"].all() and small["completion_mask"].all()
    assert len(widths) > 2 and loss_of(trainer, output).item() == pytest.approx(
        trainer._compute_loss(trainer.model, output).item(), abs=1e-5
    )


def test_rollouts_that_could_not_be_scored_are_excluded(make, monkeypatch):
    trainer = make(retries=0)
    sound = Characters.act

    def act(self, transcripts, tools, seeds=None):
        if any(self.character(seed) == "reference" for seed in seeds):
            raise InfrastructureError("down")
        return sound(self, transcripts, tools, seeds)

    monkeypatch.setattr(Characters, "act", act)
    output = batch(trainer)
    void = np.array([one.ended == "void" for one in played(trainer)])
    assert void.any() and not void.all()
    mask = (output["tool_mask"] * output["completion_mask"]).sum(-1).numpy()
    assert (mask[void] == 0).all() and (mask[~void] > 0).all()
    assert (output["advantages"].numpy()[void] == 0).all()
    expected = pure_grpo(rewards_of(played(trainer)), groups_of(played(trainer)))
    np.testing.assert_allclose(output["advantages"].numpy(), expected, atol=1e-6)


def test_cut_off_rollouts_are_masked_if_wished_and_stay_in_the_baseline(make):
    output = batch(trainer := make(overlong="mask", reward="dense"))
    cut = np.array([one.cut_off for one in played(trainer)])
    mask = (output["tool_mask"] * output["completion_mask"]).sum(-1).numpy()
    assert cut.any() and not cut.all()
    assert (mask[cut] == 0).all() and (mask[~cut] > 0).all()
    expected = pure_grpo(rewards_of(played(trainer)), groups_of(played(trainer)))
    np.testing.assert_allclose(output["advantages"].numpy(), expected, atol=1e-6)


def test_steps_are_credited_on_their_own_tokens(make):
    """A hand-built case: GiGPO over the steps of the group, spread over their tokens."""
    args = gigpo.Args(gamma=0.5)
    estimator = gigpo.Gigpo(args.settings())
    trainer = make(estimator, how=replace(args.play(anchors=True, gamma=0.5), budget=420))
    output = batch(trainer)
    earned = played(trainer)
    for n, one in enumerate(trainer._played):
        group = [other for other in earned if other.group == one.earned.group]
        mean = np.mean([other.reward for other in group])
        for t, (start, stop) in enumerate(one.spans):
            same = [
                other.reward * 0.5 ** (len(other.steps) - 1 - k)
                for other in group
                for k, anchor in enumerate(other.anchors)
                if anchor == one.earned.anchors[t]
            ]
            own = one.earned.reward * 0.5 ** (len(one.earned.steps) - 1 - t)
            value = one.earned.reward - mean + own - np.mean(same)
            found = output["advantages"][n, start:stop].numpy()
            np.testing.assert_allclose(found, value, atol=1e-6)
        between = output["tool_mask"][n, : len(one.segment.mask)] == 0
        assert (output["advantages"][n, : len(one.segment.mask)][between] == 0).all()
    assert trainer._metrics["train"]["office/anchor_size"][0] > 1


# The recipe ------------------------------------------------------------------------------------


def all_malformed(monkeypatch):
    monkeypatch.setattr(Characters, "character", lambda self, seed: "malformed")


def test_a_group_of_nothing_but_format_errors_gets_the_floor(make, monkeypatch):
    all_malformed(monkeypatch)
    output = batch(trainer := make(recipe="wild_awm"))
    assert [one.reward for one in played(trainer)] == [-1.0] * 8
    assert output["advantages"].tolist() == [-0.5] * 8  # -K^(-1/2), and exempt from the filter
    assert (output["tool_mask"] * output["completion_mask"]).sum() > 0


def test_without_the_floor_such_a_group_is_dead_and_said_to_be(make, monkeypatch):
    all_malformed(monkeypatch)
    trainer = make(reward="wild_awm")
    with pytest.warns(UserWarning, match="all rewards of a group are equal .mean -1.000."):
        output = batch(trainer)
    assert output["advantages"].tolist() == [0.0] * 8 and trainer._dead_steps == 1
    assert trainer._metrics["train"]["office/dead_groups"] == [1.0]


def test_groups_without_a_signal_leave_the_mean_of_the_loss(make, monkeypatch):
    trainer = make(dynamic_filter=True)
    first = plan(trainer.office)[0]
    idle = {place.seed for place in places(first, item_of(first), 4, seed=0)}
    sound = Characters.character
    monkeypatch.setattr(
        Characters, "character", lambda self, s: "null" if s in idle else sound(self, s)
    )
    output = batch(trainer)
    earned = played(trainer)
    plain = pure_grpo(rewards_of(earned), groups_of(earned))
    mask = (output["tool_mask"] * output["completion_mask"]).sum(-1)
    assert (mask[:4] == 0).all() and (mask[4:] > 0).all()
    np.testing.assert_allclose(output["advantages"].numpy(), 2 * plain, atol=1e-6)


def test_tokens_that_are_left_out_are_out_of_the_mean_over_tokens(make):
    trainer = make(overlong="mask", kind=grpo.Args, algorithm={"loss_type": "dapo"})
    output = batch(trainer)
    kept = [one for one in trainer._played if not one.earned.cut_off]
    assert 0 < len(kept) < len(trainer._played)
    assert output["num_items_in_batch"] == sum(sum(one.segment.mask) for one in kept)


def _seed(group):
    return int(group.split("/")[-2])


def test_tasks_without_a_signal_are_played_more_often(make, monkeypatch):
    all_malformed(monkeypatch)
    trainer = make(multiplier=True, steps=4, items=2)
    assert [len(batch(trainer)["advantages"]) for _ in range(2)] == [8, 8]
    assert len(trainer._played) == 2 * math.ceil(4 / 0.8)  # rate 0.8 after one batch
    rows = batch(trainer)
    assert len(trainer._played) == 2 * math.ceil(4 / 0.64) and len(rows["advantages"]) == 8


# Checkpoints -----------------------------------------------------------------------------------


def steps_of(trainer):
    lines = [line for line in trainer.state.log_history if "loss" in line]
    names = ("loss", "reward", "office/completion", "grad_norm", "entropy")
    return [[line["step"], *(line[name] for name in names)] for line in lines]


def test_a_run_that_is_resumed_goes_on_as_if_it_had_not_stopped(make, tmp_path):
    given = {"steps": 3, "save_every": 1, "multiplier": True, "items": 2, "breach_reward": 0.0}
    whole = make(**given)
    whole.train()
    stopped = tmp_path / "run" / "checkpoint-2"
    kept = tmp_path / "kept"
    shutil.copytree(stopped, kept)
    shutil.rmtree(tmp_path / "run")
    again = make(**given)
    again.train(resume_from_checkpoint=str(kept))
    assert steps_of(again)[-1] == pytest.approx(steps_of(whole)[-1], rel=1e-5)
    assert steps_of(again)[-1][0] == 3 and steps_of(whole)[-1][1] != 0
    assert again._multiplier.state_dict() == whole._multiplier.state_dict()
    state = json.loads((kept / "office.json").read_text())
    assert min(rate for _, rate in state["multiplier"]["rates"]) < 1
    for a, b in zip(again.model.parameters(), whole.model.parameters(), strict=True):
        torch.testing.assert_close(a, b)


def test_the_plan_draws_every_task_before_any_again(folder):
    args = grpo.Args(**{"model": folder, **SMALL, "items": 3, "steps": 6})
    names = plan(args)
    assert len(names) == len(set(names)) == 12
    for visit in range(4):
        assert {_seed(name) for name in names[3 * visit : 3 * visit + 3]} == {0, 1, 2}
    longer = plan(replace(args, steps=60))
    assert longer[:12] == names and plan(replace(args, seed=1)) != names


def test_training_follows_the_plan(make):
    trainer = make(steps=6)
    order = list(dict.fromkeys(trainer._get_train_sampler()))
    assert order == list(range(12)) and trainer.train_dataset["prompt"][:] == plan(trainer.office)


def test_transcripts_and_figures_are_written(make, tmp_path):
    trainer = make(steps=1)
    trainer.train()
    lines = (tmp_path / "run" / "transcripts.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    assert first["step"] == 0 and first["messages"][0]["role"] == "system"
    names = set(trainer.state.log_history[0])
    for name in ("solved", "completion", "breach_rate", "malformed", "dead_groups", "cut_off"):
        assert f"office/{name}" in names
    assert "entropy" in names and "rewards/safety/mean" in names


# What stops a run ------------------------------------------------------------------------------


def test_a_loss_that_is_not_a_number_stops_the_run(make, monkeypatch):
    from trl.trainer.grpo_trainer import GRPOTrainer

    trainer = make(steps=1)
    monkeypatch.setattr(
        GRPOTrainer, "compute_loss", lambda *_, **__: torch.tensor(math.nan, requires_grad=True)
    )
    with pytest.raises(TrainingError, match="loss is nan at step 0: lower learning_rate"):
        trainer.train()


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"k": 1}, SettingsError, "k is at least 2, not 1"),
        ({"packages": ["cowork/escalatoin-v0"]}, UnknownNameError, "escalation"),
        ({"packages": ["cowork/escalation-v9"]}, UnknownNameError, "cowork/escalation-v0"),
        ({"eval_split": "train"}, UnknownNameError, "validation"),
        ({"temperature": 0.0}, SettingsError, "above 0"),
        ({"breach_reward": 0.5}, SettingsError, "at most 0"),
        ({"reward": "scor"}, UnknownNameError, "Did you mean 'score'"),
        ({"budget": 0}, SettingsError, "budget is at least 1"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_loaded(given, error, told):
    with pytest.raises(error, match=told):
        grpo.Args(**given)


def test_groups_are_whole_in_every_process():
    with pytest.raises(SettingsError, match="groups stay whole"):
        require_whole_groups(grpo.Args(groups=3), 2)
    with pytest.raises(SettingsError, match="no multiple of micro_batch 8"):
        require_whole_groups(grpo.Args(groups=3, k=4), 1)
    with pytest.raises(SettingsError, match="between batches of rollouts"):
        require_whole_groups(grpo.Args(iterations=4, save_every=6), 1)


def test_a_tokenizer_without_a_template_is_refused(make, folder, monkeypatch):
    import baselines.trainer

    loaded = load(folder, device="cpu")
    loaded.tokenizer.chat_template = None
    args = grpo.Args(model=folder, **SMALL)
    with pytest.raises(ModelError, match="no chat template"):
        baselines.trainer.OfficeTrainer(loaded, args, config_of(args), grpo.Grpo(), args.play())


def test_out_of_memory_says_what_to_lower(make, monkeypatch, folder, tmp_path):
    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(OfficeTrainer, "compute_loss", full)
    args = grpo.Args(**{"model": folder, "out": str(tmp_path / "run"), **SMALL})
    with pytest.raises(TrainingError, match=r"lower micro_batch \(4\), budget \(420\)"):
        grpo.main(args)


def test_nothing_scorable_is_said(make, monkeypatch):
    def act(self, transcripts, tools, seeds=None):
        raise InfrastructureError("down")

    monkeypatch.setattr(Characters, "act", act)
    trainer = make(retries=0)
    with pytest.warns(UserWarning, match="no rollout could be scored"):
        output = batch(trainer)
    assert output["advantages"].tolist() == [0.0] * 8
    assert loss_of(trainer, output).item() == 0


def test_credit_over_what_the_filter_leaves_is_that_of_the_rest(make):
    trainer = make()
    batch(trainer)
    earned = played(trainer)
    half = credit(earned[:4], grpo.Grpo(), Recipe(dynamic_filter=True))
    dead = [replace(one, steps=(0.0,), group="dead") for one in earned[4:]]
    both = credit([*earned[:4], *dead], grpo.Grpo(), Recipe(dynamic_filter=True))
    np.testing.assert_allclose(both.advantages[:4], half.advantages)
    assert both.scale == 2 and half.scale == 1 and not both.trained[4:].any()
