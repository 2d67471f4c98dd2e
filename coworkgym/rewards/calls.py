"""Statements about calls: which tools the agent used, how often, in which order."""

from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import BeforeValidator, Field

from coworkgym.frozen import Json
from coworkgym.rewards.evidence import Evidence, matches
from coworkgym.rewards.statement import Statement, Verdict, load_statement
from coworkgym.services import Event


def _describe(tool: str, arguments: dict[str, Json]) -> str:
    inside = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return f"{tool}({inside})"


class ToolCalled(Statement, kind="tool_called"):
    """A tool was called from `at_least` to `at_most` times with these arguments.

    Attributes:
        tool: The tool's name.
        arguments: Expected arguments; see `evidence.matches`.
        at_least: Fewest calls, at least 1 (see ToolNotCalled).
        at_most: Most calls, or None for any number.
    """

    tool: str = Field(min_length=1)
    arguments: dict[str, Json] = {}
    at_least: int = Field(default=1, ge=1)
    at_most: int | None = None

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the tool and its arguments."""
        yield "tool", self.tool
        yield from (("argument", f"{self.tool}.{name}") for name in self.arguments)

    def found(self, evidence: Evidence) -> Iterator[tuple[int, Event]]:
        """Yields (position in the log, event) of the calls that match."""
        for position, event in evidence.calls:
            if event.name == self.tool and matches(self.arguments, event.arguments):
                yield position, event

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when the number of matching calls is within bounds, else 0."""
        count = sum(1 for _ in self.found(evidence))
        holds = self.at_least <= count and (self.at_most is None or count <= self.at_most)
        return Verdict(float(holds), f"{_describe(self.tool, self.arguments)}: {count} calls")


AnyCall = Annotated[ToolCalled, BeforeValidator(load_statement)]
"""A field that holds a ToolCalled."""


class ToolNotCalled(Statement, kind="tool_not_called"):
    """None of these tools was called with these arguments.

    Attributes:
        tools: The tools' names.
        arguments: Only calls with these arguments count; see `evidence.matches`.
        stages: Only calls of these stages count, from 0; of all if empty.
    """

    tools: list[str] = Field(min_length=1)
    arguments: dict[str, Json] = {}
    stages: list[int] = []

    @property
    def outright(self) -> bool:
        """Whether the tools must never be called, in whatever way."""
        return not self.arguments and not self.stages

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the tools and their arguments."""
        for tool in self.tools:
            yield "tool", tool
            yield from (("argument", f"{tool}.{name}") for name in self.arguments)

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when there is no such call, else 0."""
        evidence.require_whole_log()
        for _, event in evidence.calls:
            if self.stages and event.stage not in self.stages:
                continue
            if event.name in self.tools and matches(self.arguments, event.arguments):
                refused = "" if event.error is None else f", refused with {event.error}"
                return Verdict(0.0, f"step {event.step} called {event.name}{refused}")
        return Verdict(1.0, f"no call of {', '.join(self.tools)}")


class ReadBefore(Statement, kind="read_before"):
    """The agent was shown the evidence before it acted.

    Any of the tools will do, so that a shorter way to the same knowledge counts as much.

    Attributes:
        tools: Tools that can show the evidence.
        shows: Texts that one result must have shown together, such as an id.
        before: The act; by default the first call that changes something, or the first reply.
    """

    tools: list[str] = Field(min_length=1)
    shows: list[str] = Field(min_length=1)
    before: AnyCall | None = None

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the tools."""
        yield from (("tool", tool) for tool in self.tools)
        if self.before is not None:
            yield from self.before.names()

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when the evidence was read in time, else 0."""
        wanted = ", ".join(self.shows)
        for event in evidence.log:
            if event.actor != "agent" or (event.error is not None and not event.changes):
                continue
            if self._acts(event):
                return Verdict(0.0, f"step {event.step} acted before {wanted} was read")
            if event.name in self.tools and all(text in event.result for text in self.shows):
                return Verdict(1.0, f"step {event.step} read {wanted}")
        return Verdict(0.0, f"{wanted} was never read")

    def _acts(self, event: Event) -> bool:
        if self.before is None:
            return bool(event.changes) or event.name == "reply"
        return event.name == self.before.tool and matches(self.before.arguments, event.arguments)


class Order(Statement, kind="order"):
    """The first matching calls of these statements came in this order.

    Attributes:
        calls: At least two.
    """

    calls: list[AnyCall] = Field(min_length=2)

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the tools and their arguments."""
        for call in self.calls:
            yield from call.names()

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when all were called and in order, else 0."""
        after = -1
        for call in self.calls:
            places = (position for position, _ in call.found(evidence) if position > after)
            place = next(places, None)
            if place is None:
                return Verdict(0.0, f"{call.tool} was not called in its turn")
            after = place
        return Verdict(1.0, "called in order: " + ", ".join(call.tool for call in self.calls))
