"""The protocol of executors, and the ones that come with the library by name."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Protocol

from coworkgym.errors import SettingsError, unknown
from coworkgym.rollouts.playing import Job, Unit
from coworkgym.rollouts.rollout import Ended


class Executor(Protocol):
    """Plays work units somewhere. What comes of a unit does not depend on where."""

    def play(self, units: Iterable[Unit], job: Job) -> Iterator[Ended]:
        """Yields how each unit ended, as they end.

        Args:
            units: Taken as there is room, never all at once.
            job: How they are played.

        Raises:
            InfrastructureError: When trying again cannot help.
        """
        ...


_MODULES = {"inline": "inline:Inline", "processes": "processes:Processes", "ray": "ray:RayActors"}
EXECUTORS = tuple(_MODULES)
"""Names that `executor_from` knows."""


def executor_from(name: str, workers: int | None = None) -> Executor:
    """Returns an executor by name.

    Args:
        name: One of EXECUTORS.
        workers: Number of processes or actors; by default one a core. Inline has none.

    Raises:
        UnknownNameError: With the nearest match.
        SettingsError: For a number of workers below 1, or any number for inline.
    """
    if name not in _MODULES:
        raise unknown("executor", name, EXECUTORS)
    module, _, attribute = _MODULES[name].partition(":")
    made = getattr(import_module(f"coworkgym.rollouts.executors.{module}"), attribute)
    if workers is not None and name == "inline":
        raise SettingsError("the executor inline has no workers; choose processes or ray")
    executor: Executor = made() if workers is None else made(workers)
    return executor
