"""RSS: articles by source, and a newsletter."""

from coworkgym.frozen import Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, chosen, columns, listed

RSS = Server(
    "rss", "Article", "articles", "article_id", default="T021zh_newsletter_curation",
    lists=("published",),
)  # fmt: skip

_COLUMNS = ("article_id", "title", "source", "category", "published_at", "summary", "word_count")


@RSS.route("/rss/feeds")
def feeds(desk: Desk, category: str | None = None) -> Json:
    """Sources in the order they are met; their categories are sorted."""
    rows = chosen(desk.rows, category=category)
    sources = dict.fromkeys(row["source"] for row in rows)
    of = {each: [row for row in rows if row["source"] == each] for each in sources}
    return listed(
        "feeds",
        [
            {
                "source": source,
                "categories": sorted({row["category"] for row in found}),
                "article_count": len(found),
            }
            for source, found in of.items()
        ],
    )


@RSS.route("/rss/articles")
def articles(
    desk: Desk, source: str | None = None, category: str | None = None, max_results: int = 20
) -> Json:
    """The first articles of a source and a category."""
    rows = chosen(desk.rows, source=source, category=category)
    return listed("articles", [columns(row, _COLUMNS) for row in rows[:max_results]])


@RSS.route("/rss/articles/get")
def article(desk: Desk, article_id: str) -> Json:
    """An article."""
    return desk.get(article_id) or desk.missing(article_id)


@RSS.route("/rss/publish")
def publish(
    desk: Desk,
    title: str,
    content: str,
    recipients: list[str] = [],  # noqa: B006  never changed; the model copies it
) -> Json:
    """A newsletter."""
    record = {
        "title": title, "content": content, "recipients": recipients, "timestamp": desk.stamp
    }  # fmt: skip
    return {"status": "published", "record": desk.note("published", record)}


@RSS.route("/rss/feeds/get", repaired=True)
def feed(desk: Desk, feed_id: str) -> Json:
    """The articles of a source."""
    rows = chosen(desk.rows, source=feed_id) if feed_id else []
    if not rows:
        return {"error": f"Feed {feed_id} not found"}
    return listed("articles", [columns(row, _COLUMNS) for row in rows], source=feed_id)
