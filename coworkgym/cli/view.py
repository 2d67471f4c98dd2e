"""`coworkgym view`: the episodes of a run in the browser, from a server of this machine."""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from coworkgym.cli.options import out
from coworkgym.errors import CoworkError


def view(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Of the server; 0 for a free one.")
    ] = 0,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address, open no browser.")
    ] = False,
) -> None:
    """Show the episodes of a run in the browser: transcripts, changes, scores."""
    try:
        from coworkgym.evals.viewer import app
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise CoworkError(f"the viewer needs {error.name}: pip install 'coworkgym[eval]'") from None
    from coworkgym.evals.viewer.index import Index

    index = Index(run)
    index.refresh()
    bound = app.bind(port)
    address = f"http://{app.ADDRESS}:{bound.getsockname()[1]}/"
    out.print(f"{address}  (Ctrl-C ends it)", markup=False, highlight=False, soft_wrap=True)
    if not no_open:
        webbrowser.open(address)
    try:
        app.make_server(index).run(sockets=[bound])
    except KeyboardInterrupt:
        pass
    finally:
        bound.close()
