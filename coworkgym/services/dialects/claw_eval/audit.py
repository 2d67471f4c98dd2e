"""Audit: what the servers tell about an episode when it is over."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.endpoint import Endpoint
from coworkgym.services.dialects.claw_eval.server import Server
from coworkgym.services.office import Event, Office
from coworkgym.services.world import World

Audit = dict[str, list[dict[str, Any]]]


def audit(
    office: Office, servers: Mapping[str, Server], checked: Mapping[str, str] | None = None
) -> dict[str, Audit]:
    """Returns the audit of each server.

    Args:
        office: Of the episode.
        servers: By the name under which a task starts them.
        checked: The path of the health check that each answered before, by the same name; by
            default none, as of servers that were reset since.

    Returns:
        By that name: `calls` (endpoint, request_body with defaults, response_body, timestamp) and
        the lists of the server. Calls that were not answered with status 200 are not in it.
    """
    paths = checked or {}
    return {
        name: {
            "calls": [
                *health_call(office, server, paths.get(name, "")),
                *_calls(office, server),
            ],
            **_lists(office, server),
        }
        for name, server in servers.items()
    }


def health_call(office: Office, server: Server, path: str) -> list[dict[str, Json]]:
    """Returns the call that a health check leaves in the audit of a server's first episode.

    A route that needs a body refuses the check, and logs nothing.
    """
    route = server.routes.get(path)
    body = _UNASKED.get(path, {})
    if route is None or any(
        p.default is p.empty and name not in body for name, p in route.parameters.items()
    ):
        return []
    fresh = Office(
        World(office.world.base), office.tools, office.zone, office.owner, dialect=office.dialect
    )
    asked = route.validate(body)
    return [
        {
            "endpoint": path,
            "request_body": asked,
            "response_body": json.loads(route.answer(fresh, asked)),
            "timestamp": office.world.base.start.isoformat(),
        }
    ]


_UNASKED = {"/calendar/events": {"date": "2026-03-02"}}
"""What a route takes for no body at all, where that is not its defaults."""


def _lists(office: Office, server: Server) -> Audit:
    return {
        name: [dict(row) for row in office.world.rows(table)]
        for name, table in server.lists.items()
    }


def _calls(office: Office, server: Server) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
    made: dict[str, dict[str, Any]] = {}
    stamp = office.world.base.start.isoformat()
    for event, route in _answered(office, server):
        call: dict[str, Any] = {"endpoint": route.path, "request_body": dict(event.arguments)}
        body = json.loads(event.result)
        if route.logs is None:
            call["response_body"] = body
        elif route.logs:
            body["text_length"] = len(body.get("text", ""))
            call["response_body"] = {name: body[name] for name in route.logs}
        calls.append({**call, "timestamp": stamp})
        if server.name == "todo":
            _live(event, body.get("task"), made)
    return calls


def _answered(office: Office, server: Server) -> Iterable[tuple[Event, Any]]:
    for event in office.log:
        made = office.tools.get(event.name)
        if event.error is None and isinstance(made, Endpoint) and made.server is server:
            yield event, made.route


def _live(event: Event, task: Any, made: dict[str, dict[str, Any]]) -> None:
    """Makes an update of a created task show in the call that created it, as it does there.

    Args:
        event: A call.
        task: What its answer tells of a task.
        made: The tasks in the answers of calls that created them, by where their row is kept.
    """
    for change in event.changes:
        if change.table != "todo.tasks":
            continue
        if change.before is None:
            made[change.id] = task
        elif change.after is not None and change.id in made:
            made[change.id].update(task)
