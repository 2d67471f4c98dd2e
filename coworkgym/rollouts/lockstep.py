"""Lock-step: episodes side by side, all asked at once, a new one where another has ended."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from coworkgym.errors import ContextOverflow, InfrastructureError
from coworkgym.policies import SamplingPolicy
from coworkgym.rollouts.playing import Job, Playing, Unit
from coworkgym.rollouts.rollout import Ended

Answer = Mapping[str, Any] | InfrastructureError | ContextOverflow


def play_in_step(units: Iterable[Unit], job: Job) -> Iterator[Ended]:
    """Plays units with a policy that answers batches; yields them as they end.

    Args:
        units: Taken as there is room.
        job: How.

    Raises:
        InfrastructureError: When trying again cannot help.
    """
    waiting = iter(units)
    running: list[Playing] = []
    while True:
        while len(running) < job.concurrency and (unit := next(waiting, None)) is not None:
            running.append(Playing(unit, job))
        if not running:
            return
        advance(running, job)
        still: list[Playing] = []
        hopeless: InfrastructureError | None = None
        for playing in running:
            try:
                met = playing.met()
            except InfrastructureError as error:  # raised when all that ended beside it is kept
                hopeless = error
                continue
            if isinstance(met, Playing):
                still.append(met)
            else:
                yield met
        if hopeless is not None:
            raise hopeless
        running = still


def advance(running: Sequence[Playing], job: Job) -> None:
    """Lets the policy answer every running episode once; notes in each what failed."""
    shown = [(playing, transcript) for playing in running if (transcript := playing.transcript())]
    for (playing, _), answer in zip(shown, _answers(shown, job), strict=True):
        if isinstance(answer, InfrastructureError):
            playing.failure = answer
        elif isinstance(answer, ContextOverflow):
            playing.overflow()
        else:
            _take(playing, answer)


def _take(playing: Playing, message: Mapping[str, Any]) -> None:
    try:
        playing.take(message)
    except InfrastructureError as error:  # of its user
        playing.failure = error
        return
    if not playing.over:
        playing.failure = playing.late()


def _answers(shown: Sequence[tuple[Playing, Any]], job: Job) -> Sequence[Answer]:
    """The policy's answers; where a batch fails, each is asked for on its own."""
    if not shown:
        return []
    try:
        return _asked(shown, job)
    except (InfrastructureError, ContextOverflow) as error:
        if len(shown) == 1 or getattr(error, "hopeless", False):
            return [error] * len(shown)
    return [_answers([one], job)[0] for one in shown]


def _asked(shown: Sequence[tuple[Playing, Any]], job: Job) -> Sequence[Answer]:
    policy = job.policy
    transcripts = [transcript for _, transcript in shown]
    tools = [playing.tools for playing, _ in shown]
    if job.draws:
        seeds = [playing.seed for playing, _ in shown]
        return cast(SamplingPolicy, policy).act(transcripts, tools, seeds)
    return policy.act(transcripts, tools)
