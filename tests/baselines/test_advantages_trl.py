"""Advantages and losses against TRL's own statements, cut from the installed trainer.

Importing TRL's trainer takes half a minute and its method needs a model, so the statements that
compute advantages and losses are read from the source and run by themselves.
"""

import ast
import importlib.util
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from baselines.advantages import Clip, GroupNorm, aggregate, gdpo, grpo, k3, policy_loss

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

FOUND = importlib.util.find_spec("trl")
pytestmark = pytest.mark.skipif(FOUND is None, reason="TRL is not installed")
TRAINER = Path(FOUND.origin).parent / "trainer" if FOUND else Path()
FLOAT32 = 1e-6  # n / (n - 1) is float32 in TRL, whatever the rewards are
LOSS_TYPES = {
    "grpo": "seq-mean-token-mean",
    "dapo": "token-mean",
    "bnpo": "local-token-mean",
    "dr_grpo": "const-len",
}


@cache
def statements(file, function):
    """The function itself and its statements, the outer before the inner, each with its text."""
    tree = ast.parse((TRAINER / file).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    found = next(node for node in functions if node.name == function)
    nodes = (node for node in ast.walk(found) if isinstance(node, ast.stmt))
    return [(ast.unparse(node), node) for node in nodes]


def run(names, file, function, *starts):
    """Runs those statements of a function that begin with these words."""
    for start in starts:
        nodes = [node for text, node in statements(file, function) if text.startswith(start)]
        assert nodes, f"this TRL has no statement {start!r}: read it again"
        exec(compile(ast.Module(nodes[:1], []), "trl", "exec"), names)
    return names


def advantages_of_trl(rewards, aggregation, scale="group"):
    """Rewards (groups, members, components); the weights are 1 and 2."""
    names = {
        "torch": torch, "device": "cpu",
        "num_generations": rewards.shape[1],
        "rewards_per_func": rewards.reshape(-1, 2),
        "self": SimpleNamespace(
            multi_objective_aggregation=aggregation, scale_rewards=scale, reward_funcs=[0, 1],
            reward_weights=torch.tensor([1.0, 2.0], dtype=torch.float64),
        ),
    }  # fmt: skip
    method = "_generate_and_score_completions"
    starts = ("unscorable_mask = ", "if self.multi_objective_agg", "advantages = torch.nan_to_num")
    run(names, "utils.py", "nanstd", "def nanstd")
    return run(names, "grpo_trainer.py", method, *starts)["advantages"]


def drawn(seed, unknown):
    generator = torch.Generator().manual_seed(seed)
    rewards = torch.randint(-3, 4, (5, 4, 2), generator=generator).double() / 2
    rewards[torch.rand(rewards.shape, generator=generator) < unknown] = torch.nan
    rewards[1] = 0.25
    return rewards, torch.arange(5).repeat_interleave(4)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("unknown", [0, 0.2, 0.6])
@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_grpo_is_that_of_trl(seed, unknown, scale):
    rewards, group = drawn(seed, unknown)
    expected = advantages_of_trl(rewards, "sum_then_normalize", scale)
    found = grpo(rewards.reshape(-1, 2), group, [1, 2], GroupNorm(scale))
    np.testing.assert_allclose(found, expected, rtol=0, atol=FLOAT32)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("unknown", [0, 0.2, 0.6])
def test_gdpo_is_that_of_trl(seed, unknown):
    rewards, group = drawn(seed, unknown)
    expected = advantages_of_trl(rewards, "normalize_then_sum")
    found = gdpo(rewards.reshape(-1, 2), group, [1, 2])
    np.testing.assert_allclose(found, expected, rtol=0, atol=FLOAT32)


def loss_of_trl(kind, logp, old, mask, gains, delta):
    arguments = SimpleNamespace(delta=delta, use_bias_correction_kl=True)
    names = {
        "torch": torch, "mask": mask, "advantages": gains[:, None], "per_token_logps": logp,
        "coef_1": torch.exp(logp - old),
        "inputs": {"num_items_in_batch": mask.sum(), "ref_per_token_logps": old},
        "self": SimpleNamespace(
            loss_type=kind, args=arguments, epsilon_low=0.2, epsilon_high=0.28, beta=0.1,
            model=SimpleNamespace(training=True), current_gradient_accumulation_steps=1,
            max_completion_length=9,
            accelerator=SimpleNamespace(num_processes=1),
        ),
    }  # fmt: skip
    names["self"].args.steps_per_generation = 1
    starts = ("if self.beta != 0.0:\n    ref_per_token_logps", "if self.loss_type == 'cispo'",
              "if self.beta != 0.0:\n    per_token_loss", "mode = ",
              "if self.loss_type in ['grpo', 'sapo']")  # fmt: skip
    return run(names, "grpo_trainer.py", "_compute_loss", *starts)["loss"]


@pytest.mark.parametrize("kind", LOSS_TYPES)
@pytest.mark.parametrize("delta", [None, 1.5])
def test_the_loss_and_its_gradient_are_those_of_trl(kind, delta):
    generator = torch.Generator().manual_seed(0)
    old = -torch.rand(4, 6, generator=generator, dtype=torch.float64)
    moved = old + 0.5 * torch.randn(4, 6, generator=generator, dtype=torch.float64)
    mask = (torch.arange(6) < torch.tensor([[6], [2], [0], [4]])).int()
    gains = torch.tensor([1.0, -1.0, 2.0, -0.5], dtype=torch.float64)
    logp, same = moved.clone().requires_grad_(), moved.clone().requires_grad_()
    expected = loss_of_trl(kind, logp, old, mask, gains, delta)
    loss = policy_loss(same, old, gains, mask, Clip(high=0.28, delta=delta))
    loss = loss + 0.1 * k3(same, old, mask, ratio=torch.exp(same - old))
    tokens = int(mask.sum())
    found = aggregate(loss, mask, LOSS_TYPES[kind], length=9, tokens=tokens)
    expected.backward()
    found.backward()
    assert found.item() == pytest.approx(expected.item(), abs=1e-12)
    np.testing.assert_allclose(same.grad, logp.grad, rtol=0, atol=1e-12)
