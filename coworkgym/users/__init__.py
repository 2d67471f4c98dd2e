"""Simulated users: the person who asked, and what they do with the agent's replies."""

from coworkgym.users.single_turn import SingleTurn
from coworkgym.users.user import SimulatedUser, Turn

__all__ = ["SimulatedUser", "SingleTurn", "Turn"]
