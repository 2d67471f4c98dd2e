"""Wrappers: act by whole assistant messages, or by raw model text."""

from collections.abc import Mapping
from typing import Any, SupportsFloat

import gymnasium as gym

from coworkgym.envs.cowork_env import Observation
from coworkgym.envs.raw_text import parse_model_text
from coworkgym.envs.spaces import AssistantMessageSpace, ModelTextSpace, ToolCallSpace
from coworkgym.frozen import clean_text

_Outcome = tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]


class AssistantMessages(
    gym.Wrapper[Observation, Mapping[str, Any], Observation, Mapping[str, Any]]
):
    """Lifts the action to an assistant message: text, and any number of calls.

    Calls run in call order and each is answered. Text beside calls is kept but is no reply; text
    without calls is the reply. A message with neither is answered with an error.
    """

    def __init__(self, env: gym.Env[Observation, Mapping[str, Any]]) -> None:
        super().__init__(env)
        assert isinstance(env.action_space, ToolCallSpace)
        self.action_space = AssistantMessageSpace(env.action_space)

    def step(self, action: Mapping[str, Any]) -> _Outcome:
        """Takes the message; whatever is no message counts as an empty one."""
        message = action if isinstance(action, Mapping) else {"content": ""}
        return self.env.step({**message, "role": "assistant"})


class ModelText(gym.Wrapper[Observation, Any, Observation, Any]):
    """Lifts the action to the raw text of a model, in the Hermes form; see `parse_model_text`."""

    def __init__(self, env: gym.Env[Observation, Mapping[str, Any]]) -> None:
        super().__init__(env)
        assert isinstance(env.action_space, ToolCallSpace)
        self.action_space = ModelTextSpace(AssistantMessageSpace(env.action_space))

    def step(self, action: str) -> _Outcome:
        """Parses the text and takes the message it stands for."""
        return self.env.step(parse_model_text(clean_text(str(action))))
