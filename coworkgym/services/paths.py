"""Paths: one normal form for each, and what lies at a path or in a folder."""

import posixpath
from typing import Annotated

from pydantic import AfterValidator

from coworkgym.errors import ToolError, nearest
from coworkgym.frozen import FrozenDict
from coworkgym.services.office import Office
from coworkgym.services.table import Table


def _folder(path: str) -> str:
    """The path from the root, without detours."""
    if any(char in path for char in "\\\n\r\t"):
        raise ValueError(f"must be one line with '/' between folders, got {path!r}")
    names = "/".join(name.strip() for name in path.split("/"))
    inner = posixpath.normpath(names.lstrip("/"))
    if inner == ".." or inner.startswith("../"):
        raise ValueError(f"must not lead above '/', got {path!r}")
    return posixpath.normpath(f"/{inner}")


def _file(path: str) -> str:
    normal = _folder(path)
    if normal == "/" or path.rstrip().endswith("/"):
        raise ValueError(f"must be the path of a file such as '/reports/march.csv', got {path!r}")
    return normal


FilePath = Annotated[str, AfterValidator(_file)]
"""The path of a file in its one normal form."""
FolderPath = Annotated[str, AfterValidator(_folder)]
"""The path of a folder in its one normal form."""


def is_in(path: str, folder: str) -> bool:
    """Whether a file is in a folder or in a folder of it."""
    return path.startswith(f"{folder.rstrip('/')}/")


def find_file(office: Office, table: Table, path: str, field: str) -> FrozenDict | None:
    """Returns the record whose `field` is the path, or None."""
    return next((row for row in office.world.rows(table) if row[field] == path), None)


def file_at(office: Office, table: Table, path: str, field: str) -> FrozenDict:
    """Returns the record whose `field` is the path.

    Raises:
        ToolError: `not_found`, with the nearest path.
    """
    found = find_file(office, table, path, field)
    if found is not None:
        return found
    paths = [row[field] for row in office.world.rows(table)]
    if any(is_in(known, path) for known in paths):
        raise ToolError("not_found", f"{path!r} is a folder; give the path of a file in it.")
    raise ToolError("not_found", f"There is no file {path!r}.{nearest(path, paths)}")


def files_in(office: Office, table: Table, folder: str, field: str) -> list[FrozenDict]:
    """Returns the records whose `field` is a path in the folder, by path.

    Raises:
        ToolError: `not_found` for a folder that holds none; the root may.
    """
    rows = [row for row in office.world.rows(table) if is_in(row[field], folder)]
    if folder != "/" and not rows:
        if find_file(office, table, folder, field) is not None:
            raise ToolError("not_found", f"{folder!r} is a file; give a folder.")
        known = {posixpath.dirname(row[field]) for row in office.world.rows(table)}
        close = nearest(folder, sorted(known))
        raise ToolError("not_found", f"There is no folder {folder!r}.{close}")
    return sorted(rows, key=lambda row: str(row[field]))
