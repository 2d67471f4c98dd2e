"""One asking of a judge's model: the seed, the form of the answer, and a limit to the whole wait.

The time-out of a ChatClient is that of a single read: a server that sends a byte now and then
holds it for ever. So the answer is waited for in another thread, which is left alone when the time
is up, and ends with the connection.
"""

import threading
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from coworkgym.chat import ChatClient, ChatError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.transcript import Message

_REFUSED = (400, 422)  # how servers answer that do not know a field of the request


class Written(NamedTuple):
    """What a model wrote, and why it stopped: stop, length ... as the server says."""

    text: str
    finish_reason: str


class _Way(NamedTuple):
    """How a server is asked: with which form of the answer, and whether with a seed."""

    form: FrozenDict
    seeded: bool


class JudgeClient:
    """Asks one model for verdicts.

    Args:
        client: How it is reached. A seed and a `response_format` among its options are kept, the
            seed unless the server refuses it.
        words: The verdicts to choose from.
        deadline: Seconds for one answer, with all the tries of the client.
    """

    def __init__(self, client: ChatClient, words: Iterable[str], deadline: float) -> None:
        self.client = client
        self.deadline = deadline
        form = FrozenDict(response_format=answer_form(words))
        self._ways = [_Way(form, True), _Way(FrozenDict(), True), _Way(FrozenDict(), False)]

    def ask(self, messages: Sequence[Message], number: int) -> Written:
        """Returns what the model writes, the key of the client blotted out.

        A server that refuses is asked without the form, then without a seed too; where that
        helps, it is asked so from then on.

        Args:
            messages: The question.
            number: Added to the seed, so that no two askings are alike.

        Raises:
            ChatError: When the server fails, or the time is up.
        """
        ways = self._ways
        while True:
            try:
                written = self._complete(messages, number, ways[0])
            except ChatError as error:
                ways = ways[1:]
                if error.status not in _REFUSED or not ways:
                    raise
            else:
                self._ways = ways
                return written

    def _complete(self, messages: Sequence[Message], number: int, way: _Way) -> Written:
        options = self.client.options
        options["seed"] = options.get("seed", 0) + number if way.seeded else None
        twin = self.client.with_options(**(dict(way.form) | options))
        text, finish_reason = complete_within(self.deadline, twin, messages)
        return Written(twin.without_key(text), finish_reason)


def complete_within(seconds: float, client: ChatClient, messages: Sequence[Message]) -> Written:
    """Returns a client's answer, whatever the server does.

    Args:
        seconds: The longest wait.
        client: One of the caller's own: it sends nothing again once the time is up.
        messages: The chat.

    Raises:
        ChatError: When the server fails, or the time is up.
    """
    from concurrent.futures import Future  # keeps the import of coworkgym fast

    future: Future[Written] = Future()

    def complete() -> None:
        try:
            said = client.complete(messages)
            future.set_result(Written(str(said.message["content"]), said.finish_reason))
        except BaseException as error:  # raised again where the answer is waited for
            future.set_exception(error)

    threading.Thread(target=complete, daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError:
        client.retries = 0
        raise ChatError(f"{client.url}: no whole answer within {seconds:g} s") from None


def answer_form(words: Iterable[str]) -> Json:
    """Returns the `response_format` of a verdict: reason first, then one of the words."""
    schema = {
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "verdict": {"type": "string", "enum": list(words)},
        },
        "required": ["reason", "verdict"],
        "additionalProperties": False,
    }
    named = {"name": "verdict", "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": named}
