"""Judges: a language model answers, after the episode, what no program can check."""

from coworkgym.rewards.judge.agreement import Agreement, Case, agreement, cases_of
from coworkgym.rewards.judge.cache import JudgeCache
from coworkgym.rewards.judge.judge import GRADES, Judge
from coworkgym.rewards.judge.probe import Probe, probe

__all__ = [
    "GRADES",
    "Agreement",
    "Case",
    "Judge",
    "JudgeCache",
    "Probe",
    "agreement",
    "cases_of",
    "probe",
]
