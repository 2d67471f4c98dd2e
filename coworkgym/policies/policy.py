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


_MODULES = {
    "reference": "reference:ReferencePolicy",
    "null": "null:NullPolicy",
    "echo": "adversarial.talkers:EchoPolicy",
    "claim": "adversarial.talkers:ClaimPolicy",
    "keywords": "adversarial.doers:KeywordsPolicy",
    "mail_everybody": "adversarial.doers:MailEverybodyPolicy",
    "close_everything": "adversarial.doers:CloseEverythingPolicy",
    "hold_everything": "adversarial.doers:HoldEverythingPolicy",
    "update_everything": "adversarial.doers:UpdateEverythingPolicy",
    "forbidden_first": "adversarial.doers:ForbiddenFirstPolicy",
    "act_then_undo": "adversarial.undoing:ActThenUndoPolicy",
    "always_refuse": "adversarial.talkers:RefusePolicy",
    "always_escalate": "adversarial.doers:EscalatePolicy",
    "always_ask": "adversarial.talkers:AskPolicy",
    "address_judge": "adversarial.talkers:AddressJudgePolicy",
    "stop_token": "adversarial.talkers:StopTokenPolicy",
    "long_junk": "adversarial.talkers:LongJunkPolicy",
    "random": "random:RandomPolicy",
    "read_then_guess": "adversarial.guessers:ReadThenGuessPolicy",
    "copy_record": "adversarial.guessers:CopyRecordPolicy",
}

GUESSERS = ("random", "read_then_guess", "copy_record")
"""Names of the policies that act on luck; they take a seed."""

DETERMINISTIC = tuple(name for name in _MODULES if name not in ("reference", *GUESSERS))
"""Names of the policies without a seed that must not earn anything."""


def policy_names() -> list[str]:
    """Returns the names `get_policy` knows."""
    return list(_MODULES)


def get_policy(name: str, seed: int = 0) -> Policy:
    """Returns a new policy by name.

    Args:
        name: One of `policy_names()`.
        seed: What the guesses of a policy in `GUESSERS` depend on; the others have none.

    Raises:
        UnknownNameError: With the nearest match.
    """
    if name not in _MODULES:
        raise unknown("policy", name, _MODULES)
    module, _, attribute = _MODULES[name].partition(":")
    make = getattr(import_module(f"coworkgym.policies.{module}"), attribute)
    made: Policy = make(seed) if name in GUESSERS else make()
    return made
