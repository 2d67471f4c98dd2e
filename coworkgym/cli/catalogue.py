"""`coworkgym list`: the task packages."""

from typing import Annotated, Any

import typer

from coworkgym.cli.options import JsonOption, out, print_json
from coworkgym.tasks import TaskPackage, packages


def list_packages(
    tag: Annotated[str | None, typer.Option("--tag", help="Only packages with this tag.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the task packages."""
    found = [_facts(package) for package in packages(tag=tag)]
    if as_json:
        print_json({"packages": found})
        return
    for facts in found:
        out.print(f"[bold]{facts['name']}[/bold]  {facts['id']}  [dim]{facts['profession']}[/dim]")
        out.print(f"  {facts['summary']}", markup=False, highlight=False)
        out.print(f"  [dim]{', '.join(facts['tags'])}[/dim]\n")


def _facts(package: TaskPackage) -> dict[str, Any]:
    return {
        "name": package.name,
        "id": package.env_id,
        "version": package.version,
        "profession": package.profession,
        "levels": list(package.tools),
        "languages": list(package.languages),
        "tags": list(package.tags),
        "summary": package.summary,
    }
