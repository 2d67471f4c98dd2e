"""Exports: rollouts as chat rows for supervised training, in files that other tools read."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from coworkgym.errors import InfrastructureError
from coworkgym.frozen import json_text
from coworkgym.rollouts.columns import ROWS, features
from coworkgym.rollouts.rollout import Rollout
from coworkgym.rollouts.store import Run
from coworkgym.services import reply, tool
from coworkgym.transcript import to_openai, tools_to_openai

Row = dict[str, Any]


def training_rows(
    rollouts: Iterable[Rollout], *, only: Callable[[Rollout], bool] | None = None
) -> Iterator[Row]:
    """Yields a row for each rollout, all with the same columns.

    The columns are `messages`, in the form of the OpenAI API (arguments are JSON text, so that no
    table adds arguments that a call does not have), `tools` (JSON text of the schemas in that
    form), `id`, `sample`, the fields of the item, `policy`, `ended`, `solved`, and `score`, None
    where the episode is ungraded.

    Args:
        rollouts: In any order; rows come in the same.
        only: Which rollouts to take, such as `lambda rollout: rollout.score.solved`.
    """
    for rollout in rollouts:
        if only is None or only(rollout):
            yield _row(rollout)


def save_jsonl(rows: Iterable[Mapping[str, Any]], path: str | os.PathLike[str]) -> int:
    """Writes rows as JSON lines and returns their number; the file appears whole or not at all.

    Args:
        rows: Such as those of `training_rows`.
        path: The file, replaced if it is there; folders are made.
    """
    count = 0
    with _whole(path) as partial, partial.open("wb") as file:
        for row in rows:
            file.write(json_text(row).encode() + b"\n")
            count += 1
    return count


def save_parquet(
    rows: Run | Iterable[Mapping[str, Any]], path: str | os.PathLike[str], *, batch: int = 1000
) -> int:
    """Writes rows as a Parquet file and returns their number; it appears whole or not at all.

    Args:
        rows: A run, of which `training_rows` are made, or rows with the columns of those.
        path: The file, replaced if it is there; folders are made.
        batch: Rows of a row group.

    Raises:
        InfrastructureError: Where pyarrow, of the extra `[store]`, is not installed.
        ValueError: For a row with other columns, or a value of another type.
    """
    arrow, parquet = _arrow()
    schema, count = _schema(arrow), 0
    given = training_rows(rows.rollouts()) if isinstance(rows, Run) else iter(rows)
    with _whole(path) as partial, parquet.ParquetWriter(partial, schema) as writer:
        while chosen := list(islice(given, batch)):
            writer.write_table(_table(arrow, schema, chosen))
            count += len(chosen)
    return count


def _row(rollout: Rollout) -> Row:
    score = rollout.score
    return {
        "id": rollout.id,
        "messages": to_openai(rollout.transcript),
        "tools": _tools(rollout.task.tools),
        **rollout.item._asdict(),
        "sample": rollout.sample,
        "policy": rollout.policy,
        "ended": rollout.ended,
        "solved": score.solved,
        "score": score.value if score.status == "graded" else None,
    }


@lru_cache(maxsize=1024)
def _tools(names: tuple[str, ...]) -> str:
    made = [(reply if name == reply.name else tool(name)).schema for name in names]
    return json_text(tools_to_openai(made))


def _table(arrow: Any, schema: Any, rows: Sequence[Mapping[str, Any]]) -> Any:
    for row in rows:
        if row.keys() != ROWS.keys():
            odd = ", ".join(sorted(row.keys() ^ ROWS.keys()))
            raise ValueError(f"row {row.get('id')!r} has other columns than training rows: {odd}")
    columns = []
    for field in schema:
        values = [row[field.name] for row in rows]
        if field.name == "messages":
            values = [[json_text(message) for message in messages] for messages in values]
            columns.append(arrow.array(values, arrow.list_(arrow.string())).cast(field.type))
        else:
            columns.append(arrow.array(values, field.type))
    return arrow.Table.from_arrays(columns, schema=schema)


def _schema(arrow: Any) -> Any:
    """The columns, and what `datasets` wants to know of them."""
    fields = [
        (name, arrow.list_(arrow.json_()) if kind == ["json"] else arrow.type_for_alias(kind))
        for name, kind in ROWS.items()
    ]
    return arrow.schema(fields, {"huggingface": json_text({"info": {"features": features(ROWS)}})})


def _arrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise InfrastructureError(
            "Parquet files need pyarrow: pip install 'coworkgym[store]'", hopeless=True
        ) from None


@contextmanager
def _whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Gives a place to write a file at; it moves to its own when all of it is written."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        yield partial
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
