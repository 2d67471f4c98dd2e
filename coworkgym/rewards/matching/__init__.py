"""Matching: what a text names, states and claims, in English and Chinese."""

from coworkgym.rewards.matching.claims import claims_completion
from coworkgym.rewards.matching.mentions import Kind
from coworkgym.rewards.matching.states import Match, states

__all__ = ["Kind", "Match", "claims_completion", "states"]
