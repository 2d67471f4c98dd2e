"""Files: the documents of one person, told apart by their path."""

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.office import Office
from coworkgym.services.paging import page
from coworkgym.services.paths import FilePath, FolderPath, file_at, files_in, find_file, is_in
from coworkgym.services.service import Service
from coworkgym.services.snippets import first_hit, snippet
from coworkgym.services.table import Moment, Record

FILES = Service("files")


class Document(Record):
    """A text file. A folder exists while a file is in it."""

    file_id: str
    path: FilePath
    content: str
    modified_at: Moment


DOCUMENTS = FILES.table("documents", Document, key="file_id", prefix="FL-")

_COLUMNS = ("file_id", "path", "modified_at")
_MOST_LINES = 1000  # that one call reads


@FILES.tool
def files_list(
    office: Office, folder: FolderPath = "/", limit: int = 20, cursor: str | None = None
) -> Json:
    """List the files of a folder and of the folders in it, by path.

    Args:
        cursor: next of the page before.
    """
    return _listing(office, _within(office, folder), limit, cursor, ["list", folder])


@FILES.tool
def files_search(
    office: Office,
    query: str,
    folder: FolderPath = "/",
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """Search files, by path; line is where the first word stands.

    Args:
        query: Words that must all occur in path or text.
        cursor: next of the page before.
    """
    words = query.casefold().split()
    rows = [
        row
        for row in _within(office, folder)
        if all(word in f"{row['path']}\n{row['content']}".casefold() for word in words)
    ]
    answer = _listing(office, rows, limit, cursor, ["search", folder, words])
    for shown in answer["documents"]:
        content = office.record(DOCUMENTS, shown["file_id"])["content"]
        place = first_hit(content, words)
        if place is not None:
            shown["line"] = content.casefold().count("\n", 0, place) + 1
            shown["snippet"] = snippet(content, place)
    return answer


@FILES.tool
def files_read(office: Office, path: FilePath, offset: int = 0, limit: int = 200) -> Json:
    """Read lines of a file.

    Args:
        offset: How many lines to skip; next of the answer before.
        limit: How many lines to read.
    """
    for name, value, least in (("offset", offset, 0), ("limit", limit, 1)):
        if value < least:
            raise ToolError("invalid_argument", f"{name!r} must be {least} or more, got {value}.")
    document = _document(office, path)
    *lines, rest = document["content"].split("\n")
    lines = [f"{line}\n" for line in lines] + [rest] * (rest != "")
    chosen = lines[offset : offset + min(limit, _MOST_LINES)]
    end = offset + len(chosen)
    answer = _brief(office, document) | {"content": "".join(chosen)}
    answer |= {"total": len(lines), "returned": len(chosen), "has_more": end < len(lines)}
    answer |= {"limit": _MOST_LINES} if limit > _MOST_LINES else {}
    return answer | ({"next": end} if end < len(lines) else {})


@FILES.tool(writes=True)
def files_write(office: Office, path: FilePath, content: str, overwrite: bool = False) -> Json:
    """Write a new file, or replace the whole text of one.

    Args:
        overwrite: Whether a file that exists is replaced.
    """
    existing = _find(office, path)
    if existing is None:
        _check_free(office, path)
        created = office.world.insert(
            DOCUMENTS, path=path, content=content, modified_at=office.world.now_text
        )
        return {"status": "created", "document": _brief(office, created)}
    if not overwrite:
        raise ToolError("conflict", f"{path!r} exists; give overwrite=true to replace it.")
    return {"status": "overwritten", "document": _brief(office, _save(office, existing, content))}


@FILES.tool(writes=True)
def files_append(office: Office, path: FilePath, content: str) -> Json:
    """Add text at the end of a file, exactly as given.

    Args:
        content: What is added.
    """
    document = _document(office, path)
    saved = _save(office, document, document["content"] + content)
    return {"status": "appended", "document": _brief(office, saved)}


@FILES.tool(writes=True)
def files_move(office: Office, path: FilePath, new_path: FilePath) -> Json:
    """Move or rename a file.

    Args:
        new_path: Its whole new path, name included.
    """
    document = _document(office, path)
    _check_free(office, new_path, document)
    moved = office.world.update(DOCUMENTS, document["file_id"], path=new_path)
    return {"status": "moved", "document": _brief(office, moved)}


@FILES.tool(writes=True)
def files_delete(office: Office, path: FilePath) -> Json:
    """Delete a file for good."""
    document = _document(office, path)
    office.world.delete(DOCUMENTS, document["file_id"])
    return {"status": "deleted", "path": path}


def _find(office: Office, path: str) -> FrozenDict | None:
    return find_file(office, DOCUMENTS, path, "path")


def _document(office: Office, path: str) -> FrozenDict:
    return file_at(office, DOCUMENTS, path, "path")


def _within(office: Office, folder: str) -> list[FrozenDict]:
    return files_in(office, DOCUMENTS, folder, "path")


def _check_free(office: Office, path: str, document: FrozenDict | None = None) -> None:
    """Refuses a path in use, and one that would be file and folder at once.

    Args:
        document: The file that is going to have the path, if it exists.
    """
    for known in (row["path"] for row in office.world.rows(DOCUMENTS) if row is not document):
        if known == path:
            raise ToolError("conflict", f"{path!r} exists.")
        if is_in(known, path):
            raise ToolError("conflict", f"{path!r} is a folder.")
        if is_in(path, known):
            raise ToolError("conflict", f"{known!r} is a file, no folder.")


def _save(office: Office, document: FrozenDict, content: str) -> FrozenDict:
    if content == document["content"]:
        return document
    now = office.world.now_text
    return office.world.update(DOCUMENTS, document["file_id"], content=content, modified_at=now)


def _brief(office: Office, document: FrozenDict) -> dict[str, Json]:
    """What is known of a file besides its text."""
    shown = DOCUMENTS.show_columns(document, _COLUMNS, office.zone)
    return shown | {"size": len(document["content"].encode())}


def _listing(
    office: Office, rows: list[FrozenDict], limit: int, cursor: str | None, scope: Json
) -> dict[str, Json]:
    chosen, facts = page(DOCUMENTS, rows, limit, cursor, scope)
    return {"documents": [_brief(office, row) for row in chosen], **facts}
