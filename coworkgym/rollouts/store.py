"""Stores: a folder that keeps the episodes of a run, line by line, whatever happens to the run.

    run.json          what was asked for: settings, items, versions; written whole
    episodes.jsonl    one rollout a line, in the order they ended (episodes.jsonl.zst if compressed)
    voids.jsonl       episodes that did not come to an end; a later success makes a line void itself
    attempts.jsonl    seconds of each episode: what differs between two runs of the same settings

A line is written at once and whole. What a killed writer left of its last line is set aside in
`cut_off.txt` by the next writer and not read by readers. One writer at a time.
"""

import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self, TypeVar

from filelock import FileLock, Timeout

from coworkgym.frozen import Json, json_text
from coworkgym.rollouts.lines import LineWriter, StoreError, read_lines, set_aside
from coworkgym.rollouts.rollout import Ended, Outcome, Rollout, Void
from coworkgym.rollouts.settings import Settings

T = TypeVar("T")

SCHEMA = 1
"""Version of the form of stores; raised when an older reader could misread a newer one."""

_VERSIONED = ("coworkgym", "gymnasium", "numpy", "pydantic", "torch", "transformers")


class Run:
    """A store as it can be read, while it is written too.

    Args:
        path: Its folder.

    Raises:
        StoreError: For a folder that is no store, or one of another schema.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.facts = _read_facts(self.path)
        self.settings = _settings(self.facts["settings"], self.path)
        self.asked: list[str] = list(self.facts["asked"])

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.path.resolve().name

    @property
    def versions(self) -> dict[str, str]:
        """Versions of Python and the packages that the run was played with."""
        return dict(self.facts["versions"])

    @property
    def episodes_file(self) -> Path:
        """Where the rollouts are."""
        return self.path / ("episodes.jsonl.zst" if self.facts["compressed"] else "episodes.jsonl")

    def rollouts(self) -> Iterator[Rollout]:
        """Yields the finished episodes in the order they ended.

        Raises:
            StoreError: For a line that is no rollout, or a rollout of other settings.
        """
        for number, data in read_lines(self.episodes_file):
            place = f"{self.episodes_file}:{number}"
            try:
                if data["run"] != self.settings.fingerprint:
                    raise StoreError(f"{place}: an episode of other settings ({data['run']})")
                yield Rollout.from_dict(data)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise StoreError(f"{place}: not a rollout: {error!r:.200}") from None

    def ids(self) -> set[str]:
        """Returns the ids of the finished episodes.

        Raises:
            StoreError: For a line that cannot be what it should be; so the next two.
        """
        return set(_by_id(self.episodes_file, lambda _: None))

    def voids(self) -> list[Void]:
        """Returns the episodes that were tried and did not come to an end, the last try of each."""
        tried = _by_id(self.path / "voids.jsonl", Void.from_dict)
        finished = self.ids() if tried else ()
        return [one for identity, one in tried.items() if identity not in finished]

    def seconds(self) -> dict[str, float]:
        """Returns how long each episode took, by id; of several tries, the last."""
        return _by_id(self.path / "attempts.jsonl", lambda data: float(data["seconds"]))


class Store(Run):
    """A store that is written to; use it in a `with` statement, or call `close`.

    Args:
        path: Its folder; made if it is not there. A store that is there goes on, if its settings
            are the same.
        settings: Of the run.
        compress: Whether the episodes are compressed (zstd, extra `[store]`); of a new store only.

    Raises:
        StoreError: For a store of other settings, one that another writer has open, or a folder of
            other files.
    """

    def __init__(
        self, path: str | os.PathLike[str], settings: Settings, *, compress: bool = False
    ) -> None:
        folder = Path(path)
        if folder.exists() and (not folder.is_dir() or _holds_others(folder)):
            raise StoreError(f"{folder} is no store and not empty; name a new folder")
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(folder / "writer.lock", thread_local=False)
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise StoreError(f"{folder} is being written by another process") from None
        try:
            if not (folder / "run.json").exists():
                _write_facts(folder, _new_facts(settings, compress))
            super().__init__(folder)
            self.require(settings)
            for name in (self.episodes_file, folder / "voids.jsonl", folder / "attempts.jsonl"):
                set_aside(name, folder / "cut_off.txt")
            self.finished = self.ids()
            self._episodes = LineWriter(self.episodes_file)
            self._voids = LineWriter(folder / "voids.jsonl")
            self._attempts = LineWriter(folder / "attempts.jsonl")
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        """Returns itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the store."""
        self.close()

    def close(self) -> None:
        """Lets another writer open the store; it can still be read."""
        for writer in (self._episodes, self._voids, self._attempts):
            writer.close()
        self._lock.release()

    def require(self, settings: Settings) -> None:
        """Checks that the run has these settings.

        Raises:
            StoreError: Naming each that differs, with both values.
        """
        differences = self.settings.differences(settings)
        if differences:
            listed = "; ".join(f"{name} {a!r}, now {b!r}" for name, (a, b) in differences.items())
            raise StoreError(f"{self.path} holds a run of other settings: {listed}")

    def ask(self, ids: Iterable[str]) -> None:
        """Notes which episodes are asked for, beside those asked for before."""
        known = set(self.asked)
        new = [one for one in dict.fromkeys(ids) if one not in known]
        if new:
            self.asked += new
            self.facts = {**self.facts, "asked": self.asked}
            _write_facts(self.path, self.facts)

    def add(self, ended: Ended) -> None:
        """Keeps one outcome; a rollout that is there already is not written twice.

        Raises:
            StoreError: When the store is closed.
        """
        if not self._lock.is_locked:
            raise StoreError(f"{self.path} is closed")
        outcome = ended.outcome
        line = ended.line or line_of(outcome, self.settings)
        if isinstance(outcome, Void):
            self._voids.add(line)
        elif outcome.id not in self.finished:
            self._episodes.add(line)
            self.finished.add(outcome.id)
        note = {"id": outcome.id, "seconds": round(ended.seconds, 4), "attempts": ended.attempts}
        self._attempts.add(json_text(note).encode())


def line_of(outcome: Outcome, settings: Settings) -> bytes:
    """Returns the line of an outcome, without its end: the same wherever it was played."""
    return json_text({"run": settings.fingerprint, **outcome.as_dict()}).encode()


def _by_id(path: Path, read: Callable[[dict[str, Any]], T]) -> dict[str, T]:
    """What the lines of a file tell, by id; the last line of each."""
    found = {}
    for number, data in read_lines(path):
        try:
            found[str(data["id"])] = read(data)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise StoreError(f"{path}:{number}: not of a run: {error!r:.200}") from None
    return found


def _settings(data: Any, folder: Path) -> Settings:
    try:
        return Settings.from_dict(data)
    except (TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"{folder / 'run.json'}: not the settings of a run: {error}") from None


def _new_facts(settings: Settings, compress: bool) -> dict[str, Json]:
    return {
        "schema": SCHEMA,
        "fingerprint": settings.fingerprint,
        "settings": settings.as_dict(),
        "versions": {"python": platform.python_version(), **_versions()},
        "compressed": compress,
        "asked": [],
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in _VERSIONED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _write_facts(folder: Path, facts: dict[str, Json]) -> None:
    partial = folder / ".run.json.partial"
    partial.write_text(json.dumps(facts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    partial.replace(folder / "run.json")


def _read_facts(folder: Path) -> dict[str, Any]:
    path = folder / "run.json"
    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        schema = facts["schema"]
    except OSError:
        raise StoreError(f"{folder} is no run: it holds no run.json") from None
    except (ValueError, LookupError, TypeError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from None
    if schema != SCHEMA:
        raise StoreError(f"{path} is of schema {schema!r}; this version reads {SCHEMA}")
    for name in ("settings", "asked", "versions", "compressed"):
        if name not in facts:
            raise StoreError(f"{path} lacks {name!r}")
    return facts


def _holds_others(folder: Path) -> bool:
    names: Sequence[str] = [path.name for path in folder.iterdir()]
    return bool(set(names) - {"writer.lock", ".run.json.partial"}) and "run.json" not in names
