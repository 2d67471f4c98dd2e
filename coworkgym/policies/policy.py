"""The protocol of policies, and the ones that come with the library by name."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from coworkgym.errors import unknown
from coworkgym.frozen import Json
from coworkgym.tasks import Task
from coworkgym.transcript import Message


class Tokens(NamedTuple):
    """What a local model read and wrote in one turn, exactly.

    Attributes:
        prompt_ids: All tokens the model read, the template's included.
        completion_ids: The tokens it sampled, the end-of-turn token included.
        logprobs: Log-probability of each sampled token under the distribution it was drawn from.
        policy_version: Which weights drew them.
    """

    prompt_ids: tuple[int, ...]
    completion_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    policy_version: str


class Policy(Protocol):
    """Answers a batch of transcripts, each with one assistant message.

    A message may carry, beside `role`, `content` and `tool_calls`, what is never shown to anybody:
    `usage` (`prompt_tokens`, `completion_tokens`), `finish_reason`, `reasoning`, and `tokens`, a
    Tokens.

    A policy that raises an InfrastructureError has not answered: the episode is tried again, and
    void in the end. One that raises ContextOverflow cannot read so much: the episode is cut off and
    scored as it stands.
    """

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
class SamplingPolicy(Protocol):
    """A policy that draws its answers: equal transcripts need not be answered equally."""

    name: str
    samples: Literal[True]

    def act(
        self,
        transcripts: Sequence[Sequence[Message]],
        tools: Sequence[Json],
        seeds: Sequence[int] | None = None,
    ) -> list[dict[str, Any]]:
        """Returns one message for each transcript; the draw depends on it and its seed only.

        Args:
            transcripts: The messages so far of each episode.
            tools: The tool schemas of each episode.
            seeds: One for each episode, the same in all its turns; 0 without.
        """
        ...


@runtime_checkable
class AsyncPolicy(Protocol):
    """A policy that waits for a server, so that many episodes wait at the same time."""

    name: str

    async def answer(
        self, transcript: Sequence[Message], tools: Json, seed: int = 0
    ) -> dict[str, Any]:
        """Returns one message for one transcript."""
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
