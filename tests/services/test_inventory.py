"""Inventory: what is ordered comes into the stock once, and the stock is never below nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.errors import TaskError

STATES = ("pending", "placed", "received", "cancelled")
CLOSING = {"inventory_receive_order": "received", "inventory_cancel_order": "cancelled"}


@pytest.fixture
def store(make_desk):
    """Products below, at and above their reorder point, one discontinued; an order per state."""
    products = [
        {"sku": "A4-80"},
        {"name": "Ink", "current_stock": 10, "supplier": None},
        {"name": "Desk", "category": "Furniture", "current_stock": 11, "supplier": "Holz"},
        {"name": "Old lamp", "category": "furniture", "status": "discontinued"},
    ]
    orders = [{"status": status} for status in STATES]
    orders += [{"product_id": "PRD-3", "supplier": "Holz Nord", "expected_day": "2026-04-02"}]
    return make_desk({"inventory.products": products, "inventory.orders": orders})


def listed(desk, name: str, /, **arguments: object) -> list[str]:
    rows = next(iter(desk.ok(f"inventory_list_{name}", **arguments).values()))
    return [next(iter(row.values())) for row in rows]


def stock(desk, number: int) -> int:
    return desk.record("inventory.products", f"PRD-{number}")["current_stock"]


# Reading ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["PRD-1", "PRD-2", "PRD-3", "PRD-4"]),
        ({"category": "FURNITURE"}, ["PRD-3", "PRD-4"]),
        ({"category": "furnit"}, []),
        ({"name": "LAMP"}, ["PRD-4"]),
        ({"name": "a4-"}, ["PRD-1"]),
        ({"status": "discontinued"}, ["PRD-4"]),
        ({"low_stock_only": True}, ["PRD-1", "PRD-2", "PRD-4"]),
        ({"low_stock_only": True, "status": "active", "category": "office"}, ["PRD-1", "PRD-2"]),
        ({"low_stock_only": False, "name": "i"}, ["PRD-2"]),
    ],
)
def test_a_list_holds_the_products_asked_for(store, filters: dict, expected: list) -> None:
    assert listed(store, "products", **filters) == expected


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"status": "placed"}, ["ORD-2"]),
        ({"product_id": "PRD-3"}, ["ORD-5"]),
        ({"supplier": "HOLZ"}, ["ORD-5"]),
        ({"supplier": "papel", "status": "received"}, ["ORD-3"]),
        ({"product_id": "PRD-3", "status": "cancelled"}, []),
    ],
)
def test_a_list_holds_the_orders_asked_for(store, filters: dict, expected: list) -> None:
    assert listed(store, "orders", **filters) == expected


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("products", {"category": "Office"}),
        ("products", {"name": "e"}),
        ("products", {"status": "active"}),
        ("products", {"low_stock_only": True}),
        ("orders", {"status": "pending"}),
        ("orders", {"product_id": "PRD-1"}),
        ("orders", {"supplier": "papel"}),
    ],
)
def test_a_cursor_belongs_to_its_filters(store, name: str, other: dict) -> None:
    """A-cursor-unordered"""
    cursor = store.ok(f"inventory_list_{name}", limit=1)["next"]
    assert listed(store, name, cursor=cursor)[0].endswith("-2")
    assert store.refused(f"inventory_list_{name}", cursor=cursor, **other)[0] == "stale_cursor"


def test_prices_are_decimals_and_the_sku_is_read_with_the_product(store) -> None:
    row = store.ok("inventory_list_products")["products"][1]
    assert row == {
        "product_id": "PRD-2",
        "name": "Ink",
        "category": "Office",
        "current_stock": 10,
        "reorder_point": 10,
        "unit_price": "19.99",
        "currency": "EUR",
        "supplier": None,
        "status": "active",
    }
    product = store.ok("inventory_get_product", product_id="PRD-1")
    assert (product["sku"], product["unit_price"]) == ("A4-80", "19.99")
    order = store.ok("inventory_get_order", order_id="ORD-5")
    assert (order["expected_day"], order["created_at"][:20]) == (
        "2026-04-02",
        "2026-03-24T09:00:00Z",
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("inventory_get_product", {"product_id": "PRD-9"}),
        ("inventory_list_orders", {"product_id": "PRD-9"}),
        ("inventory_create_order", {"product_id": "PRD-9", "quantity": 1}),
        ("inventory_adjust_stock", {"product_id": "PRD-9", "change": 1, "reason": "Found."}),
        ("inventory_get_order", {"order_id": "ORD-9"}),
        ("inventory_cancel_order", {"order_id": "ORD-9"}),
        ("inventory_receive_order", {"order_id": "ORD-9"}),
    ],
)
def test_what_does_not_exist_is_refused(store, name: str, arguments: dict) -> None:
    code, message = store.refused(name, **arguments)
    assert code == "not_found"
    assert "-9'" in message


# Ordering -----------------------------------------------------------------------------------------


def test_an_order_is_pending_from_the_products_own_supplier(store) -> None:
    answer = store.ok("inventory_create_order", product_id="PRD-1", quantity=20)
    assert answer["status"] == "created"
    assert store.record("inventory.orders", answer["order"]["order_id"]) == {
        "order_id": "ORD-6",
        "product_id": "PRD-1",
        "quantity": 20,
        "supplier": "Papel",
        "status": "pending",
        "expected_day": None,
        "created_at": "2026-03-25T09:00:00Z",
        "received_at": None,
    }
    assert stock(store, 1) == 5


def test_another_supplier_may_be_named_and_must_be_where_there_is_none(store) -> None:
    for product_id in ("PRD-1", "PRD-2"):
        store.ok("inventory_create_order", product_id=product_id, quantity=1, supplier="Tinta")
        assert store.rows("inventory.orders")[-1]["supplier"] == "Tinta"
    code, message = store.refused("inventory_create_order", product_id="PRD-2", quantity=1)
    assert (code, message) == ("missing_supplier", "Product 'PRD-2' has no supplier; name one.")
    blank = store.refused("inventory_create_order", product_id="PRD-1", quantity=1, supplier=" ")
    assert blank[0] == "invalid_argument"


@pytest.mark.parametrize("quantity", [0, -1, -(10**20)])
def test_an_order_of_nothing_is_refused(store, quantity: int) -> None:
    code, message = store.refused("inventory_create_order", product_id="PRD-1", quantity=quantity)
    assert code == "invalid_argument"
    assert f"'quantity' must be 1 or more, got {quantity}." in message


@pytest.mark.parametrize("quantity", [1.5, "many", True, None])
def test_a_quantity_is_a_whole_number(store, quantity: object) -> None:
    refusal = store.refused("inventory_create_order", product_id="PRD-1", quantity=quantity)
    assert refusal[0] in ("invalid_argument", "missing_argument")


def test_a_discontinued_product_is_not_ordered(store) -> None:
    code, message = store.refused("inventory_create_order", product_id="PRD-4", quantity=1)
    assert code == "conflict"
    assert "'PRD-4' is discontinued" in message


# Orders that come or do not -----------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(CLOSING))
@pytest.mark.parametrize("status", STATES)
def test_an_order_is_received_or_cancelled_while_it_is_open(store, name: str, status: str) -> None:
    order_id = f"ORD-{STATES.index(status) + 1}"
    if status in ("pending", "placed"):
        answer = store.ok(name, order_id=order_id)
        assert answer["status"] == answer["order"]["status"] == CLOSING[name]
        assert store.record("inventory.orders", order_id)["status"] == CLOSING[name]
    else:
        code, message = store.refused(name, order_id=order_id)
        assert (code, f"is {status}, not pending or placed." in message) == ("conflict", True)


def test_what_is_received_is_in_stock_once(store) -> None:
    before = store.record("inventory.orders", "ORD-2")
    store.ok("inventory_receive_order", order_id="ORD-2")
    assert store.record("inventory.orders", "ORD-2") == before | {
        "status": "received",
        "received_at": "2026-03-25T09:00:00Z",
    }
    assert [stock(store, number) for number in (1, 2, 3, 4)] == [8, 10, 11, 5]
    assert store.refused("inventory_receive_order", order_id="ORD-2")[0] == "conflict"
    assert store.refused("inventory_cancel_order", order_id="ORD-2")[0] == "conflict"
    assert stock(store, 1) == 8


def test_a_cancelled_order_leaves_the_stock_alone(store) -> None:
    store.ok("inventory_cancel_order", order_id="ORD-5")
    assert stock(store, 3) == 11
    assert store.refused("inventory_receive_order", order_id="ORD-5")[0] == "conflict"


# Corrections --------------------------------------------------------------------------------------


def test_a_correction_says_who_made_it_and_why(store) -> None:
    answer = store.ok("inventory_adjust_stock", product_id="PRD-1", change=-5, reason="Wet.")
    assert (answer["status"], answer["product"]["current_stock"]) == ("adjusted", 0)
    assert store.rows("inventory.adjustments") == [
        {
            "adjustment_id": "ADJ-1",
            "product_id": "PRD-1",
            "change": -5,
            "reason": "Wet.",
            "made_by": "kim@orga.test",
            "made_at": "2026-03-25T09:00:00Z",
        }
    ]
    assert stock(store, 1) == 0


@pytest.mark.parametrize(
    ("change", "reason", "code", "says"),
    [
        (-6, "Wet.", "conflict", "'PRD-1' has 5 in stock: 6 can't be taken."),
        (0, "Wet.", "invalid_argument", "'change' must not be 0."),
        (1, " \n", "invalid_argument", "'reason' must not be empty."),
    ],
)
def test_an_impossible_correction_is_refused(
    store, change: int, reason: str, code: str, says: str
) -> None:
    refusal = store.refused(
        "inventory_adjust_stock", product_id="PRD-1", change=change, reason=reason
    )
    assert refusal[0] == code
    assert says in refusal[1]
    assert store.rows("inventory.adjustments") == []


@given(st.lists(st.tuples(st.sampled_from(["adjust", "receive", "cancel"]), st.integers(-8, 8))))
def test_the_stock_is_what_was_there_and_what_came_and_is_never_below_nothing(
    make_desk, steps: list
) -> None:
    orders = [{"quantity": number} for number in range(1, 9)]
    desk = make_desk({"inventory.products": [{}], "inventory.orders": orders})
    for step, number in steps:
        if step == "adjust":
            arguments = {"product_id": "PRD-1", "change": number, "reason": "Counted."}
            desk.call("inventory_adjust_stock", arguments)
        else:
            desk.call(f"inventory_{step}_order", {"order_id": f"ORD-{abs(number)}"})
        came = [o["quantity"] for o in desk.rows("inventory.orders") if o["status"] == "received"]
        corrected = [row["change"] for row in desk.rows("inventory.adjustments")]
        assert stock(desk, 1) == 5 + sum(came) + sum(corrected) >= 0


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("inventory.products", {"current_stock": -1}),
        ("inventory.products", {"reorder_point": -1}),
        ("inventory.orders", {"quantity": 0}),
    ],
)
def test_records_that_cannot_be_are_refused(make_desk, table: str, row: dict) -> None:
    with pytest.raises(TaskError, match=next(iter(row))):
        make_desk({table: [row]})
