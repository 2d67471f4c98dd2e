"""Calculations over one field of many records: exact sums, averages and extremes, in groups."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any, Literal

from coworkgym.errors import ToolError
from coworkgym.frozen import Json
from coworkgym.services.fields import Fields, Stored, decimal_text

Calculation = Literal["sum", "count", "average", "min", "max"]

Cells = Mapping[str, Stored]

_MOST_GROUPS = 100
_PLACES = Decimal("0.000001")  # to which the average of numbers is rounded


def calculated(
    fields: Fields,
    name: str,
    calculation: Calculation,
    records: Sequence[Cells],
    group: str | None,
) -> dict[str, Json]:
    """Returns the value over all filled fields of that name, or one for each group.

    Args:
        fields: What the records hold.
        name: The field to calculate over.
        calculation: Which; text can only be counted, and days have no sum.
        records: Their values.
        group: The field whose values tell groups apart, in order of appearance.

    Raises:
        ToolError: `conflict` for a calculation that the type does not have, or too many groups.
    """
    _check_allowed(fields, name, calculation)
    answer: dict[str, Json] = {"calculation": calculation}
    if fields.types[name] == "money" and calculation != "count":
        answer["currency"] = fields.currency
    if group is None:
        return answer | _result(fields, name, calculation, records)
    answer["groups"] = [
        {"group": label} | _result(fields, name, calculation, members)
        for label, members in _grouped(fields, group, records)
    ]
    return answer


def _check_allowed(fields: Fields, name: str, calculation: Calculation) -> None:
    kind = fields.types[name]
    allowed = {"text": ("count",), "date": ("count", "min", "max")}.get(kind)
    if allowed and calculation not in allowed:
        raise ToolError(
            "conflict",
            f"{fields.noun.title()} {name!r} is {kind}: it has no {calculation}, "
            f"only {', '.join(allowed)}.",
        )


def _grouped(fields: Fields, group: str, records: Sequence[Cells]) -> list[tuple[str, list[Cells]]]:
    """The records by what stands in a field, each with its first spelling; "" for nothing."""
    groups: dict[Any, tuple[str, list[Cells]]] = {}
    for values in records:
        label = fields.show(group, values[group]) if group in values else ""
        groups.setdefault(fields.key(group, values), (label, []))[1].append(values)
    if len(groups) > _MOST_GROUPS:
        raise ToolError(
            "conflict",
            f"{group!r} makes {len(groups)} groups, more than {_MOST_GROUPS}; narrow them.",
        )
    return list(groups.values())


def _result(
    fields: Fields, name: str, calculation: Calculation, records: Sequence[Cells]
) -> dict[str, Json]:
    """The value, absent where there is none, and of how many it is."""
    filled = [values for values in records if name in values]
    count = {"count": len(filled)}
    if calculation == "count" or (not filled and calculation != "sum"):
        return count
    if calculation in ("min", "max"):
        filled.sort(key=lambda values: fields.key(name, values))
        chosen = filled[-1 if calculation == "max" else 0]
        return {"value": fields.show(name, chosen[name])} | count
    keys = [fields.key(name, values) for values in filled]
    parts = len(filled) if calculation == "average" else 1
    return {"value": _share(fields, name, keys, parts)} | count


def _share(fields: Fields, name: str, keys: Sequence[Decimal], parts: int) -> str:
    """The sum, or its rounded share of so many parts."""
    is_money = fields.types[name] == "money"
    with localcontext(prec=5000, rounding=ROUND_HALF_UP):  # every digit of any amount
        total = sum(keys, Decimal(0))
        if parts > 1:
            total = (total / parts).quantize(Decimal(1) if is_money else _PLACES)
        return fields.show(name, int(total) if is_money else decimal_text(total))
