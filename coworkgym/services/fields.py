"""Fields: the named, typed values of a sheet or a form; checked, kept exactly, and shown."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, StrictInt, StringConstraints

from coworkgym.errors import ToolError, nearest
from coworkgym.frozen import freeze
from coworkgym.services.money import DIGITS, to_decimal_text, to_minor
from coworkgym.services.table import Record

FieldType = Literal["text", "number", "date", "money"]

Stored = str | int
"""A value as records keep it: minor units for money, else text; a number is a decimal text."""
StoredValues = Annotated[dict[str, StrictInt | str], AfterValidator(freeze)]
"""Values by the name of their field; what is empty is left out."""

_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,10})?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class TypedField(Record):
    """A name and the type of what stands under it."""

    name: Annotated[str, StringConstraints(min_length=1)]
    type: FieldType = "text"


def check_fields(fields: Sequence[TypedField], currency: str | None) -> None:
    """Checks that names differ by more than case, and that money has a currency.

    Raises:
        ValueError: Naming what is wrong.
    """
    names = [field.name.casefold() for field in fields]
    if len(set(names)) < len(names):
        raise ValueError(f"names must differ by more than case, got {names}")
    if currency not in DIGITS and (currency or any(field.type == "money" for field in fields)):
        raise ValueError(f"money needs a currency such as EUR, got {currency!r}")


class Fields(NamedTuple):
    """The fields of one sheet or form.

    Attributes:
        noun: What a field is called there.
        types: Type by name.
        currency: Of all money.
    """

    noun: str
    types: Mapping[str, FieldType]
    currency: str | None

    @classmethod
    def of(cls, noun: str, record: Mapping[str, Any]) -> "Fields":
        """Returns the fields that a record lists under the plural of the noun."""
        types = {field["name"]: field["type"] for field in record[f"{noun}s"]}
        return cls(noun, types, record["currency"])

    def name(self, given: str) -> str:
        """Returns the name of a field, which may be given in another case.

        Raises:
            ToolError: `not_found`, with the names there are.
        """
        for name in self.types:
            if name.casefold() == given.strip().casefold():
                return name
        known = ", ".join(map(repr, self.types))
        close = nearest(given, self.types)
        raise ToolError("not_found", f"There is no {self.noun} {given!r}.{close} It has {known}.")

    def store(self, name: str, given: str | int | float | None) -> Stored | None:
        """Returns a value as it is kept; None for an empty one.

        Raises:
            ToolError: `invalid_value` for what does not fit the field's type.
        """
        if given is None or (isinstance(given, str) and not given.strip()):
            return None
        try:
            return self._stored(self.types[name], given)
        except ValueError as error:
            raise ToolError("invalid_value", f"{self.noun.title()} {name!r}: {error}") from None

    def store_all(self, given: Mapping[str, Any]) -> dict[str, Stored | None]:
        """Returns values by the true names of their fields; see `store`.

        Raises:
            ToolError: `not_found`, or `invalid_value` also for a field that is given twice.
        """
        stored: dict[str, Stored | None] = {}
        for written, value in given.items():
            name = self.name(written)
            if name in stored:
                raise ToolError("invalid_value", f"{self.noun.title()} {name!r} is given twice.")
            stored[name] = self.store(name, value)
        return stored

    def _stored(self, kind: FieldType, given: str | int | float) -> Stored:
        if kind == "number":
            return _number(given)
        if kind == "money":
            return to_minor(given, str(self.currency))
        if not isinstance(given, str):
            raise ValueError(f"must be text, got {given!r:.40}.")
        return _day(given.strip()) if kind == "date" else given

    def key(self, name: str, values: Mapping[str, Stored | None]) -> Any:
        """Returns what a value is compared and ordered by, None for an empty one.

        Neither case counts, nor how a number is written.
        """
        stored = values.get(name)
        if stored is None:
            return None
        is_exact = self.types[name] in ("number", "money")
        return Decimal(stored) if is_exact else str(stored).casefold()

    def show(self, name: str, stored: Stored) -> str:
        """Returns a value as an agent reads it."""
        if self.types[name] == "money":
            return to_decimal_text(int(stored), str(self.currency))
        return str(stored)

    def show_all(self, values: Mapping[str, Stored]) -> dict[str, str]:
        """Returns values as an agent reads them, in the order of the fields."""
        return {name: self.show(name, values[name]) for name in self.types if name in values}


def decimal_text(number: Decimal) -> str:
    """Returns the one text of a number: 12.5 for 12.50, 12 for 12.0."""
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _number(given: str | int | float) -> str:
    """The exact number; a float counts by its shortest text, and nothing is rounded."""
    text = given.strip() if isinstance(given, str) else f"{Decimal(repr(given)):f}"
    if not _NUMBER.fullmatch(text):
        raise ValueError(
            f"{given!r:.40} is no number such as 12.5, with at most 15 digits before the point"
            " and 10 after it."
        )
    return decimal_text(Decimal(text))


def _day(text: str) -> str:
    try:
        if _DAY.fullmatch(text) and date.fromisoformat(text):
            return text
    except ValueError:
        pass  # the thirtieth of February
    raise ValueError(f"must be a day such as 2026-03-25, got {text[:40]!r}.")
