"""Collect: play tasks with a policy, many side by side, each result independent of the others."""

import json
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from coworkgym.envs import Episode
from coworkgym.frozen import FrozenList
from coworkgym.policies import Policy, PrivilegedPolicy
from coworkgym.rewards import Score
from coworkgym.tasks import Item, Task

if TYPE_CHECKING:
    from coworkgym.rewards.judge import Judge


class Finished(NamedTuple):
    """One finished episode.

    Attributes:
        item: What its task was built from.
        policy: Name of the policy.
        score: What it earned.
        steps: Number of calls.
        truncated: Whether it was cut off.
        transcript: All messages.
    """

    item: Item
    policy: str
    score: Score
    steps: int
    truncated: bool
    transcript: FrozenList

    def as_dict(self) -> dict[str, object]:
        """Returns the episode as JSON."""
        return self._asdict() | {"item": self.item._asdict(), "score": self.score.as_dict()}


def play(task: Task, policy: Policy, judge: "Judge | None" = None) -> Finished:
    """Plays one episode of a task to its end; see run_episodes."""
    return next(run_episodes([task], policy, judge=judge))


def run_episodes(
    tasks: Iterable[Task], policy: Policy, batch: int = 32, judge: "Judge | None" = None
) -> Iterator[Finished]:
    """Plays every task once and yields what came of it, in the order of the tasks.

    Args:
        tasks: Built as they are needed.
        policy: Answers up to `batch` transcripts at a time.
        batch: Number of episodes side by side, at least 1.
        judge: Answers, after each episode, what no program can check.
    """
    return (_finished(episode, policy, judge) for episode in play_out(tasks, policy, batch))


def play_out(tasks: Iterable[Task], policy: Policy, batch: int = 32) -> Iterator[Episode]:
    """Plays every task once and yields the episodes, ended, in the order of the tasks.

    Args:
        tasks: Built as they are needed.
        policy: Answers up to `batch` transcripts at a time.
        batch: Number of episodes side by side, at least 1.
    """
    waiting = iter(tasks)
    while chosen := list(islice(waiting, batch)):
        if isinstance(policy, PrivilegedPolicy):
            for task in chosen:
                policy.begin(task)
        episodes = [Episode(task) for task in chosen]
        while running := [episode for episode in episodes if not episode.over]:
            messages = policy.act(
                [episode.transcript.messages for episode in running],
                [episode.task.tool_schemas for episode in running],
            )
            for episode, message in zip(running, messages, strict=True):
                episode.say(message)
        yield from episodes


def save_episodes(episodes: Iterable[Finished], path: str | os.PathLike[str]) -> None:
    """Writes episodes as JSON lines, UTF-8; the file appears whole or not at all."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.partial")
    with partial.open("w", encoding="utf-8") as file:
        for episode in episodes:
            file.write(json.dumps(episode.as_dict(), ensure_ascii=False) + "\n")
    partial.replace(target)


def _finished(episode: Episode, policy: Policy, judge: "Judge | None") -> Finished:
    return Finished(
        item=episode.task.item,
        policy=policy.name,
        score=episode.score(judge),
        steps=episode.steps,
        truncated=episode.truncated,
        transcript=episode.transcript.messages,
    )
