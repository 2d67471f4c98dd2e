"""Wrappers: act by whole assistant messages, or by raw model text."""

from collections.abc import Mapping
from typing import Any, SupportsFloat

import gymnasium as gym

from coworkgym.envs.cowork_env import Observation
from coworkgym.envs.raw_text import parse_model_text
from coworkgym.envs.spaces import AssistantMessageSpace, ModelTextSpace, ToolCallSpace
from coworkgym.frozen import clean_text

_Outcome = tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]


class _Lifted(gym.Wrapper[Observation, Any, Observation, Any]):
    """A wrapper whose action space follows the tools of the running task."""

    _calls: ToolCallSpace | None = None

    def _lift(self, calls: ToolCallSpace) -> gym.Space[Any]:
        return AssistantMessageSpace(calls)

    @property  # type: ignore[misc]
    def action_space(self) -> gym.Space[Any]:  # type: ignore[override]
        """What this wrapper takes, with the tools that the running task offers."""
        calls = self.env.action_space
        assert isinstance(calls, ToolCallSpace)
        if self._action_space is None or self._calls is not calls:
            self._calls, self._action_space = calls, self._lift(calls)
        return self._action_space


class AssistantMessages(_Lifted):
    """Lifts the action to an assistant message: text, and any number of calls.

    Calls run in call order and each is answered. Text beside calls is kept but is no reply; text
    without calls is the reply. A message with neither is answered with an error.
    """

    def step(self, action: Mapping[str, Any]) -> _Outcome:
        """Takes the message; whatever is no message counts as an empty one."""
        message = action if isinstance(action, Mapping) else {"content": ""}
        return self.env.step({**message, "role": "assistant"})


class ModelText(_Lifted):
    """Lifts the action to the raw text of a model, in the Hermes form; see `parse_model_text`."""

    def _lift(self, calls: ToolCallSpace) -> gym.Space[Any]:
        return ModelTextSpace(AssistantMessageSpace(calls))

    def step(self, action: str) -> _Outcome:
        """Parses the text and takes the message it stands for."""
        return self.env.step(parse_model_text(clean_text(str(action))))
