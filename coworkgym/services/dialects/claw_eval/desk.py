"""The desk: what a route works with, the rows of its server in one office."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.dialects.claw_eval.rows import append, first
from coworkgym.services.office import Office

if TYPE_CHECKING:
    from coworkgym.services.dialects.claw_eval.server import Server


class Desk:
    """What a route works with: the rows of its server in one office.

    Args:
        office: The office; its clock stands still, so that an episode can be replayed.
        server: Whose rows.
    """

    __slots__ = ("office", "server")

    def __init__(self, office: Office, server: "Server") -> None:
        self.office, self.server = office, server

    @property
    def rows(self) -> list[FrozenDict]:
        """The rows of the server, in order."""
        return list(self.office.world.rows(self.server.table))

    def shelf(self, name: str) -> list[FrozenDict]:
        """The rows of another table of the server, such as web.results."""
        return list(self.office.world.rows(self.server.shelves[name]))

    @property
    def stamp(self) -> str:
        """The moment, as servers write it."""
        return self.office.world.base.start.isoformat()

    @property
    def intended(self) -> bool:
        """Whether the office is served without the faults of the published one."""
        return self.office.dialect.name != "claw_eval"

    def get(self, wanted: str) -> FrozenDict | None:
        """Returns the first row of an id."""
        found = first(self.office.world, self.server.table, wanted)
        return None if found is None else self.office.world.get(self.server.table, found)

    def missing(self, wanted: str) -> Json:
        """Returns the answer for an id that no row has."""
        return {"error": f"{self.server.noun} {wanted} not found"}

    def set(self, wanted: str, fields: Mapping[str, Json]) -> FrozenDict:
        """Sets fields of the first row of an id and returns it."""
        world, table = self.office.world, self.server.table
        found = first(world, table, wanted)
        assert found is not None, "looked up before"
        return world.update(table, found, **fields)

    def add(self, row: Mapping[str, Json]) -> FrozenDict:
        """Adds a row at the end."""
        return append(self.office.world, self.server.table, row)

    def remove(self, wanted: str) -> FrozenDict:
        """Removes the first row of an id and returns it."""
        world, table = self.office.world, self.server.table
        found = first(world, table, wanted)
        assert found is not None, "looked up before"
        row = world.get(table, found)
        assert row is not None
        world.delete(table, found)
        return row

    def note(self, name: str, row: Mapping[str, Json]) -> FrozenDict:
        """Adds a row to a list of the audit."""
        return append(self.office.world, self.server.lists[name], row)
