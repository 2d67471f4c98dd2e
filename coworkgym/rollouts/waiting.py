"""Waiting: episodes of a policy that waits for a server, many waiting at the same time."""

import asyncio
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from coworkgym.errors import ContextOverflow, InfrastructureError
from coworkgym.policies import AsyncPolicy
from coworkgym.rollouts.playing import EpisodeTimeout, Job, Playing, Unit
from coworkgym.rollouts.rollout import Ended


class _End:
    """What is put in the queue last: the error that ended the run, or None."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def play_waiting(units: Iterable[Unit], job: Job) -> Iterator[Ended]:
    """Plays units with an AsyncPolicy; yields them as they end.

    The episodes run in an event loop of their own thread, so that whoever takes the outcomes may
    take their time: no more than two rounds of them wait to be taken. Leaving the iterator cancels
    what is still running.

    Args:
        units: Taken as there is room.
        job: How.

    Raises:
        InfrastructureError: When trying again cannot help.
    """
    ended: queue.SimpleQueue[Ended | _End] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    loop.set_default_executor(ThreadPoolExecutor(job.concurrency))  # else few judges at a time
    room = asyncio.Semaphore(2 * job.concurrency)
    main = loop.create_task(_play_all(iter(units), job, ended, room))
    thread = threading.Thread(target=_run, args=(loop, main, ended), daemon=True)
    thread.start()
    try:
        while not isinstance(outcome := ended.get(), _End):
            _tell(loop, room.release)
            yield outcome
        if outcome.error is not None:
            raise outcome.error
    finally:
        _tell(loop, main.cancel)
        thread.join()


def _tell(loop: asyncio.AbstractEventLoop, what: Callable[[], object]) -> None:
    with suppress(RuntimeError):  # the loop is closed: there is nobody left to be told
        loop.call_soon_threadsafe(what)


def _run(loop: asyncio.AbstractEventLoop, main: "asyncio.Task[None]", ended: Any) -> None:
    asyncio.set_event_loop(loop)
    error: BaseException | None = None
    try:
        loop.run_until_complete(main)
    except asyncio.CancelledError:
        pass
    except BaseException as met:  # handed to the thread that waits for outcomes
        error = met
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
        ended.put(_End(error))


async def _play_all(units: Iterator[Unit], job: Job, ended: Any, room: asyncio.Semaphore) -> None:
    async def work() -> None:
        while True:
            await room.acquire()
            unit = next(units, None)
            if unit is None:
                room.release()  # for the others, who have to see the end too
                return
            ended.put(await _play(unit, job))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(job.concurrency):
                group.create_task(work())
    except BaseExceptionGroup as met:
        raise met.exceptions[0] from None
    finally:
        close = getattr(job.policy, "aclose", None)
        if close is not None:
            await close()


async def _play(unit: Unit, job: Job) -> Ended:
    playing, limit = Playing(unit, job), job.settings.timeout
    while True:
        met: Playing | Ended
        clock = asyncio.timeout(limit)
        try:
            async with clock:
                await _to_end(playing, job)
            met = await _apart(job.judge is not None, playing.finish)
        except TimeoutError:
            if not clock.expired():  # somebody else's: a bug of the policy
                raise
            met = playing.again(EpisodeTimeout(f"{unit.id}: not over after {limit:g} s"))
        except InfrastructureError as error:
            met = playing.again(error)
        if not isinstance(met, Playing):
            return met
        playing = met


async def _to_end(playing: Playing, job: Job) -> None:
    assert isinstance(job.policy, AsyncPolicy)
    while not playing.over:
        shown = playing.transcript()
        if shown is None:
            return
        try:
            message = await job.policy.answer(shown, playing.tools, playing.seed)
        except ContextOverflow:
            playing.overflow()
            return
        await _apart(job.user_factory is not None, playing.take, message)


async def _apart(blocks: bool, work: Any, *args: Any) -> Any:
    """Runs what may ask a server itself (a judge, a user) beside the event loop."""
    return await asyncio.to_thread(work, *args) if blocks else work(*args)
