"""One asking of a judge's model: the seed, the form of the answer, and a limit to the whole wait.

The time-out of a ChatClient is that of a single read: a server that sends a byte now and then
holds it for ever. So the answer is waited for in another thread, which is left alone when the time
is up, and ends with the connection.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence

from coworkgym.chat import ChatClient, ChatError
from coworkgym.frozen import Json
from coworkgym.transcript import Message

_REFUSED = (400, 422)  # how servers answer that do not know `response_format`


class JudgeClient:
    """Asks one model for verdicts.

    Args:
        client: How it is reached. A seed and a `response_format` among its options are kept.
        words: The verdicts to choose from.
        deadline: Seconds for one answer, with all the tries of the client.
    """

    def __init__(self, client: ChatClient, words: Iterable[str], deadline: float) -> None:
        self.client = client
        self.deadline = deadline
        self._form: Mapping[str, Json] = {"response_format": answer_form(words)}

    def ask(self, messages: Sequence[Message], number: int) -> str:
        """Returns what the model writes, the key of the client blotted out.

        Args:
            messages: The question.
            number: Added to the seed, so that no two askings are alike.

        Raises:
            ChatError: When the server fails, or the time is up.
        """
        try:
            return self._complete(messages, number)
        except ChatError as error:
            if error.status not in _REFUSED or not self._form:
                raise
        form, self._form = self._form, {}
        try:
            return self._complete(messages, number)
        except ChatError:
            self._form = form  # it was not the form that was refused
            raise

    def _complete(self, messages: Sequence[Message], number: int) -> str:
        options = self.client.options
        options["seed"] = options.get("seed", 0) + number
        twin = self.client.with_options(**(dict(self._form) | options))
        return twin.without_key(complete_within(self.deadline, twin, messages))


def complete_within(seconds: float, client: ChatClient, messages: Sequence[Message]) -> str:
    """Returns the text of a client's answer, whatever the server does.

    Args:
        seconds: The longest wait.
        client: One of the caller's own: it sends nothing again once the time is up.
        messages: The chat.

    Raises:
        ChatError: When the server fails, or the time is up.
    """
    from concurrent.futures import Future  # keeps the import of coworkgym fast

    future: Future[str] = Future()

    def complete() -> None:
        try:
            future.set_result(str(client.complete(messages).message["content"]))
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
