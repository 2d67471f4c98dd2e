"""Supervision: training rows as tokens, what is left out and why, and nested parts of the rest."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from baselines.demonstrations import Args as Rules
from baselines.demonstrations import demonstrations
from baselines.templates import encode, read_row
from coworkgym.errors import SettingsError, unknown
from coworkgym.policies.local import ChatFormat, ModelError
from coworkgym.rollouts import Run
from coworkgym.rollouts.exports import Row
from coworkgym.tasks import get_package


class Lesson(NamedTuple):
    """A row as a trainer takes it: tokens, labels, and how many tokens the tools' schemas take."""

    input_ids: list[int]
    labels: list[int]
    header: int
    package: str

    @property
    def trained(self) -> int:
        """Number of tokens that are trained."""
        return sum(label >= 0 for label in self.labels)


@dataclass
class Lessons:
    """The rows that can be trained on.

    Attributes:
        kept: In order.
        dropped: Numbers of the others, by reason.
    """

    kept: list[Lesson] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        """Returns counts of rows and tokens, as lines."""
        tokens = sum(len(lesson.input_ids) for lesson in self.kept)
        trained = sum(lesson.trained for lesson in self.kept)
        header = sum(lesson.header for lesson in self.kept)
        lengths = sorted(len(lesson.input_ids) for lesson in self.kept)
        packages = Counter(lesson.package for lesson in self.kept)
        told = ", ".join(f"{count} {name}" for name, count in sorted(packages.items()))
        left = ", ".join(f"{count} {name}" for name, count in sorted(self.dropped.items()))
        return "\n".join([
            f"rows      {len(self.kept)}: {told}",
            f"dropped   {left or 'none'}",
            f"tokens    {tokens}, of which {trained} are trained ({trained / tokens:.1%}) and "
            f"{header} describe the tools ({header / tokens:.1%})",
            f"length    {lengths[len(lengths) // 2]} in the middle, {lengths[-1]} at most",
        ])  # fmt: skip


def read_rows(
    rows: str, runs: str, rft: str, packages: str = "", level: str = "", splits: str = "train"
) -> list[Row]:
    """Returns training rows of files and of runs.

    Args:
        rows: Files of JSON lines, separated by commas.
        runs: Folders of runs, separated by commas; `demonstrations` chooses of them.
        rft: The same, of the model that is trained: its own solved rollouts, and no feedback.
        packages: Names, separated by commas; empty for all.
        level: A level; empty for all.
        splits: Splits that may be learnt from.

    Raises:
        SettingsError: When nothing is named, a row is of another split, or none is left.
        UnknownNameError: For a package that does not exist, with the nearest.
    """
    wanted = [get_package(name).name for name in packages.split(",") if name]
    found: list[Row] = []
    for file in filter(None, rows.split(",")):
        with Path(file).open(encoding="utf-8") as lines:
            found += [json.loads(line) for line in lines]
    stores = [folder for text in (runs, rft) for folder in text.split(",") if folder]
    if stores:
        rollouts = (rollout for folder in stores for rollout in Run(folder).rollouts())
        found += demonstrations(rollouts, Rules(splits=splits))[0]
    if not (rows or stores):
        raise SettingsError("name what to learn from: rows, runs or rft")
    for row in found:
        if row.get("split", "train") not in splits.split(","):
            raise SettingsError(f"{row.get('id')} is of the split {row['split']!r}: held out")
    left = [row for row in found if not wanted or row.get("package") in wanted]
    left = [row for row in left if not level or row.get("level") == level]
    if not left:
        raise SettingsError(
            f"none of {len(found)} rows is of {packages or 'any'}, {level or 'any'}"
        )
    return left


def encode_rows(rows: Iterable[Row], form: ChatFormat, max_length: int) -> Lessons:
    """Returns rows as tokens; none is ever cut.

    Args:
        rows: With `messages`, `tools`, and where it applies `untrained`.
        form: Of the tokenizer.
        max_length: Most tokens; longer rows are dropped.

    Raises:
        ModelError: When no row is left, with the counts by reason.
    """
    lessons, headers = Lessons(), dict[str, int]()
    for row in rows:
        messages, tools = read_row(row)
        encoded = encode(form, messages, tools, frozenset(row.get("untrained") or ()))
        if not encoded.trained:
            lessons.dropped["without assistant tokens"] += 1
        elif len(encoded.ids) > max_length:
            lessons.dropped[f"longer than {max_length} tokens"] += 1
        else:
            named = json.dumps(tools)
            if named not in headers:
                headers[named] = _header(form, messages[:2], tools)
            package = str(row.get("package", "rows"))
            lessons.kept.append(Lesson(encoded.ids, encoded.labels, headers[named], package))
    if not lessons.kept:
        told = ", ".join(f"{count} {reason}" for reason, count in lessons.dropped.items())
        raise ModelError(f"no row can be trained on: {told or 'there are none'}")
    return lessons


def _header(form: ChatFormat, opening: Sequence[Any], tools: list[Any]) -> int:
    with_tools, without = (
        len(form.encode(form.render(opening, given, prompt=True))) for given in (tools, [])
    )
    return with_tools - without


def shares_of(text: str) -> list[float]:
    """Returns the stages of a text such as `0.2,0.5,1.0`.

    Raises:
        SettingsError: For shares that are not in (0, 1] or do not grow.
    """
    try:
        shares = [float(part) for part in text.split(",")]
    except ValueError:
        raise SettingsError(f"stages are numbers such as 0.2,0.5,1.0, got {text!r}") from None
    if not all(0 < share <= 1 for share in shares) or sorted(set(shares)) != shares:
        raise SettingsError(f"stages grow, and lie in (0, 1]: got {text!r}")
    return shares


def nested(lessons: Sequence[Lesson], shares: Sequence[float], seed: int) -> Iterator[list[Lesson]]:
    """Yields of each stage its part of the lessons, drawn at random, inside that of the next.

    Args:
        lessons: All of them.
        shares: As of `shares_of`.
        seed: Of the draw.
    """
    order = random.Random(seed).sample(range(len(lessons)), len(lessons))
    for share in shares:
        count = max(1, round(share * len(lessons)))
        yield [lessons[place] for place in order[:count]]


def require_level(level: str, packages: str) -> None:
    """Passes when every package has a level.

    Raises:
        UnknownNameError: With the nearest match.
    """
    for name in filter(None, packages.split(",")):
        package = get_package(name)
        if level and level not in package.tools:
            raise unknown(f"level of {name}", level, package.tools)
