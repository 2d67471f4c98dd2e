"""Demonstrations: which rollouts of any stores a model learns from, and why the others go.

Rollouts are grouped by task, those of all stores together; each group is treated by how often it
was solved (every check, every gate):

    never, or mean completion < low     nothing is kept
    0 < solve rate < 1                  `middle` solved rollouts that differ in normalised sequence
    always                              one solved rollout for each normalised prefix

The *normalised prefix* is the first `prefix` calls, each as its tool and the forms of its arguments
without their values (`helpdesk_get_ticket(ticket_id=id)`); the normalised sequence is all of them.
Of equals the one with the fewest calls stays, then the shortest. Calls that failed by the agent's
own fault are read and not trained. Options:

    recoveries    solved rollouts in which a failed call was followed by success are kept, one
                  for each prefix, even where a shorter one without a failure is
    failures      a failed rollout, the explanations of its checks as the user's feedback, and a
                  solved rollout of the same task; only the latter is trained
    cut           long results end at a marked place

Only the training split is read unless another one is named, so that nothing held out leaks in.

    python -m baselines.demonstrations --runs runs/teachers/exploring,runs/mine --out demos
    python -m baselines.demonstrations --runs runs/mine --recoveries --failures --cut 2000
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from baselines.arguments import from_command_line
from baselines.demonstration_rows import (
    cut_results,
    demonstration,
    prefix_of,
    recovers,
    with_feedback,
)
from coworkgym.errors import SettingsError
from coworkgym.rollouts import Rollout, Run
from coworkgym.rollouts.exports import Row, save_jsonl

Count = Callable[[Row], int]


@dataclass
class Args:
    """What is kept.

    Attributes:
        runs: Folders of runs, separated by commas.
        out: Folder for rows.jsonl and report.json.
        splits: Splits that may be read, separated by commas.
        prefix: Calls of a normalised prefix.
        middle: Rollouts kept of a task that was solved at times.
        low: Mean completion below which a task is left out.
        min_calls: Fewest calls of a rollout.
        max_calls: Most calls.
        max_chars: Most characters of messages; 0 for any number.
        max_tokens: Most tokens, tools included, with the tokenizer of `model`; 0 for any number.
        model: Whose tokens are counted, as of `models.load`.
        cut: Characters of a result that stay; 0 for all.
        recoveries: Whether recoveries are kept beside shorter rollouts.
        failures: Whether failures become rows with feedback.
    """

    runs: str = ""
    out: str = "demonstrations"
    splits: str = "train"
    prefix: int = 4
    middle: int = 4
    low: float = 0.1
    min_calls: int = 2
    max_calls: int = 80
    max_chars: int = 0
    max_tokens: int = 0
    model: str = ""
    cut: int = 0
    recoveries: bool = False
    failures: bool = False


@dataclass
class Report:
    """What became of the rollouts.

    Attributes:
        tasks: Numbers of tasks by package and by how often they were solved.
        kept: Numbers of rows by package and kind.
        dropped: Numbers of rollouts by package and reason.
        cut: Number of results that were cut.
    """

    tasks: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    kept: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    dropped: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    cut: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Returns the report as JSON."""
        tables = {"tasks": self.tasks, "kept": self.kept, "dropped": self.dropped}
        told = {title: {name: dict(+n) for name, n in t.items()} for title, t in tables.items()}
        return {**told, "cut": self.cut}

    def __str__(self) -> str:
        """Returns the report as lines, by package."""
        lines = []
        for package in sorted({*self.tasks, *self.dropped}):
            lines.append(package)
            for title in ("tasks", "kept", "dropped"):
                counts = +getattr(self, title)[package]
                told = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
                lines.append(f"  {title:<8}{told or 'none'}")
        if self.cut:
            lines.append(f"{self.cut} results cut")
        return "\n".join(lines)


def demonstrations(
    rollouts: Iterable[Rollout], args: Args | None = None, count: Count | None = None
) -> tuple[list[Row], Report]:
    """Returns the rows to train on, in order of their tasks, and what became of every rollout.

    Args:
        rollouts: Of any policies and stores.
        args: What is kept; the folders it names do not matter here.
        count: Counts the tokens of a row.

    Raises:
        SettingsError: For a rollout of a split that was not named, or no rollout at all.
    """
    rules, report = args or Args(), Report()
    allowed = rules.splits.split(",")
    tasks: dict[str, list[Rollout]] = defaultdict(list)
    for rollout in rollouts:
        if rollout.item.split not in allowed:
            raise SettingsError(
                f"{rollout.id} is of the split {rollout.item.split!r}, and only "
                f"{', '.join(allowed)} may be learnt from: what is held out would leak in"
            )
        tasks[rollout.id.rpartition("/")[0]].append(rollout)
    if not tasks:
        raise SettingsError("there are no rollouts to make demonstrations of")
    rows: list[Row] = []
    for name in sorted(tasks):
        rows += _of_task(tasks[name], rules, report, count)
    return rows, report


