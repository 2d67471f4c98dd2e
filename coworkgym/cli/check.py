"""`coworkgym check`: what is wrong with packages and task files, and where."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import Progress

from coworkgym.cli.options import JsonOption, err, is_file, out, print_json
from coworkgym.quality import Report, check_package, check_path
from coworkgym.tasks import LANGUAGES, LEVELS, get_package, packages

_SHOWN = 5  # findings of one rule that are printed; --json has all


def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME|PATH]...",
            help="Packages, ids, task files or folders of them; all packages if none.",
        ),
    ] = None,
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, help="Tasks of each level and language.")
    ] = 5,
    level: Annotated[
        list[str] | None,
        typer.Option("--level", help=f"Of {', '.join(LEVELS)}; may be repeated; all if none."),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option("--language", help=f"Of {', '.join(LANGUAGES)}; may be repeated; all if none"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check packages and task files, and print what is wrong and where."""
    given: dict[str, Any] = {"levels": _narrowed(level), "languages": _narrowed(language)}
    chosen = names or [package.name for package in packages()]
    jobs = [_job(name, given | {"seeds": seeds}) for name in chosen]
    reports = []
    with Progress(console=err, disable=not err.is_terminal, transient=True) as progress:
        bar = progress.add_task("", total=len(jobs))
        for name, job in zip(chosen, jobs, strict=True):
            progress.update(bar, description=escape(name))
            reports.append(job())
            progress.advance(bar)
    print_reports(reports, as_json=as_json)


def _narrowed(given: list[str] | None) -> list[str] | None:
    return None if not given or "all" in given else given


def _job(name: str, given: dict[str, Any]) -> Callable[[], Report]:
    """What checks a name; an unknown one is refused before anything is checked."""
    folder = Path(name).is_dir() and name not in {package.name for package in packages()}
    if folder or is_file(name):
        return partial(check_path, name)
    return partial(check_package, get_package(name), **given)


def print_reports(reports: Sequence[Report], *, as_json: bool) -> None:
    """Prints reports, and leaves with 1 if anything is wrong."""
    passed = all(report.passed for report in reports)
    if as_json:
        print_json({"passed": passed, "reports": [_facts(report) for report in reports]})
    else:
        for report in reports:
            _print(report)
    if not passed:
        raise typer.Exit(1)


def _facts(report: Report) -> dict[str, Any]:
    findings = [finding._asdict() for finding in report.findings]
    return report._asdict() | {"passed": report.passed, "findings": findings}


def _print(report: Report) -> None:
    """Prints a line for each rule, then the findings."""
    tasks = "1 task" if report.tasks == 1 else f"{report.tasks} tasks"
    verdict = "[green]passed[/green]" if report.passed else "[red]failed[/red]"
    out.print(f"[bold]{escape(report.subject)}[/bold]  {tasks}  {verdict}", highlight=False)
    broken = [finding.rule for finding in report.findings]
    for rule, demand in report.rules.items():
        mark = "[green]ok[/green]" if report.tasks else "- "
        if rule in broken:
            mark = f"[red]{broken.count(rule)} x[/red]"
        out.print(f"  {mark}  [bold]{rule}[/bold]  {demand}", highlight=False)
    for rule in dict.fromkeys(broken):
        found = [finding for finding in report.findings if finding.rule == rule]
        for finding in found[:_SHOWN]:
            place = f"[red]{rule}[/red]  {escape(finding.place)}"
            out.print(place, highlight=False, soft_wrap=True)
            out.print(f"    {finding.why}", markup=False, highlight=False, soft_wrap=True)
        if len(found) > _SHOWN:
            out.print(f"    ... and {len(found) - _SHOWN} more of {rule}", highlight=False)
    out.print()
