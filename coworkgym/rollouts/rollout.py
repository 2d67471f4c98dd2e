"""Rollouts: what is kept of one episode, and the lines of a store they are written as."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from coworkgym.frozen import FrozenList, Json, json_text
from coworkgym.rewards import PASS_MARK, Score, combine
from coworkgym.rollouts.columns import message_columns, messages_of
from coworkgym.services import Event
from coworkgym.tasks import Item, Task

Ending = Literal["user", "max_steps", "context", "early"]
"""What ended an episode: its user, the limit of calls or of context, or a rule of early end."""


Reason = Literal["errored", "timed_out", "lost"]
"""Why an episode is void."""


class Segment(NamedTuple):
    """A piece of an episode as a model read and wrote it: one row for a trainer.

    An append-only chat is one segment. A new one begins where the model was shown something that is
    not what it had read and written so far: a template that strips reasoning, a compacted context,
    other weights.

    Attributes:
        prompt_ids: Tokens read before the first answer.
        completion_ids: Everything after, sampled or not.
        logprobs: Of each completion token under the distribution it was drawn from; 0 where
            the mask is 0.
        mask: 1 on sampled tokens, 0 on tokens of tools, users and templates.
        policy_version: Which weights drew the sampled tokens.
    """

    prompt_ids: tuple[int, ...]
    completion_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    mask: tuple[int, ...]
    policy_version: str


class Usage(NamedTuple):
    """What the answers of an episode took: tokens read, tokens written, number of answers."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    answers: int = 0


class Deed(NamedTuple):
    """One line of the audit log as a store keeps it; results stand in the transcript.

    Attributes:
        step: Number of the call, from 1; 0 for what the system did.
        stage: From 0.
        interface: How the office was reached.
        actor: agent, user or system.
        name: The tool's name.
        error: The error's code, or None.
        changes: JSON text of a list of [table, id, before, after]; `[]` when nothing changed.
    """

    step: int
    stage: int
    interface: str
    actor: str
    name: str
    error: str | None
    changes: str

    @classmethod
    def of(cls, event: Event) -> "Deed":
        """Returns the line of an event."""
        changes = json_text(event.changes) if event.changes else "[]"
        return cls(*event[:5], event.error, changes)


class TaskFacts(NamedTuple):
    """What an evaluation wants to know of a task without building it.

    Attributes:
        digest: Of the whole task; empty where no store wants it, since it takes as long as playing.
        tags: Words to select tasks by.
        stages: Number of requests.
        talks: Whether a user script answers replies in any stage.
        reference_calls: Calls of the reference solution.
        max_steps: Calls at which it is cut off.
        tools: What the agent may call, `reply` last.
    """

    digest: str
    tags: tuple[str, ...]
    stages: int
    talks: bool
    reference_calls: int
    max_steps: int
    tools: tuple[str, ...]

    @classmethod
    def of(cls, task: Task, *, with_digest: bool = True) -> "TaskFacts":
        """Returns the facts of a task."""
        talks = any(stage.user is not None for stage in task.stages)
        digest = task.digest if with_digest else ""
        counts = (len(task.stages), talks, len(task.solution), task.max_steps)
        return cls(digest, task.tags, *counts, tuple(task.tools))

    @property
    def multi_turn(self) -> bool:
        """Whether the user says more than one request."""
        return self.talks or self.stages > 1


