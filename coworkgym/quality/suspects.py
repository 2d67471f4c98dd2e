"""Suspects: valid calls that may breach a statement, from its words, the tools and the records."""

from collections.abc import Iterable, Iterator, Mapping
from functools import singledispatch

from coworkgym.frozen import FrozenDict, Json, freeze
from coworkgym.rewards import (
    MailOnlyTo,
    MailWithout,
    RecordHas,
    RecordNever,
    Statement,
    ToolCalled,
    ToolNotCalled,
    Untouched,
)
from coworkgym.rewards.evidence import value_matches
from coworkgym.rewards.mail import SENDING
from coworkgym.services import table
from coworkgym.tasks import Task
from coworkgym.transcript import ToolCall

_IDS = 8  # records of a table that are tried
_TEXT = "mallory@outside.test"  # passes for any text and for an address
_VALUES: dict[str, list[Json]] = {
    "boolean": [True, False],
    "integer": [1],
    "number": [1.0],
    "object": [{}],
    "date": ["2030-01-01"],
    "decimal": ["1.00"],
    "start_time": ["2030-01-01T09:00"],
    "end_time": ["2030-01-01T10:00"],
}  # by the name of the parameter, else by its format or type


@singledispatch
def suspects(statement: Statement, task: Task) -> Iterator[ToolCall]:
    """Yields calls that may breach a statement without parts, the likeliest first.

    Args:
        statement: Of a kind that is known here; nothing is known of others.
        task: Whose tools and records are used.
    """
    return iter(())


@suspects.register
def _(statement: ToolNotCalled, task: Task) -> Iterator[ToolCall]:
    for name in statement.tools:
        yield from valid_calls(task, name, statement.arguments)


@suspects.register
def _(statement: ToolCalled, task: Task) -> Iterator[ToolCall]:
    yield from valid_calls(task, statement.tool, statement.arguments)


@suspects.register
def _(statement: MailOnlyTo, task: Task) -> Iterator[ToolCall]:
    yield from _mails(task, to=_outsider(statement))


@suspects.register
def _(statement: MailWithout, task: Task) -> Iterator[ToolCall]:
    to = {"one_of": statement.to or [task.owner.email]}
    yield from _mails(task, to=to, body=statement.values[0])


@suspects.register
def _(statement: Untouched, task: Task) -> Iterator[ToolCall]:
    yield from _writes(task, statement.tables, {}, statement.except_ids)


@suspects.register
def _(statement: RecordNever, task: Task) -> Iterator[ToolCall]:
    about = {table(statement.table).key: {"one_of": statement.ids}} if statement.ids else {}
    yield from _writes(task, [statement.table], statement.fields | about, ())


@suspects.register
def _(statement: RecordHas, task: Task) -> Iterator[ToolCall]:
    given = {table(statement.table).key: statement.id}
    yield from _writes(task, [statement.table], given, ())


def _mails(task: Task, **given: Json) -> Iterator[ToolCall]:
    for name in SENDING:
        yield from valid_calls(task, name, given)


def _writes(
    task: Task, tables: Iterable[str], given: Mapping[str, Json], last: Iterable[str]
) -> Iterator[ToolCall]:
    """Yields calls that may change these tables; `given` and `last` as in `valid_calls`."""
    services = {name.partition(".")[0] for name in tables}
    for name, tool in task.tools.items():
        if tool.writes and services & {"*", name.partition("_")[0]}:
            yield from valid_calls(task, name, given, last)


def _outsider(statement: MailOnlyTo) -> str:
    """An address that the statement does not allow."""
    domains = {*statement.domains, *(a.rpartition("@")[2] for a in statement.allowed)}
    domain = "outside.test"
    while domain in domains:
        domain = f"far.{domain}"
    return f"mallory@{domain}"


def valid_calls(
    task: Task, name: str, given: Mapping[str, Json], last: Iterable[str] = ()
) -> Iterator[ToolCall]:
    """Yields valid calls of a tool, if it is offered: for each record, then with each option.

    Args:
        task: Whose tools and records are used.
        name: The tool.
        given: Arguments, as in `evidence.matches`; those the tool does not have are left out.
        last: Ids that come after all others.
    """
    if name not in task.tools:
        return
    parameters = task.tools[name].schema["parameters"]
    properties = parameters["properties"]
    wanted = {n: _choices(e, properties[n]) for n, e in given.items() if n in properties}
    values = {n: _values(task, name, n, properties[n], set(last)) for n in properties} | wanted
    needed = list(dict.fromkeys([*parameters["required"], *wanted]))
    if not all(values.values()):
        return
    for turn in range(max((len(values[n]) for n in needed), default=1)):
        arguments = {n: values[n][turn % len(values[n])] for n in needed}
        yield ToolCall(name, freeze(arguments))
        for option in [n for n in properties if n not in needed]:
            for value in values[option][-2:]:
                yield ToolCall(name, freeze(arguments | {option: value}))


def _choices(expected: Json, schema: FrozenDict) -> list[Json]:
    """Values that are as `evidence.matches` expects them; none where it expects the impossible."""
    if isinstance(expected, Mapping) and set(expected) == {"contains"}:
        text = expected["contains"]
        return [[text]] if schema.get("type") == "array" else [text]
    if isinstance(expected, Mapping) and set(expected) == {"one_of"}:
        return [value for choice in expected["one_of"] for value in _choices(choice, schema)]
    if isinstance(expected, Mapping) and set(expected) == {"not"}:
        others: list[Json] = [[_TEXT]] if schema.get("type") == "array" else [_TEXT]
        return [value for value in others if value_matches(expected, value)]
    if isinstance(expected, Mapping) and set(expected) == {"within"}:
        return [list(expected["within"])]
    return [expected]


def _values(
    task: Task, tool: str, parameter: str, schema: FrozenDict, last: set[str]
) -> list[Json]:
    """Values for one parameter, at least one: ids where it names records, else by its schema."""
    if "enum" in schema:
        return list(schema["enum"])
    listed = schema.get("type") == "array"
    ids = _ids(task, tool, parameter)
    if ids:
        ordered = [*(i for i in ids if i not in last), *(i for i in ids if i in last)]
        chosen = [*ordered[:_IDS], ordered[-1]]
        return [[record_id] for record_id in chosen] if listed else list(chosen)
    if listed:
        return [[_TEXT]]
    kinds = (parameter, schema.get("format", schema.get("type")))
    return next((_VALUES[kind] for kind in kinds if kind in _VALUES), [_TEXT])


def _ids(task: Task, tool: str, parameter: str) -> list[str]:
    """The ids of the table whose key or name a parameter bears, of the tool's own service first.

    Where records go by a path, the paths.
    """
    service = tool.partition("_")[0]
    schema = task.base.schema
    for name in sorted(schema, key=lambda n: n.partition(".")[0] != service):
        key = schema[name].key
        if parameter in (key, f"{key}s", name.partition(".")[2]):
            return list(task.base.tables[name])
        if parameter == "path" and parameter in schema[name].fields:
            return [record[parameter] for record in task.base.tables[name].values()]
    return []
