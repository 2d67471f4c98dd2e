"""Executors: where episodes are played. Each turns work units into outcomes, in any order."""

from coworkgym.rollouts.executors.executor import EXECUTORS, Executor, executor_from
from coworkgym.rollouts.executors.inline import Inline
from coworkgym.rollouts.executors.processes import Processes

__all__ = ["EXECUTORS", "Executor", "Inline", "Processes", "executor_from"]
