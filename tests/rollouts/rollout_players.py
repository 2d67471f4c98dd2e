"""Policies that do what policies and their servers do to a run; importable in worker processes."""

import asyncio
import os
import signal
import threading
import time
from pathlib import Path

from coworkgym.errors import ContextOverflow, InfrastructureError
from coworkgym.policies import ReferencePolicy


class Reference(ReferencePolicy):
    """The reference, which knows the seed of the item that a transcript belongs to."""

    def __init__(self):
        super().__init__()
        self.seeds = {}
        self.begun = []

    def begin(self, task):
        super().begin(task)
        self.seeds[task.opening[1]["content"], task.opening[0]["content"]] = task.item.seed
        self.begun.append(task.item.seed)

    def seed(self, transcript):
        return self.seeds[transcript[1]["content"], transcript[0]["content"]]


class Killer(Reference):
    """Kills its process at an item: once, where a file notes it, else always."""

    def __init__(self, seed, mark=None):
        super().__init__()
        self.target, self.mark = seed, mark

    def act(self, transcripts, tools):
        if any(self.seed(transcript) == self.target for transcript in transcripts) and (
            self.mark is None or not Path(self.mark).exists()
        ):
            if self.mark is not None:
                Path(self.mark).write_text("killed")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(transcripts, tools)


class Slow(Reference):
    """Takes some time for each turn."""

    def __init__(self, seconds=0.01):
        super().__init__()
        self.seconds = seconds

    def act(self, transcripts, tools):
        time.sleep(self.seconds)
        return super().act(transcripts, tools)


class Troubled(Reference):
    """Raises an error in some turn of an item, so many times."""

    def __init__(self, error, seeds, times=10**9, turn=4):
        super().__init__()
        self.error, self.troubled, self.times, self.turn = error, set(seeds), times, turn

    def act(self, transcripts, tools):
        for transcript in transcripts:
            if len(transcript) >= self.turn and self.seed(transcript) in self.troubled:
                if self.times > 0:
                    self.times -= 1
                    raise self.error
        return super().act(transcripts, tools)


class Unloadable(Reference):
    """Cannot be made anew in another process."""

    def __setstate__(self, state):
        raise ValueError("the weights are not here")


class Locked(Exception):
    """An error that holds a lock, so that it does not pickle."""

    def __init__(self, message):
        super().__init__(message)
        self.lock = threading.Lock()


class TwoArguments(Exception):
    """An error that pickles and cannot be made anew."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


class Waiting(Reference):
    """The reference behind a server: waits, and notes how many wait at the same time."""

    act = None

    def __init__(self, seconds=0.0, error=None, seeds=(), times=10**9):
        super().__init__()
        self.seconds, self.error, self.troubled, self.times = seconds, error, set(seeds), times
        self.waiting = self.most = self.closed = 0

    async def answer(self, transcript, tools, seed=0):
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        try:
            await asyncio.sleep(self.seconds)
            if self.seed(transcript) in self.troubled and self.times > 0:
                self.times -= 1
                if self.error is None:
                    await asyncio.sleep(60)
                raise self.error
        finally:
            self.waiting -= 1
        return self._next(transcript)

    async def aclose(self):
        self.closed += 1


class Scripted:
    """Says what it is given, in turn, and then nothing but a full stop."""

    name = "scripted"

    def __init__(self, messages, tokens=()):
        self.messages, self.tokens = list(messages), list(tokens)

    def act(self, transcripts, tools):
        (_,) = transcripts
        said = self.messages.pop(0) if self.messages else {"content": "."}
        if self.tokens:
            said = {**said, "tokens": self.tokens.pop(0)}
        return [{"role": "assistant", **said}]


class Overflowing(Reference):
    """Reads so many messages and no more."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def act(self, transcripts, tools):
        if any(len(transcript) > self.most for transcript in transcripts):
            raise ContextOverflow("too long")
        return super().act(transcripts, tools)


def hopeless():
    return InfrastructureError("no access", hopeless=True)
