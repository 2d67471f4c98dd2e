"""The two dialects: `claw_eval` answers as published, `claw_eval_intended` without the faults."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from coworkgym.errors import TaskError, ToolError
from coworkgym.frozen import FrozenDict, Json, admit
from coworkgym.services.dialects.claw_eval import (  # noqa: F401  each registers its server
    calendar,
    config,
    contacts,
    crm,
    finance,
    helpdesk,
    inventory,
    kb,
    mail,
    notes,
    recorded,
    rss,
    scheduler,
    todo,
    web,
)
from coworkgym.services.dialects.claw_eval.endpoint import Endpoint, status_of
from coworkgym.services.dialects.claw_eval.repaired import Repaired
from coworkgym.services.dialects.claw_eval.server import HttpError, body_text, row_table
from coworkgym.services.dialects.dialect import Dialect, ToolOverride
from coworkgym.services.table import Table
from coworkgym.services.tool import Tool
from coworkgym.transcript import ToolResult

_INJECTED = {
    "rate_limited": {
        "error": "rate_limit_exceeded",
        "message": "Too many requests. Please retry after a short delay.",
        "retry_after_seconds": 2,
    },
    "server_error": {
        "error": "internal_server_error",
        "message": "An unexpected error occurred. Please try again.",
    },
}


class ClawEval(Dialect):
    """Claw-Eval's mock services.

    Args:
        name: Of the dialect.
        endpoint: What stands in front of the routes.
    """

    def __init__(self, name: str, endpoint: type[Endpoint]) -> None:
        self.name = name
        self._endpoint = endpoint

    def tool(self, name: str, override: ToolOverride | None = None) -> Tool:
        """Returns the tool as the task words it.

        Raises:
            TaskError: When the task does not word it.
        """
        if override is None:
            raise TaskError(f"{name} needs a schema and a route: tools of {self.name} have neither")
        return self._endpoint(override)

    def table(self, name: str) -> Table:
        """Returns the table of that name."""
        return row_table(name)

    def tables_of(self, tool_name: str) -> Iterable[str]:
        """Returns none: a tool without its server answers with an error, as there."""
        return ()

    def arguments(self, name: str, raw: Json) -> Mapping[str, Any]:
        """Returns the arguments as they are sent: an object, or what a route refuses.

        Raises:
            HttpError: 422 for what is no object.
        """
        if isinstance(raw, str):
            return super().arguments(name, raw)
        if raw is None:
            return FrozenDict()
        if isinstance(raw, Mapping):
            return raw
        line = {
            "type": "model_attributes_type",
            "loc": ["body"],
            "msg": "Input should be a valid dictionary or object to extract fields from",
            "input": admit(raw),
        }
        raise HttpError("invalid_argument", body_text(lambda: {"detail": [line]}))

    def unknown_tool(self, name: Json, offered: Mapping[str, Tool]) -> ToolError:
        """Returns the harness's refusal."""
        return HttpError("unknown_tool", f"Error: unknown tool '{name}'")

    def refusal(self, error: ToolError) -> str:
        """Returns what the agent reads."""
        if isinstance(error, HttpError):
            return error.message
        if error.code in _INJECTED:
            return json.dumps(_INJECTED[error.code])
        return super().refusal(error)


FAITHFUL = ClawEval("claw_eval", Endpoint)
INTENDED = ClawEval("claw_eval_intended", Repaired)


def response(result: ToolResult) -> tuple[int, Json]:
    """Returns status and body of an answer, as the harness records them."""
    if result.content.startswith("Error: "):
        return status_of(result.error), {"error": result.content.removeprefix("Error: ")}
    return status_of(result.error), json.loads(result.content)
