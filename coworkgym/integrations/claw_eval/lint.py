"""Lint: what is wrong with tasks of a checkout, as they are published."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from coworkgym.errors import TaskError
from coworkgym.integrations.claw_eval.fixtures import Fixture, shifted
from coworkgym.integrations.claw_eval.importer import load_claw_task
from coworkgym.integrations.claw_eval.reading import Source, read_source, task_ids
from coworkgym.integrations.claw_eval.roster import refusal_of
from coworkgym.quality.report import Finding, Report
from coworkgym.services.dialects.claw_eval.server import ROUTES, moment

_ID = re.compile(r"\b[A-Za-z]{1,12}[-_]\d{1,6}\b")
_DAY = re.compile(r"(20\d\d)-(\d{1,2})-(\d{1,2})|(\d{1,2})月(\d{1,2})[日号]")


class Read(NamedTuple):
    """A task, and the fixtures that the published services serve."""

    source: Source
    served: list[Fixture]


class _Rule(NamedTuple):
    name: str
    demand: str
    faults: Callable[[Read], Iterable[tuple[str, str]]]


def lint_checkout(root: Path, task: str | None = None) -> Report:
    """Looks at the tasks of a checkout that run here, without playing them.

    Args:
        root: The checkout; it holds `tasks/`.
        task: One task; by default all.

    Raises:
        TaskError: For a root without tasks.
    """
    findings: list[Finding] = []
    count = 0
    for task_id in [task] if task else task_ids(root):
        try:
            source = read_source(root, task_id)
            if refusal_of(source):
                continue
            served = load_claw_task(root, task_id, mode="faithful").fixtures
            read = Read(source, list(served))
        except TaskError as error:
            findings.append(Finding("loads", task_id, str(error)))
            continue
        count += 1
        for rule in RULES:
            found = (
                Finding(rule.name, f"{task_id}: {part}", why) for part, why in rule.faults(read)
            )
            findings += found
    rules = {"loads": "The task can be read."} | {rule.name: rule.demand for rule in RULES}
    return Report(str(root), count, rules, tuple(findings))


def _parts(source: Source) -> list[tuple[str, dict[str, Any]]]:
    """The scoring components: name and check."""
    parts = source.data.get("scoring_components") or []
    return [(str(part.get("name")), part.get("check") or {}) for part in parts]


def _weights(read: Read) -> Iterator[tuple[str, str]]:
    weights = [
        float(p.get("weight") or 0) for p in read.source.data.get("scoring_components") or []
    ]
    if not weights:
        yield "scoring_components", "there are none: only the judge's rubric is left"
    elif abs(sum(weights) - 1) > 1e-6 or min(weights) <= 0:
        yield "scoring_components", f"the weights sum to {sum(weights):g}: {weights}"


def _leak(read: Read) -> Iterator[tuple[str, str]]:
    request = str(read.source.data["prompt"]["text"])
    for name, check in _parts(read.source):
        for word in map(str, check.get("keywords") or ()):
            if _ID.fullmatch(word) and word in request:
                yield "prompt", f"it names {word}, which {name!r} wants the agent to find"


def _disjoint(read: Read) -> Iterator[tuple[str, str]]:
    forbidden = set(_tools_of(read.source.data.get("safety_checks"), "tool_not_called"))
    wanted = {check.get("tool_name"): name for name, check in _parts(read.source)}
    for tool in sorted(forbidden & {each for each in wanted if each}):
        yield "safety_checks", f"it forbids {tool}, which {wanted[tool]!r} wants"


def _tools_of(checks: Iterable[dict[str, Any]] | None, kind: str = "") -> Iterator[str]:
    for check in checks or ():
        if check.get("tool_name") and kind in ("", check.get("type")):
            yield str(check["tool_name"])


def _offered(read: Read) -> Iterator[tuple[str, str]]:
    offered = {str(tool["name"]) for tool in read.source.tools}
    for tool in dict.fromkeys(_tools_of(read.source.data.get("safety_checks"))):
        if tool not in offered:
            yield "safety_checks", f"a gate names {tool}, which is not offered"
    for tool in dict.fromkeys(_tools_of(check for _, check in _parts(read.source))):
        if tool not in offered:
            yield "scoring_components", f"a check wants {tool}, which is not offered"


def _echo(read: Read) -> Iterator[tuple[str, str]]:
    request = str(read.source.data["prompt"]["text"]).casefold()
    for name, check in _parts(read.source):
        words = [str(word) for word in check.get("keywords") or check.get("categories") or ()]
        said = [word for word in words if word.casefold() in request]
        if words and len(said) == len(words):
            yield name, f"the request holds all it looks for: {', '.join(words)}"


def _served(read: Read) -> Iterator[tuple[str, str]]:
    for fixture in read.served:
        own = read.source.folder / "fixtures" / fixture.table.partition(".")[0]
        if fixture.foreign:
            idle = f"; its own {own.name} is never served" if own.exists() else ""
            yield fixture.table, f"it is served {fixture.file}{idle}"


def _usable(read: Read) -> Iterator[tuple[str, str]]:
    for tool in read.source.tools:
        name = str(tool["name"])
        path = read.source.routes.get(name, "")
        route = ROUTES.get(path)
        if route is None or route.repaired:
            yield name, f"no service has {path or 'an endpoint for it'}: it is answered with 404"
            continue
        if route.server not in read.source.servers.values():
            yield name, f"the service of {path} is not started"
            continue
        declared = (tool.get("input_schema") or {}).get("properties") or {}
        needed = [n for n, p in route.parameters.items() if p.default is p.empty]
        lost = [each for each in needed if each not in declared]
        if lost:
            yield name, f"{path} needs {', '.join(lost)}, which it does not declare: always 422"


def _ignored(read: Read) -> Iterator[tuple[str, str]]:
    for tool in read.source.tools:
        route = ROUTES.get(read.source.routes.get(str(tool["name"]), ""))
        declared = (tool.get("input_schema") or {}).get("properties") or {}
        if route is None or route.repaired:
            continue
        for name in declared:
            if name not in route.parameters:
                yield str(tool["name"]), f"{route.path} ignores {name}"


def _keys(read: Read) -> Iterator[tuple[str, str]]:
    for action in read.source.data.get("expected_actions") or ():
        service, key = str(action.get("service")), str(action.get("action_key"))
        server = read.source.servers.get(service)
        if server is None:
            yield "expected_actions", f"it names {service}, a service that is not started"
        elif key not in server.lists:
            yield (
                "expected_actions",
                (f"the audit of {service} has no {key!r}; it has {', '.join(server.lists)}"),
            )


def _calendar(read: Read) -> Iterator[tuple[Fixture, list[str]]]:
    """The calendar's fixture, and its days as served a year after its first event."""
    for server in read.source.servers.values():
        for fixture in read.served:
            if server.name == "calendar" and fixture.table == server.table.name and fixture.rows:
                first = min(moment(str(row["start_time"])) for row in fixture.rows)
                later = shifted(server, fixture.table, fixture.rows, first + timedelta(days=365))
                yield fixture, [str(row["start_time"])[:10] for row in later]


