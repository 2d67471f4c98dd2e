"""The cache of a judge: verdicts that were given once are not asked for again."""

import json
import os
from pathlib import Path
from typing import NamedTuple

from coworkgym.frozen import json_text
from coworkgym.rewards.judge.answer import Answer


class Asking(NamedTuple):
    """What a verdict is kept under.

    Attributes:
        model: The name that the server knows the model by.
        url: The server.
        prompt: Digest of the whole question.
        vote: Number of the vote, from 0.
    """

    model: str
    url: str
    prompt: str
    vote: int


class JudgeCache:
    """Keeps verdicts, never failures: in memory, and on disk where a path is given.

    Sampling options such as the temperature are no part of what a verdict is kept under; another
    setting wants another cache.

    Args:
        path: A file of one JSON object a line, read once and then only appended to. Lines that
            are torn are passed over.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._answers: dict[Asking, Answer] = {}
        self._torn = False
        if self._path is not None and self._path.exists():
            text = self._path.read_text(encoding="utf-8", errors="replace")
            self._torn = bool(text) and not text.endswith("\n")
            for line in text.split("\n"):
                self._read(line)

    def __len__(self) -> int:
        """Number of verdicts."""
        return len(self._answers)

    def get(self, asking: Asking) -> Answer | None:
        """Returns the verdict that was given, or None."""
        return self._answers.get(asking)

    def put(self, asking: Asking, answer: Answer) -> None:
        """Keeps a verdict."""
        self._answers[asking] = answer
        if self._path is None:
            return
        line = json_text(asking._asdict() | answer._asdict())
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write("\n" * self._torn + line + "\n")
        self._torn = False

    def _read(self, line: str) -> None:
        try:
            entry = json.loads(line)
            asking = Asking(*(entry[name] for name in Asking._fields))
            self._answers[asking] = Answer(*(str(entry[name]) for name in Answer._fields))
        except (ValueError, LookupError, TypeError, RecursionError):
            return
