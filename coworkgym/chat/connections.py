"""Connections: what is open to chat servers, for each event loop apart."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from coworkgym.chat.refusal import ChatError

if TYPE_CHECKING:
    import asyncio

    import httpx

_IDLE = 3.0  # seconds that a connection is kept; vLLM's server closes it after 5
_TOGETHER = 16  # requests of one HTTP client: what it does for each grows with their square


class _Pool:
    """One HTTP client, and how many requests are waiting for it."""

    def __init__(self, http: "httpx.AsyncClient") -> None:
        self.http, self.waiting = http, 0


class Connections:
    """The HTTP clients of a chat client, for each event loop apart, opened as they are needed.

    They close with their loop, as far as it shuts down its generators, which `asyncio.run` does.
    Pickles and copies are empty.
    """

    def __init__(self) -> None:
        self._tls: Any = None
        self._open: WeakKeyDictionary[
            asyncio.AbstractEventLoop, tuple[list[_Pool], AsyncGenerator[None, None]]
        ] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type["Connections"], tuple[()]]:
        """Pickles without what is open."""
        return Connections, ()

    @asynccontextmanager
    async def http(self) -> AsyncIterator["httpx.AsyncClient"]:
        """Lends an HTTP client of the running loop for one request. It has no time-out."""
        pools = await self._pools()
        pool = next((pool for pool in pools if pool.waiting < _TOGETHER), None)
        if pool is None:
            pool = self._new()
            pools.append(pool)
        pool.waiting += 1
        try:
            yield pool.http
        finally:
            pool.waiting -= 1

    async def aclose(self) -> None:
        """Closes what is open for the running loop; it opens again when it is asked for."""
        from asyncio import get_running_loop

        _, keeper = self._open.get(get_running_loop(), (None, None))
        if keeper is not None:
            await keeper.aclose()

    async def _pools(self) -> list[_Pool]:
        from asyncio import get_running_loop  # keeps the import of coworkgym fast

        loop = get_running_loop()
        if loop not in self._open:
            pools: list[_Pool] = []
            self._open[loop] = pools, self._keep(pools)
            await anext(self._open[loop][1])
        return self._open[loop][0]

    async def _keep(self, pools: list[_Pool]) -> AsyncGenerator[None, None]:
        """Holds the HTTP clients of a loop until it ends its generators."""
        from asyncio import get_running_loop

        try:
            yield
        finally:
            self._open.pop(get_running_loop(), None)
            for pool in pools:
                await pool.http.aclose()

    def _new(self) -> _Pool:
        httpx = import_httpx()
        self._tls = self._tls or httpx.create_ssl_context()
        limits = httpx.Limits(keepalive_expiry=_IDLE)
        return _Pool(httpx.AsyncClient(timeout=None, limits=limits, verify=self._tls))


def import_httpx() -> Any:
    """Returns httpx.

    Raises:
        ChatError: When it is not installed.
    """
    try:
        import httpx
    except ImportError:
        missing = "chat servers need httpx: pip install 'coworkgym[chat]'"
        raise ChatError(missing, hopeless=True) from None
    return httpx
