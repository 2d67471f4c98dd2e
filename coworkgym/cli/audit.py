"""`coworkgym audit`: whether checks and gates can be fooled, and the shortest way how."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from coworkgym.cli.fooled import audit_checkouts, is_checkout
from coworkgym.cli.options import JsonOption, err, is_file, out, print_json, save_text
from coworkgym.errors import TaskError
from coworkgym.quality import AUDITED, Audit, audit_package, audit_page, audit_path
from coworkgym.quality.report import task_files
from coworkgym.tasks import LANGUAGES, LEVELS, get_package, packages

_SHOWN = 8  # calls of an episode that are printed; --json and --html have all
Job = tuple[Callable[..., Audit], int]  # what audits, and how many tasks there are


def audit(  # noqa: PLR0913
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME|PATH]...",
            help="Packages, ids, task files or folders of them; or a checkout.",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Audit every package.")] = False,
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, help="Tasks of each level; languages take turns.")
    ] = 20,
    level: Annotated[
        list[str] | None,
        typer.Option(
            "--level",
            help=f"Of {', '.join(LEVELS)}; may be repeated; {', '.join(AUDITED)} if none.",
        ),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option("--language", help=f"Of {', '.join(LANGUAGES)}; may be repeated; all if none"),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the page with all episodes here.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play adversaries and mutants against packages, and print what fools the score."""
    chosen = [*(names or []), *([package.name for package in packages()] if everything else [])]
    if not chosen:
        raise TaskError("name what to audit: packages, task files or folders of them, or --all")
    chosen = list(dict.fromkeys(chosen))
    if any(is_checkout(Path(name)) for name in chosen):
        audit_checkouts([Path(name) for name in chosen], as_json=as_json)
        return
    given: dict[str, Any] = {
        "seeds": seeds,
        "levels": _named(level, LEVELS) or AUDITED,
        "languages": _named(language, LANGUAGES),
    }
    jobs = [_job(name, given) for name in chosen]
    audits = []
    with Progress(console=err, disable=not err.is_terminal, transient=True) as progress:
        bar = progress.add_task("", total=sum(count for _, count in jobs))
        for name, (job, _) in zip(chosen, jobs, strict=True):
            progress.update(bar, description=escape(name))
            audits.append(job(progress=partial(progress.advance, bar)))
    passed = all(result.passed for result in audits)
    if html is not None:
        save_text(html, audit_page(audits))
    if as_json:
        print_json({"passed": passed, "audits": [result.facts() for result in audits]})
    else:
        _print(audits)
    if not passed:
        raise typer.Exit(1)


def _named(given: list[str] | None, every: Sequence[str]) -> Sequence[str] | None:
    return every if given and "all" in given else given


def _job(name: str, given: dict[str, Any]) -> Job:
    """What audits a name; an unknown one is refused before anything is audited."""
    folder = Path(name).is_dir() and name not in {package.name for package in packages()}
    if folder or is_file(name):
        return partial(audit_path, name), len(task_files(name))
    package = get_package(name)
    for chosen in given["levels"]:
        package.item(level=chosen)
    for spoken in given["languages"] or ():
        package.item(language=spoken)
    files = len(task_files(package.source)) if package.source else 0
    return partial(audit_package, package, **given), files or given["seeds"] * len(given["levels"])


def _print(audits: list[Audit]) -> None:
    """Prints a row a subject, a row a policy, then the weaknesses."""
    out.print(_summary(audits))
    out.print()
    out.print(_policies(audits))
    for result in audits:
        for weakness in result.weaknesses:
            found = (
                f"[red]{weakness.rule}[/red]  {escape(result.subject)}: {escape(weakness.about)}"
            )
            out.print(f"\n{found}  [dim]x {weakness.episodes}[/dim]", highlight=False)
            out.print(f"    {weakness.why}", markup=False, highlight=False, soft_wrap=True)
            for call in weakness.calls[:_SHOWN]:
                line = f"      {call.name} {call.arguments}"
                out.print(line[:200], markup=False, highlight=False, soft_wrap=True)
            if len(weakness.calls) > _SHOWN:
                out.print(f"      ... {len(weakness.calls)} calls", highlight=False)


def _summary(audits: list[Audit]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("package", no_wrap=True)
    for name in ("tasks", "adv.", "guess", "read", "mutants", "wrong", "extra", "dead"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for result in audits:
        dead = result.count("dead_check") + result.count("dead_gate")
        verdict = "[green]pass[/green]" if result.passed else "[red]fail[/red]"
        table.add_row(
            escape(result.subject),
            str(result.tasks),
            *(f"{result.most(guesses=guesses):.2f}" for guesses in (False, True)),
            f"{result.reading:.2f}",
            str(sum(row.mutants for row in result.mutated)),
            str(sum(row.wrong for row in result.mutated)),
            *(str(number) for number in (result.count("unaccounted"), dead)),
            verdict,
        )
    return table


def _policies(audits: list[Audit]) -> Table:
    """Mean score of every policy on every subject."""
    table = Table(box=None, pad_edge=False)
    table.add_column("mean score", no_wrap=True)
    for result in audits:
        table.add_column(escape(result.subject), justify="right", overflow="fold")
    means = [{row.policy: row.mean for row in result.earned} for result in audits]
    for policy in dict.fromkeys(policy for found in means for policy in found):
        table.add_row(policy, *(f"{found.get(policy, math.nan):.3f}" for found in means))
    return table
