"""Servers: the mock services of Claw-Eval, each with rows, routes and lists in its audit."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cached_property, lru_cache
from inspect import Parameter, signature
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from coworkgym.errors import ToolError, unknown
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.rows import RowTable
from coworkgym.services.office import Office

Answer = Callable[..., Json]
Rows = list[dict[str, Any]]
Load = Callable[[Rows, datetime], Rows]
_PLAIN = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
NOT_JSON = "Error: Expecting value: line 1 column 1 (char 0)"
"""What the harness makes of a server that broke: its answer is no JSON."""
_BROKEN = (KeyError, TypeError, ValueError, OverflowError, AttributeError)
"""What breaks a server: rows without a key, times that do not compare, days out of range."""


def unshifted(rows: Rows, now: datetime) -> Rows:
    """Returns rows as they are: what all servers serve but mail and calendar."""
    return rows


@lru_cache(maxsize=4096)
def moment(text: str) -> datetime:
    """Returns a moment as servers read it; without a zone it is naive."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def served(when: datetime) -> str:
    """Returns a moment as servers print what they shifted: its own wall clock, called UTC."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def body_text(make: Callable[[], Json]) -> str:
    """Returns the text of a body.

    Raises:
        HttpError: 500, when making it breaks the server, or it holds a number that JSON has not.
    """
    try:
        return _PLAIN(make())
    except _BROKEN:
        raise HttpError("server_error", NOT_JSON) from None


class HttpError(ToolError):
    """An answer of another status than 200.

    Args:
        code: As of any refusal.
        content: What the agent reads.
    """

    def __init__(self, code: str, content: str) -> None:
        super().__init__(code, content)

    def __reduce__(self) -> Any:
        """Pickles with both arguments."""
        return HttpError, (self.code, self.message)


class Route:
    """A route of a server: a path, what it takes, and the function that answers.

    Args:
        path: Such as /gmail/messages.
        server: Whose it is.
        function: Takes a Desk, then what it needs; its signature says what a body holds.
        repaired: Whether the published office lacks it.
        logs: What the audit keeps of the answer; None for all of it.
    """

    def __init__(
        self,
        path: str,
        server: "Server",
        function: Answer,
        repaired: bool = False,
        logs: tuple[str, ...] | None = None,
    ) -> None:
        self.path, self.server, self.function = path, server, function
        self.repaired, self.logs = repaired, logs

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """What a body holds, by name."""
        return dict(list(signature(self.function).parameters.items())[1:])

    @cached_property
    def model(self) -> type[BaseModel]:
        """What a body is validated by: lossy conversion, unknown keys dropped."""
        hints = get_type_hints(self.function)
        fields: dict[str, Any] = {
            name: (hints[name], ... if p.default is Parameter.empty else p.default)
            for name, p in self.parameters.items()
        }
        return create_model("Body", __config__=ConfigDict(extra="ignore"), **fields)

    def validate(self, body: Json) -> dict[str, Any]:
        """Returns a body with conversions made and defaults filled in.

        Raises:
            HttpError: 422, with one line for each wrong field.
        """
        try:
            validator = self.model.__pydantic_validator__
            found: BaseModel = validator.validate_python(body, from_attributes=True)
            return found.__dict__
        except ValidationError as error:
            lines = error.errors(include_url=False)
        detail = [{**line, "loc": ["body", *line["loc"]]} for line in lines]
        missing = any(line["type"] == "missing" for line in lines)
        code = "missing_argument" if missing else "invalid_argument"
        raise HttpError(code, body_text(lambda: {"detail": detail}))

    def answer(self, office: Office, arguments: Mapping[str, Any]) -> str:
        """Returns the answer's text.

        Raises:
            HttpError: 500, when the server breaks.
        """
        return body_text(lambda: self.function(Desk(office, self.server), **arguments))


class Server:
    """A mock service of Claw-Eval.

    Args:
        name: First part of its paths.
        noun: What its rows are called in refusals.
        table: Name of its rows.
        key: The id of a row.
        default: The task whose files it serves when none are named.
        lists: What its audit holds besides calls.
        shelves: Other rows that it reads.
        fixtures: Environment variables that name the files of its tables; one for its rows if left
            out.
        load: Makes the rows served of the rows of a file, at a moment.
    """

    def __init__(
        self,
        name: str,
        noun: str,
        table: str,
        key: str,
        *,
        default: str,
        lists: tuple[str, ...] = (),
        shelves: tuple[str, ...] = (),
        fixtures: tuple[str, ...] = (),
        load: Load = unshifted,
    ) -> None:
        self.name, self.noun, self.default, self.load = name, noun, default, load
        self.table = RowTable(f"{name}.{table}", key)
        self.lists = {each: RowTable(f"{name}.{each}", "") for each in lists}
        self.shelves = {each: RowTable(f"{name}.{each}", "") for each in shelves}
        named = fixtures or (f"{name.upper()}_FIXTURES",)
        self.fixtures = dict(zip(named, (self.table, *self.shelves.values()), strict=True))
        self.routes: dict[str, Route] = {}
        SERVERS[name] = self

    @property
    def tables(self) -> tuple[RowTable, ...]:
        """Its rows and the lists of its audit."""
        return (self.table, *self.shelves.values(), *self.lists.values())

    def route(
        self, path: str, *, repaired: bool = False, logs: tuple[str, ...] | None = None
    ) -> Callable[[Answer], Answer]:
        """Decorates the function that answers a path; see Route."""

        def add(function: Answer) -> Answer:
            ROUTES[path] = self.routes[path] = Route(path, self, function, repaired, logs)
            return function

        return add


SERVERS: dict[str, Server] = {}
ROUTES: dict[str, Route] = {}


def servers() -> Iterator[Server]:
    """Yields every server."""
    return iter(SERVERS.values())


def server(name: str) -> Server:
    """Returns the server of that name.

    Raises:
        UnknownNameError: With the nearest match.
    """
    if name not in SERVERS:
        raise unknown("Claw-Eval service", name, SERVERS)
    return SERVERS[name]


def row_table(name: str) -> RowTable:
    """Returns the table of that name, such as gmail.messages.

    Raises:
        UnknownNameError: With the nearest match.
    """
    tables = {table.name: table for each in SERVERS.values() for table in each.tables}
    if name not in tables:
        raise unknown("table", name, tables)
    return tables[name]


def listed(noun: str, rows: "list[Any]", **more: Json) -> Json:
    """Returns a list as servers send it: the rows and how many were sent."""
    return {noun: rows, "total": len(rows), **more}


def chosen(rows: "list[FrozenDict]", **wanted: Json) -> "list[FrozenDict]":
    """Returns the rows whose fields equal what was asked; nothing and "" ask for nothing."""
    asked = [(name, value) for name, value in wanted.items() if value]
    return [row for row in rows if all(row.get(name) == value for name, value in asked)]


def columns(row: FrozenDict, names: tuple[str, ...]) -> dict[str, Json]:
    """Returns some fields of a row; a row without one breaks the server."""
    return {name: row[name] for name in names}


def given(**fields: Json) -> dict[str, Json]:
    """Returns the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}
