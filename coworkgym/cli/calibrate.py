"""`coworkgym calibrate`: how hard packages are for a policy, as dated facts."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from coworkgym.cli.evaluate import runs_of
from coworkgym.cli.evaluation import interval, number
from coworkgym.cli.options import JsonOption, out, print_json
from coworkgym.cli.plan import PlanOptions, takes_plan
from coworkgym.evals.calibration import facts_of, write_facts
from coworkgym.rollouts import Run


@takes_plan(samples=3, split="test")
def calibrate(
    options: PlanOptions,
    into: Annotated[
        Path, typer.Option("--into", help="The file of facts, which `list --facts` shows.")
    ] = Path("calibration.json"),
    as_json: JsonOption = False,
) -> None:
    """Play tasks, or take runs, and note pass rates by package and level, with the date."""
    with runs_of(options) as runs:
        facts = [fact for run in runs for fact in facts_of(run, _date(run))]
    write_facts(into, facts)
    if as_json:
        print_json({"facts": [fact.as_dict() for fact in facts]})
        return
    table = Table(box=None, pad_edge=False)
    for name in ("package", "level", "lang", "policy", "pass rate", "95 %", "n"):
        table.add_column(name, no_wrap=True)
    for fact in facts:
        kind = (fact.package, fact.level, fact.language, fact.policy)
        table.add_row(
            *kind, number(fact.pass_rate), interval(fact.pass_rate), str(fact.pass_rate.n)
        )
    out.print(table)


def _date(run: Run) -> str:
    """The day on which a run was played: when its last episode was kept."""
    kept = run.episodes_file.stat().st_mtime
    return datetime.fromtimestamp(kept, UTC).date().isoformat()
