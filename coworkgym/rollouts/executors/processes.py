"""Processes: episodes are played in worker processes of this machine; a lost one is replaced."""

import multiprocessing
import os
import pickle
import queue
import signal
import threading
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from coworkgym.errors import InfrastructureError, SettingsError
from coworkgym.rollouts.executors.chunks import LOSSES, Back, Failure, Lost, play_chunk, play_with
from coworkgym.rollouts.playing import Job, Unit
from coworkgym.rollouts.rollout import Ended

_SPAWN = multiprocessing.get_context("spawn")
_READY = b""


class Processes:
    """Plays units in spawned processes.

    Policies, users and judges are pickled, or made anew from their names in each worker. A process
    that dies is replaced, and what it had in hand is played again.

    Args:
        workers: Number of processes; by default one a core.

    Raises:
        SettingsError: For fewer than one worker.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = (os.cpu_count() or 1) if workers is None else workers
        if self.workers < 1:
            raise SettingsError(f"workers must be at least 1, got {workers!r}")

    def play(self, units: Iterable[Unit], job: Job) -> Iterator[Ended]:
        """Yields how each unit ended, as they end."""
        crew = _ProcessCrew(self.workers, job)
        try:
            yield from play_with(crew, units, job)
        finally:
            crew.dismiss()


class _Worker:
    """A process that has been started, and the near end of the pipe to it."""

    def __init__(self, job: bytes) -> None:
        self.pipe, its = _SPAWN.Pipe()
        self.process: SpawnProcess = _SPAWN.Process(target=_work, args=(its, job), daemon=True)
        self.process.start()
        its.close()  # so that the pipe ends with the process
        self.ready = False

    def hear(self) -> bytes | None:
        """Waits for what it sends; None when it has died."""
        try:
            return self.pipe.recv_bytes()
        except (EOFError, OSError):
            self.process.join()
            self.pipe.close()
            return None

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


class _ProcessCrew:
    """Spawned processes, each started when it is first given something."""

    def __init__(self, size: int, job: Job) -> None:
        self.size, self._job = size, pickle.dumps(job)
        self._workers: dict[int, _Worker] = {}
        self._stillborn = 0

    def give(self, worker: int, units: bytes) -> None:
        if worker not in self._workers:
            self._workers[worker] = _Worker(self._job)
        try:
            self._workers[worker].pipe.send_bytes(units)
        except OSError:  # it has died; `next` finds out
            pass

    def next(self) -> tuple[int, Back | Lost]:
        while True:
            numbers = {worker.pipe: number for number, worker in self._workers.items()}
            pipe = wait(list(numbers))[0]
            number = numbers[pipe]  # type: ignore[index]
            worker = self._workers[number]
            sent = worker.hear()
            if sent is None:
                return number, self._lost(number)
            if sent != _READY:
                back: Back = pickle.loads(sent)
                return number, back
            worker.ready, self._stillborn = True, 0

    def _lost(self, number: int) -> Lost:
        worker = self._workers.pop(number)
        why = f"exit code {worker.process.exitcode}"
        self._stillborn += not worker.ready
        if self._stillborn >= LOSSES:
            raise InfrastructureError(
                f"{self._stillborn} workers in a row died before they began ({why}); a script that "
                'plays with processes does so under `if __name__ == "__main__":`',
                hopeless=True,
            )
        return Lost(why)

    def dismiss(self) -> None:
        for worker in self._workers.values():
            worker.kill()


def _work(pipe: Connection, pickled: bytes) -> None:
    """What a worker does: play what it is sent, until the driver is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides what an interrupt means
    sent: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, sent), daemon=True).start()
    try:
        job: Job = pickle.loads(pickled)
    except BaseException as error:  # the driver raises it
        pipe.send_bytes(pickle.dumps(Back([], Failure.of(error))))
        return
    pipe.send_bytes(_READY)
    while True:
        pipe.send_bytes(pickle.dumps(play_chunk(sent.get(), job)))


def _listen(pipe: Connection, sent: "queue.SimpleQueue[bytes]") -> None:
    """Takes what the driver sends at once, so that neither waits for the other for ever."""
    try:
        while True:
            sent.put(pipe.recv_bytes())
    except (EOFError, OSError):
        os._exit(1)  # the driver is gone; nobody takes what is being played
