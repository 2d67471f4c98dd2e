"""Report page: runs as one page, the same text for the same runs."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from coworkgym.errors import CoworkError
from coworkgym.evals.estimate import MissingExtra
from coworkgym.evals.quoted import Quoted
from coworkgym.evals.report.column import columns_of
from coworkgym.evals.report.cost import Prices
from coworkgym.rollouts import Run

_HERE = Path(__file__).parent
_STYLES = (_HERE.parent / "viewer" / "static" / "base.css", _HERE / "templates" / "report.css")


def report_page(
    runs: Sequence[Run],
    *,
    formula: str | None = None,
    links: Sequence[str] = (),
    prices: Prices | None = None,
    quoted: Sequence[Quoted] = (),
) -> str:
    """Returns the report of runs: one page of HTML without script, complete in itself.

    Args:
        runs: At least one, each with a finished episode.
        formula: One of `rewards.FORMULAS`; by default that of each run.
        links: Addresses of viewers, one a run; where there are none, a command stands instead.
        prices: Of tokens.
        quoted: Numbers from papers, for a table of their own.

    Raises:
        CoworkError: For no run at all, or links that do not fit.
        StoreError: For a run that cannot be read, with file and line.
        EmptyRun: For a run without a finished episode.
        UnknownNameError: For an unknown formula.
        MissingExtra: Where jinja2, matplotlib or scipy is not installed.
    """
    if not runs:
        raise CoworkError("a report needs at least one run")
    _require_links(links, len(runs))
    _require_extra("jinja2", "matplotlib")
    from coworkgym.evals.report.contents import contents

    columns = columns_of(runs, formula, links)
    found = contents(columns, formula, prices or Prices(), quoted)
    style = "\n".join(path.read_text(encoding="utf-8") for path in _STYLES)
    return str(_environment().get_template("report.html.j2").render(style=style, **found))


def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _require_extra(*names: str) -> None:
    for name in names:
        try:
            import_module(name)
        except ImportError:
            raise MissingExtra(f"reports need {name}: pip install 'coworkgym[eval]'") from None


def _require_links(links: Sequence[str], runs: int) -> None:
    if links and len(links) != runs:
        raise CoworkError(f"{len(links)} links for {runs} runs; give one a run, in their order")
    for link in links:
        if urlsplit(link).scheme not in ("http", "https"):
            raise CoworkError(f"a link begins with http:// or https://, got {link!r}")
