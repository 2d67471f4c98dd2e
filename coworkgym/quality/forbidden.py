"""Forbidden calls: one call that breaches a gate, found from its statement, tools and records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from coworkgym.envs import Episode
from coworkgym.errors import GraderError
from coworkgym.frozen import FrozenDict, Json, freeze
from coworkgym.rewards import (
    AllOf,
    AnyOf,
    Gate,
    MailOnlyTo,
    Not,
    RecordHas,
    RecordNever,
    Statement,
    ToolCalled,
    ToolNotCalled,
    Untouched,
)
from coworkgym.rewards.checklist import check_gates
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
    "date": ["2030-01-01"],
    "decimal": ["1.00"],
    "start_time": ["2030-01-01T09:00"],
    "end_time": ["2030-01-01T10:00"],
}  # by the name of the parameter, else by its format or type


def replay(task: Task, calls: Iterable[ToolCall]) -> Episode:
    """Returns an episode in which these calls were made, up to its end at most."""
    episode = Episode(task)
    for call in calls:
        if episode.over:
            break
        episode.act(call)
    return episode


class Forbidden(NamedTuple):
    """A forbidden call, and how many calls of the solution come before it."""

    call: ToolCall
    kept: int

    def within(self, solution: Sequence[ToolCall]) -> list[ToolCall]:
        """Returns the solution with the call in its place."""
        return [*solution[: self.kept], self.call, *solution[self.kept :]]


def forbidden(gate: Gate, task: Task) -> Forbidden | None:
    """Returns a call that breaches the gate, and where; see forbidden_call."""
    kept = moment(gate, task)
    ready = replay(task, task.solution[:kept])
    call = breaching_call(gate, Episode(task) if ready.over else ready)
    return None if call is None else Forbidden(call, kept)


def moment(gate: Gate, task: Task) -> int:
    """Returns how many calls of the solution come before a forbidden one.

    That is all but the last; for a gate that is about some stages, all before a reply in one.
    """
    parts = [leaf for leaf in leaves(gate.statement) if isinstance(leaf, ToolNotCalled)]
    stages = {stage for leaf in parts for stage in leaf.stages}
    episode = Episode(task)
    for number, call in enumerate(task.solution[:-1] if stages else ()):
        if episode.over or (call.name == "reply" and episode.office.stage in stages):
            return number
        episode.act(call)
    return max(len(task.solution) - 1, 0)


def forbidden_call(gate: Gate, task: Task) -> ToolCall | None:
    """Returns a call that breaches the gate when it is made before the last reply.

    Of the calls the statement suggests, it is the first that breaches the gate. A call that the
    gate forbids by name is returned even if it does not: then the gate is wired wrongly.

    Args:
        gate: Of a kind that forbids calls, addresses or changes, or made of such.
        task: Whose tools and records are used.

    Returns:
        The call; None when the office offers no way, or for other kinds of statements.
    """
    found = forbidden(gate, task)
    return None if found is None else found.call


def breaching_call(gate: Gate, ready: Episode) -> ToolCall | None:
    """Returns what `forbidden_call` does, for an episode at any moment, which stays as it is."""
    named = None
    for call, counts, breached in _tried(gate, ready):
        if breached:
            return call
        if counts and named is None:
            named = call
    return named if _by_name(gate.statement) else None


def breaching_calls(gate: Gate, ready: Episode) -> Iterator[ToolCall]:
    """Yields every call that the statement of a gate suggests and that breaches it."""
    return (call for call, _, breached in _tried(gate, ready) if breached)


def _tried(gate: Gate, ready: Episode) -> Iterator[tuple[ToolCall, bool, bool]]:
    for leaf in leaves(gate.statement):
        for call in _suspects(leaf, ready.task):
            yield call, *_try(gate, ready.fork(), call)


def _try(gate: Gate, episode: Episode, call: ToolCall) -> tuple[bool, bool]:
    """Whether the gate has to look at the call at all, and whether the call breaches it."""
    error = episode.act(call).error
    counts = error is None or (gate.counts == "attempt" and episode.office.log[-1].valid)
    try:
        return counts, check_gates([gate], episode.evidence())[0].breached
    except GraderError:
        return False, False


def _by_name(statement: Statement) -> bool:
    """Whether each single call that the statement suggests must breach it."""
    if isinstance(statement, AllOf):
        return all(map(_by_name, statement.parts))
    if isinstance(statement, Not):
        return isinstance(statement.part, ToolCalled) and statement.part.at_least == 1
    return isinstance(statement, ToolNotCalled | MailOnlyTo)


def leaves(statement: Statement) -> Iterator[Statement]:
    """Yields what a statement is made of, down to what is not made of statements."""
    if isinstance(statement, Not):
        yield from leaves(statement.part)
    elif isinstance(statement, AllOf | AnyOf):
        for part in statement.parts:
            yield from leaves(part)
    else:
        yield statement


def _suspects(statement: Statement, task: Task) -> Iterator[ToolCall]:
    """Yields calls that may breach a statement without parts, the likeliest first."""
    if isinstance(statement, ToolNotCalled | ToolCalled):
        named = statement.tools if isinstance(statement, ToolNotCalled) else [statement.tool]
        for name in named:
            yield from valid_calls(task, name, statement.arguments)
    elif isinstance(statement, MailOnlyTo):
        for name in SENDING:
            yield from valid_calls(task, name, {"to": _outsider(statement)})
    elif isinstance(statement, Untouched):
        yield from _writes(task, statement.tables, {}, statement.except_ids)
    elif isinstance(statement, RecordNever):
        about = {table(statement.table).key: {"one_of": statement.ids}} if statement.ids else {}
        yield from _writes(task, [statement.table], statement.fields | about, ())
    elif isinstance(statement, RecordHas):
        given = {table(statement.table).key: statement.id}
        yield from _writes(task, [statement.table], given, ())


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
