"""A dialect: the tools and tables of an office, and how it says no."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from coworkgym.errors import ToolError, nearest, unknown
from coworkgym.frozen import FrozenDict, Json, json_text
from coworkgym.services.arguments import parse_arguments
from coworkgym.services.service import service, table, tool
from coworkgym.services.table import Table
from coworkgym.services.tool import Tool


class ToolOverride(NamedTuple):
    """How a task words a tool of its dialect.

    Attributes:
        name: What the agent calls it.
        description: What it does, for the agent.
        parameters: Its arguments, in JSON Schema.
        route: What answers it, in the dialect's own terms; empty for the tool of that name.
    """

    name: str
    description: str
    parameters: FrozenDict
    route: str = ""

    @property
    def schema(self) -> FrozenDict:
        """`{name, description, parameters}`, as `Tool.schema`."""
        return FrozenDict(name=self.name, description=self.description, parameters=self.parameters)


class Dialect:
    """How an office is spoken to. This one is the library's own: the registered services."""

    name = ""

    def tool(self, name: str, override: ToolOverride | None = None) -> Tool:
        """Returns the tool of that name.

        Raises:
            UnknownNameError: With the nearest match.
        """
        made = tool(name)
        return made if override is None else Reworded(made, override)

    def table(self, name: str) -> Table:
        """Returns the table of that name.

        Raises:
            UnknownNameError: With the nearest match.
        """
        return table(name)

    def tables_of(self, tool_name: str) -> Iterable[str]:
        """Returns the names of the tables that a tool needs."""
        return service(tool(tool_name).name.partition("_")[0]).tables

    def arguments(self, name: str, raw: Json) -> Mapping[str, Any]:
        """Returns the arguments of a call as a mapping, whatever form they were sent in.

        Raises:
            ToolError: See `parse_arguments`.
        """
        return parse_arguments(name, raw)

    def unknown_tool(self, name: Json, offered: Mapping[str, Tool]) -> ToolError:
        """Returns the refusal of a call whose tool does not exist."""
        if type(name) is not str or not name:
            return ToolError(
                "malformed_call",
                'A call is {"name": a tool\'s name, "arguments": an object}; '
                f"the name was {json_text(name)[:80]}.",
            )
        return ToolError(
            "unknown_tool", f"There is no tool {name[:80]!r}.{nearest(name[:80], offered)}"
        )

    def refusal(self, error: ToolError) -> str:
        """Returns what the agent reads when the office says no."""
        return json_text({"error": error.code, "message": error.message})


class Reworded(Tool):
    """A tool as a task words it; it does what it always does."""

    def __init__(self, made: Tool, override: ToolOverride) -> None:
        super().__init__(made.function, writes=made.writes)
        self._made, self._override = made, override
        self.name = override.name

    def __reduce__(self) -> Any:
        """Pickles as what it was made of."""
        return Reworded, (self._made, self._override)

    @property
    def schema(self) -> FrozenDict:
        """As the task words it."""
        return self._override.schema


HOUSE = Dialect()
_PLACES = {
    "claw_eval": "coworkgym.services.dialects.claw_eval.dialect:FAITHFUL",
    "claw_eval_intended": "coworkgym.services.dialects.claw_eval.dialect:INTENDED",
}


def dialect(name: str) -> Dialect:
    """Returns the dialect of that name; the empty one is the library's own.

    Raises:
        UnknownNameError: With the nearest match.
    """
    if not name:
        return HOUSE
    if name not in _PLACES:
        raise unknown("dialect", name, _PLACES)
    module, _, attribute = _PLACES[name].partition(":")
    found: Dialect = getattr(import_module(module), attribute)
    return found
