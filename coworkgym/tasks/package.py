"""Task packages: families of tasks, each one file and one registered environment."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from coworkgym.company import LANGUAGES, Language, Split
from coworkgym.errors import TaskError, unknown
from coworkgym.services import Tool, service
from coworkgym.tasks.builder import Builder
from coworkgym.tasks.spec import LEVELS, Item, Level, Task, tool_map

Writer = Callable[[Builder], Task]


@dataclass(frozen=True, eq=False)
class TaskPackage:
    """A family of tasks: one office situation in all its variations.

    Attributes:
        name: In snake_case; the environment's id is cowork/NAME-vN with hyphens.
        version: Raised with every change of reward or records.
        profession: Whose work it is, such as customer_support.
        tags: Words to select packages by.
        tools: The tools of each level, besides `reply`.
        languages: The languages it is written in.
        write: Makes the task of one item.
        doc: Its description; see CONTRIBUTING.md for the headings.
        source: The folder it was read from, if it is made of task files.
    """

    name: str
    version: int
    profession: str
    tags: tuple[str, ...]
    tools: dict[Level, tuple[str, ...]]
    languages: tuple[Language, ...]
    write: Callable[[Item], Task]
    doc: str
    source: str = ""

    def __reduce__(self) -> tuple[Callable[[str], "TaskPackage"], tuple[str]]:
        """Pickles by name, or by folder: a package is part of the installed code."""
        from coworkgym.tasks.suite import get_package

        return get_package, (self.reference,)

    @property
    def reference(self) -> str:
        """What `get_package` finds it by, in another process too."""
        return self.source or self.name

    @property
    def env_id(self) -> str:
        """The Gymnasium id, such as cowork/payment-change-v0."""
        return f"cowork/{self.name.replace('_', '-')}-v{self.version}"

    @property
    def summary(self) -> str:
        """The first line of the description, without the name."""
        return self.doc.strip().partition("\n")[0].partition(": ")[2]

    def tool_map(self, level: Level) -> Mapping[str, Tool]:
        """Returns the tools of a level by name, `reply` last."""
        return tool_map(self.tools[level])

    def item(
        self,
        *,
        seed: int = 0,
        level: Level = "easy",
        split: Split = "train",
        language: Language = "en",
    ) -> Item:
        """Returns an item of this package.

        Raises:
            UnknownNameError: For a level, split or language that does not exist, with the nearest.
            TaskError: For a seed that is not an integer from 0 up.
        """
        item = Item(self.name, self.version, split, seed, level, language).validate()
        if level not in self.tools:
            raise unknown(f"level of {self.name}", level, self.tools)
        if language not in self.languages:
            raise unknown(f"language of {self.name}", language, self.languages)
        return item

    def build(self, item: Item) -> Task:
        """Returns the task of an item; the same object for a while, an equal one always."""
        return _build(self, item)


@lru_cache(maxsize=128)
def _build(package: TaskPackage, item: Item) -> Task:
    return package.write(item)


_PACKAGES: dict[str, TaskPackage] = {}


def add_package(package: TaskPackage) -> TaskPackage:
    """Registers a package so that the suite finds it.

    Raises:
        TaskError: For a name that is taken or not in snake_case.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", package.name):
        raise TaskError(f"a package's name must be in snake_case, got {package.name!r}")
    if package.name in _PACKAGES:
        raise TaskError(f"task package {package.name!r} is registered twice")
    _PACKAGES[package.name] = package
    return package


def remove_package(name: str) -> None:
    """Takes a package out of the suite again."""
    _PACKAGES.pop(name, None)


def registered() -> dict[str, TaskPackage]:
    """Returns all registered packages by name."""
    return dict(_PACKAGES)


def package(
    name: str,
    *,
    profession: str,
    services: Sequence[str],
    warmup_tools: Sequence[str],
    tags: Sequence[str] = (),
    version: int = 0,
) -> Callable[[Writer], TaskPackage]:
    """Decorates the function that writes the tasks of one package, and registers it.

    Args:
        name: In snake_case.
        profession: Whose work it is.
        services: The services of the office; above warmup the agent may use all their tools.
        warmup_tools: At most six tools for warmup.
        tags: Words to select packages by.
        version: Raised with every change of reward or records.

    Raises:
        TaskError: For a name that is taken, or more than six warmup tools.
        UnknownNameError: For an unknown service or tool.
    """
    if len(warmup_tools) > 6:
        raise TaskError(f"{name}: at most six warmup tools, got {len(warmup_tools)}")
    every = tuple(made for owner in services for made in service(owner).tools)
    for tool_name in warmup_tools:
        if tool_name not in every:
            raise unknown(f"tool of {', '.join(services)}", tool_name, every)
    tools: dict[Level, tuple[str, ...]] = {level: every for level in LEVELS}
    tools["warmup"] = tuple(warmup_tools)

    def register(writer: Writer) -> TaskPackage:
        def write(item: Item) -> Task:
            return writer(Builder(item, services, tools[item.level], tuple(tags)))

        return add_package(
            TaskPackage(
                name=name,
                version=version,
                profession=profession,
                tags=tuple(tags),
                tools=tools,
                languages=LANGUAGES,
                write=write,
                doc=inspect.getdoc(inspect.getmodule(writer)) or "",
            )
        )

    return register
