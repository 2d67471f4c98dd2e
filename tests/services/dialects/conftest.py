"""Offices of Claw-Eval: every route is a tool that has the name of its path."""

from datetime import UTC, datetime

import pytest

from coworkgym.frozen import FrozenDict, freeze
from coworkgym.services import BaseWorld, Office, Owner, World, reply
from coworkgym.services.dialects import ToolOverride
from coworkgym.services.dialects.claw_eval import FAITHFUL, INTENDED, audit, response, servers
from coworkgym.services.dialects.claw_eval.server import ROUTES
from coworkgym.transcript import ToolCall
from tests.integrations.claw_checkout import ROWS

START = datetime(2026, 5, 4, 9, tzinfo=UTC)


class Claw:
    """An office, and short ways to call it.

    Args:
        rows: By table; those of a server that is not named are ROWS.
        dialect: How it is spoken to.
        declared: The arguments that a tool declares, by path; other tools declare none.
    """

    def __init__(self, rows=None, dialect=FAITHFUL, declared=None):
        given = {**ROWS, **(rows or {})}
        tables = [table for server in servers() for table in server.tables]
        world = BaseWorld({t: map(t.validate, given.get(t.name, ())) for t in tables}, START)
        paths = [*ROUTES, "/todo/tasks/find"]
        tools = {path: dialect.tool(path, worded(path, declared)) for path in paths}
        tools["reply"] = reply
        owner = Owner("me", "me@north.test")
        self.office = Office(World(world), tools, "UTC", owner, dialect=dialect)

    def send(self, path, body):
        """Status and body of an answer to arguments in any form."""
        return response(self.office.call(ToolCall(path, body)))

    def refused(self, path, /, **arguments):
        """Status and body of an answer that is no success."""
        status, body = self.send(path, freeze(arguments))
        assert status != 200, body
        return status, body

    def ok(self, path, /, **arguments):
        """Body of an answer that has status 200."""
        status, body = self.send(path, freeze(arguments))
        assert status == 200, body
        return body

    def audit(self, name):
        """What a server tells at the end."""
        return audit(self.office, {s.name: s for s in servers()})[name]

    def state(self):
        """All rows of all tables."""
        world = self.office.world
        return {name: list(world.rows(table)) for name, table in world.base.schema.items()}


def worded(path, declared=None):
    """How a task words the tool of a path."""
    properties = {name: {"type": "string"} for name in (declared or {}).get(path, ())}
    schema = FrozenDict(type="object", properties=freeze(properties))
    return ToolOverride(path, f"Calls {path}.", schema, path)


@pytest.fixture(scope="session")
def make_claw():
    """Makes an office; see Claw."""
    return Claw


@pytest.fixture
def claw():
    """An office as published."""
    return Claw()


@pytest.fixture(scope="session")
def mended():
    """Makes an office without the faults, whose tools declare some arguments."""
    return lambda declared=None, rows=None: Claw(rows, INTENDED, declared)
