"""A client of OpenAI-compatible chat servers: completes one chat, or many at once."""

import copy
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from coworkgym.errors import CoworkError
from coworkgym.frozen import Json, admit, json_text
from coworkgym.transcript import Message, from_openai, to_openai, tools_to_openai

if TYPE_CHECKING:
    import httpx

_RETRIED = frozenset({429, 500, 502, 503, 504})
_SHOWN = 500  # characters of an error
Schema = Mapping[str, Json]


class ChatError(CoworkError, RuntimeError):
    """A chat server that gives no usable answer: URL, status, the body's beginning; never the key.

    Its `status` is None when there was no response.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Completion(NamedTuple):
    """What a model answered.

    Attributes:
        message: `role`, `content` and, if it calls, `tool_calls`. Arguments that are no object,
            such as cut-off JSON, stand as `{}` with the text under `raw`.
        finish_reason: As the server says: stop, length, tool_calls ...
        prompt_tokens: Tokens read; 0 where the server does not count, here and in the next.
        completion_tokens: Tokens written.
    """

    message: Message
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int


class ChatClient:
    """Asks one model on one server. Holds no connection: it can be shared, pickled and copied.

    Args:
        model: The name that the server knows it by.
        base_url: Such as `http://localhost:8000/v1`.
        api_key: By default the environment variable OPENAI_API_KEY, if any, read at each request.
        timeout: Seconds to wait for the server.
        retries: How many more times a request is sent that met a busy or failing server.
        temperature: Of sampling; None leaves it to the server, here and in the next two.
        max_tokens: Length of an answer.
        seed: Of sampling.
        extra: More fields of the request.
        sleep: Waits so many seconds before another try.

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
    ) -> None:
        _httpx()
        self.model, self.url = model, base_url.rstrip("/") + "/chat/completions"
        self.timeout, self.retries = timeout, retries
        given = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
        self._options = {n: value for n, value in given.items() if value is not None}
        self._options |= extra or {}
        self._api_key = api_key
        self._sleep = sleep

    def __repr__(self) -> str:
        """Model and URL, without the key."""
        return self.without_key(f"ChatClient({self.model!r}, url={self.url!r})")

    @property
    def options(self) -> dict[str, Json]:
        """The fields of each request beside model, messages and tools."""
        return dict(self._options)

    def with_options(self, **options: Json) -> "ChatClient":
        """Returns a client with these fields of the request, too, and otherwise the same.

        None takes a field out.
        """
        twin = copy.copy(self)
        twin._options = {n: v for n, v in (self._options | options).items() if v is not None}
        return twin

    def complete(self, messages: Iterable[Message], tools: Iterable[Schema] = ()) -> Completion:
        """Returns the model's answer to a chat in coworkgym's form.

        Raises:
            ChatError: When the server refuses, stays busy, or answers something else.
        """
        with _httpx().Client(timeout=self.timeout) as http:
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

        client = _httpx().Client(timeout=self.timeout)
        with client as http, ThreadPoolExecutor(concurrency) as pool:
            return list(pool.map(lambda request: self._complete(http, *request), requests))

    def _complete(
        self, http: "httpx.Client", messages: Iterable[Message], tools: Iterable[Schema]
    ) -> Completion:
        body = {"model": self.model, "messages": to_openai(messages), **self._options}
        if schemas := tools_to_openai(tools):
            body["tools"] = schemas
        response = self._post(http, json_text(body))
        try:
            return _read(response.json())
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise self._error("no chat completion", response) from None

    def _post(self, http: "httpx.Client", body: str) -> "httpx.Response":
        """Sends a request until it is answered, refused, or has been sent often enough."""
        errors = _httpx()
        passing = (errors.TimeoutException, errors.NetworkError, errors.RemoteProtocolError)
        key = self._key()
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        tries = 0
        while True:
            wanted = ""
            try:
                response = http.post(self.url, content=body, headers=headers)
                if response.status_code == 200:
                    return response
                if tries >= self.retries or response.status_code not in _RETRIED:
                    raise self._error("refused", response)
                wanted = response.headers.get("Retry-After", "")
            except (errors.HTTPError, errors.InvalidURL, UnicodeError) as error:
                if tries >= self.retries or not isinstance(error, passing):
                    raise self._error(f"no response: {type(error).__name__}") from None
            self._sleep(_wait(tries, wanted))
            tries += 1

    def _key(self) -> str:
        return (self._api_key or os.environ.get("OPENAI_API_KEY", "")).strip()

    def without_key(self, text: str) -> str:
        """Returns a text in which the key is blotted out."""
        key = self._key()
        return text.replace(key, "***") if key else text

    def _error(self, what: str, response: "httpx.Response | None" = None) -> ChatError:
        status = None if response is None else response.status_code
        answer = "" if response is None else f" (status {status}): {response.text}"
        return ChatError(self.without_key(f"{self.url}: {what}{answer}")[:_SHOWN], status)


def _httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise ChatError("chat servers need httpx: pip install 'coworkgym[chat]'") from None
    return httpx


def _wait(tries: int, wanted: str) -> float:
    """Seconds before the next try: what the server wants, else 0.5, 1, 2 ..., at most a minute."""
    asked = re.fullmatch(r"[0-9]+(\.[0-9]+)?", wanted)
    return min(float(wanted) if asked else 2.0 ** min(tries, 7) / 2, 60.0)


def _read(body: Json) -> Completion:
    choice, usage = body["choices"][0], body.get("usage") or {}
    content, calls = (choice["message"].get(name) for name in ("content", "tool_calls"))
    if not isinstance(content, str | None):
        raise TypeError("content is text")
    message = {"role": "assistant", "content": content, "tool_calls": [*map(_whole, calls or ())]}
    counts = (int(usage.get(f"{kind}_tokens") or 0) for kind in ("prompt", "completion"))
    ending = str(choice.get("finish_reason") or "")
    return Completion(from_openai([admit(message)])[0], ending, *counts)


def _whole(call: Json) -> Json:
    """A call as the API defines it: some servers send no id, or arguments that are no text."""
    given = call["function"].get("arguments") or "{}"
    text = given if isinstance(given, str) else json_text(given)
    return {"id": call.get("id") or "", "function": {**call["function"], "arguments": text}}
