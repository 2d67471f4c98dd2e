"""ChatError: a chat server that gives no usable answer, and what it says about that."""

import re
from typing import Literal

from coworkgym.errors import InfrastructureError

Refusal = Literal["context", "tools", "call", "quota"]

_NO_ACCESS = frozenset({401, 402, 403, 404})
_WORDINGS: dict[Refusal, re.Pattern[str]] = {
    # Groq, Ollama, llama.cpp: the model's own call cannot be parsed
    "call": re.compile(
        r"tool_use_failed|error parsing tool call|failed to parse input at pos", re.I
    ),
    "quota": re.compile(r"insufficient_quota", re.I),
    "context": re.compile(
        r"context_length_exceeded|exceed_context_size"
        r"|maximum (?:context|model) length|model's context length"
        r"|exceeds? (?:the )?(?:available |model's |maximum )*context (?:size|length|window|limit)"
        r"|context (?:size|length|window) (?:has been |was )?exceeded"
        r"|context (?:the )?overflow|context length of only"
        r"|prompt is too long|token count[^.]{0,40} exceeds"
        r"|`inputs` tokens \+ `max_new_tokens`",
        re.I,
    ),
    "tools": re.compile(
        r"(?:not|n't|endpoints found that) support(?:ing|ed)?\b[^.]{0,40}?\b(?:tool|function call)"
        r"|unsupported[^.]{0,20}\btools\b"
        r"|\b(?:tools|tool (?:use|calls?|calling|choice)|function[ -]call(?:s|ing)?)\b[^.]{0,60}?"
        r"(?:not (?:\w+ )?supported|not enabled|not permitted|requires? --)",
        re.I,
    ),
}
_ROOM = re.compile(r"(?:context|model) (?:length|size|window)\D{0,20}(\d+)", re.I)


class ChatError(InfrastructureError):
    """A chat server that gives no usable answer: URL, status, the body's beginning; never the key.

    Args:
        message: What happened.
        status: Of the response; None when there was none.
        refusal: What the server does not take, where it says so: `context` (the chat is too long),
            `tools` (it has no calls), `call` (the model wrote a call that it cannot read),
            `quota` (nothing is left of it).
        hopeless: Whether trying again cannot help, where neither status nor refusal tells.
        retries: How many more times the request was sent.
    """

    def __init__(
        self,
        message: str,
        status: int | None = None,
        *,
        refusal: Refusal | None = None,
        hopeless: bool = False,
        retries: int = 0,
    ) -> None:
        no_access = status in _NO_ACCESS or refusal in ("tools", "quota")
        super().__init__(message, hopeless=hopeless or no_access)
        self.status, self.refusal, self.retries = status, refusal, retries


def refusal_of(said: str, status: int, *, tools: bool) -> Refusal | None:
    """Returns what a server refuses, by the beginning of its answer.

    Args:
        said: The beginning; no more, for what follows may quote the chat.
        status: Of the response. Some servers answer 200, with an error in the body.
        tools: Whether the request had tools.
    """
    if status == 200 and '"error"' not in said:
        return None
    for refusal, wording in _WORDINGS.items():
        if wording.search(said) and (tools or refusal not in ("tools", "call")):
            # 429 is a limit to the tokens of a minute, however it is worded
            return None if (refusal, status) == ("context", 429) else refusal
    return None


def leaves_no_room(said: str, max_tokens: object) -> bool:
    """Whether the answer alone may be longer than the context that a server says it has."""
    room = _ROOM.search(said)
    return room is not None and isinstance(max_tokens, int) and max_tokens >= int(room[1])
