"""Strategies: hypothesis draws items, tasks, calls, episodes and worlds."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from coworkgym.envs import Episode
from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json, admit, freeze, json_text
from coworkgym.services import Office, World
from coworkgym.services.arguments import parse_arguments
from coworkgym.tasks import (
    LANGUAGES,
    LEVELS,
    SPLITS,
    Item,
    Language,
    Level,
    Split,
    Task,
    TaskPackage,
    get_package,
    packages,
)
from coworkgym.testing.drawn import DrawnEpisode, DrawnWorld
from coworkgym.testing.words import Words, words
from coworkgym.transcript import ToolCall

_SEEDS = 1000  # items are drawn from so many seeds


def items(
    package: str | TaskPackage | None = None,
    *,
    levels: Sequence[Level] = LEVELS,
    languages: Sequence[Language] = LANGUAGES,
    splits: Sequence[Split] = SPLITS,
) -> st.SearchStrategy[Item]:
    """Draws items; levels and languages that a package does not have are left out.

    Args:
        package: A package or its name; any registered one by default.
        levels: To draw from, the simplest first.
        languages: To draw from.
        splits: To draw from.
    """
    if package is None:
        every = st.sampled_from(list(packages()))
        return every.flatmap(
            lambda one: items(one, levels=levels, languages=languages, splits=splits)
        )
    chosen = get_package(package) if isinstance(package, str) else package
    parts = (
        st.integers(0, _SEEDS - 1),
        st.sampled_from([level for level in levels if level in chosen.tools]),
        st.sampled_from(splits),
        st.sampled_from([one for one in languages if one in chosen.languages]),
    )
    return st.tuples(*parts).map(lambda drawn: _item(chosen, *drawn))


def _item(package: TaskPackage, seed: int, level: Level, split: Split, language: Language) -> Item:
    return package.item(seed=seed, level=level, split=split, language=language)


def tasks(package: str | TaskPackage | None = None, **choices: Any) -> st.SearchStrategy[Task]:
    """Draws built tasks.

    Args:
        package: As in `items`.
        choices: Levels, languages and splits, as in `items`.
    """
    if isinstance(package, TaskPackage):
        return items(package, **choices).map(package.build)
    return items(package, **choices).map(lambda item: get_package(item.package).build(item))


def tool_calls(task: Task, *, valid: bool = True) -> st.SearchStrategy[ToolCall]:
    """Draws calls of the task's tools.

    Args:
        task: Its tools are called; texts are ids, addresses and words of its records.
        valid: Whether the calls fit the schema. If not, the office answers each with one of
            `services.MALFORMED`: cut-off JSON, a list for a text, a missing argument ...
    """
    well_formed = _calls(task, tuple(task.tools))
    if valid:
        return well_formed
    mangled = well_formed.flatmap(lambda call: st.sampled_from(_MANGLES).map(lambda m: m(call)))
    return mangled.filter(lambda call: not accepts(task, call))


def writing_calls(task: Task) -> st.SearchStrategy[ToolCall]:
    """Draws valid calls of the tools that write; of all tools where none does."""
    writing = [name for name, tool in task.tools.items() if tool.writes]
    return _calls(task, tuple(writing or task.tools))


@lru_cache(maxsize=64)
def _calls(task: Task, names: tuple[str, ...]) -> st.SearchStrategy[ToolCall]:
    some = words(task)
    made = {name: _calls_of(task.tools[name].schema, some) for name in names}
    drawn = st.sampled_from(names).flatmap(lambda name: made[name])
    return drawn.filter(lambda call: accepts(task, call))


def accepts(task: Task, call: ToolCall) -> bool:
    """Whether a call would reach its tool."""
    name, raw = map(admit, call)
    if name not in task.tools:
        return False
    try:
        task.tools[name].validate(parse_arguments(name, raw))
    except ToolError:
        return False
    return True


def odd_texts() -> st.SearchStrategy[str]:
    """Draws texts that lesser programs trip over: any script, emoji, controls, half characters."""
    known = [
        "你好 🚀",
        "e\u0301\u202e",
        "\ud83d\ude80",
        "\ud83d",
        "a\x00b",
        "\r\n\t",
        "</tool_call>",
    ]
    return st.text(max_size=12) | st.sampled_from(known)


def _calls_of(schema: FrozenDict, some: Words) -> st.SearchStrategy[ToolCall]:
    parameters = schema["parameters"]
    drawn = {name: _value(name, one, some) for name, one in parameters["properties"].items()}
    required = {name: drawn.pop(name) for name in parameters["required"]}
    arguments = st.fixed_dictionaries(required, optional=drawn)
    return arguments.map(lambda given: ToolCall(schema["name"], freeze(given)))


def _value(name: str, schema: FrozenDict, some: Words) -> st.SearchStrategy[Any]:
    """Draws a value for one argument, by its JSON Schema and its name."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("type") == "array":
        return st.lists(_value(name, schema["items"], some), min_size=1, max_size=3)
    if schema.get("type") == "object":
        return st.dictionaries(_text(name, some), _text(name, some), min_size=1, max_size=3)
    hundredths = st.integers(1, 100_000)
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "boolean": st.booleans(),
        "integer": st.integers(1, 30),
        "number": hundredths.map(lambda n: n / 100),
        "decimal": hundredths.map(lambda n: f"{n / 100:.2f}"),
        "date": st.sampled_from(some.days),
    }
    kind = schema.get("format", schema.get("type"))
    return kinds[kind] if kind in kinds else _text(name, some)


