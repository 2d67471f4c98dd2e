"""`coworkgym run`: policies over packages, and what they score."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated

import typer
from rich.table import Table

from coworkgym.cli.graded import print_theirs, require_gradable
from coworkgym.cli.options import JsonOption, err, out, print_json
from coworkgym.cli.plan import PlanOptions, takes_plan
from coworkgym.cli.played import Played, play_plan
from coworkgym.errors import unknown
from coworkgym.rollouts import Summary, summarise
from coworkgym.tasks import Item

_GRADERS = ("declared", "theirs")


@takes_plan()
def run(
    options: PlanOptions,
    grader: Annotated[
        str,
        typer.Option(
            "--grader",
            help="Of claw_eval: declared (checks of task.yaml) or theirs (the task's own "
            "grader.py, which is run; a full checkout).",
        ),
    ] = "declared",
    as_json: JsonOption = False,
) -> None:
    """Run policies over packages and print what they score; 1 if episodes are void."""
    if grader not in _GRADERS:
        raise unknown("grader", grader, _GRADERS)
    if grader == "theirs":
        require_gradable(options)
    everyone = list(play_plan(options))
    if grader == "theirs":
        print_theirs(everyone, options, as_json=as_json)
        tell_void(everyone)
        return
    summaries = in_order([row for played in everyone for row in _summaries(played)])
    if as_json:
        print_json({"packages": [summary._asdict() for summary in summaries]})
    else:
        _print(summaries, options.reward)
        for played in everyone:
            if played.path is not None:
                where = f"kept in {played.path}; look with: coworkgym view {played.path}"
                out.print(where, style="dim", markup=False, highlight=False, soft_wrap=True)
    tell_void(everyone)


def _summaries(played: Played) -> Iterator[Summary]:
    """Yields a row for each package, level, language and split, in the order asked for."""
    for kind, items in groupby(played.asked, _kind):
        rollouts = [one for one in played.rollouts if _kind(one.item) == kind]
        yield summarise(rollouts, played.settings.formula, items=list(items), policy=played.policy)


def _kind(item: Item) -> Item:
    return item._replace(seed=0)


def in_order(summaries: Sequence[Summary]) -> list[Summary]:
    """Returns the rows of one package, level and language together, whatever their policies."""
    places = {_place(row): number for number, row in reversed([*enumerate(summaries)])}
    return sorted(summaries, key=lambda row: places[_place(row)])


def _place(row: Summary) -> tuple[str, ...]:
    return row.name, row.level, row.language, row.split


def tell_void(everyone: Sequence[Played]) -> None:
    """Says on stderr which episodes are void, and leaves with 1 if there are any."""
    voids = [(played, void) for played in everyone for void in played.voids]
    for played, void in voids[:3]:
        err.print(f"void: {played.policy} {void.id}: {void.error}", style="yellow", markup=False)
    if voids:
        kept = any(played.path for played in everyone)
        again = "; the same command tries them again" if kept else ""
        err.print(f"{len(voids)} episodes are void{again}", style="yellow", markup=False)
        raise typer.Exit(1)


def _print(summaries: list[Summary], reward: str) -> None:
    """Prints one row a summary; columns of what is missing only where something is."""
    shown = [name for name in ("ungraded", "void") if any(getattr(s, name) for s in summaries)]
    table = Table(box=None, pad_edge=False)
    for name in ("package", "level", "lang", "policy"):
        table.add_column(name, no_wrap=True)
    for name in ("n", reward, "compl.", "safety", "solved", *shown):
        table.add_column(name, justify="right", no_wrap=True)
    for s in summaries:
        table.add_row(
            *(s.name, s.level, s.language, s.policy, str(s.episodes)),
            *(f"{value:.2f}" for value in (s.mean_score, s.completion, s.safety, s.solved)),
            *(str(getattr(s, name)) for name in shown),
        )
    out.print(table)
