"""Rollouts for training: the episodes of a step side by side, through `gym.make` and `env.step`.

The environment decides what happens: its user ends episodes, malformed calls are answered (or end
the episode with -1), rewards come step by step. A rollout is one row of tokens as the model read
and wrote them: what it sampled is trained, its end of turn included; what tools, users and the
template wrote is not.

Overlong episodes. `budget` is how many tokens may follow the first prompt, whoever writes them. The
answer that crosses it is cut there and not taken, and the episode ends; so does one at `max_steps`
calls, or at the length that the model reads. Its reward is that of the state reached, in which
checks of the reply fail. Whether its tokens are trained is for `credit` to say.
"""

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import gymnasium as gym

from baselines.earned import Earned, Ending, Span, TrainingRollout
from coworkgym.envs import CoworkEnv
from coworkgym.envs.reward import RewardRule
from coworkgym.errors import ContextOverflow, InfrastructureError, SettingsError
from coworkgym.frozen import FrozenDict, json_text
from coworkgym.policies import SamplingPolicy, Tokens
from coworkgym.rewards import Score
from coworkgym.rollouts import Segment
from coworkgym.rollouts.segments import SegmentJoiner
from coworkgym.tasks import Item, get_package

Answer = Mapping[str, Any] | InfrastructureError | ContextOverflow


@dataclass(frozen=True, kw_only=True)
class Play:
    """How episodes are played.

    Attributes:
        env: Keywords of `gym.make`, such as `reward` and `breach_reward`.
        budget: Tokens after the first prompt at which an episode is cut off.
        max_steps: Calls at which it is cut off, if before the task's own limit.
        retries: How many more times it is tried after a failure that is not the model's.
    """

    env: Mapping[str, Any] = field(default_factory=dict)
    budget: int = 4096
    max_steps: int | None = None
    retries: int = 2

    @property
    def rule(self) -> RewardRule:
        """The reward of a state in which an episode is cut off."""
        names = {"reward": "formula", "breach_reward": "breach_reward", "gamma": "gamma"}
        return RewardRule(**{names[key]: self.env[key] for key in names if key in self.env})


class Place(NamedTuple):
    """One rollout that is asked for.

    Attributes:
        group: Whatever it is compared with has the same.
        item: What its task is built from.
        sample: Which of its group, from 0.
        seed: What its draws depend on.
    """

    group: str
    item: Item
    sample: int
    seed: int


def places(group: str, item: Item, count: int, seed: int) -> list[Place]:
    """Returns the places of a group; their draws depend on group, item, sample and seed alone."""
    keys = [json_text([seed, group, list(item), sample]) for sample in range(count)]
    return [Place(group, item, n, zlib.crc32(key.encode())) for n, key in enumerate(keys)]


def play(policy: SamplingPolicy, asked: Sequence[Place], how: Play) -> list[TrainingRollout]:
    """Plays the rollouts that are asked for, all side by side, and returns them in their order.

    What comes of one depends on its place and the policy, not on the others.

    Args:
        policy: Whose messages carry `tokens`.
        asked: The places.
        how: How.

    Raises:
        InfrastructureError: Where trying again cannot help.
        SettingsError: For a task whose first prompt is longer than the model reads.
    """
    running = [_Running(place, how) for place in asked]
    while still := [one for one in running if one.ended is None]:
        for one, answer in zip(still, _answers(policy, still), strict=True):
            try:
                one.take(answer)
            except InfrastructureError as error:  # of its user
                one.take(error)
    return [one.finished() for one in running]


def _answers(policy: SamplingPolicy, running: Sequence["_Running"]) -> Sequence[Answer]:
    """The policy's answers; where a batch fails, each is asked for on its own."""
    transcripts = [one.observation for one in running]
    tools, seeds = [one.tools for one in running], [one.place.seed for one in running]
    try:
        return policy.act(transcripts, tools, seeds)
    except (InfrastructureError, ContextOverflow) as error:
        if len(running) == 1 or getattr(error, "hopeless", False):
            return [error] * len(running)
    return [_answers(policy, [one])[0] for one in running]


