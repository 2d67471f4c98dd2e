"""Fixtures: the rows each server begins with, and which file they come from."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from coworkgym.errors import TaskError
from coworkgym.integrations.claw_eval.reading import LIVE, Source, read_rows, type_of
from coworkgym.services.dialects.claw_eval.server import Server

Rows = list[dict[str, Any]]


class Fixture(NamedTuple):
    """Rows of one table.

    Attributes:
        table: Its name.
        file: Where they come from, relative to the checkout; a folder for recorded documents.
        rows: As written.
        foreign: Whether they are another task's, served because this one names no file.
    """

    table: str
    file: str
    rows: Rows
    foreign: bool = False


def fixtures(source: Source, *, faithful: bool) -> list[Fixture]:
    """Returns what the servers of a task begin with.

    Args:
        source: The task.
        faithful: Whether a service that names no file serves another task's, as published.

    Raises:
        TaskError: For a file that is missing or broken.
    """
    found = []
    for name, server in source.servers.items():
        env = {str(k): str(v) for k, v in (source.services[name].get("env") or {}).items()}
        recorded = _RECORDED.get(server.name)
        if recorded is not None:
            found.append(recorded(source, server, env))
        elif type_of(source.services[name]) not in LIVE:
            found += [
                _rows(source, server, variable, table.name, env.get(variable), faithful)
                for variable, table in server.fixtures.items()
            ]
    return found


def _rows(
    source: Source, server: Server, variable: str, table: str, named: str | None, faithful: bool
) -> Fixture:
    if named:
        return Fixture(table, named, read_rows(source.root / named))
    own = _only_file(source.folder / "fixtures" / server.name, variable)
    theirs = source.root / "tasks" / server.default
    file = None if faithful and server.default else own
    file = file or _only_file(theirs / "fixtures" / server.name, variable) or own
    if file is None:
        raise TaskError(
            f"{source.task_id}: {server.name} names no {variable}, and neither it nor "
            f"{server.default} has a file for it"
        )
    foreign = source.folder not in file.parents
    return Fixture(table, str(file.relative_to(source.root)), read_rows(file), foreign)


def _only_file(folder: Path, variable: str) -> Path | None:
    """The file of a folder that a variable would name; None when that is not clear."""
    word = "search" if "SEARCH" in variable else "page" if "FETCH" in variable else ""
    files = [file for file in sorted(folder.glob("*.json")) if word in file.name]
    return files[0] if len(files) == 1 else None


def _texts(source: Source, server: Server, env: Mapping[str, str]) -> Fixture:
    """The recorded texts that are there; the default task's where there are none."""
    folder = source.root / env["OCR_FIXTURES"] / "ocr" if env.get("OCR_FIXTURES") else None
    named = [name.strip() for name in env.get("OCR_FILENAMES", "").split(",") if name.strip()]
    found = [] if folder is None else [folder / name for name in named if (folder / name).exists()]
    if folder is not None and not found:
        found = [
            file for file in [folder / env.get("OCR_FILENAME", "menu_ocr.txt")] if file.exists()
        ]
    default = source.root / "tasks" / server.default / "fixtures" / "ocr" / "menu_ocr.txt"
    foreign = not found
    if foreign:
        found = [file for file in [default] if file.exists()]
    rows = [
        {"file": file.name, "text": _read(file), "several": len(named) > 0 and not foreign}
        for file in found
    ]
    return Fixture(server.table.name, _told(source, found), rows, foreign)


def _captions(source: Source, server: Server, env: Mapping[str, str]) -> Fixture:
    file = source.root / env.get("CAPTION_FIXTURES", "") / "caption.txt"
    found = [file] if env.get("CAPTION_FIXTURES") and file.exists() else []
    rows = [{"file": file.name, "caption": _read(file)} for file in found]
    return Fixture(server.table.name, _told(source, found), rows)


def _documents(source: Source, server: Server, env: Mapping[str, str]) -> Fixture:
    folder = source.root / env.get("DOCUMENTS_BASE_DIR", f"tasks/{source.task_id}/fixtures")
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    rows = [
        {
            "path": file.relative_to(folder).as_posix(),
            "pages": _pages(file) if file.suffix.lower() == ".pdf" else None,
        }
        for file in files
    ]
    return Fixture(server.table.name, _told(source, [folder]), rows)


def _told(source: Source, files: list[Path]) -> str:
    return ",".join(str(file.relative_to(source.root)) for file in files)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"{file}: {error}") from None


def _pages(file: Path) -> list[str]:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise TaskError('reading PDF needs pypdf: pip install "coworkgym[claw-eval]"') from None
    try:
        return [page.extract_text() or "" for page in PdfReader(file).pages]
    except (OSError, PyPdfError) as error:
        raise TaskError(f"{file}: {error}") from None


_RECORDED = {"ocr": _texts, "caption": _captions, "documents": _documents}


def shifted(server: Server, table: str, rows: Rows, now: datetime) -> Rows:
    """Returns rows as a server serves them that was started at a moment.

    Raises:
        TaskError: For a date that it cannot read.
    """
    if table != server.table.name:
        return rows
    try:
        return server.load(rows, now)
    except (KeyError, ValueError, TypeError) as error:
        raise TaskError(f"{table}: the server cannot start: {error!r}") from None
