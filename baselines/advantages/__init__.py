"""Advantages and losses of GRPO, Dr.GRPO, GDPO and GiGPO: pure functions of numpy or torch arrays.

Defaults are the papers' formulas with TRL's constants; what a public code does otherwise is a
named norm or a flag, and each docstring says which. A group is an id a row, so groups may be
ragged and their rows in any order. An unknown reward is None or NaN and never counts as 0.
"""

from baselines.advantages.anchors import anchor_key, similar_anchors
from baselines.advantages.filters import first_scorable, informative
from baselines.advantages.gdpo import condition, gdpo, gdpo_components
from baselines.advantages.gigpo import (
    PAPER,
    VERL_AGENT,
    GigpoAdvantages,
    GigpoSettings,
    discounted_returns,
    gigpo,
)
from baselines.advantages.groups import NEMO, OAT, TRL, VERL, GroupNorm
from baselines.advantages.grpo import dr_grpo, grpo, masked_return, weighted_sum
from baselines.advantages.losses import DAPO, PPO, Aggregation, Clip, aggregate, k3, policy_loss
from baselines.advantages.overlong import mask_truncated, soft_overlong
from baselines.advantages.recipe import RolloutMultiplier, floor, wild_reward

__all__ = [
    "DAPO",
    "NEMO",
    "OAT",
    "PAPER",
    "PPO",
    "TRL",
    "VERL",
    "VERL_AGENT",
    "Aggregation",
    "Clip",
    "GigpoAdvantages",
    "GigpoSettings",
    "GroupNorm",
    "RolloutMultiplier",
    "aggregate",
    "anchor_key",
    "condition",
    "discounted_returns",
    "dr_grpo",
    "first_scorable",
    "floor",
    "gdpo",
    "gdpo_components",
    "gigpo",
    "grpo",
    "informative",
    "k3",
    "mask_truncated",
    "masked_return",
    "policy_loss",
    "similar_anchors",
    "soft_overlong",
    "weighted_sum",
    "wild_reward",
]
