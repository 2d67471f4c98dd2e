"""Simulated users: the person who asked, and what they do with the agent's replies."""

from coworkgym.users.model_user import ModelUser, UserFault
from coworkgym.users.script import Correction, Fact, UserScript
from coworkgym.users.scripted import ScriptedUser
from coworkgym.users.single_turn import SingleTurn
from coworkgym.users.user import SimulatedUser, Turn

__all__ = [
    "Correction",
    "Fact",
    "ModelUser",
    "ScriptedUser",
    "SimulatedUser",
    "SingleTurn",
    "Turn",
    "UserFault",
    "UserScript",
]
