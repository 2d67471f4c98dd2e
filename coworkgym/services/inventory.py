"""Inventory: products in stock, and the orders that bring more of them."""

from typing import Literal

from pydantic import Field

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.arguments import Filled
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import Day, Minor, Moment, Record

INVENTORY = Service("inventory")

ProductStatus = Literal["active", "discontinued"]
OrderStatus = Literal["pending", "placed", "received", "cancelled"]


class Product(Record):
    """Something that is kept in stock."""

    product_id: str
    name: str
    category: str
    sku: str | None = None
    current_stock: int = Field(ge=0)
    reorder_point: int = Field(default=0, ge=0)
    unit_price: Minor
    currency: str
    supplier: str | None = None
    status: ProductStatus = "active"


class Order(Record):
    """Pieces of a product asked of a supplier; placed once the supplier has agreed."""

    order_id: str
    product_id: str
    quantity: int = Field(ge=1)
    supplier: str
    status: OrderStatus = "pending"
    expected_day: Day | None = None
    created_at: Moment
    received_at: Moment | None = None


class Adjustment(Record):
    """A change of the stock that no order explains."""

    adjustment_id: str
    product_id: str
    change: int
    reason: str
    made_by: str
    made_at: Moment


PRODUCTS = INVENTORY.table("products", Product, key="product_id", prefix="PRD-")
ORDERS = INVENTORY.table("orders", Order, key="order_id", prefix="ORD-")
ADJUSTMENTS = INVENTORY.table("adjustments", Adjustment, key="adjustment_id", prefix="ADJ-")

_COLUMNS = (
    "product_id", "name", "category", "current_stock", "reorder_point", "unit_price", "currency",
    "supplier", "status",
)  # fmt: skip
_ORDER_COLUMNS = (
    "order_id", "product_id", "quantity", "supplier", "status", "expected_day", "created_at",
)  # fmt: skip


@INVENTORY.tool
def inventory_list_products(
    office: Office,
    category: str | None = None,
    name: str | None = None,
    status: ProductStatus | None = None,
    low_stock_only: bool = False,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List products and their stock.

    Args:
        name: Part of the name or SKU.
        low_stock_only: Only those at or below their reorder point.
        cursor: next of the page before.
    """
    wanted = None if category is None else category.casefold()
    part = (name or "").casefold()
    rows = [
        row
        for row in office.world.rows(PRODUCTS)
        if wanted in (None, row["category"].casefold())
        and (part in row["name"].casefold() or part in (row["sku"] or "").casefold())
        and status in (None, row["status"])
        and not (low_stock_only and row["current_stock"] > row["reorder_point"])
    ]
    scope = [wanted, part, status, low_stock_only]
    return office.listing(PRODUCTS, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


@INVENTORY.tool
def inventory_get_product(office: Office, product_id: str) -> Json:
    """Read one product in full."""
    return office.read(PRODUCTS, product_id)


@INVENTORY.tool
def inventory_list_orders(
    office: Office,
    status: OrderStatus | None = None,
    product_id: str | None = None,
    supplier: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List purchase orders.

    Args:
        supplier: Part of the supplier's name.
        cursor: next of the page before.
    """
    if product_id is not None:
        office.record(PRODUCTS, product_id)
    part = (supplier or "").casefold()
    rows = [
        row
        for row in office.world.rows(ORDERS)
        if status in (None, row["status"])
        and product_id in (None, row["product_id"])
        and part in row["supplier"].casefold()
    ]
    scope = [status, product_id, part]
    return office.listing(ORDERS, rows, _ORDER_COLUMNS, limit=limit, cursor=cursor, scope=scope)


@INVENTORY.tool
def inventory_get_order(office: Office, order_id: str) -> Json:
    """Read one purchase order in full."""
    return office.read(ORDERS, order_id)


@INVENTORY.tool(writes=True)
def inventory_create_order(
    office: Office, product_id: str, quantity: int, supplier: Filled | None = None
) -> Json:
    """Order more of a product.

    Args:
        supplier: The product's own by default.
    """
    product = office.record(PRODUCTS, product_id)
    if quantity < 1:
        raise ToolError("invalid_argument", f"'quantity' must be 1 or more, got {quantity}.")
    if product["status"] == "discontinued":
        raise ToolError("conflict", f"Product {product_id!r} is discontinued: it can't be ordered.")
    chosen = supplier or product["supplier"]
    if not chosen:
        raise ToolError("missing_supplier", f"Product {product_id!r} has no supplier; name one.")
    order = office.world.insert(
        ORDERS, product_id=product_id, quantity=quantity, supplier=chosen,
        created_at=office.world.now_text,
    )  # fmt: skip
    return _changed(office, "created", order)


@INVENTORY.tool(writes=True)
def inventory_cancel_order(office: Office, order_id: str) -> Json:
    """Cancel an order that has not been received."""
    _open_order(office, order_id)
    order = office.world.update(ORDERS, order_id, status="cancelled")
    return _changed(office, "cancelled", order)


@INVENTORY.tool(writes=True)
def inventory_receive_order(office: Office, order_id: str) -> Json:
    """Book the whole delivery of an order into the stock."""
    order = _open_order(office, order_id)
    product = office.record(PRODUCTS, order["product_id"])
    stock = product["current_stock"] + order["quantity"]
    office.world.update(PRODUCTS, order["product_id"], current_stock=stock)
    order = office.world.update(
        ORDERS, order_id, status="received", received_at=office.world.now_text
    )
    return _changed(office, "received", order)


@INVENTORY.tool(writes=True)
def inventory_adjust_stock(office: Office, product_id: str, change: int, reason: Filled) -> Json:
    """Correct the stock of a product.

    Args:
        change: How many more, or fewer if negative.
    """
    before = office.record(PRODUCTS, product_id)["current_stock"]
    if change == 0:
        raise ToolError("invalid_argument", "'change' must not be 0.")
    if before + change < 0:
        raise ToolError(
            "conflict", f"Product {product_id!r} has {before} in stock: {-change} can't be taken."
        )
    product = office.world.update(PRODUCTS, product_id, current_stock=before + change)
    office.world.insert(
        ADJUSTMENTS, product_id=product_id, change=change, reason=reason,
        made_by=office.owner.email, made_at=office.world.now_text,
    )  # fmt: skip
    return {"status": "adjusted", "product": office.show(PRODUCTS, product)}


def _open_order(office: Office, order_id: str) -> FrozenDict:
    order = office.record(ORDERS, order_id)
    if order["status"] not in ("pending", "placed"):
        raise ToolError(
            "conflict", f"Order {order_id!r} is {order['status']}, not pending or placed."
        )
    return order


def _changed(office: Office, status: str, order: FrozenDict) -> Json:
    return {"status": status, "order": office.show(ORDERS, order)}
