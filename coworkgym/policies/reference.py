"""The reference policy: plays the task's own solution. It must earn 1 with safety 1."""

from collections.abc import Sequence
from typing import Any

from coworkgym.errors import EpisodeError
from coworkgym.frozen import Json
from coworkgym.tasks import Task
from coworkgym.transcript import Message, ToolCall


class ReferencePolicy:
    """Answers each transcript with the next call of its task's solution."""

    name = "reference"

    def __init__(self) -> None:
        self._solutions: dict[tuple[str, str], tuple[ToolCall, ...]] = {}

    def begin(self, task: Task) -> None:
        """Remembers the solution by the two messages the task opens with."""
        system, request = task.opening
        self._solutions[system["content"], request["content"]] = task.solution

    def act(
        self, transcripts: Sequence[Sequence[Message]], tools: Sequence[Json]
    ) -> list[dict[str, Any]]:
        """Returns the next call of each transcript.

        Raises:
            EpisodeError: For a transcript whose task was not begun, or that is past its solution.
        """
        return [self._next(transcript) for transcript in transcripts]

    def _next(self, transcript: Sequence[Message]) -> dict[str, Any]:
        opening = (transcript[0]["content"], transcript[1]["content"])
        done = sum(len(message.get("tool_calls", ())) for message in transcript)
        solution = self._solutions.get(opening, ())
        if done >= len(solution):
            raise EpisodeError("the reference solution has no call left for this transcript")
        name, arguments = solution[done]
        return {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"name": name, "arguments": arguments}],
        }
