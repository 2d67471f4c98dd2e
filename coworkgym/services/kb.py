"""Knowledge base: the company's articles, ranked by the words they share with a query."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import sqrt
from typing import Annotated

from pydantic import Field

from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.office import Office
from coworkgym.services.patterns import lazy_pattern
from coworkgym.services.service import Service
from coworkgym.services.snippets import snippet
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
_TITLE, _LABELS, _CONTENT = 4, 3, 2  # what a word counts that stands there
_MOST_TERMS = 64  # of a query; a whole document sent as a query would take seconds


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
    terms = _terms(office, query)
    if query.strip():
        scores = {row["article_id"]: _score(row, terms) for row in rows}
        rows = [row for row in rows if scores[row["article_id"]]]
        rows.sort(key=lambda row: -scores[row["article_id"]])  # equals stay in record order
    answer = office.listing(
        ARTICLES, rows, _COLUMNS, limit=max_results, cursor=cursor,
        scope=[query.casefold().split(), wanted], limit_name="max_results",
    )  # fmt: skip
    for shown in answer["articles"]:
        content = office.record(ARTICLES, shown["article_id"])["content"]
        shown["snippet"] = snippet(content, _place(content, terms))
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


# Ranking ------------------------------------------------------------------------------------------

_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # written without spaces
_WORD = lazy_pattern(rf"[{_HAN}]+|[^\W_{_HAN}]+")
_HAN_WORD = lazy_pattern(f"[{_HAN}]")


def _terms(office: Office, query: str) -> dict[str, float]:
    """What to look for, rarest first, and what a hit of each weighs.

    How rare a term is depends on the initial articles alone, so that a change of one article
    moves no other in a list that is being paged through.
    """
    parts = dict.fromkeys(part for word in _words(query) for part in _parts(word))
    articles = office.world.base.tables[ARTICLES.name].values()
    texts = [f"{title}{labels}{content}" for title, labels, content in map(_fields, articles)]
    weights = {
        part: sqrt((len(texts) + 1) / (sum(part in text for text in texts) + 1))
        for part in list(parts)[:_MOST_TERMS]
    }
    return dict(sorted(weights.items(), key=lambda item: -item[1]))


def _words(text: str) -> list[str]:
    """The words of a text, casefolded; a run of Chinese is one of them."""
    return _WORD.findall(text.casefold())


def _parts(word: str) -> Iterable[str]:
    """The beginning of a word, or every two neighbours of a run of Chinese."""
    if not _HAN_WORD.match(word):
        return [f" {word}"]
    return [word[at : at + 2] for at in range(max(1, len(word) - 1))]


@lru_cache(maxsize=4096)
def _spaced(text: str) -> str:
    """The words of a text with a space before each, which marks where a word begins."""
    return "".join(f" {word}" for word in _words(text))


def _fields(row: FrozenDict) -> tuple[str, str, str]:
    labels = " ".join([row["category"], *row["tags"]])
    return _spaced(row["title"]), _spaced(labels), _spaced(row["content"])


def _score(row: FrozenDict, terms: Mapping[str, float]) -> float:
    title, labels, content = _fields(row)
    score = 0.0
    for term, weight in terms.items():
        if term in title:
            score += weight * _TITLE
        elif term in labels:
            score += weight * _LABELS
        elif term in content:
            score += weight * _CONTENT
    return score


# Snippets -----------------------------------------------------------------------------------------


def _place(content: str, terms: Iterable[str]) -> int:
    """Where the first hit of the rarest term stands in the casefolded content; 0 without any."""
    words = [(match.start(), f" {match[0]}") for match in _WORD.finditer(content.casefold())]
    for term in terms:
        for start, word in words:
            if term in word:
                return start + max(0, word.index(term) - 1)
    return 0
