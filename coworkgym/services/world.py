"""The world: all records at one moment, a frozen base shared by every episode plus own changes."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from coworkgym.errors import TaskError
from coworkgym.frozen import FrozenDict, Json, JsonText, freeze, json_text
from coworkgym.services.instants import format_instant
from coworkgym.services.table import Table

WRITE_SECONDS = 30  # how far the office clock moves on a call that changed something

Rows = Mapping[str, FrozenDict]


class Change(NamedTuple):
    """One record before and after; None where it did not exist."""

    table: str
    id: str
    before: FrozenDict | None
    after: FrozenDict | None


class BaseWorld:
    """The initial records of a task: read-only, shared between all its episodes.

    Args:
        tables: Validated records of each table (see Table.validate), in record order.
        start: The moment at which the task begins, aware.

    Raises:
        TaskError: For two records with one id in a table.
    """

    def __init__(self, tables: Mapping[Table, Iterable[FrozenDict]], start: datetime) -> None:
        self.start = start
        self.schema = {table.name: table for table in tables}
        self.tables = {table.name: _index(table, rows) for table, rows in tables.items()}
        # What agents have read; see Office.read.
        self.rendered: dict[tuple[str, str, str], JsonText] = {}

    @cached_property
    def digest(self) -> str:
        """Hash over all initial records."""
        return _hash([[name, list(rows.values())] for name, rows in sorted(self.tables.items())])

    @cached_property
    def highest(self) -> dict[str, int]:
        """The highest number in use in the ids of each table."""
        return {name: _highest_number(rows) for name, rows in self.tables.items()}

    @cached_property
    def places(self) -> dict[str, dict[str, int]]:
        """The place of each record in its table."""
        return {
            name: {record_id: place for place, record_id in enumerate(rows)}
            for name, rows in self.tables.items()
        }


class World:
    """All records at one moment. Forks, snapshots and diffs cost as much as has changed."""

    __slots__ = ("_before", "_created", "_overlay", "_seconds", "base", "journal")

    def __init__(self, base: BaseWorld) -> None:
        self.base = base
        self.journal: list[Change] = []  # the changes of the call that is running
        self._overlay: dict[str, dict[str, FrozenDict | None]] = {}
        self._created: dict[str, int] = {}
        self._seconds = 0
        self._before: tuple[dict[str, dict[str, FrozenDict | None]], dict[str, int]] | None = None

    @property
    def now(self) -> datetime:
        """The office clock, aware, UTC: the reference date plus 30 s for each write so far."""
        return self.base.start + timedelta(seconds=self._seconds)

    @property
    def now_text(self) -> str:
        """The office clock as UTC text."""
        return format_instant(self.now)

    def __contains__(self, table: Table) -> bool:
        """Whether the office keeps this table at all."""
        return table.name in self.base.tables

    def get(self, table: Table, record_id: str) -> FrozenDict | None:
        """Returns the record, or None."""
        overlay = self._overlay.get(table.name)
        if overlay is not None and record_id in overlay:
            return overlay[record_id]
        return self.base.tables[table.name].get(record_id)

    def rows(self, table: Table) -> Iterable[FrozenDict]:
        """Returns the records in record order: the initial ones, then those created."""
        base = self.base.tables[table.name]
        overlay = self._overlay.get(table.name)
        if not overlay:
            return base.values()
        kept = (overlay.get(record_id, row) for record_id, row in base.items())
        made = (row for record_id, row in overlay.items() if record_id not in base)
        return [row for group in (kept, made) for row in group if row is not None]

    def insert(self, table: Table, **fields: Json) -> FrozenDict:
        """Creates a record with a generated id and returns it."""
        self._open()
        record_id = ""
        while not record_id or self.knows(table, record_id):
            number = self._created.get(table.name, 0) + 1
            self._created[table.name] = number
            record_id = f"{table.prefix}{self.base.highest[table.name] + number}"
        record = table.validate({table.key: record_id, **fields})
        self.put(table.name, record_id, record)
        return record

    def update(self, table: Table, record_id: str, **fields: Json) -> FrozenDict:
        """Sets fields of an existing record and returns the new record.

        Raises:
            KeyError: When there is no such record; tools look it up first.
        """
        before = self.get(table, record_id)
        if before is None:
            raise KeyError(f"{table.name} has no record {record_id!r}")
        after = FrozenDict(before | {name: freeze(value) for name, value in fields.items()})
        if after == before:
            return before
        self.put(table.name, record_id, after)
        return after

    def delete(self, table: Table, record_id: str) -> None:
        """Removes a record."""
        self.put(table.name, record_id, None)

    def put(self, table: str, record_id: str, after: FrozenDict | None) -> None:
        """Sets, creates or (None) removes a record that has been validated."""
        self._open()
        overlay = self._overlay.setdefault(table, {})
        initial = self.base.tables[table].get(record_id)
        before = overlay[record_id] if record_id in overlay else initial
        if after == before:
            return
        if after == initial:
            overlay.pop(record_id, None)
        else:
            overlay[record_id] = after
        self.journal.append(Change(table, record_id, before, after))

    def _open(self) -> None:
        """Keeps the state before the first write of a call."""
        if self._before is None:
            kept = {name: rows.copy() for name, rows in self._overlay.items()}
            self._before = (kept, self._created.copy())

    def knows(self, table: Table, record_id: str) -> bool:
        """Whether an id is in use, or was."""
        name = table.name
        return record_id in self.base.tables[name] or record_id in self._overlay.get(name, ())

    def commit(self, *, tick: bool = True) -> tuple[Change, ...]:
        """Closes one call: returns its changes and, if there are any, moves the clock.

        Args:
            tick: Whether the clock moves; what the system does takes no time.
        """
        if self._before is None:
            return ()
        self._before = None
        changes, self.journal = tuple(self.journal), []
        self._seconds += WRITE_SECONDS if changes and tick else 0
        return changes

    def rollback(self) -> None:
        """Undoes the call that is running: a failed call changes nothing."""
        if self._before is not None:
            self._overlay, self._created = self._before
            self._before = None
            self.journal = []

    def advance(self, moment: datetime) -> None:
        """Moves the clock forward to `moment`; it never goes back."""
        self._seconds = max(self._seconds, int((moment - self.base.start).total_seconds()))

    def fork(self) -> "World":
        """Returns an independent world in the same state."""
        twin = World(self.base)
        twin.restore(self)
        return twin

    snapshot = fork

    def restore(self, snapshot: "World") -> None:
        """Takes over the state of a snapshot of the same base; the snapshot stays usable."""
        if snapshot.base is not self.base:
            raise TaskError("cannot restore a snapshot of another task's world")
        self._overlay = {name: rows.copy() for name, rows in snapshot._overlay.items()}
        self._created = snapshot._created.copy()
        self._seconds = snapshot._seconds
        self._before = None
        self.journal = []

    def diff(self) -> list[Change]:
        """Returns every record that differs from the initial world, in table and record order."""
        changes = []
        for name, rows in self.base.tables.items():
            places = self.base.places[name] if self._overlay.get(name) else {}
            changed = sorted(self._overlay.get(name, {}), key=lambda i, p=places: p.get(i, len(p)))  # type: ignore[misc]
            changes += [Change(name, i, rows.get(i), self._overlay[name][i]) for i in changed]
        return changes

    def changes_digest(self) -> str:
        """Hash over what differs from the initial world.

        Generated ids, stamped times and the clock stay out, so that reads, and independent calls
        in another order, leave it alone.
        """
        if not any(self._overlay.values()):
            return "unchanged"
        return _hash(_canonical(self.diff(), self.base.schema))

    def digest(self) -> str:
        """Hash over all records: the initial ones and what differs from them."""
        return _hash([self.base.digest, self.changes_digest()])


def _index(table: Table, rows: Iterable[FrozenDict]) -> Rows:
    index: dict[str, FrozenDict] = {}
    for record in rows:
        record_id = table.id_of(record, index.__contains__)
        if record_id in index:
            raise TaskError(f"{table.name} has two records with the id {record_id!r}")
        index[record_id] = record
    return index


def _highest_number(ids: Iterable[str]) -> int:
    numbers = (re.search(r"(\d{1,9})$", record_id) for record_id in ids)
    return max((int(match[1]) for match in numbers if match), default=0)


def _canonical(changes: Iterable[Change], schema: Mapping[str, Table]) -> list[str]:
    """Changes as sorted text; a created record is named by its content, wherever its id occurs."""
    names: dict[str, Json] = {c.id: c.table for c in changes if c.before is None}
    for _ in range(2):  # once for contents, once for contents that name other created records
        names = {c.id: _content(c, schema, names) for c in changes if c.id in names}
    return sorted(_content(change, schema, names) for change in changes)


def _content(change: Change, schema: Mapping[str, Table], names: Mapping[str, Json]) -> str:
    table = schema[change.table]
    own = {table.key} if change.id in names else set()
    lasting = {} if change.after is None else table.lasting(change.after)
    after = {f: _renamed(value, names) for f, value in lasting.items() if f not in own}
    return _hash([change.table, None if own else change.id, change.after is not None, after])


def _renamed(value: Json, names: Mapping[str, Json]) -> Json:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, dict):
        return {key: _renamed(item, names) for key, item in value.items()}
    return value


def _hash(value: Json) -> str:
    return hashlib.blake2b(json_text(value).encode(), digest_size=12).hexdigest()
