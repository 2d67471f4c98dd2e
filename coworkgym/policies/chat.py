"""ChatPolicy: a model on any OpenAI-compatible server."""

import hashlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Literal, TypeVar

from coworkgym.chat import ChatClient, ChatError, Completion
from coworkgym.errors import ContextOverflow, TaskError
from coworkgym.frozen import FrozenDict, Json, json_text
from coworkgym.transcript import Message

Answer = dict[str, Any]
T = TypeVar("T")


class ChatPolicy:
    """Asks a chat server, many episodes at a time. It can be shared and pickled.

    A message carries, beside what the model said, `usage` (`prompt_tokens`, `completion_tokens`),
    `finish_reason`, `retries` (how many more times the request was sent) and, where the server
    keeps it apart, `reasoning`.

    Args:
        model: The name that the server knows it by.
        base_url: Such as `http://localhost:8000/v1`.
        api_key: By default the environment variable OPENAI_API_KEY, if any, read at each request.
        temperature: Of sampling; None leaves it to the server, here and in the next.
        max_tokens: Length of an answer.
        timeout: Seconds to wait for one answer.
        retries: How many more times a request is sent that met a busy or failing server.
        context_length: Tokens that the model reads, where that is known: rollouts then show it no
            more. Without it the server says when a transcript is too long.
        extra: More fields of the request. None takes one out, such as `seed` for a server that
            does not know it.
        sleep: Waits so many seconds before another try; by default asyncio.sleep.

    Raises:
        TaskError: When nothing of the context is left beside the answer.
        ChatError: When httpx is not installed.
    """

    samples: Literal[True] = True

    def __init__(  # noqa: PLR0913
        self,
        model: str,
        base_url: str,
        *,
        api_key: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float = 300.0,
        retries: int = 6,
        context_length: int | None = None,
        extra: Mapping[str, Json] | None = None,
        sleep: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        if context_length is not None and context_length <= (max_tokens or 0):
            raise TaskError(f"context_length {context_length} must exceed max_tokens {max_tokens}")
        self.name = f"chat:{model}"
        self.max_tokens, self.context_length = max_tokens, context_length
        self._extra = FrozenDict(extra or {})
        self._client = ChatClient(
            model,
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            retries=retries,
            temperature=temperature,
            max_tokens=max_tokens,
            sleep_async=sleep,
        )

    def __repr__(self) -> str:
        """Model and URL, without the key."""
        return self._client.without_key(
            f"ChatPolicy({self._client.model!r}, {self.settings['url']!r})"
        )

    @property
    def harness(self) -> dict[str, Json]:
        """How the model is asked, as far as it matters when runs are compared."""
        return {"call_form": "native"}

    @property
    def settings(self) -> dict[str, Json]:
        """Model, URL (without user, password and query) and the fields of the request."""
        client = self._client
        return {
            "model": client.model,
            "url": client.shown_url.removesuffix("/chat/completions"),
            "temperature": client.options.get("temperature"),
            "max_tokens": self.max_tokens,
            "context_length": self.context_length,
            **self._extra,
        }

    async def answer(self, transcript: Sequence[Message], tools: Json, seed: int = 0) -> Answer:
        """Returns the model's message.

        Args:
            transcript: The messages so far.
            tools: The tool schemas.
            seed: Of the episode. The request carries one that is made of it and of the length of
                the transcript; a server may ignore it.

        Raises:
            ContextOverflow: When the server says that the transcript is too long.
            ChatError: When it refuses for another reason, stays busy, or answers something else.
        """
        fields = {"seed": _request_seed(seed, len(transcript)), **self._extra}
        client = self._client.with_options(**fields)
        try:
            return _with_facts(await client.complete_async(transcript, tools))
        except ChatError as error:
            refused = error
        if refused.refusal == "context":
            raise ContextOverflow(str(refused))
        if refused.refusal == "call":
            return _broken_call(refused)
        raise refused

    def act(
        self,
        transcripts: Sequence[Sequence[Message]],
        tools: Sequence[Json],
        seeds: Sequence[int] | None = None,
    ) -> list[Answer]:
        """Returns the model's messages, all asked for at the same time.

        Args:
            transcripts: The messages so far of each episode.
            tools: The tool schemas of each episode.
            seeds: One for each episode; 0 without.

        Raises:
            ContextOverflow: As in `answer`; the first that is met, in the order of the transcripts.
            ChatError: The same.
        """
        given = [0] * len(transcripts) if seeds is None else seeds
        asked = [*zip(transcripts, tools, given, strict=True)]

        async def together() -> list[Answer | BaseException]:
            from asyncio import gather  # keeps the import of coworkgym fast

            return await gather(*(self.answer(*one) for one in asked), return_exceptions=True)

        answers = []
        for answer in _run(together()):
            if isinstance(answer, BaseException):
                raise answer
            answers.append(answer)
        return answers

    def count_tokens(self, transcript: Sequence[Message], tools: Json) -> int:
        """Returns about how many tokens a request has: a third of its bytes, rounded up.

        Rather too many: English has four bytes a token, JSON and Chinese about three.
        """
        return -(-len(json_text(self._client.request(transcript, tools)).encode()) // 3)

    async def aclose(self) -> None:
        """Closes the connections that the running event loop has kept open.

        `asyncio.run` closes them too. What still waits for an answer fails.
        """
        await self._client.aclose()


def _with_facts(completion: Completion) -> Answer:
    usage = {name: getattr(completion, name) for name in ("prompt_tokens", "completion_tokens")}
    facts: Answer = {"usage": usage, "finish_reason": completion.finish_reason}
    facts |= {"reasoning": completion.reasoning} if completion.reasoning else {}
    return {**completion.message, **facts, "retries": completion.retries}


def _broken_call(error: ChatError) -> Answer:
    """The empty message, which is a malformed call: the server keeps what the model wrote."""
    usage = {"prompt_tokens": 0, "completion_tokens": 0}
    facts = {"finish_reason": "malformed_call", "usage": usage, "retries": error.retries}
    return {"role": "assistant", "content": "", **facts}


def _request_seed(seed: int, length: int) -> int:
    """A seed of 31 bits, which every server takes, another one in each turn."""
    digest = hashlib.blake2b(f"{seed} {length}".encode(), digest_size=4).digest()
    return int.from_bytes(digest) >> 1


def _run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end, in another thread where this one has a loop running."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
