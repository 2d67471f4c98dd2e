"""Sheets: spreadsheets with typed columns, one record a row."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field, model_validator

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.arguments import Value, Values
from coworkgym.services.calculations import Calculation, calculated
from coworkgym.services.fields import Fields, Stored, StoredValues, TypedField, check_fields
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import VOLATILE, Moment, Record

SHEETS = Service("sheets")


class Sheet(Record):
    """A spreadsheet; its money is in one currency."""

    sheet_id: str
    title: str
    columns: list[TypedField] = Field(min_length=1)
    currency: str | None = None
    owner: str
    modified: Moment

    @model_validator(mode="after")
    def _fits(self) -> "Sheet":
        check_fields(self.columns, self.currency)
        return self


class Row(Record):
    """A row of a sheet. Its number stays when other rows go."""

    row_id: str
    sheet_id: str
    number: Annotated[int, VOLATILE]  # given by the sheet, like an id
    cells: StoredValues = Field(default_factory=dict)


SHEET_TABLE = SHEETS.table("sheets", Sheet, key="sheet_id", prefix="SHT-")
ROWS = SHEETS.table("rows", Row, key="row_id", prefix="ROW-")

_COLUMNS = ("sheet_id", "title", "owner", "modified")
_ROW_COLUMNS = ("row_id", "number", "cells")


@SHEETS.tool
def sheets_list(
    office: Office, title: str | None = None, limit: int = 20, cursor: str | None = None
) -> Json:
    """List spreadsheets.

    Args:
        title: Part of the title.
        cursor: next of the page before.
    """
    part = (title or "").casefold()
    rows = [row for row in office.world.rows(SHEET_TABLE) if part in row["title"].casefold()]
    return office.listing(SHEET_TABLE, rows, _COLUMNS, limit=limit, cursor=cursor, scope=part)


@SHEETS.tool
def sheets_get_sheet(office: Office, sheet_id: str) -> Json:
    """Read what columns a sheet has, and how many rows."""
    sheet = office.record(SHEET_TABLE, sheet_id)
    return office.show(SHEET_TABLE, sheet) | {"row_count": len(_rows(office, sheet_id))}


@SHEETS.tool
def sheets_read_rows(
    office: Office,
    sheet_id: str,
    where: Values | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """Read the rows of a sheet.

    Args:
        where: Only rows with these values, by column; empty text for an empty cell.
        cursor: next of the page before.
    """
    fields = _fields(office, sheet_id)
    wanted = fields.store_all(where or {})
    rows = _matching(fields, _rows(office, sheet_id), wanted)
    answer = office.listing(
        ROWS, rows, _ROW_COLUMNS, limit=limit, cursor=cursor, scope=[sheet_id, wanted]
    )
    for shown in answer["rows"]:
        shown["cells"] = fields.show_all(shown["cells"])
    return answer


@SHEETS.tool
def sheets_calculate_column(
    office: Office,
    sheet_id: str,
    column: str,
    calculation: Calculation,
    where: Values | None = None,
    group_by: str | None = None,
) -> Json:
    """Calculate over the filled cells of a column, exactly; only an average is rounded.

    Args:
        where: Only rows with these values, by column.
        group_by: Column whose values tell the groups apart.
    """
    fields = _fields(office, sheet_id)
    name = fields.name(column)
    group = None if group_by is None else fields.name(group_by)
    matching = _matching(fields, _rows(office, sheet_id), fields.store_all(where or {}))
    cells = [row["cells"] for row in matching]
    return {"column": name, **calculated(fields, name, calculation, cells, group)}


@SHEETS.tool(writes=True)
def sheets_append_row(office: Office, sheet_id: str, cells: Values) -> Json:
    """Add a row at the end of a sheet.

    Args:
        cells: Values by column; days as YYYY-MM-DD, amounts like 1250.00.
    """
    values = _filled(_fields(office, sheet_id).store_all(cells))
    if not values:
        raise ToolError("invalid_value", "'cells' must fill at least one column.")
    number = 1 + max((row["number"] for row in _rows(office, sheet_id)), default=0)
    row = office.world.insert(ROWS, sheet_id=sheet_id, number=number, cells=values)
    return _changed(office, "appended", row)


@SHEETS.tool(writes=True)
def sheets_update_cell(office: Office, sheet_id: str, row: int, column: str, value: Value) -> Json:
    """Change one cell.

    Args:
        row: Number of the row.
        value: Day as YYYY-MM-DD, amount like 1250.00; empty text clears the cell.
    """
    fields = _fields(office, sheet_id)
    before = _row(office, sheet_id, row)
    name = fields.name(column)
    cells = _filled({**before["cells"], name: fields.store(name, value)})
    after = office.world.update(ROWS, before["row_id"], cells=cells)
    return _changed(office, "updated", after, touched=after is not before)


@SHEETS.tool(writes=True)
def sheets_delete_row(office: Office, sheet_id: str, row: int) -> Json:
    """Delete a row for good; the other rows keep their numbers.

    Args:
        row: Number of the row.
    """
    office.record(SHEET_TABLE, sheet_id)
    gone = _row(office, sheet_id, row)
    office.world.delete(ROWS, gone["row_id"])
    return _changed(office, "deleted", gone)


def _fields(office: Office, sheet_id: str) -> Fields:
    return Fields.of("column", office.record(SHEET_TABLE, sheet_id))


def _rows(office: Office, sheet_id: str) -> list[FrozenDict]:
    return [row for row in office.world.rows(ROWS) if row["sheet_id"] == sheet_id]


def _row(office: Office, sheet_id: str, number: int) -> FrozenDict:
    for row in _rows(office, sheet_id):
        if row["number"] == number:
            return row
    raise ToolError("not_found", f"There is no row {number} in sheet {sheet_id!r}.")


def _filled(values: Mapping[str, Stored | None]) -> dict[str, Stored]:
    return {name: value for name, value in values.items() if value is not None}


def _matching(
    fields: Fields, rows: Sequence[FrozenDict], wanted: Mapping[str, Stored | None]
) -> list[FrozenDict]:
    """The rows whose cells hold what is wanted, compared by value; None is an empty cell."""
    keys = {name: fields.key(name, wanted) for name in wanted}
    return [
        row for row in rows if all(fields.key(n, row["cells"]) == key for n, key in keys.items())
    ]


def _changed(office: Office, status: str, row: FrozenDict, *, touched: bool = True) -> Json:
    """The answer to a write, which is also stamped on the sheet if it changed anything."""
    sheet_id = row["sheet_id"]
    if touched:
        office.world.update(SHEET_TABLE, sheet_id, modified=office.world.now_text)
    shown = ROWS.show_columns(row, _ROW_COLUMNS, office.zone)
    cells = _fields(office, sheet_id).show_all(row["cells"])
    return {"status": status, "row": shown | {"cells": cells}}
