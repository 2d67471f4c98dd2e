"""Services: simulated office applications, each a name with tables and tools."""

from collections.abc import Callable, Iterator
from typing import overload

from coworkgym.errors import unknown
from coworkgym.services.table import Record, Table
from coworkgym.services.tool import Function, Tool


class Service:
    """A simulated office application. One file each: records, tables, tools.

    Args:
        name: One word; the tables and tools carry it as their first part.

    Raises:
        ValueError: When a service of this name exists already.
    """

    def __init__(self, name: str) -> None:
        if name in _SERVICES:
            raise ValueError(f"service {name!r} is registered twice")
        self.name = name
        self.tables: dict[str, Table] = {}
        self.tools: dict[str, Tool] = {}
        _SERVICES[name] = self

    def table(self, noun: str, model: type[Record], *, key: str, prefix: str) -> Table:
        """Adds and returns the table `name.noun`; see Table."""
        table = Table(f"{self.name}.{noun}", model, key=key, prefix=prefix)
        self.tables[table.name] = table
        return table

    @overload
    def tool(self, function: Function) -> Tool: ...
    @overload
    def tool(self, *, writes: bool) -> Callable[[Function], Tool]: ...

    def tool(
        self, function: Function | None = None, *, writes: bool = False
    ) -> Tool | Callable[[Function], Tool]:
        """Decorates a function as a tool of this service; see Tool.

        Raises:
            ValueError: When the function's name does not start with the service's.
        """

        def add(decorated: Function) -> Tool:
            made = Tool(decorated, writes=writes)
            if not made.name.startswith(f"{self.name}_") or made.name in self.tools:
                raise ValueError(f"tool {made.name!r} must be a new name {self.name}_verb_noun")
            self.tools[made.name] = made
            return made

        return add if function is None else add(function)


_SERVICES: dict[str, Service] = {}


def services() -> Iterator[Service]:
    """Yields every registered service, in order of registration."""
    return iter(_SERVICES.values())


def service(name: str) -> Service:
    """Returns the service of that name.

    Raises:
        UnknownNameError: With the nearest match.
    """
    if name not in _SERVICES:
        raise unknown("service", name, _SERVICES)
    return _SERVICES[name]


def table(name: str) -> Table:
    """Returns the table of that name, such as helpdesk.tickets.

    Raises:
        UnknownNameError: With the nearest match.
    """
    tables = service(name.partition(".")[0]).tables
    if name not in tables:
        raise unknown("table", name, tables)
    return tables[name]


def tool(name: str) -> Tool:
    """Returns the tool of that name, such as helpdesk_get_ticket.

    Raises:
        UnknownNameError: With the nearest match.
    """
    for owner in _SERVICES.values():
        if name in owner.tools:
            return owner.tools[name]
    raise unknown("tool", name, (tool for owner in _SERVICES.values() for tool in owner.tools))
