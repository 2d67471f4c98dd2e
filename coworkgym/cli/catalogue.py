"""`coworkgym list`: the task packages, and how hard policies found them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from coworkgym.cli.options import JsonOption, out, print_json
from coworkgym.evals import Fact, read_facts
from coworkgym.tasks import TaskPackage, packages


def list_packages(
    tag: Annotated[str | None, typer.Option("--tag", help="Only packages with this tag.")] = None,
    facts: Annotated[
        Path | None, typer.Option("--facts", help="Pass rates, as `calibrate` notes them.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the task packages."""
    noted = [] if facts is None else read_facts(facts)
    found = list(packages(tag=tag))
    if as_json:
        print_json({"packages": [_facts(package, noted) for package in found]})
        return
    for package in found:
        out.print(f"[bold]{package.name}[/bold]  {package.env_id}  [dim]{package.profession}[/dim]")
        out.print(f"  {package.summary}", markup=False, highlight=False)
        out.print(f"  [dim]{', '.join(package.tags)}[/dim]")
        for fact in _of(package, noted):
            out.print(f"  {_line(fact)}", markup=False, highlight=False)
        out.print()


def _of(package: TaskPackage, noted: Sequence[Fact]) -> list[Fact]:
    """The facts of a package as it is now; those of other versions do not count."""
    return [f for f in noted if (f.package, f.version) == (package.name, package.version)]


def _line(fact: Fact) -> str:
    rate = fact.pass_rate
    between = "" if rate.low is None else f" ({rate.low:.2f} to {rate.high:.2f})"
    value = "-" if rate.value is None else f"{rate.value:.2f}"
    kind = f"{fact.level:7} {fact.language} {fact.split:6}"
    return f"{kind} {fact.policy}: passes {value}{between}, n {rate.n}, {fact.date}"


def _facts(package: TaskPackage, noted: Sequence[Fact]) -> dict[str, Any]:
    return {
        "name": package.name,
        "id": package.env_id,
        "version": package.version,
        "profession": package.profession,
        "levels": list(package.tools),
        "languages": list(package.languages),
        "tags": list(package.tags),
        "summary": package.summary,
        "facts": [fact.as_dict() for fact in _of(package, noted)],
    }
