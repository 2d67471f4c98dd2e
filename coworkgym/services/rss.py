"""RSS: articles of the feeds that the company reads, and newsletters that go out."""

from collections.abc import Iterable, Iterator

from pydantic import Field

from coworkgym.frozen import FrozenDict, Json, freeze
from coworkgym.services.arguments import Day, Filled, Recipients
from coworkgym.services.gmail import canonical_or_contact
from coworkgym.services.instants import local_date, parse_instant
from coworkgym.services.office import Office
from coworkgym.services.ranking import Ranking, Texts
from coworkgym.services.service import Service
from coworkgym.services.table import Instant, Moment, Record, Table

RSS = Service("rss")


class Article(Record):
    """An article of a feed."""

    article_id: str
    title: str
    source: str
    category: str
    published_at: Instant
    summary: str = ""
    content: str
    word_count: int = Field(ge=0)


class Feed(Record):
    """What the articles of one source come to."""

    source: str
    categories: list[str]
    article_count: int


class Publication(Record):
    """A newsletter that was sent."""

    publication_id: str
    title: str
    content: str
    recipients: list[str]
    published_at: Moment


ARTICLES = RSS.table("articles", Article, key="article_id", prefix="RSS-")
PUBLICATIONS = RSS.table("publications", Publication, key="publication_id", prefix="PUB-")
_FEEDS = Table("rss.feeds", Feed, key="source", prefix="")  # kept nowhere: articles make it up

_COLUMNS = ("article_id", "title", "source", "category", "published_at", "summary", "word_count")


@RSS.tool
def rss_list_feeds(
    office: Office, category: str | None = None, limit: int = 20, cursor: str | None = None
) -> Json:
    """List the feeds and what they write about.

    Args:
        category: Only feeds with articles of it.
        cursor: next of the page before.
    """
    wanted = None if category is None else category.casefold()
    rows = [
        feed
        for feed in _feeds(office.world.rows(ARTICLES))
        if wanted is None or wanted in map(str.casefold, feed["categories"])
    ]
    columns = _FEEDS.fields
    return office.listing(_FEEDS, rows, columns, limit=limit, cursor=cursor, scope=wanted)


@RSS.tool
def rss_list_articles(
    office: Office,
    source: str | None = None,
    category: str | None = None,
    query: str = "",
    since: Day | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List articles, newest first; with a query the best match first.

    Args:
        query: Words to look for; empty for every article.
        since: First day, YYYY-MM-DD.
        cursor: next of the page before.
    """
    feed, subject = (None if text is None else text.casefold() for text in (source, category))
    rows = [
        row
        for row in office.world.rows(ARTICLES)
        if feed in (None, row["source"].casefold())
        and subject in (None, row["category"].casefold())
        and (since is None or since <= _day(office, row))
    ]
    rows.sort(key=lambda row: str(row["published_at"]), reverse=True)
    if query.strip():
        rows = Ranking(query, office.world.base.tables[ARTICLES.name].values(), _texts).order(rows)
    scope = [feed, subject, query.casefold().split(), since]
    return office.listing(ARTICLES, rows, _COLUMNS, limit=limit, cursor=cursor, scope=scope)


@RSS.tool
def rss_get_article(office: Office, article_id: str) -> Json:
    """Read one article in full."""
    return office.read(ARTICLES, article_id)


@RSS.tool(writes=True)
def rss_publish(office: Office, title: Filled, content: Filled, recipients: Recipients) -> Json:
    """Send out a newsletter.

    Args:
        recipients: Addresses, separated by commas.
    """
    addresses = dict.fromkeys(canonical_or_contact(office, entry) for entry in recipients)
    record = office.world.insert(
        PUBLICATIONS, title=title, content=content, recipients=list(addresses),
        published_at=office.world.now_text,
    )  # fmt: skip
    return {"status": "published", "record": office.show(PUBLICATIONS, record)}


def _feeds(articles: Iterable[FrozenDict]) -> Iterator[FrozenDict]:
    """The feeds in the order of their first articles."""
    categories: dict[str, list[str]] = {}
    for row in articles:
        categories.setdefault(row["source"], []).append(row["category"])
    for source, named in categories.items():
        yield freeze(
            {"source": source, "categories": sorted(set(named)), "article_count": len(named)}
        )


def _day(office: Office, article: FrozenDict) -> str:
    """The local day of its publication."""
    return local_date(parse_instant(article["published_at"]), office.zone).isoformat()


def _texts(row: FrozenDict) -> Texts:
    labels = f"{row['source']} {row['category']}"
    return Texts(row["title"], labels, f"{row['summary']} {row['content']}")
