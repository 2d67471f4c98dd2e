"""Knowledge base: the company's articles, ranked by the words they share with a query."""

from typing import Annotated

from pydantic import Field

from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.office import Office
from coworkgym.services.ranking import Ranking, Texts
from coworkgym.services.service import Service
from coworkgym.services.table import VOLATILE, Day, Record

KB = Service("kb")


class Article(Record):
    """An article of the knowledge base."""

    article_id: str
    title: str
    category: str = "general"
    tags: list[str] = Field(default_factory=list)
    content: str
    last_updated: Annotated[Day, VOLATILE]
    views: int = 0


ARTICLES = KB.table("articles", Article, key="article_id", prefix="KB-")

_COLUMNS = ("article_id", "title", "category", "tags", "last_updated", "views")


@KB.tool
def kb_search(
    office: Office,
    query: str,
    category: str | None = None,
    max_results: int = 5,
    cursor: str | None = None,
) -> Json:
    """Search the articles, best match first.

    Args:
        query: Words to look for; empty for every article.
        cursor: next of the page before.
    """
    wanted = None if category is None else category.casefold()
    rows = [
        row for row in office.world.rows(ARTICLES) if wanted in (None, row["category"].casefold())
    ]
    ranking = Ranking(query, office.world.base.tables[ARTICLES.name].values(), _texts)
    if query.strip():
        rows = ranking.order(rows)
    answer = office.listing(
        ARTICLES, rows, _COLUMNS, limit=max_results, cursor=cursor,
        scope=[query.casefold().split(), wanted], limit_name="max_results",
    )  # fmt: skip
    for shown in answer["articles"]:
        content = office.record(ARTICLES, shown["article_id"])["content"]
        shown["snippet"] = ranking.snippet(content)
    return answer


@KB.tool
def kb_get_article(office: Office, article_id: str) -> Json:
    """Read one article in full."""
    return office.read(ARTICLES, article_id)


@KB.tool(writes=True)
def kb_update_article(office: Office, article_id: str, content: str) -> Json:
    """Replace the text of an article.

    Args:
        content: The whole new text.
    """
    if office.record(ARTICLES, article_id)["content"] != content:
        today = office.today.isoformat()
        office.world.update(ARTICLES, article_id, content=content, last_updated=today)
    return {"status": "updated", "article_id": article_id}


def _texts(row: FrozenDict) -> Texts:
    return Texts(row["title"], " ".join([row["category"], *row["tags"]]), row["content"])
