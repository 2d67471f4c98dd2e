"""Config: integrations with other systems and their secrets, and notifications about them."""

import hashlib
from typing import Annotated, Literal

from pydantic import Field

from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.arguments import Filled, Recipients
from coworkgym.services.gmail import canonical_or_contact
from coworkgym.services.office import Office
from coworkgym.services.patterns import lazy_pattern
from coworkgym.services.service import Service
from coworkgym.services.table import Instant, Moment, Record

CONFIG = Service("config")

IntegrationStatus = Literal["active", "inactive", "degraded", "error"]


class Integration(Record):
    """A connection to another system, with the secrets that open it."""

    integration_id: str
    name: str
    service: str
    status: IntegrationStatus = "active"
    api_key: str
    api_secret: str | None = None
    last_verified: Instant | None = None
    monthly_calls: int = Field(default=0, ge=0)
    error_rate: Annotated[float, Field(ge=0, le=1)] = 0.0  # the share of calls that fail
    notes: str = ""


class Notification(Record):
    """A notification that was sent."""

    notification_id: str
    to: list[str]
    subject: str
    body: str
    sent_at: Moment


INTEGRATIONS = CONFIG.table("integrations", Integration, key="integration_id", prefix="INT-")
NOTIFICATIONS = CONFIG.table("notifications", Notification, key="notification_id", prefix="CN-")

_COLUMNS = (
    "integration_id", "name", "service", "status", "last_verified", "monthly_calls", "error_rate",
)  # fmt: skip
_KIND = lazy_pattern(r"(?:[A-Za-z]{1,8}[-_])*")  # what a key begins with, such as sk_live_


@CONFIG.tool
def config_list_integrations(
    office: Office,
    status: IntegrationStatus | None = None,
    service: str | None = None,
    name: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List integrations, without their secrets.

    Args:
        name: Part of the name.
        cursor: next of the page before.
    """
    wanted = None if service is None else service.casefold()
    part = (name or "").casefold()
    rows = [
        row
        for row in office.world.rows(INTEGRATIONS)
        if status in (None, row["status"])
        and wanted in (None, row["service"].casefold())
        and part in row["name"].casefold()
    ]
    scope = [status, wanted, part]
    return office.listing(INTEGRATIONS, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


@CONFIG.tool
def config_get_integration(office: Office, integration_id: str) -> Json:
    """Read one integration in full, with its secrets."""
    return office.read(INTEGRATIONS, integration_id)


@CONFIG.tool(writes=True)
def config_update_integration(
    office: Office,
    integration_id: str,
    status: IntegrationStatus | None = None,
    notes: str | None = None,
) -> Json:
    """Change the status or the notes of an integration."""
    changed = office.edit(INTEGRATIONS, integration_id, status=status, notes=notes)
    return {"status": "updated", "integration": _without_secrets(office, changed)}


@CONFIG.tool(writes=True)
def config_rotate_key(office: Office, integration_id: str) -> Json:
    """Replace an integration's API key by a new one; the old one stops working."""
    integration = office.record(INTEGRATIONS, integration_id)
    key = _key_after(integration_id, integration["api_key"])
    changed = office.world.update(INTEGRATIONS, integration_id, api_key=key)
    shown = _without_secrets(office, changed) | {"api_key": f"********{key[-4:]}"}
    return {"status": "rotated", "integration": shown}


@CONFIG.tool(writes=True)
def config_send_notification(office: Office, to: Recipients, subject: Filled, body: Filled) -> Json:
    """Send a notification.

    Args:
        to: Addresses, separated by commas.
    """
    addresses = dict.fromkeys(canonical_or_contact(office, entry) for entry in to)
    sent = office.world.insert(
        NOTIFICATIONS, to=list(addresses), subject=subject, body=body,
        sent_at=office.world.now_text,
    )  # fmt: skip
    return {"status": "sent", "notification": office.show(NOTIFICATIONS, sent)}


def _key_after(integration_id: str, key: str) -> str:
    """A new key of the same kind; the id keeps apart integrations that shared one."""
    digest = hashlib.blake2b(f"{integration_id} {key}".encode(), digest_size=16).hexdigest()
    kind = _KIND.match(key)
    return f"{kind[0] if kind else ''}{digest}"


def _without_secrets(office: Office, integration: FrozenDict) -> dict[str, Json]:
    shown = office.show(INTEGRATIONS, integration)
    return {name: shown[name] for name in (*_COLUMNS, "notes") if name in shown}
