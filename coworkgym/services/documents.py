"""Documents: reports, contracts and the like, with the text of their pages."""

from typing import Any

from pydantic import Field

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.office import Office
from coworkgym.services.paging import LARGEST_PAGE, page
from coworkgym.services.paths import FilePath, FolderPath, file_at, files_in
from coworkgym.services.ranking import Ranking, Texts
from coworkgym.services.service import Service
from coworkgym.services.table import Instant, Record

LIBRARY = Service("documents")


class PagedDocument(Record):
    """A document, such as a PDF, by the text of its pages."""

    path: FilePath
    title: str
    pages: list[str] = Field(min_length=1)
    author: str | None = None
    modified: Instant


DOCUMENTS = LIBRARY.table("documents", PagedDocument, key="path", prefix="/documents/")

_COLUMNS = ("path", "title", "author", "modified")
_MOST_HITS = 3  # pages of one document that a search shows


@LIBRARY.tool
def documents_list(
    office: Office, folder: FolderPath = "/", limit: int = 20, cursor: str | None = None
) -> Json:
    """List the documents of a folder and of the folders in it, by path.

    Args:
        cursor: next of the page before.
    """
    rows = files_in(office, DOCUMENTS, folder, "path")
    chosen, facts = page(DOCUMENTS, rows, limit, cursor, ["list", folder])
    return {"documents": [_brief(office, row, _COLUMNS) for row in chosen], **facts}


@LIBRARY.tool
def documents_search(
    office: Office, query: str, limit: int = 20, cursor: str | None = None
) -> Json:
    """Search documents, best match first, each with its best pages.

    Args:
        cursor: next of the page before.
    """
    ranking = Ranking(query, office.world.base.tables[DOCUMENTS.name].values(), _texts)
    rows = ranking.order(office.world.rows(DOCUMENTS))
    scope = ["search", query.casefold().split()]
    chosen, facts = page(DOCUMENTS, rows, limit, cursor, scope)
    return {
        "documents": [
            _brief(office, row, ("path", "title")) | _hits(row["pages"], ranking) for row in chosen
        ],
        **facts,
    }


@LIBRARY.tool
def documents_extract_text(
    office: Office, path: FilePath, first_page: int = 1, max_pages: int | None = None
) -> Json:
    """Read the pages of a document.

    Args:
        first_page: From 1; next of the answer before.
        max_pages: All of them by default, at most 100.
    """
    pages = file_at(office, DOCUMENTS, path, "path")["pages"]
    wanted = LARGEST_PAGE if max_pages is None else max_pages
    for name, value in (("first_page", first_page), ("max_pages", wanted)):
        if value < 1:
            raise ToolError("invalid_argument", f"{name!r} must be 1 or more, got {value}.")
    if first_page > len(pages):
        raise ToolError("not_found", f"{path!r} has no page {first_page}: it ends at {len(pages)}.")
    chosen = pages[first_page - 1 :][: min(wanted, LARGEST_PAGE)]
    end = first_page + len(chosen)
    numbered = enumerate(chosen, start=first_page)
    answer = {"path": path, "page_count": len(pages), "pages_returned": len(chosen)}
    answer |= {"text": "\n\n".join(f"--- page {number} ---\n{text}" for number, text in numbered)}
    answer |= {"has_more": end <= len(pages)}
    answer |= {"max_pages": LARGEST_PAGE} if wanted > LARGEST_PAGE else {}
    return answer | ({"next": end} if end <= len(pages) else {})


def _brief(office: Office, row: FrozenDict, columns: tuple[str, ...]) -> dict[str, Any]:
    shown = DOCUMENTS.show_columns(row, columns, office.zone)
    return shown | {"page_count": len(row["pages"])}


def _texts(row: FrozenDict) -> Texts:
    return Texts(row["title"], row["path"], "\n".join(row["pages"]))


def _hits(pages: list[str], ranking: Ranking) -> dict[str, Any]:
    """How many pages match, and the best of them with the text around the hit."""
    scores = {number: ranking.score(Texts("", "", text)) for number, text in enumerate(pages, 1)}
    best = sorted((n for n, score in scores.items() if score), key=lambda n: -scores[n])
    hits = [{"page": n, "snippet": ranking.snippet(pages[n - 1])} for n in best[:_MOST_HITS]]
    return {"matching_pages": len(best), "pages": hits}
