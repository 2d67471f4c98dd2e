"""Audit: what the servers tell about an episode when it is over."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.endpoint import Endpoint
from coworkgym.services.dialects.claw_eval.server import Server
from coworkgym.services.office import Event, Office

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
    stamp = office.world.base.start.isoformat()
    paths = checked or {}
    return {
        name: {
            "calls": [
                *health_call(server, paths.get(name, ""), stamp),
                *_calls(office, server),
            ],
            **_lists(office, server),
        }
        for name, server in servers.items()
    }


def health_call(server: Server, path: str, stamp: str) -> list[dict[str, Json]]:
    """Returns the call that a health check leaves in the audit of a server's first episode.

    A route that needs a body refuses the check, and logs nothing.
    """
    route = server.routes.get(path)
    if route is None or any(p.default is p.empty for p in route.parameters.values()):
        return []
    return [{"endpoint": path, "request_body": route.validate({}), "timestamp": stamp}]


def _lists(office: Office, server: Server) -> Audit:
    return {
        name: [dict(row) for row in office.world.rows(table)]
        for name, table in server.lists.items()
    }


def _calls(office: Office, server: Server) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
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
    return _living(calls) if server.name == "todo" else calls


def _answered(office: Office, server: Server) -> Iterable[tuple[Event, Any]]:
    for event in office.log:
        made = office.tools.get(event.name)
        if event.error is None and isinstance(made, Endpoint) and made.server is server:
            yield event, made.route


def _living(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Makes later updates of a created task show in the call that created it, as they do there."""
    made: dict[str, dict[str, Any]] = {}
    for call in calls:
        task = call["response_body"].get("task")
        if task is None:
            continue
        status = call["response_body"]["status"]
        if status == "created":
            made.setdefault(task["task_id"], task)
        elif status == "updated" and task["task_id"] in made:
            made[task["task_id"]].update(task)
    return calls
