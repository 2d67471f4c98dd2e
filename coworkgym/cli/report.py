"""`coworkgym report`: runs as one page that needs nothing else."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from coworkgym.cli.options import err, save_text
from coworkgym.errors import CoworkError
from coworkgym.evals.quoted import Quoted
from coworkgym.rollouts import Run


def report(  # noqa: PLR0913
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    to: Annotated[Path, typer.Option("-o", "--out", help="Where the page goes.")],
    link: Annotated[
        list[str] | None,
        typer.Option("--link", help="Address of a viewer; one a run, in their order."),
    ] = None,
    reward: Annotated[
        str | None, typer.Option("--reward", help="A formula; by default that of each run.")
    ] = None,
    price_in: Annotated[
        float | None, typer.Option("--price-in", min=0, help="Of a million tokens read.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option("--price-out", min=0, help="Of a million tokens written.")
    ] = None,
    quoted: Annotated[
        Path | None,
        typer.Option("--quoted", help="JSON list of published numbers: name, value, what, source."),
    ] = None,
) -> None:
    """Write a report of runs: one page, for the browser and for print."""
    from coworkgym.evals.report import report_page
    from coworkgym.evals.report.cost import Prices

    page = report_page(
        [Run(run) for run in runs],
        formula=reward,
        links=link or (),
        prices=Prices(price_in, price_out),
        quoted=_quoted(quoted) if quoted else (),
    )
    save_text(to, page)
    err.print(f"{to}  {len(page.encode()) / 1000:,.0f} kB", markup=False, highlight=False)


def _quoted(path: Path) -> list[Quoted]:
    """Returns the numbers of a file.

    Raises:
        CoworkError: For a file that holds none.
    """
    try:
        listed: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(listed, list):
            raise TypeError(f"a {type(listed).__name__} is no list")
        return [Quoted(**{**one, "value": float(one["value"])}) for one in listed]
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise CoworkError(f"{path}: not a list of quoted numbers: {error}") from None
