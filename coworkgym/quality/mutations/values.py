"""Values: what could stand in the place of an id, name, address, date or amount."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import islice

from coworkgym.frozen import FrozenDict, Json
from coworkgym.quality.mutations.course import spread
from coworkgym.tasks import Task

_NAMING = ("name", "path")  # fields that name a record, besides its key
_COMPARED = 12  # records that are looked at to find one that is alike
_ADDRESS = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_DATE = r"\d{4}-\d\d-\d\d"
_IS_ADDRESS = re.compile(_ADDRESS, re.ASCII)
_STATED = re.compile(
    rf"(?P<address>{_ADDRESS})|(?<![\w-])(?P<date>{_DATE})(?![\d-])"
    r"|(?<![\w:.])(?P<time>\d\d?:\d\d)(?![\w:])|(?<![\w.])(?P<amount>\d[\d,]*\.\d\d)(?![\w.])"
    r"|(?P<phone>\+\d[\d ]{6,}\d)|(?<![\w:.,+-])(?P<count>\d{1,3})(?![\w:%-]|[.,]\d)"
    r"|(?<![\w-])(?P<word>(?=[\w-]*\d)\w[\w-]*\w)(?![\w-])",
    re.ASCII,
)
_ACCOUNT = re.compile(r"[A-Za-z]+-\d+|(?=(?:\D*\d){4})[\w-]{8,}", re.ASCII)
_MARKED = re.compile(r"[!-~]*\d[!-~]*")
_MOMENT = re.compile(rf"({_DATE}T)(\d\d)(:.*)")
_AMOUNT = re.compile(r"\d+(?:\.\d+)?")


class Values:
    """The ids, names, paths and addresses in the records of a task, each with others of its kind.

    Args:
        task: Whose initial records are read.
    """

    def __init__(self, task: Task) -> None:
        self._tables = task.base.tables
        self._turn = task.item.seed
        self._homes: dict[str, tuple[str, str]] = {}
        for name, table in task.base.schema.items():
            for field in (table.key, *(n for n in _NAMING if n in table.fields)):
                for record in self._tables[name].values():
                    self._homes.setdefault(record[field], (name, field))

    @cached_property
    def addresses(self) -> list[str]:
        """Every mail address that is the value of a field, in record order."""
        records = (record for rows in self._tables.values() for record in rows.values())
        texts = (text for record in records for value in record.values() for text in _texts(value))
        return list(dict.fromkeys(t for t in texts if "@" in t and _IS_ADDRESS.fullmatch(t)))

    def knows(self, value: str) -> bool:
        """Whether a value names a record or is an address."""
        return value in self._homes or bool(_IS_ADDRESS.fullmatch(value))

    def others(self, value: str) -> list[str]:
        """Returns other values of the same kind: of a record that is alike, and of any other.

        None for a value that names no record and is no address.
        """
        if value not in self._homes:
            known = _IS_ADDRESS.fullmatch(value)
            return spread([a for a in self.addresses if a != value], 2, self._turn) if known else []
        table, field = self._homes[value]
        rows = self._tables[table].values()
        own = next(record for record in rows if record[field] == value)
        some = spread([r for r in rows if r[field] != value], _COMPARED, self._turn)
        alike = sorted(some, key=lambda record: -_likeness(record, own))
        return list(dict.fromkeys(record[field] for record in (*alike[:1], *alike[-1:])))

    def stated(self, text: str) -> Iterator[tuple[str, str]]:
        """Yields each value that a text states, once, and another one that the text does not."""
        stated = {match[0]: match.lastgroup for match in _STATED.finditer(text)}
        for value, kind in stated.items():
            others = (other for other in self._instead(kind, value) if other not in stated)
            yield from ((value, other) for other in islice(others, 1))

    def _instead(self, kind: str | None, value: str) -> list[str]:
        if kind in ("address", "word") and self.knows(value):
            return self.others(value)
        if kind == "date":
            return [next_day(value)]
        if kind == "time":
            hour, minute = value.split(":")
            return [f"{(int(hour) + 1) % 24:02}:{minute}"]
        if kind in ("amount", "count"):
            return [raised(value)]
        return [renumbered(value)] if kind == "phone" or _ACCOUNT.fullmatch(value) else []


def _texts(value: Json) -> list[str]:
    return [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, str)]


def _likeness(one: FrozenDict, other: FrozenDict) -> int:
    return sum(one[field] == value for field, value in other.items())


def restated(text: str, value: str, other: str) -> str:
    """Returns a text that states another value wherever it stated the one."""
    return _STATED.sub(lambda match: other if match[0] == value else match[0], text)


def other_texts(text: str, schema: FrozenDict) -> list[str]:
    """Returns what could stand in the place of a text that is no wording; none for a plain word."""
    if schema.get("format") == "date":
        return [next_day(text)]
    if schema.get("format") == "decimal":
        return [raised(text)]
    if moment := _MOMENT.fullmatch(text):
        return [f"{moment[1]}{(int(moment[2]) + 1) % 24:02}{moment[3]}"]
    return [renumbered(text)] if _MARKED.fullmatch(text) else []


def next_day(text: str) -> str:
    """Returns the day after an ISO date; the text itself where it is no date."""
    try:
        return (date.fromisoformat(text) + timedelta(days=1)).isoformat()
    except ValueError:
        return text


def raised(text: str) -> str:
    """Returns a decimal with one unit more, grouped as it was."""
    grouping = "," if "," in text else ""
    return _AMOUNT.sub(lambda m: f"{Decimal(m[0]) + 1:{grouping}}", text.replace(",", ""), count=1)


def renumbered(text: str) -> str:
    """Returns a text whose last digit is another one."""
    return re.sub(r"\d(?=\D*$)", lambda m: str((int(m[0]) + 1) % 10), text, flags=re.ASCII)
