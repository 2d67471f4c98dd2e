"""Importer: a task of a checkout as a Task of ours."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, cast

from coworkgym.errors import TaskError, unknown
from coworkgym.frozen import FrozenDict, freeze
from coworkgym.integrations.claw_eval.declared import scoring
from coworkgym.integrations.claw_eval.fixtures import Fixture, fixtures, shifted
from coworkgym.integrations.claw_eval.reading import Source, read_source, task_ids
from coworkgym.integrations.claw_eval.roster import refusal_of
from coworkgym.services import BaseWorld, Owner, Table
from coworkgym.services.dialects import ToolOverride
from coworkgym.services.dialects.claw_eval.server import moment
from coworkgym.tasks import Item, Level, Task
from coworkgym.tasks.spec import Stage
from coworkgym.users import Fact, UserScript

MODES = ("intended", "faithful")
NOON = datetime(2026, 3, 1, 9, tzinfo=UTC)
"""The moment of tasks whose records name none."""
CALLS_A_TURN = 4
"""The harness counts messages, we count calls; a message holds few."""
_DIALECTS = {"faithful": "claw_eval", "intended": "claw_eval_intended"}
_LEVELS = ("easy", "medium", "hard")


class Imported(NamedTuple):
    """A task of a checkout.

    Attributes:
        task: As ours.
        source: As written.
        fixtures: The files that its records come from.
        repairs: What differs from the published office, in words; none in faithful mode.
    """

    task: Task
    source: Source
    fixtures: tuple[Fixture, ...]
    repairs: tuple[str, ...]


def load_claw_task(
    root: str | os.PathLike[str],
    task_id: str,
    *,
    mode: str = "intended",
    now: datetime | None = None,
) -> Imported:
    """Reads a task of a checkout of Claw-Eval.

    Args:
        root: The checkout; it holds `tasks/`.
        task_id: The folder's name.
        mode: `faithful` answers as the published services do, call for call, faults included;
            `intended` serves the task's own records unshifted, and does what its tools declare.
        now: When the services start; by default the moment that the records are written for, and
            in faithful mode 2026-03-01 09:00 UTC.

    Raises:
        UnknownNameError: For another mode.
        TaskError: For a root without tasks, a task that is not there or cannot be run (with the
            reason), or a broken file (with its line).
    """
    if mode not in MODES:
        raise unknown("mode", mode, MODES)
    source = read_source(Path(root), task_id)
    reason = refusal_of(source)
    if reason:
        raise TaskError(f"{task_id} cannot be run: {reason}")
    faithful = mode == "faithful"
    found = tuple(fixtures(source, faithful=faithful))
    now = now or (NOON if faithful else _moment_of(found))
    task = _task(source, found, now, _DIALECTS[mode])
    return Imported(task, source, found, () if faithful else _repairs(source, task, found))


def _task(source: Source, found: tuple[Fixture, ...], now: datetime, dialect: str) -> Task:
    said = scoring(source)
    overrides = tuple(_override(source, tool) for tool in source.tools)
    turns = int((source.data.get("environment") or {}).get("max_turns") or 20)
    return Task(
        item=_item(source),
        organisation=str(source.data.get("task_name") or source.task_id),
        owner=Owner("the user", "user@example.test"),
        zone=_zone(found) if dialect == _DIALECTS["intended"] else "UTC",
        rules=_rules(source),
        stages=(Stage(str(source.data["prompt"]["text"]).strip(), (), _user(source)),),
        base=_world(source, found, now, dialect),
        tool_names=tuple(each.name for each in overrides),
        checks=said.checks,
        gates=said.gates,
        solution=(),
        max_steps=turns * CALLS_A_TURN,
        tags=("claw_eval", "declared_checks", *map(str, source.data.get("tags") or ())),
        dialect=dialect,
        overrides=overrides,
    )


def _item(source: Source) -> Item:
    level = str(source.data.get("difficulty"))
    return Item(
        package="claw_eval",
        split="test",
        seed=task_ids(source.root).index(source.task_id),
        level=cast(Level, level if level in _LEVELS else "medium"),
        language="zh" if source.language == "zh" else "en",
    )


def _override(source: Source, tool: Mapping[str, Any]) -> ToolOverride:
    name = str(tool["name"])
    declared = (tool.get("input_schema") or {}).items()
    schema = {"type": "object", "properties": {}, "required": []}
    schema |= {name: value for name, value in declared if value is not None}
    return ToolOverride(
        name, str(tool.get("description") or ""), freeze(schema), source.routes.get(name, "")
    )


def _world(source: Source, found: tuple[Fixture, ...], now: datetime, dialect: str) -> BaseWorld:
    tables: dict[Table, list[FrozenDict]] = {}
    rows = {fixture.table: fixture.rows for fixture in found}
    for server in source.servers.values():
        for table in server.tables:
            served = rows.get(table.name, [])
            if dialect == _DIALECTS["faithful"]:
                served = shifted(server, table.name, served, now)
            tables[table] = [table.validate(row) for row in served]
    return BaseWorld(tables, now)


def _rules(source: Source) -> tuple[str, ...]:
    suffix = (source.data.get("user_agent") or {}).get("system_prompt_suffix")
    return (" ".join(str(suffix).split()),) if suffix else ()


def _user(source: Source) -> UserScript | None:
    """The user of a task of several turns: what the persona knows, and how long it talks."""
    told = source.data.get("user_agent") or {}
    if not told.get("enabled", bool(told)):
        return None
    return UserScript(
        facts=(Fact(says=str(told.get("persona") or "-").strip(), asked_by=("persona",)),),
        patience=max(1, int(told.get("max_rounds") or 6)),
    )


def _moment_of(found: tuple[Fixture, ...]) -> datetime:
    """The moment the records are written for: a day after the newest mail, or before a meeting."""
    dates = _dates(found, "gmail.messages", "date")
    if dates:
        return (max(dates) + timedelta(days=1)).astimezone(UTC)
    dates = _dates(found, "calendar.events", "start_time")
    return (min(dates) - timedelta(days=1)).astimezone(UTC) if dates else NOON


def _dates(found: tuple[Fixture, ...], table: str, field: str) -> list[datetime]:
    texts = [str(row.get(field, "")) for each in found if each.table == table for row in each.rows]
    try:
        read = [moment(text) for text in texts if text]
    except ValueError as error:
        raise TaskError(f"{table}: {field}: {error}") from None
    return [date if date.tzinfo else date.replace(tzinfo=UTC) for date in read]


def _zone(found: tuple[Fixture, ...]) -> str:
    east = [text for each in found for row in each.rows for text in row.values()
            if isinstance(text, str) and text.endswith("+08:00")]  # fmt: skip
    return "Asia/Shanghai" if east else "UTC"


def _repairs(source: Source, task: Task, found: tuple[Fixture, ...]) -> tuple[str, ...]:
    told: list[str] = []
    for name, server in source.servers.items():
        for variable, table in server.fixtures.items():
            named = (source.services[name].get("env") or {}).get(variable)
            fixture = next((each for each in found if each.table == table.name), None)
            own = f"tasks/{source.task_id}/"
            if fixture and not named and not fixture.foreign and server.default != source.task_id:
                told.append(f"{name}: its own {fixture.file.removeprefix(own)} is served")
        if server.name in ("gmail", "calendar"):
            told.append(f"{name}: dates are those of the file")
    for tool in task.tools.values():
        told += getattr(tool, "repairs", ())
    return tuple(told)
