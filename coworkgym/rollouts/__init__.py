"""Rollouts: episodes played by policies, kept in stores, and what came of them."""

from coworkgym.rollouts.collect import collect, play_out, run_episode, settings_of
from coworkgym.rollouts.executors import EXECUTORS, Executor, Inline, Processes, executor_from
from coworkgym.rollouts.exports import save_jsonl, save_parquet, training_rows
from coworkgym.rollouts.groups import Group, groups
from coworkgym.rollouts.lines import StoreError
from coworkgym.rollouts.playing import Job, Unit
from coworkgym.rollouts.rollout import (
    Deed,
    Ended,
    Rollout,
    Segment,
    TaskFacts,
    Usage,
    Void,
    episode_id,
    is_scorable,
    item_of,
    passed,
)
from coworkgym.rollouts.settings import Settings
from coworkgym.rollouts.store import Run, Store
from coworkgym.rollouts.summary import Summary, summarise

__all__ = [
    "EXECUTORS",
    "Deed",
    "Ended",
    "Executor",
    "Group",
    "Inline",
    "Job",
    "Processes",
    "Rollout",
    "Run",
    "Segment",
    "Settings",
    "Store",
    "StoreError",
    "Summary",
    "TaskFacts",
    "Unit",
    "Usage",
    "Void",
    "collect",
    "episode_id",
    "executor_from",
    "groups",
    "is_scorable",
    "item_of",
    "passed",
    "play_out",
    "run_episode",
    "save_jsonl",
    "save_parquet",
    "settings_of",
    "summarise",
    "training_rows",
]
