"""Statements that no program can check: a judge answers them after the episode."""

import hashlib
from collections.abc import Iterator
from typing import Literal, get_args

from pydantic import BaseModel, Field, field_validator

from coworkgym.errors import GraderError
from coworkgym.frozen import json_text
from coworkgym.rewards.evidence import Evidence
from coworkgym.rewards.statement import Statement, Verdict

Part = Literal["changes", "calls", "reply"]
PARTS: tuple[Part, ...] = get_args(Part)
"""What a judge can be shown: the records changed, the calls and their results, the replies."""


class Judged(Statement, kind="judged"):
    """A language model finds that the criterion is met.

    The answer is looked up in `Evidence.verdicts`, where `Judge.resolve` puts it; nothing is asked
    while an episode runs. In a gate, everything but the full grade is a breach.

    Attributes:
        criterion: One sentence that can be true of the evidence, and stands for itself.
        shows: The parts of the evidence that the judge sees.
    """

    criterion: str = Field(min_length=1)
    shows: list[Part] = Field(default=[*PARTS], min_length=1)

    @field_validator("criterion")
    @classmethod
    def _one_line(cls, criterion: str) -> str:
        if not criterion.strip() or len(criterion.splitlines()) > 1:
            raise ValueError("a criterion is one sentence on one line")
        return criterion.strip()

    @field_validator("shows")
    @classmethod
    def _in_order(cls, shows: list[Part]) -> list[Part]:
        return [part for part in PARTS if part in shows]

    @property
    def key(self) -> str:
        """What its answer stands under in `Evidence.verdicts`: a hash of the statement's data."""
        return hashlib.blake2b(json_text(self.data()).encode(), digest_size=16).hexdigest()

    def needs_judge(self, evidence: Evidence) -> bool:
        """Whether there is anything to judge: without a reply, nothing is true of it."""
        return self.shows != ["reply"] or bool(evidence.replies)

    def verdict(self, evidence: Evidence) -> Verdict:
        """The judge's grade; 0 where it is about the reply alone and there was none.

        Raises:
            GraderError: When no judge was asked, or none decided.
        """
        if not self.needs_judge(evidence):
            return Verdict(0.0, "there was no reply")
        ruling = evidence.verdicts.get(self.key)
        if ruling is None:
            raise GraderError(f"the episode needs a judge: {self.criterion}")
        if ruling.grade is None:
            raise GraderError(f"{self.criterion!r} is {ruling.why}")
        return Verdict(ruling.grade, f"judged {ruling.verdict}: {ruling.why}")


def judged_in(value: object) -> Iterator[Judged]:
    """Yields every judged statement in a statement, check or gate, or in a list of them."""
    if isinstance(value, Judged):
        yield value
    elif isinstance(value, BaseModel):
        for _, inner in value:
            yield from judged_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from judged_in(inner)