class Rollout(NamedTuple):
    """One finished episode, with what training and evaluation need.

    Attributes:
        id: Package, version, split, level, language, seed and sample, in one path; see episode_id.
        item: What its task was built from.
        sample: Which of the episodes of this item, from 0.
        policy: Name of the policy.
        task: Facts of the task.
        score: What it earned.
        steps: Number of calls.
        ended: What ended it.
        transcript: All messages.
        deeds: The audit log, in order.
        segments: What a local model read and wrote; empty for other policies.
        usage: Tokens, where the policy counts them.
        reasoning: What the model thought before each of its answers; empty where none has any.
    """

    id: str
    item: Item
    sample: int
    policy: str
    task: TaskFacts
    score: Score
    steps: int
    ended: Ending
    transcript: FrozenList
    deeds: tuple[Deed, ...] = ()
    segments: tuple[Segment, ...] = ()
    usage: Usage = Usage()
    reasoning: tuple[str, ...] = ()

    @property
    def truncated(self) -> bool:
        """Whether it was cut off before its user ended it."""
        return self.ended in ("max_steps", "context")

    def as_dict(self) -> dict[str, Json]:
        """Returns the rollout as JSON, in the form that a store keeps; see `columns`."""
        return {
            "id": self.id,
            "item": self.item._asdict(),
            "sample": self.sample,
            "policy": self.policy,
            "task": self.task._asdict(),
            "score": self.score.as_dict(),
            "steps": self.steps,
            "ended": self.ended,
            "usage": self.usage._asdict(),
            "reasoning": self.reasoning,
            "messages": message_columns(self.transcript),
            "deeds": [deed._asdict() | {"error": deed.error or ""} for deed in self.deeds],
            "segments": [segment._asdict() for segment in self.segments],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Rollout":
        """Returns the rollout of a line; `as_dict` undoes it.

        Raises:
            LookupError, TypeError, ValueError: For data that is no rollout.
        """
        facts = {**data["task"], "tags": tuple(data["task"]["tags"])}
        return cls(
            id=data["id"],
            item=Item(**data["item"]),
            sample=data["sample"],
            policy=data["policy"],
            task=TaskFacts(**facts | {"tools": tuple(facts["tools"])}),
            score=Score.from_dict(data["score"]),
            steps=data["steps"],
            ended=data["ended"],
            transcript=messages_of(data["messages"]),
            deeds=tuple(Deed(**deed | {"error": deed["error"] or None}) for deed in data["deeds"]),
            segments=tuple(_segment(segment) for segment in data["segments"]),
            usage=Usage(**data["usage"]),
            reasoning=tuple(data["reasoning"]),
        )


class Void(NamedTuple):
    """An episode that was asked for and did not come to an end; nobody's score.

    Attributes:
        id: As of the rollout it would have been.
        item: What its task is built from.
        sample: Which of the episodes of this item.
        reason: `errored` (the policy or its server failed), `timed_out`, or `lost` (its worker).
        error: What happened the last time.
        attempts: How often it was tried.
    """

    id: str
    item: Item
    sample: int
    reason: Reason
    error: str
    attempts: int

    def as_dict(self) -> dict[str, Json]:
        """Returns the void episode as JSON."""
        return self._asdict() | {"item": self.item._asdict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Void":
        """Returns the void episode of a line; `as_dict` undoes it."""
        known = {name: data[name] for name in cls._fields}
        return cls(**known | {"item": Item(**data["item"])})


Outcome = Rollout | Void


class Ended(NamedTuple):
    """How a work unit ended.

    Attributes:
        outcome: The rollout, or the void episode.
        seconds: How long the last try took.
        attempts: How often it was tried.
        line: The outcome as a store's line, where a worker has written it already.
    """

    outcome: Outcome
    seconds: float
    attempts: int
    line: bytes | None = None


def episode_id(item: Item, sample: int, digest: str = "") -> str:
    """Returns the id of an episode: the same in every run, and sorting by item.

    Args:
        item: What its task is built from.
        sample: Which of the episodes of this item.
        digest: Of the task, where the item does not tell it, such as that of a task file.
    """
    name = f"{item.package}-v{item.version}" + (f"@{digest[:8]}" if digest else "")
    return f"{name}/{item.split}/{item.level}/{item.language}/{item.seed:06}/{sample}"


_ID = re.compile(r"(\w+)-v(\d+)(@[0-9a-f]+)?/(\w+)/(\w+)/(\w+)/(\d+)/(\d+)")


def item_of(identity: str) -> Item:
    """Returns the item of an episode's id.

    Raises:
        ValueError: For a text that is no such id.
    """
    parts = _ID.fullmatch(identity)
    if parts is None:
        raise ValueError(f"not the id of an episode: {identity!r}")
    package, version, _, split, level, language, seed, _ = parts.groups()
    return Item(package, int(version), split, int(seed), level, language)  # type: ignore[arg-type]


def _segment(data: Mapping[str, Sequence[Any]]) -> Segment:
    lists = {name: tuple(data[name]) for name in Segment._fields[:-1]}
    return Segment(**lists, policy_version=str(data["policy_version"]))


def is_scorable(rollout: Rollout) -> bool:
    """Whether a rollout has a reward: graded, and a number."""
    return rollout.score.status == "graded" and math.isfinite(rollout.score.value)


def passed(rollout: Rollout, formula: str = "score") -> bool:
    """Whether a rollout is graded, has at least 0.75 by a formula, and was not cut off."""
    if rollout.truncated or not is_scorable(rollout):
        return False
    return combine(formula, rollout.score) >= PASS_MARK
