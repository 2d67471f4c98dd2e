"""Statements made of statements: all, any, not."""

from collections.abc import Iterable

from pydantic import Field

from coworkgym.rewards.evidence import Evidence
from coworkgym.rewards.statement import AnyStatement, Statement, Verdict


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
        """The smallest value of the parts, with its reason."""
        return min((part.verdict(evidence) for part in self.parts), key=lambda v: v.value)


class AnyOf(Statement, kind="any_of"):
    """At least one part holds; graded parts count by the strongest."""

    parts: list[AnyStatement] = Field(min_length=1)

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the names of all parts."""
        for part in self.parts:
            yield from part.names()

    def verdict(self, evidence: Evidence) -> Verdict:
        """The largest value of the parts, with its reason."""
        return max((part.verdict(evidence) for part in self.parts), key=lambda v: v.value)


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
