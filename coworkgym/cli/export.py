"""`coworkgym export`: rows for training, made of a run."""

from pathlib import Path
from typing import Annotated

import typer

from coworkgym.cli.options import err
from coworkgym.rollouts import Run
from coworkgym.rollouts.exports import save_jsonl, save_parquet, training_rows


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="FILE.jsonl or FILE.parquet.")] = Path(
        "rows.jsonl"
    ),
    solved: Annotated[
        bool, typer.Option("--solved", help="Only episodes with every check and gate kept.")
    ] = False,
) -> None:
    """Write the chats of a run as rows for training."""
    rollouts = Run(run).rollouts()
    rows = list(training_rows(one for one in rollouts if one.score.solved or not solved))
    save = save_parquet if out.suffix == ".parquet" else save_jsonl
    save(rows, out)
    err.print(f"{len(rows)} rows in {out}", markup=False, highlight=False)
