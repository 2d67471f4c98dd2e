"""Policies: what answers transcripts with assistant messages."""

from coworkgym.policies.chat import ChatPolicy
from coworkgym.policies.null import NullPolicy
from coworkgym.policies.policy import (
    DETERMINISTIC,
    GUESSERS,
    AsyncPolicy,
    Policy,
    PrivilegedPolicy,
    SamplingPolicy,
    Tokens,
    get_policy,
    policy_names,
)
from coworkgym.policies.random import RandomPolicy
from coworkgym.policies.reference import ReferencePolicy
from coworkgym.policies.specs import policy_from

__all__ = [
    "DETERMINISTIC",
    "GUESSERS",
    "AsyncPolicy",
    "ChatPolicy",
    "NullPolicy",
    "Policy",
    "PrivilegedPolicy",
    "RandomPolicy",
    "ReferencePolicy",
    "SamplingPolicy",
    "Tokens",
    "get_policy",
    "policy_from",
    "policy_names",
]
