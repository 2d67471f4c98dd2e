"""Environments: episodes, and Gymnasium's view of them."""

from coworkgym.envs.cowork_env import CoworkEnv
from coworkgym.envs.episode import Episode
from coworkgym.envs.raw_text import parse_model_text, render_message
from coworkgym.envs.registration import register_all, register_env, register_package
from coworkgym.envs.spaces import (
    AssistantMessageSpace,
    ModelTextSpace,
    ToolCallSpace,
    TranscriptSpace,
    sample_call,
)
from coworkgym.envs.vector import CoworkVectorEnv
from coworkgym.envs.wrappers import AssistantMessages, ModelText

__all__ = [
    "AssistantMessageSpace",
    "AssistantMessages",
    "CoworkEnv",
    "CoworkVectorEnv",
    "Episode",
    "ModelText",
    "ModelTextSpace",
    "ToolCallSpace",
    "TranscriptSpace",
    "parse_model_text",
    "register_all",
    "register_env",
    "register_package",
    "render_message",
    "sample_call",
]
