"""The office: world, tools, clock and audit log; where calls are validated, run and logged."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json, JsonText, admit, json_text
from coworkgym.services.dialects.dialect import HOUSE, Dialect
from coworkgym.services.faults import KINDS, MESSAGES, Faults
from coworkgym.services.instants import local_date
from coworkgym.services.paging import page
from coworkgym.services.table import Table
from coworkgym.services.tool import Tool
from coworkgym.services.world import Change, World
from coworkgym.transcript import ToolCall, ToolResult

MALFORMED = frozenset(
    {
        "malformed_call", "unknown_tool", "invalid_json", "incomplete_json",
        "missing_argument", "unknown_argument", "invalid_argument",
    }
)  # fmt: skip
"""Error codes of calls that never reached a tool: no attempt at anything."""


class Event(NamedTuple):
    """One line of the audit log.

    Attributes:
        step: Number of the call in the episode, from 1; 0 for what the system did.
        stage: Stage of the task, from 0.
        interface: How the office was reached, such as function.
        actor: agent, user or system.
        name: The tool's name.
        arguments: As converted, defaults filled in; as sent when the call was malformed.
        raw: The arguments as sent.
        result: What was answered, as compact JSON text.
        error: The error's code, or None.
        changes: The records changed, in order; after an accepted time-out beside an error.
    """

    step: int
    stage: int
    interface: str
    actor: str
    name: str
    arguments: FrozenDict
    raw: Json
    result: str
    error: str | None
    changes: tuple[Change, ...]

    @property
    def valid(self) -> bool:
        """Whether the call reached its tool, even if the office then refused it."""
        return self.error not in MALFORMED


@Tool
def reply(office: "Office", text: str) -> Json:
    """Answer the person who asked: what you found and what you did.

    Args:
        text: The answer.
    """
    return {"delivered": True}


class Owner(NamedTuple):
    """Whom the agent works for: the owner of the mailbox and the author of what is written."""

    name: str
    email: str


class Office:
    """A running office. `call` is the one place where calls are validated, run and logged.

    Args:
        world: The records; owned by this office from now on.
        tools: What the agent may call, by name; `reply` is always there.
        zone: IANA zone of the office.
        owner: Whom the agent works for.
        faults: Which calls fail; by default none. Replies never do.
        dialect: How it is spoken to; by default our own.
    """

    __slots__ = ("dialect", "faults", "log", "owner", "stage", "step", "tools", "world", "zone")

    def __init__(
        self,
        world: World,
        tools: Mapping[str, Tool],
        zone: str,
        owner: Owner,
        faults: Faults | None = None,
        dialect: Dialect = HOUSE,
    ) -> None:
        self.dialect = dialect
        self.faults = faults
        self.world = world
        self.tools = tools
        self.zone = zone
        self.owner = owner
        self.log: list[Event] = []
        self.stage = 0
        self.step = 0

    @property
    def now(self) -> datetime:
        """The office clock, aware, UTC."""
        return self.world.now

    @property
    def today(self) -> date:
        """The calendar day in the office's zone."""
        return local_date(self.world.now, self.zone)

    def fork(self) -> "Office":
        """Returns an independent office in the same state."""
        twin = Office(
            self.world.fork(), self.tools, self.zone, self.owner, self.faults, self.dialect
        )
        twin.log = self.log.copy()
        twin.stage = self.stage
        twin.step = self.step
        return twin

    def call(
        self, call: ToolCall, *, interface: str = "function", actor: str = "agent"
    ) -> ToolResult:
        """Runs one call and logs it. A call that fails, in whatever way, changes no record.

        Only a programming error in a tool raises; everything an agent can send is answered.
        """
        self.step += 1
        name, raw = map(admit, call)
        arguments: Mapping[str, Any] = {}
        try:
            arguments = self.dialect.arguments(name, raw)
            tool = self._tool(name)
            arguments = tool.validate(arguments)
            content, error = self._run(tool, arguments)
        except ToolError as refusal:
            self.world.rollback()
            content, error = self.dialect.refusal(refusal), refusal.code
        except BaseException:
            self.world.rollback()
            self.step -= 1
            raise
        changes = self.world.commit()
        label = name if type(name) is str else json_text(name)
        logged = arguments if type(arguments) is FrozenDict else admit(arguments)
        self.log.append(
            Event(self.step, self.stage, interface, actor, label, logged, raw,
                  content, error, changes)
        )  # fmt: skip
        return ToolResult(content, error)

    def _run(self, tool: Tool, arguments: Mapping[str, Any]) -> tuple[str, str | None]:
        """Runs a tool, unless a fault comes first; a fault may also hide that it was run."""
        if self.faults is None or tool is reply:
            return json_text(tool.function(self, **arguments)), None
        fault = self.faults.of_call(self.step)
        code = "" if fault is None else KINDS[fault]
        if code and fault != "accepted_timeout":
            raise ToolError(code, MESSAGES[code])
        content = json_text(tool.function(self, **arguments))
        if code:
            return self.dialect.refusal(ToolError(code, MESSAGES[code])), code
        return content, None

    def _tool(self, name: str) -> Tool:
        if type(name) is not str or name not in self.tools:
            raise self.dialect.unknown_tool(name, self.tools)
        return self.tools[name]

    def change(self, table: Table, record_id: str, fields: Mapping[str, Json] | None) -> None:
        """Changes, creates or (None) deletes a record as the system actor, silently and logged.

        An initial record that the agent has deleted comes back, changed.
        """
        after = None
        if fields is not None:
            initial = self.world.base.tables[table.name].get(record_id)
            before = self.world.get(table, record_id) or initial or {table.key: record_id}
            after = table.validate({**before, **fields})
        self.world.put(table.name, record_id, after)
        changes = self.world.commit(tick=False)
        event = Event(
            0, self.stage, "system", "system", "change", FrozenDict(), None, "", None, changes
        )
        self.log.append(event)

    def record(self, table: Table, record_id: str) -> FrozenDict:
        """Returns the record of that id.

        Raises:
            ToolError: `not_found`.
        """
        record = self.world.get(table, record_id)
        if record is None:
            raise ToolError("not_found", f"There is no {table.noun} {record_id!r}.")
        return record

    def edit(self, table: Table, record_id: str, **given: Json) -> FrozenDict:
        """Sets the fields that were given, those not None, and returns the record.

        Raises:
            ToolError: `not_found`.
        """
        self.record(table, record_id)
        changed = {name: value for name, value in given.items() if value is not None}
        return self.world.update(table, record_id, **changed)

    def read(self, table: Table, record_id: str) -> Json:
        """Returns a record in full as the agent reads it.

        The text of an initial record is kept with the base world: every episode of a task reads
        the same records.

        Raises:
            ToolError: `not_found`.
        """
        record = self.record(table, record_id)
        base = self.world.base
        if record is not base.tables[table.name].get(record_id):
            return self.show(table, record)
        key = (table.name, record_id, self.zone)
        text = base.rendered.get(key)
        if text is None:
            text = base.rendered[key] = JsonText(json_text(self.show(table, record)))
        return text

    def show(self, table: Table, record: FrozenDict) -> dict[str, Any]:
        """Returns a record as the agent reads it; see Table.show."""
        return table.show(record, self.zone)

    def listing(
        self,
        table: Table,
        rows: Sequence[FrozenDict],
        columns: tuple[str, ...],
        *,
        limit: int,
        cursor: str | None,
        scope: Json,
        limit_name: str = "limit",
    ) -> dict[str, Any]:
        """Returns one page of records, cut to `columns`; see `paging.page`."""
        chosen, facts = page(table, rows, limit, cursor, scope, limit_name)
        shown = [table.show_columns(row, columns, self.zone) for row in chosen]
        return {table.name.partition(".")[2]: shown, **facts}
