"""Task files: one task as JSON, byte-stable, with a digest that notices any change."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from coworkgym.errors import CoworkError, TaskError, unknown
from coworkgym.frozen import Json, admit, freeze
from coworkgym.rewards import Check, Gate
from coworkgym.rewards.statement import first_problem
from coworkgym.services import BaseWorld, Office, Owner, World
from coworkgym.services.dialects import Dialect, ToolOverride, dialect
from coworkgym.services.instants import parse_instant
from coworkgym.tasks.spec import Item, RecordChange, Stage, Task
from coworkgym.transcript import ToolCall
from coworkgym.users import UserScript

FORMAT = 1


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)


class _Item(_Closed):
    package: str
    version: int
    split: str
    seed: int
    level: str
    language: str


class _Person(_Closed):
    name: str
    email: str


class _Change(_Closed):
    table: str
    id: str
    fields: dict[str, Any] | None
    notice: str = ""


class _Stage(_Closed):
    request: str
    changes: list[_Change]
    user: UserScript | None = None


class _Call(_Closed):
    name: str
    arguments: dict[str, Any]


class _Override(_Closed):
    name: str
    description: str
    parameters: dict[str, Any]
    route: str = ""


class _TaskFile(_Closed):
    format: int
    digest: str
    item: _Item
    organisation: str
    owner: _Person
    zone: str
    now: str
    rules: list[str]
    stages: list[_Stage]
    records: dict[str, list[dict[str, Any]]]
    tools: list[str]
    checks: list[Check]
    gates: list[Gate]
    solution: list[_Call]
    max_steps: int
    tags: list[str]
    dialect: str = ""
    overrides: list[_Override] = []


def save_task(task: Task, path: str | os.PathLike[str]) -> None:
    """Writes the task as one JSON file; the same task gives the same bytes.

    The file appears whole or not at all.
    """
    content = {"format": FORMAT, "digest": task.digest, **task.data()}
    target = Path(path)
    partial = target.with_name(f".{target.name}.partial")
    partial.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    partial.replace(target)


def load_task(path: str | os.PathLike[str]) -> Task:
    """Reads a task file.

    Raises:
        TaskError: Naming the file and what is wrong: not JSON, an unknown or missing key (with
            the nearest match), an invalid record, an unknown service, tool or statement kind,
            weights that do not sum to 1, or content that does not fit the digest.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        return task_from_data(content)
    except CoworkError as error:
        raise TaskError(f"{path}: {error}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise TaskError(f"{path}: not a task file: {error}") from error


def task_from_data(content: Json) -> Task:
    """Returns the task of a task file's content; see `load_task`."""
    if admit(content) != content:
        raise TaskError("it holds half of a surrogate pair, a huge number, or too many levels")
    try:
        data = _TaskFile.model_validate(content)
    except ValidationError as error:
        raise TaskError(first_problem(error, _TaskFile)) from error
    if data.format != FORMAT:
        raise TaskError(f"format {data.format} is not {FORMAT}, the one this version reads")
    task = _build(data)
    _try_changes(task)
    if task.digest != data.digest:
        raise TaskError(
            f"the digest is {task.digest}, the file says {data.digest}: "
            "its content was changed after it was released"
        )
    return task


def _build(data: _TaskFile) -> Task:
    try:
        start = parse_instant(data.now)
    except ValueError as error:
        raise TaskError(f"now: {error}") from error
    return Task(
        item=Item(**data.item.model_dump()),
        organisation=data.organisation,
        owner=Owner(**data.owner.model_dump()),
        zone=data.zone,
        rules=tuple(data.rules),
        stages=tuple(_stage(stage) for stage in data.stages),
        base=BaseWorld(_records(data.records, dialect(data.dialect)), start),
        tool_names=tuple(data.tools),
        checks=tuple(data.checks),
        gates=tuple(data.gates),
        solution=tuple(ToolCall(call.name, freeze(call.arguments)) for call in data.solution),
        max_steps=data.max_steps,
        tags=tuple(data.tags),
        dialect=data.dialect,
        overrides=tuple(
            ToolOverride(**{**dict(each), "parameters": freeze(each.parameters)})
            for each in data.overrides
        ),
    )


def _try_changes(task: Task) -> None:
    """Makes the changes of all stages once, so that none fails in the middle of an episode."""
    spoken = dialect(task.dialect)
    office = Office(World(task.base), task.tools, task.zone, task.owner, dialect=spoken)
    for change in (change for stage in task.stages for change in stage.changes):
        if change.table not in task.base.schema:
            raise unknown("table", change.table, task.base.schema)
        office.change(task.base.schema[change.table], change.id, change.fields)


def _records(records: Mapping[str, list[dict[str, Any]]], spoken: Dialect) -> dict[Any, list[Any]]:
    tables = {spoken.table(name): rows for name, rows in records.items()}
    return {table: [table.validate(row) for row in rows] for table, rows in tables.items()}


def _stage(stage: _Stage) -> Stage:
    changes = (
        RecordChange(c.table, c.id, c.fields and freeze(c.fields), c.notice) for c in stage.changes
    )
    return Stage(stage.request, tuple(changes), stage.user)
