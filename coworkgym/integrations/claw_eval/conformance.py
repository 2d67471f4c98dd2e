"""Conformance: recorded calls played again, and where an answer differs."""

import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from coworkgym.errors import TaskError
from coworkgym.integrations.claw_eval.importer import Imported, load_claw_task
from coworkgym.services import Office, World
from coworkgym.services.dialects import dialect
from coworkgym.services.dialects.claw_eval import audit, response
from coworkgym.transcript import ToolCall

_PARTS = 4  # of a recorded call


class Difference(NamedTuple):
    """An answer that is not the recorded one.

    Attributes:
        task_id: The task.
        call: Its number from 1; 0 for the audit.
        what: The call, or the service audited.
        expected: What was recorded.
        got: What was answered.
    """

    task_id: str
    call: int
    what: str
    expected: str
    got: str


class Conformance(NamedTuple):
    """How many answers and audits are as recorded.

    Attributes:
        responses: Calls with equal status and body.
        calls: Calls in all.
        audits: Tasks with equal audits.
        tasks: Tasks in all.
        differences: The first of them.
    """

    responses: int
    calls: int
    audits: int
    tasks: int
    differences: tuple[Difference, ...]

    @property
    def holds(self) -> bool:
        """Whether everything is as recorded, and something was."""
        return 0 < self.calls == self.responses and self.audits == self.tasks


def conformance(
    root: str | os.PathLike[str], golden: str | os.PathLike[str], *, show: int = 10
) -> Conformance:
    """Plays the recorded calls of a golden file again.

    Args:
        root: A checkout; it holds `tasks/`.
        golden: First line the clock (`frozen_now`), then a line a task: `task`, `calls` of
            [tool, arguments, status, response], `audit` by service.
        show: How many differences to keep.

    Raises:
        TaskError: For a file that is not one, with its line, or a task that is not there.
    """
    found: list[Difference] = []
    calls = responses = tasks = audits = 0
    for imported, line in _played(Path(root), Path(golden)):
        office = _office(imported)
        before = len(found)
        found += _calls(office, line)
        calls += len(line["calls"])
        responses += len(line["calls"]) - (len(found) - before)
        before = len(found)
        found += _audits(office, imported, line)
        tasks += 1
        audits += len(found) == before
    return Conformance(responses, calls, audits, tasks, tuple(found[:show]))


def _played(root: Path, golden: Path) -> Iterator[tuple[Imported, dict[str, Any]]]:
    now: datetime | None = None
    for number, line in _lines(golden):
        where = f"{golden}:{number}"
        if now is None:
            now = _clock(where, line)
            continue
        calls = line.get("calls")
        if not isinstance(calls, list) or not isinstance(line.get("task"), str):
            raise TaskError(f"{where}: a line has a task and its calls")
        if not all(isinstance(call, list) and len(call) == _PARTS for call in calls):
            raise TaskError(f"{where}: a call is [tool, arguments, status, response]")
        imported = load_claw_task(root, line["task"], mode="faithful", now=now)
        _same_files(where, imported, line.get("fixtures") or {})
        yield imported, line
    if now is None:
        raise TaskError(f"{golden}: it is empty")


def _lines(golden: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        texts = golden.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"{golden}: {error}") from None
    for number, text in enumerate(texts, 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        except json.JSONDecodeError as error:
            raise TaskError(f"{golden}:{number}: {error.msg}") from None
        if not isinstance(line, dict):
            raise TaskError(f"{golden}:{number}: a line is an object")
        yield number, line


def _clock(where: str, line: dict[str, Any]) -> datetime:
    try:
        now = datetime.fromisoformat(line["frozen_now"])
    except (KeyError, TypeError, ValueError):
        raise TaskError(f"{where}: the first line names the clock, frozen_now") from None
    if now.tzinfo is None:
        raise TaskError(f"{where}: frozen_now needs an offset, got {line['frozen_now']!r}")
    return now


def _same_files(where: str, imported: Imported, recorded: dict[str, Any]) -> None:
    """Passes when the recording was made of the files that are served here."""
    served = {each.file for each in imported.fixtures}
    for service, file in recorded.items():
        for named in str(file).split(","):
            if named not in served and not any(each.startswith(named) for each in served):
                raise TaskError(
                    f"{where}: {service} was recorded with {named}, served are {sorted(served)}"
                )


def _office(imported: Imported) -> Office:
    task = imported.task
    return Office(
        World(task.base), task.tools, task.zone, task.owner, dialect=dialect(task.dialect)
    )


def _calls(office: Office, line: dict[str, Any]) -> Iterator[Difference]:
    for number, (tool, arguments, status, body) in enumerate(line["calls"], 1):
        got = response(office.call(ToolCall(tool, arguments)))
        if _plain(got) != _plain((status, body)):
            what = f"{tool} {json.dumps(arguments, ensure_ascii=False)}"
            yield Difference(line["task"], number, what, _shown((status, body)), _shown(got))


def _audits(office: Office, imported: Imported, line: dict[str, Any]) -> Iterator[Difference]:
    """The services whose audit differs in what was recorded of it."""
    recorded = line.get("audit") or {}
    made = audit(office, imported.source.servers)
    for service, expected in recorded.items():
        got = made.get(service, {})
        bare = any("response_body" not in call for call in expected.get("calls", ()))
        calls = [
            {k: v for k, v in call.items() if k != "response_body" or not bare}
            for call in got.get("calls", ())
        ]
        if _plain({**got, "calls": calls}) != _plain(expected):
            yield Difference(
                line["task"], 0, service, _shown(expected), _shown({**got, "calls": calls})
            )


def _plain(value: Any) -> str:
    """A value as text in which true is not 1, nor 1 the same as 1.0."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 400 else text[:397] + "..."
