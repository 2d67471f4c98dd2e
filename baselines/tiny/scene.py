"""Scenes: an office of a training world, cut down to few records, and the chat about it."""

import json
from dataclasses import replace
from random import Random
from typing import Any

from baselines.tiny.listings import Listing
from coworkgym.frozen import freeze
from coworkgym.services import BaseWorld, Office, World, reply, tool
from coworkgym.tasks import Split, get_package
from coworkgym.transcript import ToolCall, Transcript, tools_to_openai


class Refused(Exception):
    """The office refused a call: the drill is given up and another is drawn."""


class Scene:
    """One office and the chat about it; every call is played, so results are true.

    Args:
        rng: The only dice.
        listing: What the drill is about; its table keeps `records` records.
        records: At most so many.
        split: Of the names; training drills use `train`.
    """

    def __init__(self, rng: Random, listing: Listing, records: int, split: Split) -> None:
        self.rng, self.listing = rng, listing
        package = get_package(rng.choice(listing.packages))
        level = "easy" if records > 3 or rng.random() < 0.5 else "warmup"
        task = package.build(
            package.item(seed=rng.randrange(100_000), level=level, split=split)  # type: ignore[arg-type]
        )
        rules = [rule for rule in task.rules if rng.random() < 0.5] if rng.random() < 0.2 else []
        tables = {made: task.base.tables[name].values() for name, made in task.base.schema.items()}
        whole = list(task.base.tables[listing.table])
        kept = set(rng.sample(whole, min(records, len(whole))))
        cut = task.base.schema[listing.table]
        tables[cut] = [row for row in tables[cut] if row[cut.key] in kept]  # type: ignore[assignment]
        self.owner, self.zone, self.now = task.owner, task.zone, task.base.start
        offered = dict(package.tool_map("easy"))
        self.office = Office(World(BaseWorld(tables, self.now)), offered, task.zone, task.owner)
        self.transcript = Transcript()
        self.transcript.extend(replace(task, rules=tuple(rules)).opening[:1])
        self.used = ["reply"]
        self.rows: list[dict[str, Any]] = []
        self._known = set(offered)

    def ask(self, text: str) -> None:
        """Adds what the user says."""
        self.transcript.add_text("user", text)

    def can(self, name: str) -> bool:
        """Whether the office has a tool."""
        return name in self._known

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Plays a call and returns its result.

        Raises:
            Refused: When the office refuses it.
        """
        result = self.office.call(ToolCall(name, freeze(arguments)))
        if result.error is not None:
            raise Refused(f"{name}: {result.content}")
        [call_id] = self.transcript.add_calls([(name, freeze(arguments), None)])
        self.transcript.add_result(call_id, result.content)
        if name not in self.used:
            self.used.append(name)
        found: dict[str, Any] = json.loads(result.content)
        return found

    def reply(self, text: str) -> None:
        """Answers the user."""
        self.call("reply", text=text)

    def list_records(self) -> str:
        """Lists the records; returns how a person asks for it, for the request before."""
        asked, arguments = self.rng.choice(self.listing.calls)
        twin = self.office.fork()
        result = json.loads(twin.call(ToolCall(self.listing.tool, freeze(arguments))).content)
        self.rows = result.get(self.listing.key, [])
        if not self.rows:
            raise Refused("nothing is listed")
        self._listing_call = arguments
        return asked

    def play_listing(self) -> None:
        """Plays the listing that `list_records` chose."""
        self.call(self.listing.tool, **self._listing_call)

    def stale(self) -> bool:
        """Whether a record that was listed has changed in what the list shows."""
        result = self.office.fork().call(
            ToolCall(self.listing.tool, freeze({**self._listing_call}))
        )
        rows = {row[self.listing.id]: row for row in json.loads(result.content)[self.listing.key]}
        return any(
            rows.get(row[self.listing.id], row)[field] != row[field]
            for row in self.rows for field in self.listing.fields if field in row
        )  # fmt: skip

    def tools(self, distractors: int) -> list[dict[str, Any]]:
        """Returns the schemas of the tools used and of some others, `reply` last."""
        others = sorted(self._known - set(self.used))
        names = self.used[1:] + self.rng.sample(others, min(distractors, len(others)))
        self.rng.shuffle(names)
        made = [tool(name) for name in names] + [reply]
        return tools_to_openai([one.schema for one in made])
