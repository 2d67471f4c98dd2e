"""Asking: one request to a chat server, and what becomes of each of its tries."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from coworkgym.chat.completion import UNREADABLE, Completion, read_completion
from coworkgym.chat.connections import import_httpx
from coworkgym.chat.refusal import ChatError, Refusal, leaves_no_room, refusal_of
from coworkgym.frozen import Json, json_text
from coworkgym.transcript import Message

if TYPE_CHECKING:
    import httpx

    from coworkgym.chat.client import ChatClient

_RETRIED = frozenset({200, 408, 429, 500, 502, 503, 504})  # 200: the body is no completion
_SHOWN = 500  # characters of an error
_NEEDED = (
    "The tasks need native tool calls: start the server with them (vLLM: --enable-auto-tool-choice "
    "--tool-call-parser NAME; llama.cpp: --jinja), or take a model that makes them. It says: "
)


class Asking:
    """One request.

    Args:
        client: Whose.
        messages: The chat.
        tools: The schemas.
    """

    def __init__(
        self, client: "ChatClient", messages: Iterable[Message], tools: Iterable[Mapping[str, Json]]
    ) -> None:
        httpx, key = import_httpx(), client.key
        request = client.request(messages, tools)
        self.body = json_text(request)
        self.headers = {"Content-Type": "application/json"}
        self.headers |= {"Authorization": f"Bearer {key}"} if key else {}
        self.failures = (httpx.HTTPError, httpx.InvalidURL, UnicodeError, TimeoutError)
        self._hopeless = (
            *(httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError),
            UnicodeError,
        )
        self._client, self._tries = client, 0
        self._tools, self._longest = "tools" in request, request.get("max_tokens")

    def read(self, met: "httpx.Response | Exception") -> Completion | float:
        """Returns the completion in a response, or the seconds to wait before the next try.

        Args:
            met: The response, or one of `failures`.

        Raises:
            ChatError: Where there is no other try.
        """
        if isinstance(met, Exception):
            hopeless = isinstance(met, self._hopeless)
            error = self._error(f"no response: {type(met).__name__}", hopeless=hopeless)
            return self._wait(error, not hopeless)
        if met.status_code == 200:
            try:
                return read_completion(met.json())._replace(retries=self._tries)
            except UNREADABLE:
                pass
        error = self._refused(met)
        again = met.status_code in _RETRIED and error.refusal is None and not error.hopeless
        return self._wait(error, again, met.headers.get("Retry-After", ""))

    def _wait(self, error: ChatError, again: bool, wanted: str = "") -> float:
        """Seconds before the next try: what the server wants, else 0.5, 1 ..., at most a minute."""
        if not again or self._tries >= self._client.retries:
            raise error
        asked = re.fullmatch(r"[0-9]+(\.[0-9]+)?", wanted)
        seconds = float(wanted) if asked else 2.0 ** min(self._tries, 7) / 2
        self._tries += 1
        return min(seconds, 60.0)

    def _refused(self, response: "httpx.Response") -> ChatError:
        text, status = response.text, response.status_code
        said = text[:_SHOWN]
        refusal = refusal_of(said, status, tools=self._tools)
        if refusal == "context" and leaves_no_room(said, self._longest):
            what = f"max_tokens {self._longest} leaves no room for the chat"
            return self._error(f"{what} (status {status}): {text}", status, hopeless=True)
        what = "no chat completion" if status == 200 else "refused"
        if refusal == "tools":
            return self._error(
                f"model {self._client.model!r} takes no tools (status {status}). {_NEEDED}{text}",
                status,
                refusal,
            )
        return self._error(f"{what} (status {status}): {text}", status, refusal)

    def _error(
        self,
        what: str,
        status: int | None = None,
        refusal: Refusal | None = None,
        *,
        hopeless: bool = False,
    ) -> ChatError:
        message = self._client.without_key(f"{self._client.shown_url}: {what}")[:_SHOWN]
        return ChatError(message, status, refusal=refusal, hopeless=hopeless, retries=self._tries)
