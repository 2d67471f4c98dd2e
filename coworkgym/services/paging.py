"""Paging: every list gives twenty records at most unless asked, and says whether there are more."""

import zlib
from collections.abc import Sequence
from typing import Any

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json, json_text
from coworkgym.services.table import Table

PAGE = 20
LARGEST_PAGE = 100


def page(
    table: Table,
    rows: Sequence[FrozenDict],
    limit: int,
    cursor: str | None,
    scope: Json,
    limit_name: str = "limit",
) -> tuple[Sequence[FrozenDict], dict[str, Any]]:
    """Returns one page of `rows` and the fields that describe it.

    A cursor names the last record of the page before, so that records created or changed in
    between move nothing.

    Args:
        table: Whose records these are.
        rows: All records of the list, in order.
        limit: Page size; above 100 it is lowered to 100 and said so.
        cursor: `next` of the page before, or None for the first page.
        scope: The filters of this list; a cursor of another list is refused.
        limit_name: What the tool calls its limit.

    Returns:
        The records, and `total`, `returned`, `has_more` and `next` (absent on the last page).

    Raises:
        ToolError: `invalid_argument` for a limit below 1, `stale_cursor` for a cursor of another
            list or of a record that is gone.
    """
    if limit < 1:
        raise ToolError(
            "invalid_argument", f"{limit_name!r} must be from 1 to {LARGEST_PAGE}, got {limit}."
        )
    size = min(limit, LARGEST_PAGE)
    stamp = format(zlib.crc32(json_text([table.name, scope]).encode()), "08x")
    start = 0 if cursor is None else _start(table, rows, cursor, stamp)
    chosen = rows[start : start + size]
    more = start + size < len(rows)
    facts: dict[str, Any] = {"total": len(rows), "returned": len(chosen), "has_more": more}
    if limit > size:
        facts[limit_name] = size
    if more:
        facts["next"] = f"{chosen[-1][table.key]}~{stamp}"
    return chosen, facts


def _start(table: Table, rows: Sequence[FrozenDict], cursor: str, stamp: str) -> int:
    last, _, given = cursor.rpartition("~")
    if given != stamp:
        raise ToolError("stale_cursor", f"The cursor {cursor!r} belongs to another list.")
    for position, row in enumerate(rows):
        if row[table.key] == last:
            return position + 1
    raise ToolError("stale_cursor", f"The list has changed at cursor {cursor!r}; start it again.")
