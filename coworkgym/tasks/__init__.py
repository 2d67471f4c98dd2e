"""Tasks: what they are, the packages that write them, and one folder for each profession."""

from coworkgym.company import LANGUAGES, SPLITS, Language, Split
from coworkgym.tasks.builder import Builder
from coworkgym.tasks.file import load_task, save_task
from coworkgym.tasks.folder import folder_package
from coworkgym.tasks.package import TaskPackage, add_package, package, remove_package
from coworkgym.tasks.spec import LEVELS, Item, Level, Stage, Task
from coworkgym.tasks.suite import get_package, packages

__all__ = [
    "LANGUAGES",
    "LEVELS",
    "SPLITS",
    "Builder",
    "Item",
    "Language",
    "Level",
    "Split",
    "Stage",
    "Task",
    "TaskPackage",
    "add_package",
    "folder_package",
    "get_package",
    "load_task",
    "package",
    "packages",
    "remove_package",
    "save_task",
]
