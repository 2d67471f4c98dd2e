"""Every vector of the collection of worked examples, computed with numpy and with torch.

The vectors came from the reference codes themselves. They are kept beside the checkout; the other
tests here carry vectors of their own, written out.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from baselines.advantages import (
    NEMO,
    OAT,
    PAPER,
    PPO,
    TRL,
    VERL,
    VERL_AGENT,
    Clip,
    GroupNorm,
    RolloutMultiplier,
    aggregate,
    condition,
    discounted_returns,
    dr_grpo,
    floor,
    gdpo,
    gdpo_components,
    gigpo,
    grpo,
    k3,
    policy_loss,
    weighted_sum,
    wild_reward,
)

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

FILE = Path(__file__).parents[3] / "shared" / "field" / "adv_vectors.json"
VECTORS = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
NO_EPS = GroupNorm(eps=0.0)
MICRO = GroupNorm(eps=1e-6)
AGGREGATIONS = {
    "seq-mean-token-mean": ("seq-mean-token-mean", {}),
    "token-mean": ("token-mean", {"tokens": 7}),
    "const-len_L8": ("const-len", {"length": 8}),
    "const-len_L4_padded_width": ("const-len", {"length": 4}),
    "seq-mean-token-sum": ("const-len", {"length": 1}),
}
CLIPS = {
    "adv+1_lo.2_hi.2": (1.0, PPO),
    "adv-1_lo.2_hi.2": (-1.0, PPO),
    "adv+1_lo.2_hi.28": (1.0, Clip(high=0.28)),
    "adv-1_delta2": (-1.0, Clip(delta=2.0)),
    "adv-1_dual_c3": (-1.0, Clip(dual=3.0)),
}
NORMS = {
    "grpo_ddof1_eps1e-4": TRL,
    "grpo_ddof1_eps1e-6": MICRO,
    "grpo_ddof1_eps1e-8": OAT,
    "grpo_ddof0_eps0": GroupNorm(eps=0.0, ddof=0),
    "nemo_loo_norm": NEMO,
    "nemo_noloo_norm": replace(NEMO, leave_one_out=False),
    "verl_raw_eps1e-6": VERL,
    "zero_eps1e-4": TRL,
    "eps1e-4": TRL,
    "eps1e-6": MICRO,
}
GDPO = {
    "conditioned": lambda rewards, group: rewards,
    "per_reward_z_eps1e-4": gdpo_components,
    "pre_batch": lambda rewards, group: gdpo_components(rewards, group).sum(-1),
    "gdpo_pre_batch_eps0": lambda rewards, group: gdpo_components(rewards, group, NO_EPS).sum(-1),
    "trl_w_1_0.5": lambda rewards, group: gdpo(rewards, group, weights=[1, 0.5]),
    "eps1e-6_sample": lambda rewards, group: gdpo(rewards, group, norm=MICRO),
    "grpo_on_sum_eps1e-4": grpo,
    "grpo_on_sum_eps0": lambda rewards, group: grpo(rewards, group, norm=NO_EPS),
    **dict.fromkeys(("trl_eps1e-4", "gdpo_eps1e-4", "ignore_eps1e-4", "zero_eps1e-4"), gdpo),
}
GIGPO = {
    "paper_mean_norm": PAPER,
    "paper_mean_std_norm": replace(PAPER, mode="mean_std_norm"),
    "paper_mean_norm_omega0.5": replace(PAPER, omega=0.5),
    "paper_mean_norm_gamma1": replace(PAPER, gamma=1.0),
    "verlagent_mean_norm_stepstats": VERL_AGENT,
    "verlagent_mean_std_norm_stepstats": replace(VERL_AGENT, mode="mean_std_norm"),
    "verlagent_mean_norm_stepstats_invalid_penalty": VERL_AGENT,
}

pytestmark = [
    pytest.mark.skipif(not VECTORS, reason="the worked examples are not beside this folder"),
    pytest.mark.filterwarnings("ignore:.* one row:UserWarning"),
]


@pytest.fixture(params=["numpy", "torch"])
def array(request):
    """Makes an array of one kind; None becomes NaN."""
    if request.param == "numpy":
        return lambda values: np.array(values, dtype=np.float64)
    return lambda values: torch.tensor(np.array(values, dtype=np.float64))


def agree(found, expected):
    wanted = np.array(expected, dtype=np.float64)
    plain = found.numpy() if torch.is_tensor(found) else np.array(found, dtype=np.float64)
    np.testing.assert_allclose(plain, wanted, rtol=0, atol=1e-6)


def of_grpo(inputs, key, array):
    rewards, group = array(inputs["rewards"]), inputs["group"]
    weights = inputs.get("weights")
    if key == "summed":
        return weighted_sum(rewards, weights)
    if key.startswith("drgrpo"):
        return dr_grpo(rewards, group, norm=VERL if key.endswith("raw") else TRL)
    return grpo(rewards, group, weights, NORMS[key])


def of_gdpo(inputs, key, array):
    rewards, group = array(inputs["rewards"]), inputs["group"]
    if "dep" in inputs:
        rewards = condition(rewards, inputs["dep"], inputs["on"], inputs["threshold"])
    if key == "zero_eps1e-4":
        rewards = array(np.nan_to_num(np.array(inputs["rewards"], dtype=np.float64)))
    if key == "verl_token_whiten":
        return gdpo(rewards, group, norm=VERL, lengths=inputs["lengths"])
    return GDPO[key](rewards, group)


def of_loss(inputs, key, array):
    how, constants = AGGREGATIONS[key]
    return aggregate(array(inputs["loss"]), array(inputs["mask"]), how, **constants)


def of_clip(inputs, key, array):
    gain, clip = CLIPS[key]
    ratio = array([inputs["ratio"]])
    log_ratio = torch.log(ratio) if torch.is_tensor(ratio) else np.log(ratio)
    mask = ratio > 0
    return policy_loss(log_ratio, log_ratio * 0, array([gain]), mask, clip)[0]


def of_kl(inputs, key, array):
    logp, ref_logp = array([inputs["logp"]]), array([inputs["ref_logp"]])
    return k3(logp, ref_logp, logp < 0)[0]


def steps(inputs, settings, array, penalty=None):
    names = ("task", "traj", "anchor")
    return gigpo(
        array(inputs["step_rewards"]), *(inputs[name] for name in names), penalty, settings
    )._asdict()


def of_gigpo(inputs, key, array):
    if key.startswith("step_returns"):
        return discounted_returns(array(inputs["step_rewards"]), inputs["traj"], 0.95)
    if key in GIGPO:
        penalty = inputs["invalid_penalty"] if key.endswith("penalty") else None
        found = steps(inputs, GIGPO[key], array, penalty)
        return {"A_E": found["episode"], "A_S": found["step"], "A": found["total"]}
    settings = replace(PAPER, gamma=inputs.get("gamma", 0.95), lone="raw")
    return steps(inputs, settings, array)[{"A_E": "episode", "A_S": "step", "A": "total"}[key]]


def of_floor(inputs, key, array):
    rewards, group = array(inputs["rewards"]), [0] * len(inputs["rewards"])
    return floor(grpo(rewards, group), rewards, group, inputs["format_errors"])


def of_wild_reward(inputs, key, array):
    case = inputs["cases"][key]
    return wild_reward(case["V"], case["v"], case["format_error"])


def of_multiplier(inputs, key, array):
    multiplier = RolloutMultiplier(inputs["alpha"], inputs["lo"], inputs["hi"])
    found = []
    for seen in inputs["observations"]:
        multiplier.update("task", bool(seen))
        found.append(multiplier.rate("task") if key == "p" else multiplier.multiplier("task"))
    return found


WAYS = {
    "grpo": of_grpo,
    "loss_aggregation": of_loss,
    "clip": of_clip,
    "kl_k3": of_kl,
    "gdpo": of_gdpo,
    "gigpo": of_gigpo,
    "wild_reward": of_wild_reward,
    "wild_group": of_floor,
    "wild_floor": of_floor,
    "wild_ema": of_multiplier,
}


def way(name):
    return next(WAYS[start] for start in WAYS if name.startswith(start))


@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, one in VECTORS.items() for key in one["expected"]]
)
def test_a_worked_example_comes_out(array, name, key):
    expected = VECTORS[name]["expected"][key]
    found = way(name)(VECTORS[name]["inputs"], key, array)
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for part, numbers in expected.items():
            agree(found[part], numbers)
    else:
        agree(found, expected)
