"""Config: integrations, whose list hides the secrets that reading one shows."""

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, chosen, columns, given, listed

CONFIG = Server(
    "config", "Integration", "integrations", "integration_id", default="T027zh_api_config_audit",
    lists=("updates", "notifications"),
)  # fmt: skip

_COLUMNS = ("integration_id", "name", "service", "status", "last_verified", "monthly_calls",
            "error_rate")  # fmt: skip


@CONFIG.route("/config/integrations")
def integrations(desk: Desk, status: str | None = None) -> Json:
    """Integrations of a status, without their secrets."""
    rows = chosen(desk.rows, status=status)
    return listed("integrations", [columns(row, _COLUMNS) for row in rows])


@CONFIG.route("/config/integrations/get")
def integration(desk: Desk, integration_id: str) -> Json:
    """An integration with its secrets."""
    return desk.get(integration_id) or desk.missing(integration_id)


@CONFIG.route("/config/integrations/update")
def update(
    desk: Desk, integration_id: str, status: str | None = None, notes: str | None = None
) -> Json:
    """An integration with the fields that are not empty; noted with those that are not null."""
    if desk.get(integration_id) is None:
        return desk.missing(integration_id)
    asked = given(integration_id=integration_id, status=status, notes=notes)
    kept = {name: value for name, value in asked.items() if value and name != "integration_id"}
    changed = desk.set(integration_id, kept)
    noted = {"integration_id": integration_id, "changes": asked, "timestamp": desk.stamp}
    desk.note("updates", noted)
    return {"status": "updated", "integration": changed}


@CONFIG.route("/config/notify")
def notify(desk: Desk, to: str, subject: str, body: str) -> Json:
    """A notification."""
    sent = {"to": to, "subject": subject, "body": body, "timestamp": desk.stamp}
    return {"status": "sent", "notification": desk.note("notifications", sent)}
