"""Course: the reference solution of a task, replayed, with the episode after each of its calls."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from coworkgym.envs import Episode
from coworkgym.tasks import Task
from coworkgym.transcript import ToolCall

T = TypeVar("T")


class Course:
    """The reference solution, replayed; whatever branches off it costs a fork.

    Args:
        task: Whose solution is replayed, up to the end of the episode.

    Attributes:
        task: The task.
        calls: The calls that could be made.
        after: The episode after so many calls; never acted on.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.after = [Episode(task)]
        for call in task.solution:
            if self.after[-1].over:
                break
            self.after.append(self.after[-1].fork())
            self.after[-1].act(call)
        self.calls = task.solution[: len(self.after) - 1]

    @property
    def last(self) -> int:
        """How many calls come before the last one."""
        return max(len(self.calls) - 1, 0)

    def branch(self, kept: int, calls: Iterable[ToolCall]) -> Episode:
        """Returns an episode in which other calls follow the first `kept` ones, up to its end."""
        episode = self.after[kept].fork()
        for call in calls:
            if episode.over:
                break
            episode.act(call)
        return episode

    def writes(self, call: ToolCall) -> bool:
        """Whether a call is one of a writing tool."""
        return self.task.tools[call.name].writes

    def reads(self, call: ToolCall) -> bool:
        """Whether a call is one of a reading tool; a reply is none."""
        return not self.writes(call) and call.name != "reply"

    def ends_stage(self, number: int) -> bool:
        """Whether that call of the solution is the reply that ends a stage."""
        before, after = self.after[number : number + 2]
        return after.over or after.office.stage > before.office.stage

    def same_records(self, kept: int, call: ToolCall, reached: int) -> bool:
        """Whether a call after the first `kept` ones leads to the records of `reached` calls."""
        digest = self.branch(kept, [call]).office.world.changes_digest()
        return digest == self.after[reached].office.world.changes_digest()

    def place(self, number: int) -> str:
        """How a call of the solution is named in messages."""
        return f"solution[{number}] {self.calls[number].name}"


def spread(places: Sequence[T], count: int, turn: int) -> list[T]:
    """Returns at most `count` of the places, evenly spread; every turn shifts them by one."""
    size = len(places)
    if size <= count:
        return list(places)
    chosen = sorted((turn + i * size // count) % size for i in range(count))
    return [places[number] for number in chosen]
