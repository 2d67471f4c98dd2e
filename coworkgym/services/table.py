"""Tables: what a service keeps, described once by a pydantic record model."""

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from coworkgym.errors import TaskError
from coworkgym.frozen import FrozenDict, FrozenList, freeze
from coworkgym.services.instants import local_text
from coworkgym.services.money import to_decimal_text


class Record(BaseModel):
    """Base of every record model: closed, so that a misspelt field is noticed."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, defer_build=True)


class _Mark:
    """A mark in a field's annotation: how the field is shown, or that it is volatile."""


INSTANT, MINOR_UNITS, VOLATILE = _Mark(), _Mark(), _Mark()

Instant = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"), INSTANT]
"""A moment as UTC text; shown with local time and zone."""
Moment = Annotated[Instant, VOLATILE]
"""An instant that the office stamps by itself: left out of hashes and comparisons."""
Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]
"""A calendar day, YYYY-MM-DD."""
Minor = Annotated[int, MINOR_UNITS]
"""Money in minor units of the record's `currency`; shown as a decimal string."""

_NOTHING = FrozenList()
_Presenter = Callable[[Any, Mapping[str, Any], str], Any]


class Table:
    """One kind of record of a service.

    Args:
        name: `service.noun`, such as helpdesk.tickets.
        model: The pydantic model every record is validated by.
        key: The field that holds the record's id.
        prefix: What generated ids start with; a number follows.
    """

    def __init__(self, name: str, model: type[Record], *, key: str, prefix: str) -> None:
        self.name = name
        self.model = model
        self.key = key
        self.prefix = prefix
        self.noun = key.removesuffix("_id")

    def __repr__(self) -> str:
        """Returns `Table('helpdesk.tickets')`."""
        return f"Table({self.name!r})"

    def __reduce__(self) -> tuple[Callable[[str], "Table"], tuple[str]]:
        """Pickles by name: a table is part of the installed services."""
        from coworkgym.services.service import table

        return table, (self.name,)

    def validate(self, row: Mapping[str, Any]) -> FrozenDict:
        """Returns the row as a read-only record with every field of the model.

        Raises:
            TaskError: Naming the table, the record and the field that is wrong.
        """
        try:
            values = self._validate(row).__dict__
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"])) or "record"
            raise TaskError(
                f"{self.name} {row.get(self.key)!r}: {field}: {first['msg']} "
                f"(got {first['input']!r})"
            ) from error
        for name in self._lists:
            values[name] = FrozenList(map(_plain, values[name])) if values[name] else _NOTHING
        return FrozenDict(zip(self.fields, values.values(), strict=True))

    def id_of(self, record: Mapping[str, Any], taken: Callable[[str], bool]) -> str:
        """Returns the id a record is kept under.

        Args:
            record: Validated.
            taken: Whether an id is in use.
        """
        record_id: str = record[self.key]
        return record_id

    @cached_property
    def _validate(self) -> Callable[[Mapping[str, Any]], Record]:
        """The model's validator itself: models are built when they are first needed."""
        self.model.model_rebuild()
        return self.model.__pydantic_validator__.validate_python

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The field names of a record, in order."""
        return tuple(info.alias or name for name, info in self.model.model_fields.items())

    @cached_property
    def _lists(self) -> tuple[str, ...]:
        """The fields that hold lists, by their name in the model."""
        fields = self.model.model_fields.items()
        return tuple(name for name, info in fields if get_origin(info.annotation) is list)

    @cached_property
    def volatile(self) -> frozenset[str]:
        """Fields that the office stamps by itself."""
        return frozenset(_marked(self.model, VOLATILE))

    @cached_property
    def _stamped(self) -> dict[str, frozenset[str]]:
        """Volatile fields of the records that records hold, by the field that holds them."""
        fields = self.model.model_fields.items()
        inner = ((name, _inner_record(info.annotation)) for name, info in fields)
        return {name: frozenset(_marked(model, VOLATILE)) for name, model in inner if model}

    def lasting(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a record without what the office stamps by itself, in inner records too."""
        kept = {name: value for name, value in record.items() if name not in self.volatile}
        for name, stamped in self._stamped.items():
            rows = kept[name]
            kept[name] = [{f: v for f, v in row.items() if f not in stamped} for row in rows]
        return kept

    @cached_property
    def _presenters(self) -> tuple[tuple[str, _Presenter], ...]:
        return _presenters(self.model)

    def show(self, record: Mapping[str, Any], zone: str) -> dict[str, Any]:
        """Returns the record as the agent reads it.

        Money is shown as decimals, instants with local time; fields that are None are left out.
        """
        shown = {name: value for name, value in record.items() if value is not None}
        for field, present in self._presenters:
            if field in shown:
                shown[field] = present(shown[field], record, zone)
        return shown

    def show_columns(
        self, record: Mapping[str, Any], columns: tuple[str, ...], zone: str
    ) -> dict[str, Any]:
        """Returns some columns of a record as the agent reads them, None included."""
        shown = {name: record[name] for name in columns}
        for field, present in self._column_presenters(columns):
            if shown[field] is not None:
                shown[field] = present(shown[field], record, zone)
        return shown

    @lru_cache(maxsize=256)  # noqa: B019  tables live as long as the process
    def _column_presenters(self, columns: tuple[str, ...]) -> tuple[tuple[str, _Presenter], ...]:
        return tuple(pair for pair in self._presenters if pair[0] in columns)


def _plain(item: Any) -> Any:
    return freeze(item.model_dump(by_alias=True) if isinstance(item, Record) else item)


def _marked(model: type[Record], mark: _Mark) -> list[str]:
    return [
        info.alias or name
        for name, info in model.model_fields.items()
        if mark in info.metadata or mark in _optional_metadata(info.annotation)
    ]


def _optional_metadata(annotation: Any) -> tuple[Any, ...]:
    """The marks inside `Annotated[...] | None`."""
    return tuple(
        mark for part in get_args(annotation) for mark in getattr(part, "__metadata__", ())
    )


def _presenters(model: type[Record]) -> tuple[tuple[str, _Presenter], ...]:
    found: list[tuple[str, _Presenter]] = []
    found += [(field, _show_instant) for field in _marked(model, INSTANT)]
    found += [(field, _show_money) for field in _marked(model, MINOR_UNITS)]
    for name, info in model.model_fields.items():
        if inner := _inner_record(info.annotation):
            found.append((info.alias or name, _show_nested(_presenters(inner))))
    return tuple(found)


def _inner_record(annotation: Any) -> type[Record] | None:
    """The model of a list of records."""
    inner = get_args(annotation)
    if get_origin(annotation) is list and issubclass(inner[0], Record):
        return cast(type[Record], inner[0])
    return None


def _show_instant(value: str, _record: Mapping[str, Any], zone: str) -> str:
    return local_text(value, zone)


def _show_money(value: int, record: Mapping[str, Any], _zone: str) -> str:
    return to_decimal_text(value, record["currency"])


def _show_nested(presenters: tuple[tuple[str, _Presenter], ...]) -> _Presenter:
    def show_all(rows: Any, _record: Mapping[str, Any], zone: str) -> list[dict[str, Any]]:
        return [
            dict(row) | {field: show(row[field], row, zone) for field, show in presenters}
            for row in rows
        ]

    return show_all