def _of_task(
    rollouts: Sequence[Rollout], rules: Args, report: Report, count: Count | None
) -> list[Row]:
    package = rollouts[0].item.package
    dropped = report.dropped[package]
    graded = [rollout for rollout in rollouts if rollout.score.status == "graded"]
    dropped["ungraded"] += len(rollouts) - len(graded)
    solved = [rollout for rollout in graded if rollout.score.solved]
    rate = len(solved) / max(1, len(graded))
    completion = sum(rollout.score.completion for rollout in graded) / max(1, len(graded))
    kind = _difficulty(rate, completion, rules.low)
    report.tasks[package][kind] += 1
    if kind in ("too hard", "never solved"):
        dropped[f"task {kind}"] += len(graded)
        return []
    fit = [rollout for rollout in solved if _fits(rollout, rules, dropped)]
    fit.sort(key=lambda one: (one.steps, _size(one), one.policy, one.sample))
    chosen = _chosen(fit, rules, dropped, always=rate == 1)
    rows = [demonstration(one, name, rate) for one, name in chosen]
    failed = [rollout for rollout in graded if not rollout.score.solved]
    if rules.failures and fit:
        rows += [with_feedback(one, fit[0], rate) for one in _distinct(failed, rules, dropped)]
    else:
        dropped["not solved"] += len(failed)
    return _finished(rows, rules, report, count)


def _difficulty(rate: float, completion: float, low: float) -> str:
    if completion < low:
        return "too hard"
    if not rate:
        return "never solved"
    return "always solved" if rate == 1 else "solved at times"


def _fits(rollout: Rollout, rules: Args, dropped: Counter[str]) -> bool:
    reason = ""
    if rollout.steps < rules.min_calls:
        reason = "too few calls"
    elif rollout.steps > rules.max_calls:
        reason = "too many calls"
    dropped[reason] += bool(reason)
    return not reason


def _chosen(
    fit: Sequence[Rollout], rules: Args, dropped: Counter[str], *, always: bool
) -> list[tuple[Rollout, str]]:
    """The solved rollouts that stay, each with its kind; the shortest come first."""
    chosen: list[tuple[Rollout, str]] = []
    seen: set[tuple[str, ...]] = set()
    for rollout in fit:
        recovery = rules.recoveries and recovers(rollout)
        shape = prefix_of(rollout.transcript, rules.prefix if always or recovery else None)
        key = (*shape, "recovery") if recovery else shape
        plain = sum(kind == "solved" for _, kind in chosen)
        if key in seen:
            dropped["same prefix" if always or recovery else "same sequence"] += 1
        elif not recovery and not always and plain >= rules.middle:
            dropped["enough of the task"] += 1
        else:
            seen.add(key)
            chosen.append((rollout, "recovery" if recovery else "solved"))
    return chosen


def _distinct(failed: Sequence[Rollout], rules: Args, dropped: Counter[str]) -> list[Rollout]:
    """At most `middle` failures, one for each normalised prefix."""
    found: dict[tuple[str, ...], Rollout] = {}
    for rollout in failed:
        found.setdefault(prefix_of(rollout.transcript, rules.prefix), rollout)
    chosen = list(found.values())[: rules.middle]
    dropped["not solved"] += len(failed) - len(chosen)
    return chosen


def _finished(rows: Iterable[Row], rules: Args, report: Report, count: Count | None) -> list[Row]:
    """The rows of a task that are not too long, cut where they may be."""
    finished = []
    for row in rows:
        row, cut = cut_results(row, rules.cut)
        length = sum(len(json.dumps(message, ensure_ascii=False)) for message in row["messages"])
        long = 0 < rules.max_chars < length
        if long or (count is not None and 0 < rules.max_tokens < count(row)):
            report.dropped[row["package"]]["too long"] += 1
            continue
        report.cut += cut
        report.kept[row["package"]][row["kind"]] += 1
        finished.append(row)
    return finished


def _size(rollout: Rollout) -> int:
    return sum(len(message["content"]) for message in rollout.transcript)


def main(args: Args) -> Report:
    """Reads the runs, writes rows.jsonl and report.json, prints the report and returns it."""
    if not args.runs:
        raise SettingsError("name the runs: --runs FOLDER,FOLDER")
    count = None
    if args.max_tokens:
        from baselines.models import token_counter  # only here is torch needed

        count = token_counter(args.model)
    rollouts = (rollout for folder in args.runs.split(",") for rollout in Run(folder).rollouts())
    rows, report = demonstrations(rollouts, args, count)
    out = Path(args.out)
    save_jsonl(rows, out / "rows.jsonl")
    (out / "report.json").write_text(json.dumps(report.as_dict(), indent=1), encoding="utf-8")
    print(report)
    print(f"{len(rows)} rows -> {out / 'rows.jsonl'}")
    return report


if __name__ == "__main__":
    main(from_command_line(Args, __doc__))
