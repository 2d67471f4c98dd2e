"""Web: recorded pages, a search over them, and notifications that go out."""

from typing import Annotated

from pydantic import AfterValidator, Field

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.arguments import Recipients
from coworkgym.services.gmail import canonical_or_contact
from coworkgym.services.office import Office
from coworkgym.services.patterns import lazy_pattern
from coworkgym.services.ranking import Ranking, Texts
from coworkgym.services.service import Service
from coworkgym.services.table import Instant, Moment, Record

WEB = Service("web")

_URL = lazy_pattern(
    r"([hH][tT]{2}[pP][sS]?)://([^/?#\s@]*@)?([^/?#\s@]+)([^?#\s]*)(\?[^#\s]*)?(?:#.*)?"
)


def _canonical(url: str) -> str:
    """A url with scheme and host in lower case, without fragment and last slash; or the text."""
    match = _URL.fullmatch(url.strip())
    if match is None:
        return url
    scheme, user, host, path, query = match.groups("")
    return f"{scheme.lower()}://{user}{host.lower()}{path.rstrip('/')}{query}"


def _whole(url: str) -> str:
    if not _URL.fullmatch(url):
        raise ValueError(f"{url!r} is no url such as 'https://orga.test/prices'")
    return url


Url = Annotated[str, AfterValidator(_canonical)]
"""The address of a page in its one normal form; what is no url stays as it is."""


class Page(Record):
    """A page as it was recorded. Searches find one with an error status too: a dead link."""

    url: Annotated[Url, AfterValidator(_whole)]
    title: str
    content: str = ""
    source: str | None = None
    published_at: Instant | None = None
    status_code: Annotated[int, Field(ge=200, le=599)] = 200
    content_type: str = "text/html"
    keywords: list[str] = Field(default_factory=list)


class Notification(Record):
    """A notification that was sent."""

    notification_id: str
    channel: str
    message: str
    recipients: list[str] = Field(default_factory=list)
    sent_at: Moment


PAGES = WEB.table("pages", Page, key="url", prefix="https://page.test/")
NOTIFICATIONS = WEB.table("notifications", Notification, key="notification_id", prefix="NTF-")

_COLUMNS = ("url", "title", "source", "published_at")
_PAGE = ("url", "status_code", "title", "content_type", "content")


@WEB.tool
def web_search(
    office: Office, query: str, max_results: int = 10, cursor: str | None = None
) -> Json:
    """Search the web, best match first.

    Args:
        cursor: next of the page before.
    """
    ranking = Ranking(query, office.world.base.tables[PAGES.name].values(), _texts)
    answer = office.listing(
        PAGES, ranking.order(office.world.rows(PAGES)), _COLUMNS, limit=max_results,
        cursor=cursor, scope=query.casefold().split(), limit_name="max_results",
    )  # fmt: skip
    for shown in answer["pages"]:
        shown["snippet"] = ranking.snippet(office.record(PAGES, shown["url"])["content"])
    return answer


@WEB.tool
def web_fetch(office: Office, url: Url) -> Json:
    """Read one page in full."""
    page = office.world.get(PAGES, url)
    if page is None:
        raise _missing(url)
    if page["status_code"] >= 400:
        raise ToolError("unavailable", f"{url!r} answers with status {page['status_code']}.")
    return PAGES.show_columns(page, _PAGE, office.zone)


@WEB.tool(writes=True)
def web_send_notification(
    office: Office, channel: str, message: str, recipients: Recipients | None = None
) -> Json:
    """Send a notification.

    Args:
        channel: Where to, such as email.
        recipients: Addresses, separated by commas; everyone in the channel by default.
    """
    for name, value in (("channel", channel), ("message", message)):
        if not value.strip():
            raise ToolError("invalid_argument", f"{name!r} must not be empty.")
    addresses = dict.fromkeys(canonical_or_contact(office, entry) for entry in recipients or ())
    record = office.world.insert(
        NOTIFICATIONS, channel=channel.strip(), message=message, recipients=list(addresses),
        sent_at=office.world.now_text,
    )  # fmt: skip
    return {"status": "sent", "record": office.show(NOTIFICATIONS, record)}


def _missing(url: str) -> ToolError:
    try:
        return ToolError("not_found", f"There is no page {_whole(url)!r}.")
    except ValueError as error:
        return ToolError("invalid_url", f"{error}.")


def _texts(row: FrozenDict) -> Texts:
    return Texts(row["title"], " ".join([row["source"] or "", *row["keywords"]]), row["content"])
