"""Web: recorded results and pages."""

from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, columns, listed
from coworkgym.services.dialects.claw_eval.words import terms

WEB = Server(
    "web", "Page", "pages", "url", default="T043zh_service_outage_research",
    lists=("notifications",), shelves=("results",),
    fixtures=("WEB_FETCH_FIXTURES", "WEB_SEARCH_FIXTURES"),
)  # fmt: skip

_COLUMNS = ("url", "title", "snippet", "source", "published_at")


@WEB.route("/web/search")
def search(desk: Desk, query: str, max_results: int = 10) -> Json:
    """Results by how many words of the query are among their keywords."""
    wanted = terms(query)
    ranked = sorted(desk.shelf("results"), key=lambda row: -len(wanted & _keywords(row)))
    found = [columns(row, _COLUMNS) for row in ranked if wanted & _keywords(row)]
    return listed("results", found[:max_results], query=query)


@WEB.route("/web/fetch")
def fetch(desk: Desk, url: str, timeout_seconds: int = 30) -> Json:
    """A page; one that failed, or is not there, is told with its status."""
    page = desk.get(url)
    if page is None:
        error = "Page not found or unavailable"
        return {"status_code": 404, "url": url, "error": error, "content": None}
    status = page.get("status_code", 200)
    if status >= 400:
        error = page.get("error", f"HTTP {status}")
        return {"status_code": status, "url": url, "error": error, "content": None}
    return {
        "status_code": status, "url": url, "title": page["title"], "content": page["content"],
        "content_type": page["content_type"], "fetched_at": desk.stamp,
    }  # fmt: skip


@WEB.route("/web/notify")
def notify(
    desk: Desk,
    channel: str,
    message: str,
    recipients: list[str] = [],  # noqa: B006  never changed; the model copies it
) -> Json:
    """A notification."""
    record = {
        "channel": channel, "message": message, "recipients": recipients, "timestamp": desk.stamp
    }  # fmt: skip
    return {"status": "sent", "record": desk.note("notifications", record)}


def _keywords(row: FrozenDict) -> frozenset[str]:
    return terms(" ".join(row["keywords"]))
