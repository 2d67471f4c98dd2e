"""Packages made of task files: a folder of JSON instead of a function."""

import os
from pathlib import Path

from coworkgym.errors import TaskError
from coworkgym.tasks.file import load_task
from coworkgym.tasks.package import TaskPackage
from coworkgym.tasks.spec import Item, Level, Task


def folder_package(path: str | os.PathLike[str]) -> TaskPackage:
    """Returns a package over the `*.json` task files of a folder, in order of their names.

    The seed picks one of the tasks of the item's level, split and language.

    Raises:
        TaskError: For a folder without task files, or a file that is not a valid task.
    """
    root = Path(path)
    tasks = [load_task(file) for file in sorted(root.glob("*.json"))]
    if not tasks:
        raise TaskError(f"{root} holds no task files (*.json)")
    tools: dict[Level, tuple[str, ...]] = {task.item.level: task.tool_names for task in tasks}

    def choose(item: Item) -> Task:
        fitting = [task for task in tasks if _variant(task.item) == _variant(item)]
        if not fitting:
            there = sorted({_variant(task.item) for task in tasks})
            raise TaskError(f"{root.name} has no task for {_variant(item)}; it has {there}")
        return fitting[item.seed % len(fitting)]

    return TaskPackage(
        name=root.name.replace("-", "_"),
        version=0,
        profession="custom",
        tags=tuple(sorted({tag for task in tasks for tag in task.tags})),
        tools=tools,
        languages=tuple(sorted({task.item.language for task in tasks})),
        write=choose,
        doc=f"{root.name}: {len(tasks)} task files.",
        source=str(root.resolve()),
    )


def _variant(item: Item) -> tuple[str, str, str]:
    return item.level, item.split, item.language
