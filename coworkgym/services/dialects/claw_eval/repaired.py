"""Repaired endpoints: what a task declares works, though the published office ignores it."""

import json
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from coworkgym.frozen import FrozenDict, Json, JsonText
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.endpoint import Endpoint
from coworkgym.services.dialects.claw_eval.server import ROUTES, Route, body_text, moment
from coworkgym.services.office import Office

Arguments = dict[str, Json]
_DATES = ("created_at", "date", "published_at", "start_time")
_SYNONYMS = {"feed_name": ("source",), "type": ("type", "service"), "tag": ("tags",)}


class Repaired(Endpoint):
    """A tool that does what its task declares.

    Arguments that its route does not know filter the rows of a list, or set fields of a record;
    those that the route needs and the task words otherwise are translated.
    """

    @property
    def route(self) -> Route | None:
        """What answers, routes included that the published office lacks."""
        return ROUTES.get(self.override.route)

    @cached_property
    def repairs(self) -> tuple[str, ...]:
        """What is repaired, in words; none for most tools."""
        if self.route is None:
            return ()
        lost = [name for name in self.parameters if name not in self.route.parameters]
        needed = [n for n, p in self.route.parameters.items() if p.default is p.empty]
        said: list[str] = []
        if self.route.repaired:
            said.append(f"{self.name}: there is a route {self.route.path}")
        if self._translates:
            return (*said, f"{self.name}: {', '.join(lost)} stand for {', '.join(needed)}")
        return (*said, *(f"{self.name}: {name} is not ignored" for name in lost))

    @property
    def _translates(self) -> bool:
        """Whether the task words what its route needs in another way."""
        route = self.route
        if route is None or self.override.route not in _TRANSLATIONS:
            return False
        needed = [n for n, p in route.parameters.items() if p.default is p.empty]
        return any(name not in self.parameters for name in needed)

    def validate(self, arguments: Mapping[str, Json]) -> Mapping[str, Any]:
        """Returns the arguments as the route takes them, and those it does not know.

        Raises:
            HttpError: 404 where no route answers, 422 for a body that does not fit.
        """
        body = dict(arguments)
        if self._translates:
            body = _TRANSLATIONS[self.override.route](body)
        known = super().validate(body)
        assert self.route is not None
        more = [name for name in self.parameters if name not in self.route.parameters]
        return {**known, **{name: body[name] for name in more if body.get(name) is not None}}

    def function(self, office: Office, **arguments: Any) -> Json:
        """Returns what the route answers, once what it does not know has been looked at."""
        route = self.route
        assert route is not None, "validated before"
        more = {
            name: arguments.pop(name) for name in list(arguments) if name not in route.parameters
        }
        if not more:
            return super().function(office, **arguments)
        limit = more.pop("max_results", arguments.get("max_results"))
        if "max_results" in arguments:
            arguments["max_results"] = None  # cut after the rows have been chosen
        answer = json.loads(route.answer(office, arguments))
        desk = Desk(office, route.server)

        def mended() -> Json:
            if "total" in answer:
                _keep(desk, answer, more, limit)
            elif "error" not in answer:
                _set(desk, answer, more)
            return answer

        return JsonText(body_text(mended))


def _keep(desk: Desk, answer: dict[str, Json], more: Mapping[str, Json], limit: int | None) -> None:
    """Keeps the rows of a list that have what was asked for."""
    noun = next(name for name, value in answer.items() if isinstance(value, list))
    key = desk.server.table.key
    tests = [_test(desk, name, value) for name, value in more.items() if value != ""]
    rows = [
        row
        for row in answer[noun]
        if all(test(desk.get(row.get(key, "")) or FrozenDict(row)) for test in tests)
    ]
    answer[noun] = rows[:limit]
    answer["total"] = len(answer[noun])


def _test(desk: Desk, name: str, value: Json) -> Callable[[FrozenDict], bool]:
    """Whether a row has what an argument asks for; true where no row has such a field."""
    keys = {key for row in desk.rows for key in row}
    dated = next((key for key in _DATES if key in keys), "")
    if name in ("date_from", "start_date") and dated:
        return lambda row: str(row.get(dated, ""))[:10] >= str(value)[:10]
    if name in ("date_to", "end_date") and dated:
        return lambda row: str(row.get(dated, ""))[:10] <= str(value)[:10]
    if name == "days_back" and dated:
        since = desk.office.world.base.start.date() - timedelta(days=int(value))
        return lambda row: moment(row[dated]).date() >= since
    fields = [each for each in _SYNONYMS.get(name, (name,)) if each in keys]
    if not fields:
        return lambda row: True
    return lambda row: any(
        value in row[each] if isinstance(row.get(each), list) else row.get(each) == value
        for each in fields
    )


def _set(desk: Desk, answer: dict[str, Json], more: Mapping[str, Json]) -> None:
    """Sets fields of the record that was written; what is only noted has none."""
    noun = next((n for n, v in answer.items() if isinstance(v, dict)), "")
    record_id = answer.get(noun, {}).get(desk.server.table.key)
    if record_id is not None and desk.get(record_id) == answer[noun]:
        answer[noun] = dict(desk.set(record_id, more))


def _days(body: Arguments) -> Arguments:
    """start_date and end_date, for a calendar that asks for a day and a number of days."""
    if "date" in body:
        return body
    rest = {n: v for n, v in body.items() if n not in ("start_date", "end_date")}
    first, last = body.get("start_date") or _FIRST, body.get("end_date")
    last = last or (_LAST if first == _FIRST else first)
    try:
        begin, end = (date.fromisoformat(str(day)[:10]) for day in (first, last))
    except ValueError:
        return {**rest, "date": first}
    return {"days": max(1, (end - begin).days + 1), **rest, "date": begin.isoformat()}


_FIRST, _LAST = "2000-01-01", "2099-12-31"  # of a calendar that is asked for no day


def _report(body: Arguments) -> Arguments:
    """A report with a text, for a service that asks for transactions and their sum."""
    if "content" not in body:
        return body
    return {"transactions": [], "total_amount": 0.0, **body}


def _message(body: Arguments) -> Arguments:
    """A mail, for a service that asks for a channel and a message."""
    if "recipient" not in body:
        return body
    text = "\n\n".join(str(body[name]) for name in ("subject", "body") if name in body)
    return {"channel": "email", "message": text, "recipients": [body["recipient"]], **body}


_TRANSLATIONS: dict[str, Callable[[Arguments], Arguments]] = {
    "/calendar/events": _days,
    "/finance/report/submit": _report,
    "/web/notify": _message,
}
