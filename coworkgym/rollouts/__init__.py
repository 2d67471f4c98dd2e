"""Rollouts: episodes played by policies, and what came of them."""

from coworkgym.rollouts.collect import Finished, play, play_out, run_episodes, save_episodes
from coworkgym.rollouts.summary import Summary, summarise

__all__ = ["Finished", "Summary", "play", "play_out", "run_episodes", "save_episodes", "summarise"]
