"""Rows: records kept as they came, of any keys, under ids that may repeat."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ConfigDict

from coworkgym.frozen import FrozenDict, Json, freeze
from coworkgym.services.table import Record, Table
from coworkgym.services.world import World

STAMPED = frozenset({"timestamp", "created_at", "last_updated"})


class AnyRow(Record):
    """A row of a fixture: any keys."""

    model_config = ConfigDict(extra="allow")


class RowTable(Table):
    """A list of rows of a server, in order.

    The first row of an id is kept under that id, the next under `id (2)`, and so on; what was
    deleted keeps its place in that count, so that the order of rows is that of a list.
    """

    def __init__(self, name: str, key: str) -> None:
        super().__init__(name, AnyRow, key=key, prefix="")

    def __reduce__(self) -> tuple[Callable[[str], Table], tuple[str]]:
        """Pickles by name."""
        from coworkgym.services.dialects.claw_eval.server import row_table

        return row_table, (self.name,)

    def validate(self, row: Mapping[str, Any]) -> FrozenDict:
        """Returns the row, read-only."""
        frozen: FrozenDict = freeze(dict(row))
        return frozen

    def id_of(self, record: Mapping[str, Any], taken: Callable[[str], bool]) -> str:
        """Returns the id to keep a row under: its own, with a number after it when it is taken."""
        own = record.get(self.key)
        return fresh(own if isinstance(own, str) else "row", taken)

    @property
    def fields(self) -> tuple[str, ...]:
        """None: rows have the keys they came with."""
        return ()

    @property
    def volatile(self) -> frozenset[str]:
        """What servers stamp by themselves."""
        return STAMPED

    def lasting(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a row without what servers stamp by themselves."""
        return {name: value for name, value in record.items() if name not in STAMPED}

    def show(self, record: Mapping[str, Any], zone: str) -> dict[str, Any]:
        """Returns the row as it is."""
        return dict(record)


def fresh(own: str, taken: Callable[[str], bool]) -> str:
    """Returns an id, with a number after it when it is or was taken."""
    record_id, n = own, 1
    while taken(record_id):
        n += 1
        record_id = f"{own} ({n})"
    return record_id


def first(world: World, table: RowTable, wanted: str) -> str | None:
    """Returns what the first row of an id is kept under; None when there is no such row."""
    record_id, n = wanted, 1
    while world.knows(table, record_id):
        if world.get(table, record_id) is not None:
            return record_id
        n += 1
        record_id = f"{wanted} ({n})"
    return None


def append(world: World, table: RowTable, row: Json) -> FrozenDict:
    """Adds a row at the end and returns it."""
    record = table.validate(row)
    record_id = table.id_of(record, lambda name: world.knows(table, name))
    world.put(table.name, record_id, record)
    return record
