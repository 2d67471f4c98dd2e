"""The local server: static pages, and the episodes of one run as JSON. Loopback only."""

import json
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from coworkgym.errors import CoworkError
from coworkgym.evals.viewer.episode import page_of
from coworkgym.evals.viewer.index import Index
from coworkgym.frozen import Json
from coworkgym.rollouts import StoreError
from coworkgym.tasks import LANGUAGES, LEVELS

STATIC = Path(__file__).parent / "static"
ADDRESS = "127.0.0.1"
HOSTS = [ADDRESS, "localhost"]
"""Names that a browser may have used; another one is a page that rebinds its own name to us."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_Endpoint = Callable[[Request], dict[str, Json] | None]


def make_app(index: Index) -> Starlette:
    """Returns the app that shows a run. Its endpoints take turns, in the thread of the server."""
    return Starlette(
        routes=[
            Route("/", _page),
            Route("/api/run", _answer(partial(_run, index))),
            Route("/api/search", _answer(partial(_search, index))),
            Route("/api/episode/{identity:path}", _answer(partial(_episode, index))),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[
            Middleware(_Headers),
            Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False),
        ],
    )


def bind(port: int) -> socket.socket:
    """Returns a socket that listens on the loopback address.

    Args:
        port: 0 for any that is free.

    Raises:
        CoworkError: Where the port is taken.
    """
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((ADDRESS, port))
        bound.listen()
    except (OSError, OverflowError) as error:
        bound.close()
        raise CoworkError(f"port {port} of {ADDRESS} cannot be had: {error}") from None
    return bound


def make_server(index: Index) -> uvicorn.Server:
    """Returns a server of the app; run it with the socket of `bind`."""
    options: dict[str, Any] = {"log_level": "warning", "access_log": False, "lifespan": "off"}
    return uvicorn.Server(
        uvicorn.Config(make_app(index), ws="none", server_header=False, **options)
    )


def _run(index: Index, request: Request) -> dict[str, Json]:
    """The run and its episodes, as of now."""
    index.refresh()
    run = index.run
    return {
        "name": run.name,
        "fingerprint": run.settings.fingerprint,
        "settings": run.settings.as_dict(),
        "versions": run.versions,
        "asked": len(run.asked),
        "pending": index.pending,
        "levels": LEVELS,
        "languages": LANGUAGES,
        "episodes": index.rows,
    }


def _search(index: Index, request: Request) -> dict[str, Json]:
    return {"ids": index.find(request.query_params.get("text", ""))}


def _episode(index: Index, request: Request) -> dict[str, Json] | None:
    identity = request.path_params["identity"]
    if index.row(identity) is None:
        index.refresh()
    row = index.row(identity)
    if row is None:
        return None
    rollout = index.rollout(identity)
    return {"row": row, **(page_of(rollout) if rollout else {"void": index.void(identity)})}


def _answer(endpoint: _Endpoint) -> Callable[[Request], Awaitable[Response]]:
    """Makes an endpoint answer with JSON; what a file does not allow is said, with its place."""

    async def answer(request: Request) -> Response:
        try:
            found = endpoint(request)
        except StoreError as error:
            return _json({"error": str(error)}, 500)
        return _json({"error": "no such episode"}, 404) if found is None else _json(found)

    return answer


def _json(value: dict[str, Json], status: int = 200) -> Response:
    """JSON in which half a surrogate pair, which UTF-8 has not, stands as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    content = text.encode("utf-8", "backslashreplace")
    return Response(content, status, media_type="application/json")


async def _page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html")


class _Headers:
    """Adds HEADERS to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_more(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                more = [(name.lower().encode(), text.encode()) for name, text in HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *more]
            await send(message)

        await self.app(scope, receive, send_more)