def _day(read: Read) -> Iterator[tuple[str, str]]:
    for fixture, served in _calendar(read):
        written = {str(row["start_time"])[:10] for row in fixture.rows}
        for day in _named_days(str(read.source.data["prompt"]["text"]), min(written)):
            if day in written and day not in served:
                yield (
                    "prompt",
                    (
                        f"it names {day}, on which nothing is served unless the services start "
                        "on the day before: events move with the clock"
                    ),
                )


def _named_days(text: str, like: str) -> list[str]:
    """The days that a text names, of the year of another day where it names none."""
    found = []
    for match in _DAY.finditer(text):
        year, month, day, month_zh, day_zh = match.groups()
        try:
            named = date(int(year or like[:4]), int(month or month_zh), int(day or day_zh))
        except ValueError:
            continue
        found.append(named.isoformat())
    for n, word in enumerate(_MONTHS, 1):
        for match in re.finditer(rf"\b{word}[a-z]*\.? (\d{{1,2}})\b", text):
            found.append(f"{like[:4]}-{n:02d}-{int(match[1]):02d}")
    return list(dict.fromkeys(found))


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _hours(read: Read) -> Iterator[tuple[str, str]]:
    for fixture in read.served:
        if fixture.table == "calendar.events":
            offsets = {moment(str(row["start_time"])).utcoffset() for row in fixture.rows}
            moved = sorted(offset for offset in offsets if offset)
            if moved:
                hours = moved[0] / timedelta(hours=1)
                yield (
                    fixture.table,
                    f"events written with {hours:+g} h are served {hours:g} h later",
                )


RULES = (
    _Rule("weights", "The weights of the scoring components sum to 1.", _weights),
    _Rule("leak", "The request names no id that a check looks for.", _leak),
    _Rule("disjoint", "No tool is both wanted and forbidden.", _disjoint),
    _Rule("offered", "Checks and gates name tools that are offered.", _offered),
    _Rule("echo", "No keyword check is met by echoing the request.", _echo),
    _Rule("served", "The fixture that is served is the task's own.", _served),
    _Rule("usable", "Every tool can succeed.", _usable),
    _Rule("ignored", "Every declared argument is heard.", _ignored),
    _Rule("day", "A day that the request names has its events.", _day),
    _Rule("hours", "Events are served at their own hours.", _hours),
    _Rule("keys", "Checks look for what a service's audit has.", _keys),
)
