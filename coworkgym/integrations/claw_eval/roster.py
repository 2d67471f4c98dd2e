"""Roster: which tasks of a checkout can be run here, and why the others cannot."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from coworkgym.integrations.claw_eval.reading import (
    LIVE,
    Source,
    read_source,
    server_of,
    task_ids,
    type_of,
)


class Entry(NamedTuple):
    """A task of a checkout.

    Attributes:
        task_id: Its folder.
        kind: services, recorded (texts of images and documents), talk (a language model plays the
            user), or what it needs that is not here.
        reason: Why it cannot be run; empty when it can.
    """

    task_id: str
    kind: str
    reason: str


def roster(root: str | os.PathLike[str]) -> Iterator[Entry]:
    """Yields every task of a checkout, in order.

    Raises:
        TaskError: For a root without tasks, or a broken file.
    """
    for task_id in task_ids(Path(root)):
        source = read_source(Path(root), task_id)
        yield Entry(task_id, kind_of(source), refusal_of(source))


def runnable(root: str | os.PathLike[str], *, talk: bool = False) -> list[str]:
    """Returns the ids of the tasks that can be run.

    Args:
        root: The checkout.
        talk: Whether a language model plays the user.
    """
    return [
        each.task_id for each in roster(root) if not each.reason and (talk or each.kind != "talk")
    ]


def kind_of(source: Source) -> str:
    """Returns what a task needs most."""
    named = set(map(type_of, source.services.values()))
    if source.data.get("user_agent"):
        return "talk"
    if source.data.get("sandbox_grader_files") or source.data.get("env_snapshot_files"):
        return "sandbox"
    if named & {*LIVE}:
        return "live web"
    if not named:
        return "files" if not source.tools else "sandbox"
    return "recorded" if named & {"ocr", "caption", "documents"} else "services"


def refusal_of(source: Source) -> str:
    """Returns why a task cannot be run here; empty when it can."""
    kind = kind_of(source)
    if kind in _WHY:
        return _WHY[kind]
    for name, service in source.services.items():
        if server_of(service) is None:
            return f"its service {name} is none of ours: {service.get('command')}"
    types = [server.name for server in source.servers.values()]
    twice = sorted({each for each in types if types.count(each) > 1})
    if twice:
        return f"it starts two services of one kind: {', '.join(twice)}"
    return ""


_WHY = {
    "sandbox": "it runs code in a container, or is graded on files that were made there",
    "files": "it asks about pictures, videos or papers and has no services",
    "live web": "it searches the live web, whose answers are not recorded",
}
