"""Sheets: rows are read, added, changed and deleted; values fit their columns, sums are exact."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.errors import TaskError
from coworkgym.services import table

COLUMNS = [
    {"name": "Item", "type": "text"},
    {"name": "Region", "type": "text"},
    {"name": "Pieces", "type": "number"},
    {"name": "Cost", "type": "money"},
    {"name": "Day", "type": "date"},
]
CELLS = [
    {"Item": "Paper", "Region": "North", "Pieces": "2", "Cost": 1999, "Day": "2026-03-01"},
    {"Item": "Ink", "Region": "north", "Pieces": "0.1", "Cost": 1, "Day": "2026-02-01"},
    {"Item": "paper", "Region": "South", "Pieces": "0.2", "Cost": -500},
    {"Item": "Desk", "Cost": 125_000},
]


@pytest.fixture
def budget(make_desk):
    """A sheet of four rows, the third of them number 7, and another sheet with one row."""
    numbers = (1, 2, 7, 8)
    rows = [{"number": n, "cells": cells} for n, cells in zip(numbers, CELLS, strict=True)]
    rows += [{"sheet_id": "SHT-2", "cells": {"Item": "Tea"}}]
    sheets = [{"columns": COLUMNS, "title": "Budget 2026"}, {"title": "Kitchen"}]
    return make_desk({"sheets.sheets": sheets, "sheets.rows": rows})


def read(desk, where: object = None, **arguments: object) -> list[int]:
    answer = desk.ok("sheets_read_rows", sheet_id="SHT-1", where=where, **arguments)
    return [row["number"] for row in answer["rows"]]


def calculate(desk, column: str, calculation: str, **arguments: object):
    return desk.ok(
        "sheets_calculate_column", sheet_id="SHT-1", column=column, calculation=calculation,
        **arguments,
    )  # fmt: skip


# Reading ------------------------------------------------------------------------------------------


def test_sheets_are_found_by_part_of_the_title(budget) -> None:
    (row,) = budget.ok("sheets_list", title="kitch")["sheets"]
    assert row == {
        "sheet_id": "SHT-2",
        "title": "Kitchen",
        "owner": "kim@orga.test",
        "modified": "2026-03-24T09:00:00Z (2026-03-24 10:00 Europe/Berlin)",
    }
    cursor = budget.ok("sheets_list", limit=1)["next"]
    assert budget.refused("sheets_list", title="k", cursor=cursor)[0] == "stale_cursor"


def test_a_sheet_says_its_columns_and_how_many_rows_it_has(budget) -> None:
    sheet = budget.ok("sheets_get_sheet", sheet_id="SHT-1")
    assert sheet["columns"] == COLUMNS
    assert (sheet["row_count"], sheet["currency"]) == (4, "EUR")


def test_a_row_shows_its_filled_cells_in_the_order_of_the_columns(budget) -> None:
    rows = budget.ok("sheets_read_rows", sheet_id="SHT-1")["rows"]
    assert rows[2] == {
        "row_id": "ROW-3",
        "number": 7,
        "cells": {"Item": "paper", "Region": "South", "Pieces": "0.2", "Cost": "-5.00"},
    }


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, [1, 2, 7, 8]),
        ({"Item": "PAPER"}, [1, 7]),
        ({"item": "paper", "Region": "south"}, [7]),
        ({"Item": "Pap"}, []),
        ({"Pieces": 2}, [1]),
        ({"Pieces": "0.10"}, [2]),
        ({"Cost": "1250.00"}, [8]),
        ({"Cost": 19.99}, [1]),
        ({"Day": "2026-02-01"}, [2]),
        ({"Day": ""}, [7, 8]),
        ({"Region": None}, [8]),
        ('{"Item": "Ink"}', [2]),
    ],
)
def test_where_compares_by_value(budget, where: object, expected: list) -> None:
    assert read(budget, where) == expected


def test_a_cursor_belongs_to_its_sheet_and_filter(budget) -> None:
    """A-cursor-unordered"""
    cursor = budget.ok("sheets_read_rows", sheet_id="SHT-1", limit=1)["next"]
    assert read(budget, cursor=cursor) == [2, 7, 8]
    for other in ({"sheet_id": "SHT-2"}, {"sheet_id": "SHT-1", "where": {"Item": "Paper"}}):
        assert budget.refused("sheets_read_rows", cursor=cursor, **other)[0] == "stale_cursor"


ROW = {"sheet_id": "SHT-1", "row": 1}
READS = {
    "sheets_read_rows": {},
    "sheets_calculate_column": {"column": "Item", "calculation": "count"},
}
WRITES = {
    "sheets_append_row": {"sheet_id": "SHT-1", "cells": {"Item": "Ink"}},
    "sheets_update_cell": ROW | {"column": "Item", "value": "Ink"},
    "sheets_delete_row": ROW,
}


@pytest.mark.parametrize("name", ["sheets_get_sheet", *READS, *WRITES])
def test_a_sheet_that_does_not_exist_is_refused(budget, name: str) -> None:
    arguments = READS.get(name, {}) | WRITES.get(name, {}) | {"sheet_id": "SHT-9"}
    assert budget.refused(name, **arguments) == ("not_found", "There is no sheet 'SHT-9'.")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("sheets_read_rows", {"where": {"Itme": "Ink"}}, "not_found"),
        ("sheets_read_rows", {"where": {"Day": "March"}}, "invalid_value"),
        ("sheets_calculate_column", {"column": "Itme", "calculation": "count"}, "not_found"),
        (
            "sheets_calculate_column",
            {"column": "Item", "calculation": "count", "group_by": "Regoin"},
            "not_found",
        ),
        (
            "sheets_calculate_column",
            {"column": "Item", "calculation": "count", "group_by": ""},
            "not_found",
        ),
        ("sheets_append_row", {"cells": {"Itme": "Ink"}}, "not_found"),
        ("sheets_append_row", {"cells": {"Item": "Ink", "Cost": "cheap"}}, "invalid_value"),
        ("sheets_append_row", {"cells": {}}, "invalid_value"),
        ("sheets_append_row", {"cells": {"Item": ""}}, "invalid_value"),
        ("sheets_update_cell", {"row": 1, "column": "Itme", "value": "Ink"}, "not_found"),
        ("sheets_update_cell", {"row": 3, "column": "Item", "value": "Ink"}, "not_found"),
        ("sheets_update_cell", {"row": 1, "column": "Pieces", "value": "few"}, "invalid_value"),
        ("sheets_update_cell", {"row": 1, "column": "Item", "value": 7}, "invalid_value"),
        ("sheets_delete_row", {"row": 3}, "not_found"),
        ("sheets_delete_row", {"row": 0}, "not_found"),
    ],
)
def test_what_the_sheet_does_not_have_is_refused(budget, name: str, arguments, code: str) -> None:
    assert budget.refused(name, sheet_id="SHT-1", **arguments)[0] == code


# Writing ------------------------------------------------------------------------------------------


def test_a_new_row_is_the_last_and_keeps_exact_values(budget) -> None:
    cells = {"cost": 0.1, "Pieces": "1.50", "Day": "2026-03-25", "Region": ""}
    answer = budget.ok("sheets_append_row", sheet_id="SHT-1", cells=cells)
    assert answer == {
        "status": "appended",
        "row": {
            "row_id": "ROW-6",
            "number": 9,
            "cells": {"Pieces": "1.5", "Cost": "0.10", "Day": "2026-03-25"},
        },
    }
    assert budget.record("sheets.rows", "ROW-6") == {
        "row_id": "ROW-6",
        "sheet_id": "SHT-1",
        "number": 9,
        "cells": {"Pieces": "1.5", "Cost": 10, "Day": "2026-03-25"},
    }
    assert read(budget) == [1, 2, 7, 8, 9]


def test_only_the_cell_is_changed_and_the_sheet_is_stamped(budget) -> None:
    before = budget.record("sheets.rows", "ROW-3")
    answer = budget.ok(
        "sheets_update_cell", sheet_id="SHT-1", row="7", column="COST", value="12.00"
    )
    assert answer["row"]["cells"]["Cost"] == "12.00"
    cells = before["cells"] | {"Cost": 1200}
    assert budget.record("sheets.rows", "ROW-3") == before | {"cells": cells}
    changes = [(change.table, change.id) for change in budget.office.log[-1].changes]
    assert changes == [("sheets.rows", "ROW-3"), ("sheets.sheets", "SHT-1")]
    assert budget.record("sheets.sheets", "SHT-1")["modified"] == "2026-03-25T09:00:00Z"


def test_empty_text_clears_a_cell(budget) -> None:
    budget.ok("sheets_update_cell", **ROW, column="Day", value="")
    assert "Day" not in budget.record("sheets.rows", "ROW-1")["cells"]
    assert read(budget, {"Day": ""}) == [1, 7, 8]


@pytest.mark.parametrize(
    ("column", "value"), [("Pieces", "2.0"), ("Cost", 19.99), ("Item", "Paper")]
)
def test_the_same_value_written_otherwise_changes_nothing(budget, column: str, value) -> None:
    budget.ok("sheets_update_cell", **ROW, column=column, value=value)
    assert budget.office.world.diff() == []


def test_the_other_rows_keep_their_numbers_when_one_is_deleted(budget) -> None:
    answer = budget.ok("sheets_delete_row", sheet_id="SHT-1", row=2)
    assert (answer["status"], answer["row"]["row_id"]) == ("deleted", "ROW-2")
    assert read(budget) == [1, 7, 8]
    assert budget.refused("sheets_delete_row", sheet_id="SHT-1", row=2)[0] == "not_found"
    assert budget.ok("sheets_read_rows", sheet_id="SHT-2")["total"] == 1


def test_rows_added_in_another_order_are_the_same_change(make_desk) -> None:
    digests = set()
    for items in (("Ink", "Tea"), ("Tea", "Ink")):
        desk = make_desk({"sheets.sheets": [{}]})
        for item in items:
            desk.ok("sheets_append_row", sheet_id="SHT-1", cells={"Item": item})
        digests.add(desk.office.world.digest())
    assert len(digests) == 1


def test_kept_cells_cannot_be_changed_from_outside(budget) -> None:
    with pytest.raises(TypeError, match="read-only"):
        budget.record("sheets.rows", "ROW-1")["cells"]["Item"] = "x"
    budget.ok("sheets_append_row", sheet_id="SHT-1", cells={"Item": "Ink"})
    with pytest.raises(TypeError, match="read-only"):
        budget.record("sheets.rows", "ROW-6")["cells"]["Item"] = "x"


@pytest.mark.parametrize(
    "wrong",
    [
        {"columns": []},
        {"columns": [{"name": "A"}, {"name": "a"}]},
        {"columns": [{"name": ""}]},
        {"columns": [{"name": "A", "type": "formula"}]},
        {"currency": None},
        {"currency": "euro"},
    ],
)
def test_a_sheet_that_could_not_be_used_is_no_sheet(make_desk, wrong: dict) -> None:
    with pytest.raises(TaskError, match=r"sheets\.sheets"):
        make_desk({"sheets.sheets": [wrong]})


@pytest.mark.parametrize("value", [1.5, True, None, ["a"]])
def test_a_cell_is_text_or_minor_units(value: object) -> None:
    row = {"row_id": "ROW-1", "sheet_id": "SHT-1", "number": 1, "cells": {"Item": value}}
    with pytest.raises(TaskError, match="cells"):
        table("sheets.rows").validate(row)


# Calculations -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "calculation", "expected"),
    [
        ("Pieces", "sum", {"value": "2.3", "count": 3}),
        ("Pieces", "average", {"value": "0.766667", "count": 3}),
        ("Pieces", "min", {"value": "0.1", "count": 3}),
        ("Pieces", "max", {"value": "2", "count": 3}),
        ("Pieces", "count", {"count": 3}),
        ("Cost", "sum", {"currency": "EUR", "value": "1265.00", "count": 4}),
        ("Cost", "average", {"currency": "EUR", "value": "316.25", "count": 4}),
        ("Cost", "min", {"currency": "EUR", "value": "-5.00", "count": 4}),
        ("Cost", "max", {"currency": "EUR", "value": "1250.00", "count": 4}),
        ("Day", "min", {"value": "2026-02-01", "count": 2}),
        ("Day", "max", {"value": "2026-03-01", "count": 2}),
        ("Item", "count", {"count": 4}),
        ("Cost", "count", {"count": 4}),
    ],
)
def test_a_column_is_calculated_over_its_filled_cells(
    budget, column: str, calculation: str, expected: dict
) -> None:
    answer = calculate(budget, column.upper(), calculation)
    assert answer == {"column": column, "calculation": calculation} | expected


def test_the_least_number_is_not_the_first_text(make_desk) -> None:
    rows = [{"number": n, "cells": {"Pieces": text}} for n, text in enumerate(("10", "9", "-1"))]
    desk = make_desk({"sheets.sheets": [{}], "sheets.rows": rows})
    assert calculate(desk, "Pieces", "max")["value"] == "10"
    assert calculate(desk, "Pieces", "min")["value"] == "-1"


def test_where_narrows_and_group_by_tells_apart(budget) -> None:
    assert calculate(budget, "Cost", "sum", where={"Item": "Paper"})["value"] == "14.99"
    groups = calculate(budget, "Cost", "sum", group_by="region")["groups"]
    assert groups == [
        {"group": "North", "value": "20.00", "count": 2},
        {"group": "South", "value": "-5.00", "count": 1},
        {"group": "", "value": "1250.00", "count": 1},
    ]
    groups = calculate(budget, "Day", "max", group_by="Item", where={"Item": "paper"})["groups"]
    assert groups == [{"group": "Paper", "value": "2026-03-01", "count": 1}]


def test_of_nothing_there_is_a_sum_and_no_average(budget) -> None:
    nothing = {"where": {"Item": "Tea"}}
    assert calculate(budget, "Cost", "sum", **nothing)["value"] == "0.00"
    assert calculate(budget, "Pieces", "sum", **nothing)["value"] == "0"
    for calculation in ("average", "min", "max"):
        answer = calculate(budget, "Pieces", calculation, **nothing)
        assert answer == {"column": "Pieces", "calculation": calculation, "count": 0}
    assert calculate(budget, "Cost", "sum", group_by="Item", **nothing)["groups"] == []


@pytest.mark.parametrize(
    ("column", "calculation"),
    [("Item", "sum"), ("Item", "min"), ("Item", "average"), ("Day", "sum"), ("Day", "average")],
)
def test_a_calculation_that_the_type_does_not_have_is_refused(
    budget, column: str, calculation: str
) -> None:
    code, message = budget.refused(
        "sheets_calculate_column", sheet_id="SHT-1", column=column, calculation=calculation
    )
    assert code == "conflict"
    assert f"Column '{column}' is" in message


def test_too_many_groups_are_refused(make_desk) -> None:
    rows = [{"number": n, "cells": {"Item": f"Item {n}"}} for n in range(101)]
    desk = make_desk({"sheets.sheets": [{}], "sheets.rows": rows})
    arguments = {"sheet_id": "SHT-1", "column": "Item", "calculation": "count", "group_by": "Item"}
    code, message = desk.refused("sheets_calculate_column", **arguments)
    assert code == "conflict"
    assert "101 groups" in message
    desk.ok("sheets_delete_row", sheet_id="SHT-1", row=5)
    assert len(desk.ok("sheets_calculate_column", **arguments)["groups"]) == 100


costs = st.lists(st.tuples(st.integers(-(10**12), 10**12), st.sampled_from("ab")), min_size=1)


@given(costs)
def test_sums_are_exact_and_groups_add_up(make_desk, rows: list) -> None:
    made = [{"number": n, "cells": {"Cost": c, "Item": g}} for n, (c, g) in enumerate(rows)]
    desk = make_desk({"sheets.sheets": [{}], "sheets.rows": made})
    total = Decimal(sum(cost for cost, _ in rows)) / 100
    assert Decimal(calculate(desk, "Cost", "sum")["value"]) == total
    groups = calculate(desk, "Cost", "sum", group_by="Item")["groups"]
    assert sum(Decimal(group["value"]) for group in groups) == total
    assert sum(group["count"] for group in groups) == len(rows)
    average = Fraction(calculate(desk, "Cost", "average")["value"])
    assert abs(average - Fraction(total) / len(rows)) <= Fraction(1, 200)


@given(st.lists(st.decimals(-(10**9), 10**9, allow_nan=False, places=4), min_size=1, max_size=8))
def test_what_is_appended_is_read_and_summed_exactly(make_desk, numbers: list) -> None:
    desk = make_desk({"sheets.sheets": [{}]})
    for number in numbers:
        desk.ok("sheets_append_row", sheet_id="SHT-1", cells={"Pieces": f"{number:f}"})
    rows = desk.ok("sheets_read_rows", sheet_id="SHT-1")["rows"]
    assert [Decimal(row["cells"]["Pieces"]) for row in rows] == numbers
    assert Decimal(calculate(desk, "Pieces", "sum")["value"]) == sum(numbers)
    for number in numbers:
        found = desk.ok("sheets_read_rows", sheet_id="SHT-1", where={"Pieces": f"{number:f}"})
        assert found["total"] == numbers.count(number)
