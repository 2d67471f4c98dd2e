"""Teachers: policies that need no model and make demonstrations.

They are shown the task, its solution included, and play it in their own manner:

- `ParaphrasingTeacher` says replies, mails and reasons in other words;
- `ReorderingTeacher` reads in another order, each record once it has been named;
- `ExploringTeacher` reads more than it needs before it acts;
- `RecoveringTeacher` plays where calls fail (`Settings(faults=0.2)`). A call that was refused is
  made again. One that timed out may have done its work: a mail with a key is sent again with the
  same key, and otherwise it looks first, and makes the call again only if the look shows that
  nothing was done. Where nothing can be looked at and a second call would do the work twice, it
  goes on without: such an episode may earn less than everything, and is no demonstration.
- `VaryingTeacher` does all of it.

    python -m baselines.teachers --packages escalation,inbox_triage --level warmup

What a teacher does depends on the task, the seed of the episode and the transcript only.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, Literal

from baselines.arguments import from_command_line
from baselines.plans import (
    KEY,
    Change,
    changed,
    exploring,
    find_look,
    follow,
    keying,
    reordering,
    rewording,
)  # fmt: skip
from coworkgym import get_package
from coworkgym.errors import EpisodeError, unknown
from coworkgym.frozen import Json
from coworkgym.quality.mutations import Course
from coworkgym.rollouts import Settings, collect, settings_of
from coworkgym.services.faults import KINDS
from coworkgym.tasks import Task
from coworkgym.transcript import Message, ToolCall

_FAULTS = frozenset(KINDS.values())


class Teacher:
    """Plays the solution of each task, changed by its seed.

    Attributes:
        name: The policy's name.
        changes: What is changed, in order.
        faults: Share of the calls that should fail where it plays; None for none.
    """

    samples: Literal[True] = True
    name = "teacher"
    changes: tuple[Change, ...] = ()
    faults: float | None = None

    def __init__(self) -> None:
        self._tasks: dict[tuple[str, str], Task] = {}

    def begin(self, task: Task) -> None:
        """Remembers the task by the two messages it opens with."""
        system, request = task.opening
        self._tasks[system["content"], request["content"]] = task

    def act(
        self,
        transcripts: Sequence[Sequence[Message]],
        tools: Sequence[Json],
        seeds: Sequence[int] | None = None,
    ) -> list[dict[str, Any]]:
        """Returns the next call of each transcript.

        Raises:
            EpisodeError: For a transcript whose task was not begun, or that is past its plan.
        """
        given = [0] * len(transcripts) if seeds is None else seeds
        return [self._next(*pair) for pair in zip(transcripts, given, strict=True)]

    def settings_here(self) -> Settings:
        """Returns how this teacher wants to play: with its faults, if it has any."""
        return settings_of(self, faults=self.faults)

    def _next(self, transcript: Sequence[Message], seed: int) -> dict[str, Any]:
        task = self._tasks.get((transcript[0]["content"], transcript[1]["content"]))
        if task is None:
            raise EpisodeError("the teacher was not shown the task of this transcript")
        call = next_call(_planned(task, self.changes, seed), transcript)
        named = {"name": call.name, "arguments": call.arguments}
        return {"role": "assistant", "content": "", "tool_calls": [named]}


class ParaphrasingTeacher(Teacher):
    """Says the same in other words."""

    name = "paraphrasing"
    changes = (rewording,)


class ReorderingTeacher(Teacher):
    """Reads in another order."""

    name = "reordering"
    changes = (reordering,)


class ExploringTeacher(Teacher):
    """Reads more than it needs."""

    name = "exploring"
    changes = (exploring,)


class RecoveringTeacher(Teacher):
    """Plays where calls fail, and recovers."""

    name = "recovering"
    changes = (reordering, rewording, keying)
    faults = 0.2


class VaryingTeacher(Teacher):
    """Says it in other words, in another order, after reading more."""

    name = "varying"
    changes = (reordering, exploring, rewording)


_ALL = (
    ParaphrasingTeacher, ReorderingTeacher, ExploringTeacher, RecoveringTeacher, VaryingTeacher,
)  # fmt: skip
TEACHERS: dict[str, type[Teacher]] = {made.name: made for made in _ALL}


@lru_cache(maxsize=256)
def _planned(task: Task, changes: tuple[Change, ...], seed: int) -> Course:
    rng = Random(zlib.crc32(json.dumps([*task.item, seed]).encode()))
    calls = task.solution
    for change in changes:
        calls = changed(task, calls, change, rng)
    return follow(task, calls)


def next_call(plan: Course, transcript: Sequence[Message]) -> ToolCall:
    """Returns what to call next, by what came of the calls so far.

    Args:
        plan: What is played.
        transcript: Of an episode in which nothing but this was called.

    Raises:
        EpisodeError: When the plan is over.
    """
    done, look = 0, None
    for error, content in _answers(transcript):
        if look is not None:
            if error not in _FAULTS:
                done += content == look.after
                look = None
        elif error not in _FAULTS:
            done += 1
        elif error == "timeout":
            keyed = KEY in (plan.calls[done].arguments or {})
            look = None if keyed else find_look(plan, done)
            done += look is None and not _repeats(plan, done)
    if done >= len(plan.calls):
        raise EpisodeError("the plan has no call left for this transcript")
    return look.call if look is not None else plan.calls[done]


def _repeats(plan: Course, done: int) -> bool:
    """Whether making the next call twice does no more than making it once."""
    return not plan.writes(plan.calls[done]) or plan.same_records(
        done + 1, plan.calls[done], done + 1
    )


def _answers(transcript: Sequence[Message]) -> Iterator[tuple[str | None, str]]:
    """Yields of every call its error, if any, and its result."""
    for message in transcript:
        if message["role"] == "tool":
            read = json.loads(message["content"])
            yield (read.get("error") if isinstance(read, dict) else None), message["content"]


@dataclass
class Args:
    """What `main` plays.

    Attributes:
        packages: Names, separated by commas.
        teachers: Of `TEACHERS`, separated by commas.
        level: Of the tasks.
        language: Of the tasks.
        first: First seed.
        seeds: Tasks of each package.
        samples: Episodes of each task and teacher.
        out: A folder; each teacher's run lies in one of its own.
    """

    packages: str = "escalation"
    teachers: str = "paraphrasing,reordering,exploring,recovering"
    level: str = "warmup"
    language: str = "en"
    first: int = 0
    seeds: int = 32
    samples: int = 2
    out: str = "runs/teachers"


def main(args: Args) -> dict[str, tuple[int, int]]:
    """Plays, prints, and returns of each teacher how many episodes there are and were solved."""
    found: dict[str, tuple[int, int]] = {}
    packages = [get_package(name) for name in args.packages.split(",")]
    items = [
        package.item(seed=seed, level=args.level, language=args.language)  # type: ignore[arg-type]
        for package in packages
        for seed in range(args.first, args.first + args.seeds)
    ]
    for name in args.teachers.split(","):
        if name not in TEACHERS:
            raise unknown("teacher", name, TEACHERS)
        teacher = TEACHERS[name]()
        place, how = Path(args.out) / name, teacher.settings_here()
        played = collect(items, teacher, settings=how, samples=args.samples, store=place)
        solved = [rollout.score.solved for rollout in played]
        found[name] = len(solved), sum(solved)
        print(f"{name:<14}{sum(solved)} of {len(solved)} solved -> {place}")
    return found


if __name__ == "__main__":
    main(from_command_line(Args, __doc__))
