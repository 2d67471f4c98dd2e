"""Compare: what must be equal before and after a step of an episode, and what need not be."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coworkgym.envs import Episode
from coworkgym.frozen import json_text
from coworkgym.services import Event
from coworkgym.tasks import Task
from coworkgym.testing.words import words
from coworkgym.transcript import ToolCall


def fingerprint(episode: Episode) -> str:
    """Returns all that there is to an episode as one text: equal episodes, equal texts."""
    office = episode.office
    parts = [
        episode.transcript.messages, office.log, office.stage, office.step, office.world.now_text,
        office.world.diff(), office.world.changes_digest(), episode.anchor(),
        episode.terminated, episode.truncated, episode.score().as_dict(),
    ]  # fmt: skip
    return json_text(parts)


class Moment(NamedTuple):
    """What is compared before and after a step."""

    stage: int
    world: str
    value: float
    breached: frozenset[str]

    @classmethod
    def of(cls, episode: Episode) -> "Moment":
        """Returns the moment an episode is in."""
        world, score = episode.office.world, episode.score()
        records = json_text([world.diff(), world.changes_digest()])
        breached = frozenset(gate.name for gate in score.gates if gate.breached)
        return cls(episode.office.stage, records, score.value, breached)


def same(what: str, expected: object, found: object) -> None:
    """Raises AssertionError, with the place of the first difference, for two unequal values."""
    if expected != found:
        one, other = (_text(value) for value in (expected, found))
        pairs = enumerate(zip(one, other, strict=False))
        first = next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
        near = slice(max(0, first - 80), first + 200)
        raise AssertionError(f"{what} differs: expected {one[near]}, found {other[near]}")


def _text(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


def last_call(episode: Episode) -> Event:
    """Returns the log's line of the last call."""
    return next(event for event in reversed(episode.office.log) if event.actor == "agent")


def independent(ways: Sequence[Sequence[Event]]) -> bool:
    """Whether two calls have nothing to do with each other.

    Both succeed in either order and do as much as alone, to different records.

    Args:
        ways: The log of one call, of the other, of both, of both in the other order.
    """
    if any(event.error or event.name == "reply" for log in ways for event in log):
        return False
    changes = [[change for event in log for change in event.changes] for log in ways]
    one, other = ({(c.table, c.id) for c in some if c.before is not None} for some in changes[:2])
    alone = len(changes[0]) + len(changes[1])
    return not one & other and len(changes[2]) == len(changes[3]) == alone


def with_free_text(task: Task) -> Iterator[tuple[ToolCall, str]]:
    """Yields the writing calls of the reference that hold a sentence, each with that argument."""
    for call in task.solution:
        properties = task.tools[call.name].schema["parameters"]["properties"]
        for name, value in call.arguments.items():
            plain = not {"enum", "format"} & properties[name].keys()
            sentence = isinstance(value, str) and (" " in value or not value.isascii())
            if task.tools[call.name].writes and plain and sentence and value not in words(task):
                yield call, name
