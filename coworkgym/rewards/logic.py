"""Statements made of statements: all, any, not."""

from collections.abc import Iterable, Sequence
from operator import attrgetter

from pydantic import Field

from coworkgym.errors import GraderError
from coworkgym.rewards.evidence import Evidence
from coworkgym.rewards.statement import AnyStatement, Statement, Verdict

_value = attrgetter("value")


def _until(parts: Sequence[Statement], evidence: Evidence, decisive: float) -> list[Verdict]:
    """The verdicts of the parts up to one that decides by itself (Kleene's three-valued logic)."""
    verdicts: list[Verdict] = []
    missing: GraderError | None = None
    for part in parts:
        try:
            verdicts.append(part.verdict(evidence))
        except GraderError as error:
            missing = missing or error
        else:
            if verdicts[-1].value == decisive:
                return verdicts
    if missing is not None:
        raise missing
    return verdicts


class AllOf(Statement, kind="all_of"):
    """Every part holds; graded parts count by the weakest."""

    parts: list[AnyStatement] = Field(min_length=1)

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the names of all parts."""
        for part in self.parts:
            yield from part.names()

    def literals(self) -> Iterable[str]:
        """Yields the literals of all parts."""
        for part in self.parts:
            yield from part.literals()

    def verdict(self, evidence: Evidence) -> Verdict:
        """The smallest value of the parts, with its reason.

        After a 0 no part is asked, and one that cannot be answered does not matter.
        """
        return min(_until(self.parts, evidence, 0.0), key=_value)


class AnyOf(Statement, kind="any_of"):
    """At least one part holds; graded parts count by the strongest."""

    parts: list[AnyStatement] = Field(min_length=1)

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the names of all parts."""
        for part in self.parts:
            yield from part.names()

    def verdict(self, evidence: Evidence) -> Verdict:
        """The largest value of the parts, with its reason.

        After a 1 no part is asked, and one that cannot be answered does not matter.
        """
        return max(_until(self.parts, evidence, 1.0), key=_value)


class Not(Statement, kind="not"):
    """The part does not hold."""

    part: AnyStatement

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the names of the part."""
        return self.part.names()

    def verdict(self, evidence: Evidence) -> Verdict:
        """One minus the value of the part."""
        evidence.require_whole_log()
        value, why = self.part.verdict(evidence)
        return Verdict(1 - value, f"not: {why}")
