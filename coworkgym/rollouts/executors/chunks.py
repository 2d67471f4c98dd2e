"""Chunks: work units that travel to a worker together, and come back as lines of a store."""

import json
import pickle
import traceback
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

from coworkgym.rollouts.executors.inline import Inline
from coworkgym.rollouts.playing import Job, Unit, void
from coworkgym.rollouts.rollout import Ended, Rollout, Void
from coworkgym.rollouts.store import line_of

LOSSES = 3
"""How often the worker of a unit may die before the unit is void."""

_AHEAD = 2  # chunks a worker has in hand, so that it never waits for the driver

Lines = list[tuple[bytes, float, int]]
"""What a worker sends back of each unit: a store's line, seconds, attempts."""


class Failure(NamedTuple):
    """An error on its way from a worker.

    Attributes:
        pickled: The error; empty for one that does not pickle.
        text: The traceback in the worker.
    """

    pickled: bytes
    text: str

    @classmethod
    def of(cls, error: BaseException) -> "Failure":
        """Returns the failure of an error."""
        text = "".join(traceback.format_exception(error))
        try:
            pickled = pickle.dumps(error)
        except Exception:  # an error may hold anything, a lock or a socket
            pickled = b""
        return cls(pickled, text)

    def error(self) -> BaseException:
        """Returns the error, with the worker's traceback as a note; a RuntimeError at worst."""
        try:
            error = pickle.loads(self.pickled)
        except Exception:  # errors with other arguments than they were made of, among others
            return RuntimeError(f"an error in a worker, which does not pickle:\n{self.text}")
        assert isinstance(error, BaseException)
        error.add_note(f"In a worker:\n{self.text}")
        return error


class Back(NamedTuple):
    """What comes back of a chunk: what ended, and the error that ended the rest of it."""

    lines: Lines
    failure: Failure | None = None


class Lost(NamedTuple):
    """What comes back from a worker that died: why, as far as it is known."""

    why: str


class Crew(Protocol):
    """Workers, numbered from 0. One that dies is replaced by the time it is given something."""

    size: int

    def give(self, worker: int, units: bytes) -> None:
        """Sends pickled units to a worker; it plays what it was sent in order."""
        ...

    def next(self) -> tuple[int, Back | Lost]:
        """Waits for any worker that is done with what it was sent first, or has died.

        Raises:
            InfrastructureError: When workers do not even begin.
        """
        ...


class Chunk(NamedTuple):
    """Units that are sent to a worker together, and how often their worker died before."""

    units: tuple[Unit, ...]
    losses: int = 0


def play_with(crew: Crew, units: Iterable[Unit], job: Job) -> Iterator[Ended]:
    """Plays units with a crew and yields how each ended.

    What a worker had in hand when it died is played again: the chunk it was at unit by unit, so
    that a unit that kills its worker is found, and is void after LOSSES times.

    Raises:
        BaseException: What a worker raised, after what it had played.
    """
    waiting, fresh = deque[Chunk](), iter(units)
    hands: list[deque[Chunk]] = [deque() for _ in range(crew.size)]
    while True:
        _fill(hands, crew, waiting, fresh, job.concurrency)
        if not any(hands):
            return
        worker, back = crew.next()
        if not hands[worker]:  # it died idle
            continue
        chunk = hands[worker].popleft()
        if isinstance(back, Lost):
            waiting.extend(hands[worker])
            hands[worker].clear()
            yield from _lost(chunk, waiting, back.why)
            continue
        yield from read_back(back.lines)
        if back.failure is not None:
            raise back.failure.error()


def _fill(
    hands: Sequence[deque[Chunk]],
    crew: Crew,
    waiting: deque[Chunk],
    fresh: Iterator[Unit],
    size: int,
) -> None:
    """Gives workers what they have room for; few units are shared out evenly."""
    free = [n for held in range(_AHEAD) for n, hand in enumerate(hands) if len(hand) <= held]
    chunks = [waiting.popleft() for _ in free[: len(waiting)]]
    slots = len(free) - len(chunks)
    units = tuple(islice(fresh, slots * size))
    share = -(-len(units) // max(1, slots)) or 1
    chunks += [Chunk(units[start : start + share]) for start in range(0, len(units), share)]
    for worker, chunk in zip(free, chunks, strict=False):
        hands[worker].append(chunk)
        crew.give(worker, pickle.dumps(chunk.units))


def _lost(chunk: Chunk, waiting: deque[Chunk], why: str) -> Iterator[Ended]:
    losses = chunk.losses + 1
    for unit in chunk.units:
        if losses < LOSSES:
            waiting.append(Chunk((unit,), losses))
        else:
            yield Ended(void(unit, "lost", f"its worker died: {why}", losses), 0.0, losses)


def play_chunk(units: bytes, job: Job) -> Back:
    """Plays pickled units in a worker and returns what a store keeps of them."""
    lines: Lines = []
    try:
        for ended in Inline().play(pickle.loads(units), job):
            lines.append((line_of(ended.outcome, job.settings), ended.seconds, ended.attempts))
    except BaseException as error:  # the driver raises it
        return Back(lines, Failure.of(error))
    return Back(lines)


def read_back(lines: Lines) -> Iterator[Ended]:
    """Yields what a worker's lines tell."""
    for line, seconds, attempts in lines:
        data = json.loads(line)
        outcome = Void.from_dict(data) if "reason" in data else Rollout.from_dict(data)
        yield Ended(outcome, seconds, attempts, line)
