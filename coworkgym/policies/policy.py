"""The protocol of policies, and the ones that come with the library by name."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from coworkgym.errors import unknown
from coworkgym.frozen import Json
from coworkgym.tasks import Task
from coworkgym.transcript import Message


class Policy(Protocol):
    """Answers a batch of transcripts, each with one assistant message."""

    name: str

    def act(
        self, transcripts: Sequence[Sequence[Message]], tools: Sequence[Json]
    ) -> list[dict[str, Any]]:
        """Returns one assistant message for each transcript.

        Args:
            transcripts: The messages so far of each episode.
            tools: The tool schemas of each episode.

        Returns:
            Messages with `role`, `content`, and `tool_calls` (`name`, `arguments`) where the
            policy calls tools. A message without calls is the reply.
        """
        ...


@runtime_checkable
class PrivilegedPolicy(Protocol):
    """A policy that is shown the task, answer included; never one to be measured or trained."""

    def begin(self, task: Task) -> None:
        """Sees the task of an episode that is about to start."""
        ...


_POLICIES = {
    "reference": "coworkgym.policies.reference:ReferencePolicy",
    "random": "coworkgym.policies.random:RandomPolicy",
    "null": "coworkgym.policies.null:NullPolicy",
}


def policy_names() -> list[str]:
    """Returns the names `get_policy` knows."""
    return list(_POLICIES)


def get_policy(name: str) -> Policy:
    """Returns a new policy by name.

    Raises:
        UnknownNameError: With the nearest match.
    """
    if name not in _POLICIES:
        raise unknown("policy", name, _POLICIES)
    module, _, attribute = _POLICIES[name].partition(":")
    made: Policy = getattr(import_module(module), attribute)()
    return made
