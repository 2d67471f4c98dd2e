"""A client of OpenAI-compatible chat servers: completes one chat, or many at once."""

import copy
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from coworkgym.chat.asking import Asking
from coworkgym.chat.completion import Completion, to_request
from coworkgym.chat.connections import Connections, import_httpx
from coworkgym.frozen import Json
from coworkgym.transcript import Message, tools_to_openai

if TYPE_CHECKING:
    import httpx

Schema = Mapping[str, Json]


class ChatClient:
    """Asks one model on one server. It can be shared, pickled and copied.

    A server that is busy, fails, does not answer or answers no chat completion is asked again, in
    0.5, 1, 2 ... seconds, or when it wants to.

    Args:
        model: The name that the server knows it by.
        base_url: Such as `http://localhost:8000/v1`.
        api_key: By default the environment variable OPENAI_API_KEY, if any, read at each request.
        timeout: Seconds to wait for the server.
        retries: How many more times a request is sent.
        temperature: Of sampling; None leaves it to the server, here and in the next two.
        max_tokens: Length of an answer.
        seed: Of sampling.
        extra: More fields of the request.
        sleep: Waits so many seconds before another try.
        sleep_async: The same without holding up the event loop; by default asyncio.sleep.

    Raises:
        ChatError: When httpx is not installed.
    """

    def __init__(  # noqa: PLR0913
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | None = None,
        timeout: float = 60.0,
        retries: int = 4,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        extra: Mapping[str, Json] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        sleep_async: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        import_httpx()
        place, mark, query = base_url.partition("?")
        self.model, self.url = model, place.rstrip("/") + "/chat/completions" + mark + query
        self.timeout, self.retries = timeout, retries
        given = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
        self._options = {n: value for n, value in given.items() if value is not None}
        self._options |= extra or {}
        self._api_key = api_key
        self._sleep, self._sleep_async = sleep, sleep_async
        self._connections = Connections()

    def __repr__(self) -> str:
        """Model and URL, without the key."""
        return self.without_key(f"ChatClient({self.model!r}, url={self.shown_url!r})")

    @property
    def options(self) -> dict[str, Json]:
        """The fields of each request beside model, messages and tools."""
        return dict(self._options)

    @property
    def shown_url(self) -> str:
        """The URL without what may be secret: user, password and query."""
        start, slashes, rest = self.url.split("?")[0].partition("://")
        place, slash, path = rest.partition("/")
        return start + slashes + place.rpartition("@")[2] + slash + path

    def with_options(self, **options: Json) -> "ChatClient":
        """Returns a client with these fields of the request, too, and otherwise the same.

        None takes a field out.
        """
        twin = copy.copy(self)
        twin._options = {n: v for n, v in (self._options | options).items() if v is not None}
        return twin

    def request(self, messages: Iterable[Message], tools: Iterable[Schema] = ()) -> dict[str, Any]:
        """Returns the body of a request."""
        body = {"model": self.model, "messages": to_request(messages), **self._options}
        if schemas := tools_to_openai(tools):
            body["tools"] = schemas
        return body

    def complete(self, messages: Iterable[Message], tools: Iterable[Schema] = ()) -> Completion:
        """Returns the model's answer to a chat in coworkgym's form.

        Raises:
            ChatError: When the server refuses, stays busy, or answers something else.
        """
        with import_httpx().Client(timeout=self.timeout) as http:
            return self._complete(http, messages, tools)

    def complete_many(
        self, requests: Iterable[tuple[Iterable[Message], Iterable[Schema]]], concurrency: int = 8
    ) -> list[Completion]:
        """Returns the answers to many chats, in their order.

        Args:
            requests: Messages and tools of each.
            concurrency: How many are asked at a time.

        Raises:
            ChatError: The first that is met, in the order of the requests.
        """
        from concurrent.futures import ThreadPoolExecutor  # keeps the import of coworkgym fast

        client = import_httpx().Client(timeout=self.timeout)
        with client as http, ThreadPoolExecutor(concurrency) as pool:
            return list(pool.map(lambda request: self._complete(http, *request), requests))

    async def complete_async(
        self, messages: Iterable[Message], tools: Iterable[Schema] = ()
    ) -> Completion:
        """Returns the model's answer as `complete` does, without holding up the event loop.

        The connections stay open for later requests until the loop ends, or `aclose`. The time-out
        is that of the whole answer.

        Raises:
            ChatError: When the server refuses, stays busy, or answers something else.
        """
        from asyncio import sleep  # keeps the import of coworkgym fast

        asking = Asking(self, messages, tools)
        while not isinstance(met := asking.read(await self._post_async(asking)), Completion):
            await (self._sleep_async or sleep)(met)
        return met

    async def aclose(self) -> None:
        """Closes the connections that the running event loop has kept open."""
        await self._connections.aclose()

    def _complete(
        self, http: "httpx.Client", messages: Iterable[Message], tools: Iterable[Schema]
    ) -> Completion:
        asking = Asking(self, messages, tools)
        while not isinstance(met := asking.read(self._post(http, asking)), Completion):
            self._sleep(met)
        return met

    def _post(self, http: "httpx.Client", asking: Asking) -> "httpx.Response | Exception":
        try:
            return http.post(self.url, content=asking.body, headers=asking.headers)
        except asking.failures as error:
            return error

    async def _post_async(self, asking: Asking) -> "httpx.Response | Exception":
        from asyncio import timeout

        try:
            async with self._connections.http() as http, timeout(self.timeout):
                return await http.post(self.url, content=asking.body, headers=asking.headers)
        except asking.failures as error:
            return error

    @property
    def key(self) -> str:
        """The key in force, or an empty text."""
        return (self._api_key or os.environ.get("OPENAI_API_KEY", "")).strip()

    def without_key(self, text: str) -> str:
        """Returns a text in which the key, and the password of the URL, are blotted out."""
        for secret in (self.key, _password(self.url)):
            text = text.replace(secret, "***") if secret else text
        return text


def _password(url: str) -> str:
    try:
        return urlsplit(url).password or ""
    except ValueError:
        return ""