def _text(name: str, some: Words) -> st.SearchStrategy[str]:
    own = some.ids.get(name) or some.ids.get(name.removesuffix("s"))
    if own:
        return st.sampled_from(own)
    pools = (some.plain, some.addresses, some.every_id)
    return st.one_of([st.sampled_from(pool) for pool in pools])


def _half(text: str) -> str:
    return text[: len(text) // 2]


def _each(call: ToolCall, change: Callable[[Json], Json]) -> ToolCall:
    return ToolCall(call.name, freeze({n: change(v) for n, v in call.arguments.items()}))


_MANGLES: tuple[Callable[[ToolCall], ToolCall], ...] = (
    lambda call: ToolCall("", call.arguments),
    lambda call: ToolCall(f"{call.name}s", call.arguments),
    lambda call: ToolCall(call.name),
    lambda call: ToolCall(call.name, ""),
    lambda call: ToolCall(call.name, [call.arguments]),
    lambda call: ToolCall(call.name, _half(json_text(call.arguments))),
    lambda call: ToolCall(call.name, f"{json_text(call.arguments)}}}"),
    lambda call: ToolCall(call.name, FrozenDict(call.arguments, urgnet=True)),
    lambda call: _each(call, lambda value: {"value": value}),
    lambda call: _each(call, lambda value: [value]),
    lambda call: _each(call, lambda value: f"{value}\x00e5"),
    lambda call: _each(call, lambda value: True),
    lambda call: _each(call, lambda value: 1.5),
)


@st.composite
def episodes(draw: st.DrawFn, task: Task, *, max_calls: int = 8) -> Episode:
    """Draws episodes in their middle or at their end.

    They begin with some calls of the reference, often all; then come valid and malformed calls,
    mixed with what is left of the reference.

    Args:
        draw: Given by hypothesis.
        task: What is run.
        max_calls: Most calls after the reference's first.
    """
    whole = len(task.solution)
    begun = draw(st.sampled_from([*range(whole + 1), *[whole] * (whole // 2)]))
    calls = st.one_of(st.none(), tool_calls(task), tool_calls(task, valid=False))
    episode, solution = DrawnEpisode(task), iter(task.solution)
    for call in [None] * begun + draw(st.lists(calls, max_size=max_calls)):
        chosen = call or next(solution, None)
        if chosen is not None and not episode.over:
            episode.act(chosen)
    return episode


@st.composite
def worlds(draw: st.DrawFn, task: Task, *, max_writes: int = 5) -> World:
    """Draws worlds after calls that write, some of them the reference's.

    Args:
        draw: Given by hypothesis.
        task: Its records are the base.
        max_writes: Most calls.
    """
    writes = [call for call in task.solution if task.tools[call.name].writes]
    either = st.sampled_from(writes) | writing_calls(task) if writes else writing_calls(task)
    world = DrawnWorld(task.base)
    office = Office(world, task.tools, task.zone, task.owner)
    for call in draw(st.lists(either, max_size=max_writes)):
        office.call(call)
    return world
