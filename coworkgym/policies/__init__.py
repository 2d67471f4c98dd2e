"""Policies: what answers transcripts with assistant messages."""

from coworkgym.policies.null import NullPolicy
from coworkgym.policies.policy import (
    DETERMINISTIC,
    GUESSERS,
    Policy,
    PrivilegedPolicy,
    get_policy,
    policy_names,
)
from coworkgym.policies.random import RandomPolicy
from coworkgym.policies.reference import ReferencePolicy

__all__ = [
    "DETERMINISTIC",
    "GUESSERS",
    "NullPolicy",
    "Policy",
    "PrivilegedPolicy",
    "RandomPolicy",
    "ReferencePolicy",
    "get_policy",
    "policy_names",
]
