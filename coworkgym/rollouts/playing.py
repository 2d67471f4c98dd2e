"""Playing: one episode in progress, from its work unit to its rollout."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple, cast

from coworkgym.chat import ChatClient
from coworkgym.envs import Episode
from coworkgym.envs.episode import UserFactory
from coworkgym.errors import InfrastructureError
from coworkgym.frozen import Json
from coworkgym.policies import Policy, PrivilegedPolicy, SamplingPolicy
from coworkgym.policies.specs import chat_options
from coworkgym.rewards.judge import Judge
from coworkgym.rollouts.context import Count, estimate_tokens, fit
from coworkgym.rollouts.rollout import (
    Deed,
    Ended,
    Ending,
    Outcome,
    Reason,
    Rollout,
    TaskFacts,
    Usage,
    Void,
    episode_id,
)
from coworkgym.rollouts.segments import SegmentJoiner
from coworkgym.rollouts.settings import Settings
from coworkgym.services.faults import Faults
from coworkgym.tasks import Item, Task, get_package
from coworkgym.tasks.spec import Stage
from coworkgym.transcript import Message
from coworkgym.users import SimulatedUser
from coworkgym.users.model_user import ModelUser


class Unit(NamedTuple):
    """One episode to be played.

    Attributes:
        item: What the task is built from.
        sample: Which of the episodes of this item.
        task: The task itself, where the item does not tell it.
    """

    item: Item
    sample: int = 0
    task: Task | None = None

    @property
    def id(self) -> str:
        """The id of the episode."""
        return episode_id(self.item, self.sample, self.task.digest if self.task else "")

    def build(self) -> Task:
        """Returns the task."""
        return self.task or get_package(self.item.package).build(self.item)


@dataclass(frozen=True)
class Job:
    """What a worker plays episodes with; pickles.

    Attributes:
        settings: How.
        policy: Who plays.
        make_user: Makes users; by default what the settings say.
        given_judge: A judge; by default what the settings say.
        concurrency: Episodes side by side.
        retries: How many more times an episode is tried after a failure that is not the agent's.
        digests: Whether the rollouts tell the digests of their tasks.
    """

    settings: Settings
    policy: Policy
    make_user: UserFactory | None = None
    given_judge: Judge | None = None
    concurrency: int = 32
    retries: int = 2
    digests: bool = False

    def __getstate__(self) -> dict[str, Any]:
        """Pickles without what it has made."""
        return {one.name: self.__dict__[one.name] for one in fields(self)}

    @cached_property
    def judge(self) -> Judge | None:
        """The judge, made when first asked for."""
        if self.given_judge is not None or self.settings.judge is None:
            return self.given_judge
        return Judge(ChatClient(**chat_options(self.settings.judge)))

    @cached_property
    def user_factory(self) -> UserFactory | None:
        """What makes users; None for scripted ones."""
        if self.make_user is not None or self.settings.user == "scripted":
            return self.make_user
        client = ChatClient(**chat_options(self.settings.user))

        def make(stage: Stage, language: str) -> SimulatedUser:
            assert stage.user is not None
            return ModelUser(stage.user, client, language, stage.request)

        return make

    @cached_property
    def count(self) -> Count:
        """Counts the tokens of a transcript: the policy where it can, else an estimate."""
        return getattr(self.policy, "count_tokens", estimate_tokens)

    @cached_property
    def limit(self) -> int | None:
        """Tokens that the policy is shown at most: what the settings allow and what it reads."""
        reads = getattr(self.policy, "context_length", None)
        room = None if reads is None else reads - (getattr(self.policy, "max_tokens", None) or 0)
        limits = [limit for limit in (self.settings.max_context, room) if limit is not None]
        return min(limits) if limits else None

    @cached_property
    def draws(self) -> bool:
        """Whether the policy takes seeds; asking a protocol takes as long as a tool call."""
        return isinstance(self.policy, SamplingPolicy)

    @cached_property
    def shows_tasks(self) -> bool:
        """Whether the policy is shown the tasks."""
        return isinstance(self.policy, PrivilegedPolicy)


class Playing:
    """One episode in progress.

    Args:
        unit: Which.
        job: How.
        attempt: How often it was tried before.
    """

    def __init__(self, unit: Unit, job: Job, attempt: int = 0) -> None:
        self.unit, self.job, self.attempt = unit, job, attempt
        self.started = time.monotonic()
        task = unit.build()
        settings = job.settings
        faults = None if settings.faults is None else Faults(settings.faults)
        self.episode = Episode(
            task, interface=settings.interface, faults=faults, make_user=job.user_factory
        )
        self.seed = settings.episode_seed(unit.item, unit.sample)
        self._overflow = False
        self.failure: InfrastructureError | None = None
        self._tokens = SegmentJoiner()
        self._usage = [0, 0, 0]
        self._reasoning: list[str] = []
        if job.shows_tasks:
            cast(PrivilegedPolicy, job.policy).begin(task)

    @property
    def over(self) -> bool:
        """Whether the episode has come to an end."""
        return self.episode.over or self._overflow

    @property
    def tools(self) -> Json:
        """The tool schemas."""
        return self.episode.task.tool_schemas

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.started

    def transcript(self) -> Sequence[Message] | None:
        """Returns what the policy is shown; None, once and for all, where nothing fits."""
        messages: Sequence[Message] = self.episode.transcript.messages
        limit = self.job.limit
        if limit is None:
            return messages
        shown = fit(messages, self.tools, limit, self.job.count)
        if shown is None:
            self.overflow()
        return shown

    def overflow(self) -> None:
        """Cuts the episode off: the policy cannot read it any more."""
        self._overflow = True
        self.episode.cut_off()

    def take(self, message: Mapping[str, Any]) -> None:
        """Takes the policy's message."""
        if usage := message.get("usage"):
            for place, name in enumerate(Usage._fields[:2]):
                self._usage[place] += int(usage.get(name) or 0)
        self._usage[2] += 1
        self._reasoning.append(str(message.get("reasoning") or ""))
        if "tokens" in message:
            self._tokens.add(message["tokens"])
        self.episode.say(message)
        limit = self.job.settings.max_steps
        if limit is not None and self.episode.steps >= limit and not self.episode.over:
            self.episode.cut_off()

    def late(self) -> InfrastructureError | None:
        """Returns the error of an episode that has taken too long."""
        limit = self.job.settings.timeout
        if limit is None or self.seconds <= limit:
            return None
        return EpisodeTimeout(f"{self.unit.id}: not over after {limit:g} s")

    def met(self) -> "Playing | Ended":
        """Returns what a round has made of it: itself, the next try, or how it ended.

        Raises:
            InfrastructureError: Where trying again cannot help.
        """
        try:
            if self.failure is None:
                return self.finish() if self.over else self
        except InfrastructureError as error:  # of its judge
            self.failure = error
        return self.again(self.failure)

    def again(self, error: InfrastructureError) -> "Playing | Ended":
        """Returns the next try after a failure, or the void episode where there is none left.

        Raises:
            InfrastructureError: Where trying again cannot help.
        """
        if error.hopeless:
            raise error
        if self.attempt < self.job.retries:
            return Playing(self.unit, self.job, self.attempt + 1)
        reason: Reason = "timed_out" if isinstance(error, EpisodeTimeout) else "errored"
        return self._ended(void(self.unit, reason, str(error), self.attempt + 1))

    def finish(self) -> "Playing | Ended":
        """Returns the rollout of an episode that is over, or another try after a user's fault."""
        if self.episode.user_faults and self.attempt < self.job.retries:
            return Playing(self.unit, self.job, self.attempt + 1)
        return self._ended(self._rollout())

    def _ended(self, outcome: Outcome) -> Ended:
        return Ended(outcome, self.seconds, self.attempt + 1)

    def _rollout(self) -> Rollout:
        episode = self.episode
        return Rollout(
            id=self.unit.id,
            item=self.unit.item,
            sample=self.unit.sample,
            policy=self.job.policy.name,
            task=TaskFacts.of(episode.task, with_digest=self.job.digests),
            score=episode.score(self.job.judge),
            steps=episode.steps,
            ended=self._ending(),
            transcript=episode.transcript.messages,
            deeds=tuple(map(Deed.of, episode.office.log)),
            segments=self._tokens.segments(),
            usage=Usage(*self._usage),
            reasoning=tuple(self._reasoning) if any(self._reasoning) else (),
        )

    def _ending(self) -> Ending:
        if self._overflow:
            return "context"
        return "max_steps" if self.episode.truncated else "user"


class EpisodeTimeout(InfrastructureError):
    """An episode that took longer than allowed."""


def void(unit: Unit, reason: Reason, error: str, attempts: int) -> Void:
    """Returns the void episode of a unit."""
    return Void(unit.id, unit.item, unit.sample, reason, error, attempts)
