"""Knowledge base: nearly any query finds nearly every article, in the order of the file."""

from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.dialects.claw_eval.desk import Desk
from coworkgym.services.dialects.claw_eval.server import Server, chosen, listed
from coworkgym.services.dialects.claw_eval.words import pairs

KB = Server(
    "kb", "Article", "articles", "article_id", default="T015zh_kb_search", lists=("updates",)
)

_COLUMNS = ("article_id", "title", "category", "tags", "last_updated", "views")


@KB.route("/kb/search")
def search(desk: Desk, query: str, category: str | None = None, max_results: int = 5) -> Json:
    """Articles that share a piece of text with the query."""
    wanted = pairs(query)
    found = [row for row in chosen(desk.rows, category=category) if wanted & _pieces(row)]
    return listed("articles", [_summary(row) for row in found[:max_results]])


@KB.route("/kb/articles/get")
def article(desk: Desk, article_id: str) -> Json:
    """An article."""
    return desk.get(article_id) or desk.missing(article_id)


@KB.route("/kb/articles/update")
def update(desk: Desk, article_id: str, content: str) -> Json:
    """An article with other content, dated today."""
    if desk.get(article_id) is None:
        return desk.missing(article_id)
    desk.set(article_id, {"content": content, "last_updated": desk.stamp[:10]})
    desk.note("updates", {"article_id": article_id, "timestamp": desk.stamp})
    return {"status": "updated", "article_id": article_id}


def _pieces(row: FrozenDict) -> frozenset[str]:
    return pairs(" ".join([row["title"], *row["tags"], row["content"]]))


def _summary(row: FrozenDict) -> dict[str, Json]:
    return {**{name: row[name] for name in _COLUMNS}, "snippet": row["content"][:150] + "..."}
