"""Endpoints: the tools of a task, each a name and a schema in front of a route."""

from collections.abc import Mapping
from typing import Any

from coworkgym.frozen import FrozenDict, Json, JsonText
from coworkgym.services.dialects.claw_eval.server import (
    ROUTES,
    HttpError,
    Route,
    Server,
)
from coworkgym.services.dialects.dialect import ToolOverride
from coworkgym.services.office import Office
from coworkgym.services.tool import Tool

NO_ROUTE = '{"detail": "Not Found"}'


class Endpoint(Tool):
    """A tool as a task of Claw-Eval offers it.

    Args:
        override: Name, schema and path.
    """

    def __init__(self, override: ToolOverride) -> None:
        self.name = override.name
        self.override = override
        self.__module__ = type(self).__module__
        self.writes = True

    def __reduce__(self) -> Any:
        """Pickles as what it was made of."""
        return type(self), (self.override,)

    @property
    def route(self) -> Route | None:
        """What answers; None for a path that the servers do not have."""
        found = ROUTES.get(self.override.route)
        return None if found is None or found.repaired else found

    @property
    def server(self) -> Server | None:
        """Whose route it is."""
        return None if self.route is None else self.route.server

    @property
    def schema(self) -> FrozenDict:
        """As the task words it."""
        return self.override.schema

    @property
    def description(self) -> str:
        """As the task words it."""
        return self.override.description

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The arguments that the task declares, by name."""
        declared: Mapping[str, Any] = self.override.parameters.get("properties", {})
        return declared

    def validate(self, arguments: Mapping[str, Json]) -> Mapping[str, Any]:
        """Returns the arguments as the route takes them.

        Raises:
            HttpError: 404 where no route answers, 422 for a body that does not fit.
        """
        if self.route is None:
            raise HttpError("no_route", NO_ROUTE)
        return self.route.validate(arguments)

    def function(self, office: Office, **arguments: Any) -> Json:
        """Returns what the route answers."""
        assert self.route is not None, "validated before"
        return JsonText(self.route.answer(office, arguments))


def status_of(error: str | None) -> int:
    """Returns the HTTP status of an answer, by the code of its refusal."""
    return _STATUS.get(error or "", 422)


_STATUS = {
    "": 200, "bad_request": 400, "no_route": 404, "unknown_tool": 404, "not_found": 404,
    "rate_limited": 429, "server_error": 500,
}  # fmt: skip
