"""Lines: files of JSON lines that are appended to whole, read back, and mended after a kill."""

import json
import os
import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from coworkgym.errors import CoworkError

_BLOCK = 1 << 16


class StoreError(CoworkError, RuntimeError):
    """A store that cannot be read or written as it is; names file and line."""


class LineWriter:
    """Appends lines to a file, each in one write: a reader sees all of it or its beginning.

    Args:
        path: The file, made with the first line; each line is a frame of its own in a `.zst`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None
        compresses = path.suffix == ".zst"
        self._compress = _zstd().ZstdCompressor().compress if compresses else None

    def add(self, line: bytes) -> None:
        """Appends one line, given without its end; of a write that fails nothing stays.

        Raises:
            OSError: When it cannot be written.
        """
        if self._file is None:
            self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        data = line + b"\n"
        if self._compress is not None:
            data = self._compress(data)
        end = os.fstat(self._file).st_size
        try:
            written = 0
            while written < len(data):
                written += os.write(self._file, data[written:])
        except BaseException:  # an interrupt too
            os.ftruncate(self._file, end)
            raise

    def close(self) -> None:
        """Closes the file; the next line opens it again."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the number and the object of each line; nothing for a file that is not there.

    A last line that was cut off, or is being written, is left out with a warning.

    Raises:
        StoreError: For a line that is no JSON object, or broken compressed data.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        lines: Iterable[bytes] = _unpacked(file, path) if path.suffix == ".zst" else file
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                warnings.warn(f"{path}:{number}: the last line is cut off", stacklevel=2)
                return
            yield number, _object(line, f"{path}:{number}")


def set_aside(path: Path, aside: Path) -> None:
    """Moves what a killed writer left of a last line to another file, so that appending goes on.

    Raises:
        StoreError: For broken compressed data, which no kill leaves behind.
    """
    if not path.exists():
        return
    end = _end_of_frames(path) if path.suffix == ".zst" else _end_of_lines(path)
    with path.open("r+b") as file:
        file.seek(end)
        rest = file.read()
        if rest:
            with aside.open("ab") as kept:
                kept.write(rest + b"\n")
            file.truncate(end)


def _object(line: bytes, place: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{place}: not JSON: {error}") from None
    if not isinstance(data, dict):
        raise StoreError(f"{place}: not a JSON object: {line[:80]!r}")
    return data


def _end_of_lines(path: Path) -> int:
    """Where the last whole line ends."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - _BLOCK)
            file.seek(start)
            place = file.read(end - start).rfind(b"\n")
            if place >= 0:
                return start + place + 1
            end = start
    return 0


class _Frame(NamedTuple):
    """One frame of a compressed file: where it ends and what it holds."""

    end: int
    data: bytes


def _frames(file: Any, path: Path) -> Iterator[_Frame]:
    """Yields the whole frames; what is cut off at the end is left out."""
    zstd = _zstd()
    frame, pieces, end = zstd.ZstdDecompressor().decompressobj(), [], 0
    while data := file.read(_BLOCK):
        while data:
            try:
                pieces.append(frame.decompress(data))
            except zstd.ZstdError as error:
                raise StoreError(f"{path}: byte {end}: broken compressed data: {error}") from None
            if not frame.eof:
                break
            data = frame.unused_data
            end = file.tell() - len(data)
            yield _Frame(end, b"".join(pieces))
            frame, pieces = zstd.ZstdDecompressor().decompressobj(), []


def _end_of_frames(path: Path) -> int:
    """Where the last whole frame ends."""
    with path.open("rb") as file:
        return max((frame.end for frame in _frames(file, path)), default=0)


def _unpacked(file: Any, path: Path) -> Iterator[bytes]:
    """Yields the lines of a compressed file, and one without an end where a frame is cut off."""
    rest, end = b"", 0
    for frame in _frames(file, path):
        *lines, rest = (rest + frame.data).split(b"\n")
        yield from (line + b"\n" for line in lines)
        end = frame.end
    if rest or file.tell() > end:
        yield rest


def _zstd() -> Any:
    try:
        return import_module("zstandard")
    except ImportError:
        needed = "compressed stores need zstandard: pip install 'coworkgym[store]'"
        raise StoreError(needed) from None
