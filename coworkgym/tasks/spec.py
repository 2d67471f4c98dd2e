"""Tasks: request, initial records, tools, checks, gates and a reference solution, as plain data."""

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, get_args

from coworkgym.company import LANGUAGES, SPLITS, Language, Split
from coworkgym.errors import TaskError, unknown
from coworkgym.frozen import FrozenDict, Json, freeze, json_text
from coworkgym.rewards import Check, Gate
from coworkgym.rewards.checklist import validate
from coworkgym.services import BaseWorld, Owner, Tool, reply, tool
from coworkgym.services.dialects import ToolOverride, dialect
from coworkgym.services.instants import format_instant, time_zone
from coworkgym.transcript import ToolCall
from coworkgym.users import UserScript

Level = Literal["warmup", "easy", "medium", "hard"]
LEVELS: tuple[Level, ...] = get_args(Level)


class Item(NamedTuple):
    """What a task is built from; equal items give equal tasks."""

    package: str
    version: int = 0
    split: Split = "train"
    seed: int = 0
    level: Level = "easy"
    language: Language = "en"

    def rng(self) -> random.Random:
        """Returns a generator seeded by a hash of the whole item: no two items share one."""
        text = json_text(list(self)).encode()
        return random.Random(int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big"))

    def validate(self) -> "Item":
        """Returns itself.

        Raises:
            UnknownNameError: For an unknown split, level or language.
            TaskError: For a seed that is not an integer from 0 up.
        """
        for noun, value, allowed in (
            ("split", self.split, SPLITS),
            ("level", self.level, LEVELS),
            ("language", self.language, LANGUAGES),
        ):
            if value not in allowed:
                raise unknown(noun, value, allowed)
        if type(self.seed) is not int or self.seed < 0:
            raise TaskError(f"a seed must be an integer from 0 up, got {self.seed!r}")
        return self


class RecordChange(NamedTuple):
    """What the system does to one record at the beginning of a stage.

    Attributes:
        table: Such as gmail.messages.
        id: The record's id.
        fields: New values, a whole record where there is none yet, or None to delete it.
        notice: What the agent is told about it, under the request; empty for a silent change.
    """

    table: str
    id: str
    fields: Mapping[str, Json] | None
    notice: str = ""


class Stage(NamedTuple):
    """One request of the user, usually one day.

    Attributes:
        request: What the user says.
        changes: What the system changes before.
        user: How the user goes on talking; None for one who takes the first reply as the answer.
    """

    request: str
    changes: tuple[RecordChange, ...] = ()
    user: UserScript | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """Everything an episode needs. Immutable; one task serves any number of episodes.

    Attributes:
        item: What it was built from.
        organisation: Whom the owner works for.
        owner: Whom the agent works for.
        zone: IANA zone of the office.
        rules: House rules that bind, as the agent reads them.
        stages: The requests, at least one.
        base: The initial records; its start is the reference date.
        tool_names: What the agent may call besides `reply`.
        checks: Weights sum to 1.
        gates: At least one of severity 1.
        solution: Calls that earn every check and breach no gate.
        max_steps: The episode is cut off after so many calls.
        tags: Words to select tasks by.
        dialect: How the office is spoken to; empty for our own way.
        overrides: Tools that the task words itself.
    """

    item: Item
    organisation: str
    owner: Owner
    zone: str
    rules: tuple[str, ...]
    stages: tuple[Stage, ...]
    base: BaseWorld
    tool_names: tuple[str, ...]
    checks: tuple[Check, ...]
    gates: tuple[Gate, ...]
    solution: tuple[ToolCall, ...]
    max_steps: int
    tags: tuple[str, ...] = field(default=())
    dialect: str = ""
    overrides: tuple[ToolOverride, ...] = ()

    def __post_init__(self) -> None:
        """Checks what can be checked without running the task; raises TaskError."""
        self.item.validate()
        if self.dialect:  # tasks of other makers need not be guarded
            validate(self.checks, self.gates, self._check_name, guarded=False)
        else:
            validate(self.checks, self.gates)
        _check_tools(self.tool_names, tuple(self.base.schema), self.dialect)
        for call in self.solution:
            if call.name not in self.tools:
                raise unknown("tool of the solution", call.name, self.tools)
        time_zone(self.zone)
        if not self.stages or not all(stage.request.strip() for stage in self.stages):
            raise TaskError("a task needs at least one stage, each with a request")
        if self.max_steps < len(self.solution):
            raise TaskError(
                f"max_steps {self.max_steps} is less than the {len(self.solution)} calls of the "
                "reference solution"
            )

    def _check_name(self, noun: str, name: str) -> None:
        """Refuses what an office of another dialect does not have."""
        owner = name.rpartition(".")[0] if noun in ("field", "argument") else name
        known = self.base.schema if noun in ("table", "field") else self.tools
        if owner not in known:
            raise unknown("table" if noun in ("table", "field") else "tool", owner, known)

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """The tools by name, `reply` last."""
        if not self.dialect and not self.overrides:
            return tool_map(self.tool_names)
        worded = {override.name: override for override in self.overrides}
        spoken = dialect(self.dialect)
        return {n: spoken.tool(n, worded.get(n)) for n in self.tool_names} | {"reply": reply}

    @cached_property
    def tool_schemas(self) -> Json:
        """The tools as the agent reads them: read-only list of name, description, parameters."""
        if not self.dialect and not self.overrides:
            return _schemas(self.tool_names)
        return freeze([made.schema for made in self.tools.values()])

    @cached_property
    def opening(self) -> tuple[FrozenDict, ...]:
        """The first two messages: system and request."""
        return (
            FrozenDict(role="system", content=system_text(self)),
            FrozenDict(role="user", content=self.stages[0].request),
        )

    @cached_property
    def digest(self) -> str:
        """Hash over the whole task: a change of any byte changes it."""
        return hashlib.sha256(json_text(self.data()).encode()).hexdigest()[:24]

    def __repr__(self) -> str:
        """Returns the item only: the rest holds the answer."""
        return f"Task({self.item})"

    def __eq__(self, other: object) -> bool:
        """Whether both are the same task, byte for byte."""
        return isinstance(other, Task) and (self is other or self.digest == other.digest)

    def __hash__(self) -> int:
        """Hash of the item; equal tasks have equal items."""
        return hash(self.item)

    def data(self) -> dict[str, Json]:
        """Returns the task as JSON; `tasks.file.load` makes a task of it again."""
        return {
            "item": self.item._asdict(),
            "organisation": self.organisation,
            "owner": self.owner._asdict(),
            "zone": self.zone,
            "now": format_instant(self.base.start),
            "rules": self.rules,
            "stages": [_stage_data(stage) for stage in self.stages],
            "records": {name: list(rows.values()) for name, rows in self.base.tables.items()},
            "tools": self.tool_names,
            "checks": [_line_data(check) for check in self.checks],
            "gates": [_line_data(gate) for gate in self.gates],
            "solution": [call._asdict() for call in self.solution],
            "max_steps": self.max_steps,
            "tags": self.tags,
            **({"dialect": self.dialect} if self.dialect else {}),
            **(
                {"overrides": [each._asdict() for each in self.overrides]} if self.overrides else {}
            ),
        }


@lru_cache(maxsize=1024)
def tool_map(names: tuple[str, ...]) -> Mapping[str, Tool]:
    """Returns tools by name, `reply` last; one mapping for all tasks that offer the same."""
    return {name: tool(name) for name in names} | {"reply": reply}


@lru_cache(maxsize=1024)
def _check_tools(names: tuple[str, ...], tables: tuple[str, ...], spoken: str) -> None:
    """Checks that the tools exist, and that the office keeps the tables of their services."""
    for name in names:
        for needed in dialect(spoken).tables_of(name):
            if needed not in tables:
                raise TaskError(f"the tool {name} needs the table {needed!r}, which has no records")


@lru_cache(maxsize=1024)
def _schemas(names: tuple[str, ...]) -> Json:
    return freeze([made.schema for made in tool_map(names).values()])


def _stage_data(stage: Stage) -> dict[str, Json]:
    changes = [change._asdict() for change in stage.changes]
    user = {} if stage.user is None else {"user": stage.user.model_dump(mode="json")}
    return {"request": stage.request, "changes": changes, **user}


def _line_data(line: Check | Gate) -> dict[str, Json]:
    data = line.model_dump(mode="json", exclude={"statement"})
    return {**data, "statement": line.statement.data()}


_SYSTEM = {
    "en": (
        "You work for {owner} <{email}> at {organisation}.",
        "It is {when} ({zone}).",
        "House rules:",
        "Work with the tools; change, create and send only what the work needs. When you are done, "
        "or cannot go on, answer with reply.",
    ),
    "zh": (
        "你为{organisation}的{owner} <{email}>工作。",
        "现在是{when}（{zone}）。",
        "内部规定：",
        "请使用工具完成工作；只做工作需要的改动、新建和发送。完成后，或无法继续时，用 reply 回答。",
    ),
}
_WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
}


def system_text(task: Task) -> str:
    """Returns message 0: whom the agent works for, date, time and zone, the rules that bind."""
    who, clock, rules, how = _SYSTEM[task.item.language]
    lines = [
        who.format(owner=task.owner.name, email=task.owner.email, organisation=task.organisation),
        clock.format(when=day_and_time(task.base.start, task), zone=task.zone),
    ]
    if task.rules:
        lines += [rules, *(f"- {rule}" for rule in task.rules)]
    return "\n".join([*lines, how])


def day_and_time(moment: datetime, task: Task) -> str:
    """Returns a moment in the office's zone and the task's language, with the weekday."""
    local = moment.astimezone(time_zone(task.zone))
    weekday = _WEEKDAYS[task.item.language][local.weekday()]
    return f"{weekday} {local:%Y-%m-%d %H:%M}"