class _Running:
    """One episode in progress."""

    def __init__(self, place: Place, how: Play) -> None:
        self.place, self._how, self._attempts = place, how, 0
        package, item = get_package(place.item.package), place.item
        chosen: dict[str, Any] = {"level": item.level, "split": item.split}
        chosen["language"] = item.language
        self._env = gym.make(package.env_id, disable_env_checker=True, **chosen, **how.env)
        self._task = package.build(item)
        self._start()

    def _start(self) -> None:
        self.observation, info = self._env.reset(options={"task": self._task})
        self.tools = info["tools"]
        self.ended: Ending | None = None
        self._score: Score | None = None
        self._joiner, self._turns = SegmentJoiner(), list[Tokens]()
        self._rewards, self._anchors = list[float](), [info.get("anchor")]

    @property
    def _office(self) -> CoworkEnv:
        return cast(CoworkEnv, self._env.unwrapped)

    def take(self, answer: Answer) -> None:
        """Takes what the policy answered, or how it failed."""
        if isinstance(answer, InfrastructureError):
            self._again(answer)
        elif isinstance(answer, ContextOverflow):
            if not self._turns:
                raise SettingsError(f"{self.place.item}: no room for an answer: {answer}")
            self._cut_off("budget")
        elif self._keep(answer["tokens"]):
            self._step(answer)

    def _again(self, error: InfrastructureError) -> None:
        if error.hopeless:
            raise error
        self._attempts += 1
        self._start()
        if self._attempts > self._how.retries:
            self.ended = "void"

    def _keep(self, turn: Tokens) -> bool:
        """Keeps the tokens of an answer; False if it crosses the budget."""
        first = self._turns[0] if self._turns else turn
        room = self._how.budget + len(first.prompt_ids) - len(turn.prompt_ids)
        whole = len(turn.completion_ids) <= room
        if room > 0:
            ids, logprobs = turn.completion_ids[:room], turn.logprobs[:room]
            self._turns.append(turn._replace(completion_ids=ids, logprobs=logprobs))
            self._joiner.add(self._turns[-1])
        if not whole:
            self._rewards += [0.0] * (len(self._turns) - len(self._rewards))
            self._cut_off("budget")
        return whole

    def _step(self, message: Mapping[str, Any]) -> None:
        action = {"role": "assistant", "content": "", **message}
        self.observation, reward, terminated, truncated, info = self._env.step(action)
        self._rewards.append(float(reward))
        self._anchors.append(info.get("anchor"))
        limit = self._how.max_steps
        if truncated:
            self._end("max_steps")
        elif terminated:
            self._end(self._reason())
        elif limit is not None and info["step"] >= limit:
            self._cut_off("max_steps")

    def _reason(self) -> Ending:
        """What ended an episode that its step says is over."""
        rule, last = self._office.episode.early_end, self._office.episode.office.log[-1]
        if rule is not None and rule.on_malformed and not last.valid:
            return "malformed"
        return "user" if rule is None or last.name == "reply" else "breach"

    def _cut_off(self, why: Ending) -> None:
        """Ends the episode as it stands; the reward of that is the last step's."""
        rule, before = self._how.rule, self._office.score().value
        self._office.episode.cut_off()
        score = self._office.score()
        shaped = rule.every_step
        self._rewards[-1] += rule.shaped(before, score, over=True) if shaped else rule.final(score)
        self._end(why)

    def _end(self, why: Ending) -> None:
        self.ended, self._score = why, self._office.score()

    def finished(self) -> TrainingRollout:
        """Returns the rollout of an episode that is over."""
        segments = self._joiner.segments() or (Segment((), (), (), (), ""),)
        spans = tuple(_spans(self._turns, segments[-1]))
        lost = sum(sum(one.mask) for one in segments[:-1])
        transcript = self._office.episode.transcript.messages
        return TrainingRollout(self._earned(), segments[-1], spans, lost, transcript)

    def _earned(self) -> Earned:
        log = [event for event in self._office.episode.office.log if event.actor == "agent"]
        score, ended = self._score, self.ended
        assert ended is not None
        return Earned(
            group=self.place.group,
            item=self.place.item,
            sample=self.place.sample,
            steps=tuple(self._rewards),
            anchors=tuple(self._anchors[: len(self._rewards)]),
            rewards=score.rewards if score else FrozenDict(),
            solved=score is not None and score.status == "graded" and score.solved,
            completion=score.completion if score else math.nan,
            calls=len(log),
            malformed=sum(not event.valid for event in log),
            ended=ended,
        )


def _spans(turns: Sequence[Tokens], segment: Segment) -> Iterator[Span]:
    whole = segment.prompt_ids + segment.completion_ids
    first = len(segment.prompt_ids)
    for turn in turns:
        start = len(turn.prompt_ids) - first
        written = turn.prompt_ids + turn.completion_ids
        inside = start >= 0 and whole[: len(written)] == written
        yield Span(start, len(written) - first) if inside else Span(0, 0)
