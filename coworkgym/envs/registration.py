"""Registration: every task package is a Gymnasium id."""

import os
import warnings
from importlib.metadata import entry_points

import gymnasium as gym

from coworkgym.tasks import TaskPackage, add_package, folder_package, packages

ENTRY_POINTS = "coworkgym.packages"
_IMPORTED = {"cowork/claw_eval-v0": "coworkgym.integrations.claw_eval:make_env"}
"""Environments over other people's tasks, by their id; what makes one takes the user's checkout."""


def register_env(package: TaskPackage) -> str:
    """Registers a package as a Gymnasium environment and returns its id.

    Doing it again is harmless.
    """
    known = gym.registry.get(package.env_id)
    if known is not None and known.kwargs.get("package") == package.reference:
        return package.env_id
    gym.register(
        id=package.env_id,
        entry_point="coworkgym.envs:CoworkEnv",
        vector_entry_point="coworkgym.envs:CoworkVectorEnv",
        kwargs={"package": package.reference},
    )
    return package.env_id


def register_package(path: str | os.PathLike[str]) -> str:
    """Registers a folder of task files as a package; the folder's name is the package's.

    Args:
        path: A folder with `*.json` task files (see `tasks.save_task`). The seed picks one of the
            tasks of the asked level, split and language: seed modulo their number.

    Returns:
        The Gymnasium id.

    Raises:
        TaskError: For a folder without task files, or a file that is not a valid task.
    """
    return register_env(add_package(folder_package(path)))


def register_all() -> None:
    """Registers the packages of this library and of installed distributions."""
    for point in entry_points(group=ENTRY_POINTS):
        try:
            point.load()
        except Exception as error:  # whatever is wrong with it, it must not break this library
            warnings.warn(
                f"coworkgym package {point.value!r} cannot be loaded: {error}", stacklevel=2
            )
    for package in packages():
        register_env(package)
    for env_id, maker in _IMPORTED.items():
        if env_id not in gym.registry:
            gym.register(id=env_id, entry_point=maker)
