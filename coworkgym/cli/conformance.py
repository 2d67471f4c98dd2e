"""`coworkgym conformance`: whether another office is answered call for call as it answers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coworkgym.cli.options import JsonOption, out, print_json
from coworkgym.errors import unknown

if TYPE_CHECKING:
    from coworkgym.integrations.claw_eval import Conformance

_OFFICES = ("claw-eval",)


def conformance(
    office: Annotated[str, typer.Argument(metavar="OFFICE", help="Of claw-eval.")],
    root: Annotated[Path, typer.Argument(help="A checkout; it holds tasks/.")],
    golden: Annotated[
        Path, typer.Option("--golden", help="Recorded calls: a clock, then a line a task.")
    ],
    show: Annotated[int, typer.Option("--show", min=0, help="Differences to print.")] = 5,
    as_json: JsonOption = False,
) -> None:
    """Play recorded calls again and print how many answers are the same; 1 if one differs."""
    from coworkgym.integrations import claw_eval

    if office not in _OFFICES:
        raise unknown("office", office, _OFFICES)
    found = claw_eval.conformance(root, golden, show=show)
    if as_json:
        differences = [each._asdict() for each in found.differences]
        print_json({**found._asdict(), "holds": found.holds, "differences": differences})
    else:
        print_all(found)
    if not found.holds:
        raise typer.Exit(1)


def print_all(found: "Conformance") -> None:
    """Prints the counts, and what differs, the recorded answer above ours."""
    out.print(f"{found.responses}/{found.calls} responses", highlight=False)
    out.print(f"{found.audits}/{found.tasks} audits", highlight=False)
    for each in found.differences:
        where = f"call {each.call}" if each.call else "audit"
        out.print(f"\n{each.task_id}, {where}: {each.what}", markup=False, highlight=False)
        for word, text in (("recorded", each.expected), ("answered", each.got)):
            out.print(f"  {word}  {text}", markup=False, highlight=False, soft_wrap=True)
