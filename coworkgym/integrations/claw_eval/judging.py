"""Judges: what published graders ask when rules do not suffice."""

import json
import math
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from coworkgym.chat import ChatClient
from coworkgym.errors import GraderError
from coworkgym.frozen import Json
from coworkgym.policies.specs import chat_options


class Opinion(NamedTuple):
    """What a judge says: a score in [0, 1], and why."""

    score: float
    reasoning: str


class TheirJudge(Protocol):
    """What published graders ask."""

    def evaluate(
        self, task_prompt: str, conversation: str, actions_summary: str, rubric: str
    ) -> Opinion:
        """Grades what was said."""

    def evaluate_actions(self, task_prompt: str, artifacts: str, rubric: str) -> Opinion:
        """Grades what was done."""


class StubJudge:
    """Gives every question one score: what rules alone find, between 0 and 1.

    Args:
        score: In [0, 1].
    """

    def __init__(self, score: float = 0.0) -> None:
        self._opinion = Opinion(score, "stub")

    def evaluate(self, *_args: Json, **_kwargs: Json) -> Opinion:
        """Returns the score."""
        return self._opinion

    evaluate_actions = evaluate


class ChatJudge:
    """Asks a chat model, as the published judge does: a score in [0, 1] and why, as JSON.

    Args:
        client: How it is reached.
    """

    def __init__(self, client: ChatClient) -> None:
        self._client = client.with_options(temperature=0.0)

    @classmethod
    def at(cls, spec: str) -> "ChatJudge":
        """Returns the judge of a spec, chat:MODEL@URL.

        Raises:
            TaskError: For a spec without a model or its URL.
        """
        return cls(ChatClient(**chat_options(spec)))

    def evaluate(
        self, task_prompt: str, conversation: str, actions_summary: str, rubric: str
    ) -> Opinion:
        """Grades what was said.

        Raises:
            GraderError: For an answer without a score.
        """
        return self._asked(
            {
                "Request": task_prompt,
                "Conversation": conversation,
                "Actions": actions_summary,
                "Rubric": rubric,
            }
        )

    def evaluate_actions(self, task_prompt: str, artifacts: str, rubric: str) -> Opinion:
        """Grades what was done.

        Raises:
            GraderError: For an answer without a score.
        """
        return self._asked({"Request": task_prompt, "Records": artifacts, "Rubric": rubric})

    def _asked(self, parts: Mapping[str, str]) -> Opinion:
        text = "\n\n".join(f"# {name}\n{part}" for name, part in parts.items())
        chat = [{"role": "system", "content": _JUDGE}, {"role": "user", "content": text}]
        said = self._client.complete(chat).message["content"] or ""
        start, end = said.find("{"), said.rfind("}")
        try:
            found = json.loads(said[start : end + 1])
            score = float(found["score"])
            if math.isnan(score):
                raise ValueError("not a number")
        except (ValueError, KeyError, TypeError):
            raise GraderError(f"the judge gave no score: {said[:200]!r}") from None
        return Opinion(min(1.0, max(0.0, score)), str(found.get("reasoning", "")))


_JUDGE = (
    "You grade the work of an office assistant by a rubric. Answer with one JSON object only: "
    '{"score": a number from 0 to 1, "reasoning": one or two sentences}.'
)
