"""Ray: episodes are played by the actors of a Ray cluster; what a lost one had is played again."""

import os
import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from coworkgym.errors import InfrastructureError, SettingsError
from coworkgym.rollouts.executors.chunks import Back, Failure, Lost, play_chunk, play_with
from coworkgym.rollouts.playing import Job, Unit
from coworkgym.rollouts.rollout import Ended


class RayActors:
    """Plays units with Ray actors, on the cluster that `ray.init` was called for, or else here.

    Args:
        workers: Number of actors; by default as many as the cluster has room for.
        options: Of each actor, such as `{"num_gpus": 1}`; one CPU by default.

    Raises:
        SettingsError: For fewer than one worker.
        InfrastructureError: Where Ray is not installed.
    """

    def __init__(self, workers: int | None = None, **options: Any) -> None:
        if workers is not None and workers < 1:
            raise SettingsError(f"workers must be at least 1, got {workers!r}")
        self.workers, self.options = workers, {"num_cpus": 1, **options}
        _ray()

    def play(self, units: Iterable[Unit], job: Job) -> Iterator[Ended]:
        """Yields how each unit ended, as they end.

        Raises:
            InfrastructureError: For more actors than the cluster has room for, too.
        """
        ray = _ray()
        if not ray.is_initialized():
            ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
        crew = _ActorCrew(self._size(ray.cluster_resources()), job, self.options)
        try:
            yield from play_with(crew, units, job)
        finally:
            crew.dismiss()

    def _size(self, total: dict[str, float]) -> int:
        """Number of actors; one that has no room would keep its units for ever."""
        needs = {"CPU": self.options["num_cpus"], "GPU": self.options.get("num_gpus")}
        needs |= self.options.get("resources") or {}
        rooms = (int(total.get(name, 0) / need) for name, need in needs.items() if need)
        room = min(rooms, default=os.cpu_count() or 1)
        if room < (self.workers or 1):
            asked = ", ".join(f"{need:g} {name}" for name, need in needs.items() if need)
            raise InfrastructureError(
                f"the Ray cluster has room for {room} actors with {asked} each, not for "
                f"{self.workers or 1}",
                hopeless=True,
            )
        return self.workers or room


class _ActorCrew:
    """Ray actors, each made when it is first given something; calls wait in their queues."""

    def __init__(self, size: int, job: Job, options: dict[str, Any]) -> None:
        self.size, self._job = size, pickle.dumps(job)
        self._class = _ray().remote(**options)(_Player)
        self._actors: dict[int, Any] = {}
        self._calls: list[deque[Any]] = [deque() for _ in range(size)]

    def give(self, worker: int, units: bytes) -> None:
        if worker not in self._actors:
            self._actors[worker] = self._class.remote(self._job)
        self._calls[worker].append(self._actors[worker].play.remote(units))

    def next(self) -> tuple[int, Back | Lost]:
        ray = _ray()
        numbers = {calls[0]: number for number, calls in enumerate(self._calls) if calls}
        (call,), _ = ray.wait(list(numbers), num_returns=1)
        number = numbers[call]
        try:
            back: Back = pickle.loads(ray.get(call))
        except ray.exceptions.RayError as error:
            return number, self._lost(number, error)
        self._calls[number].popleft()
        return number, back

    def _lost(self, number: int, error: Exception) -> Lost:
        if getattr(error, "actor_init_failed", False):
            raise InfrastructureError(f"Ray actors do not begin: {error}", hopeless=True)
        _ray().kill(self._actors.pop(number))
        self._calls[number].clear()
        return Lost(type(error).__name__)

    def dismiss(self) -> None:
        for actor in self._actors.values():
            _ray().kill(actor)


class _Player:
    """What an actor is; everything travels pickled, so that errors come back as they were."""

    def __init__(self, pickled: bytes) -> None:
        self._pickled = pickled
        self._job: Job | None = None

    def play(self, units: bytes) -> bytes:
        """Plays pickled units and returns what came back of them, pickled."""
        try:
            job: Job = self._job or pickle.loads(self._pickled)
        except BaseException as error:  # the driver raises it
            return pickle.dumps(Back([], Failure.of(error)))
        self._job = job
        return pickle.dumps(play_chunk(units, job))


def _ray() -> Any:
    try:
        return import_module("ray")
    except ImportError:
        raise InfrastructureError(
            "the executor ray needs Ray: pip install 'coworkgym[ray]'", hopeless=True
        ) from None
