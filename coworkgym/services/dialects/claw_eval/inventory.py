"""Inventory: products, and orders that leave the stock alone."""

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, chosen, listed

INVENTORY = Server(
    "inventory", "Product", "products", "product_id", default="T019zh_inventory_check",
    lists=("orders",),
)  # fmt: skip


@INVENTORY.route("/inventory/products")
def products(desk: Desk, category: str | None = None) -> Json:
    """Products of a category."""
    return listed("products", chosen(desk.rows, category=category))


@INVENTORY.route("/inventory/products/get")
def product(desk: Desk, product_id: str) -> Json:
    """A product."""
    return desk.get(product_id) or desk.missing(product_id)


@INVENTORY.route("/inventory/orders/create")
def order(desk: Desk, product_id: str, quantity: int, supplier: str | None = None) -> Json:
    """An order; neither product nor sign is looked at."""
    made = {
        "product_id": product_id, "quantity": quantity, "supplier": supplier,
        "timestamp": desk.stamp,
    }  # fmt: skip
    return {"status": "created", "order": desk.note("orders", made)}
