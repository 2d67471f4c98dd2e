"""Evidence: what scoring sees of an episode. Reading it changes nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from coworkgym.errors import GraderError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.rewards.matching.plain_text import normalise
from coworkgym.rewards.ruling import Ruling
from coworkgym.services import BaseWorld, Change, Event, World
from coworkgym.transcript import Message


class Said(NamedTuple):
    """One reply of the agent to its user: where in the log, and the text."""

    position: int
    text: str


@dataclass(frozen=True)
class Evidence:
    """Everything a check or gate may look at.

    Attributes:
        initial: The records before the episode.
        final: The records now.
        log: The audit log, whole and in order.
        transcript: The messages of the episode.
        language: Language of the task, for reading replies.
        zone: IANA zone of the office.
        finished: Whether the episode ended by itself; replies count only then.
        attempts: Whether calls that the office refused count as well (see Gate).
        verdicts: What judges found, by `Judged.key`.
    """

    initial: BaseWorld
    final: World
    log: Sequence[Event]
    transcript: Sequence[Message]
    language: str = "en"
    zone: str = "UTC"
    finished: bool = True
    attempts: bool = False
    verdicts: Mapping[str, Ruling] = field(default_factory=FrozenDict)

    def with_attempts(self) -> "Evidence":
        """Returns the same evidence in which refused calls count."""
        return replace(self, attempts=True)

    def require_whole_log(self) -> None:
        """Raises GraderError when the log is missing or has gaps: nothing can be denied then."""
        if self.log is None:
            raise GraderError("the audit log is missing")
        steps = [event.step for event in self.log if event.actor == "agent"]
        if steps != list(range(1, len(steps) + 1)):
            raise GraderError(f"the audit log has gaps: steps {steps[:20]}")

    @cached_property
    def calls(self) -> tuple[tuple[int, Event], ...]:
        """(position in the log, event) of the agent's calls that count.

        A call that was answered with an error although it changed something counts.
        """
        return tuple(
            (position, event)
            for position, event in enumerate(self.log)
            if event.actor == "agent"
            and (event.error is None or event.changes or (self.attempts and event.valid))
        )

    @cached_property
    def deeds(self) -> tuple[Change, ...]:
        """Every change the agent made, in order, those that it undid later included."""
        return tuple(c for event in self.log if event.actor == "agent" for c in event.changes)

    @cached_property
    def changes(self) -> dict[tuple[str, str], Change]:
        """What the agent changed: (table, id) -> before its first and after its last change."""
        merged: dict[tuple[str, str], Change] = {}
        for change in self.deeds:
            key = (change.table, change.id)
            first = merged.get(key, change)
            merged[key] = change._replace(before=first.before)
        return {key: change for key, change in merged.items() if change.before != change.after}

    @cached_property
    def replies(self) -> tuple[Said, ...]:
        """The agent's replies to its user; none when the episode was cut off."""
        if not self.finished:
            return ()
        return tuple(
            Said(position, str(event.arguments["text"]))
            for position, event in enumerate(self.log)
            if event.actor == "agent" and event.name == "reply" and event.error is None
        )

    def last_reply(self, stage: int | None = None) -> Said | None:
        """Returns the last reply of a stage, from 0, or of all; None when there was none."""
        said = [r for r in self.replies if stage in (None, self.log[r.position].stage)]
        return said[-1] if said else None

    @cached_property
    def _plain(self) -> dict[str, str]:
        return {}

    def plain(self, text: str) -> str:
        """Returns a reply as matching reads it, normalised once for all checks."""
        if text not in self._plain:
            self._plain[text] = normalise(text)
        return self._plain[text]

    @cached_property
    def _shown(self) -> dict[int, str]:
        return {}

    def shown_before(self, position: int) -> str:
        """All the agent had been shown before that place in the log, case folded.

        That is the requests and the results.
        """
        if position not in self._shown:
            said = [m["content"] for m in self.transcript if m["role"] in ("system", "user")]
            results = [event.result for event in self.log[:position] if event.error is None]
            self._shown[position] = "\n".join([*said, *results]).casefold()
        return self._shown[position]


def matches(expected: Mapping[str, Json], actual: Mapping[str, Json]) -> bool:
    """Whether every expected field is there and equal.

    An expected value `{"contains": text}` wants the text inside, in any case; `{"one_of": [...]}`
    wants one of several values; `{"same_items": [...]}` wants a list of these in any order;
    `{"within": [...]}` wants a list of none but these; `{"not": value}` wants any other value.
    """
    return all(name in actual and value_matches(v, actual[name]) for name, v in expected.items())


def value_matches(expected: Json, actual: Json) -> bool:
    """Whether one value is as expected; true and 1 differ. See `matches`."""
    if isinstance(expected, dict) and len(expected) == 1:
        ((how, wanted),) = expected.items()
        if how == "contains":
            return str(wanted).casefold() in str(actual).casefold()
        if how == "one_of":
            return any(value_matches(choice, actual) for choice in wanted)
        if how == "not":
            return not value_matches(wanted, actual)
        if how == "within":
            return isinstance(actual, list) and all(item in wanted for item in actual)
        if how == "same_items":
            return isinstance(actual, list) and sorted(map(str, actual)) == sorted(map(str, wanted))
    if isinstance(expected, bool) != isinstance(actual, bool):
        return False
    return bool(expected == actual)


def as_record(row: FrozenDict | None) -> Mapping[str, Json]:
    """A record, or nothing to match against."""
    return row or {}
