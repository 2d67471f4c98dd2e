"""Completion: what a model answered; and both ways between coworkgym's messages and the API's."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from coworkgym.frozen import Json, admit, json_text
from coworkgym.transcript import Message, from_openai, to_openai

_ASIDE = frozenset({"usage", "finish_reason", "reasoning", "retries", "tokens"})
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What reading a body raises that is no chat completion."""


class Completion(NamedTuple):
    """What a model answered.

    Attributes:
        message: `role`, `content` and, if it calls, `tool_calls`. Arguments that are no object,
            such as cut-off JSON, stand as `{}` with the text under `raw`.
        finish_reason: As the server says: stop, length, tool_calls ...
        prompt_tokens: Tokens read; 0 where the server does not count, here and in the next.
        completion_tokens: Tokens written.
        reasoning: What the model thought, where the server keeps that apart. Never searched for
            calls.
        retries: How many more times the request was sent.
    """

    message: Message
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    reasoning: str = ""
    retries: int = 0


def read_completion(body: Json) -> Completion:
    """Returns the completion in the body of a response.

    Raises:
        ValueError: Or another of UNREADABLE, where there is none.
    """
    choice = body["choices"][0]
    if choice.get("error"):
        raise ValueError("an upstream server failed in the middle of its answer")
    said = choice["message"]
    content, calls = said.get("content"), said.get("tool_calls")
    if not isinstance(content, str | None):
        raise TypeError("content is text")
    message = {"role": "assistant", "content": content, "tool_calls": [*map(_whole, calls or ())]}
    thoughts = (said.get(name) for name in ("reasoning_content", "reasoning"))
    reasoning = next((text for text in thoughts if text and isinstance(text, str)), "")
    ending, usage = str(choice.get("finish_reason") or ""), body.get("usage")
    counts = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    return Completion(from_openai([admit(message)])[0], ending, *counts, admit(reasoning))


def to_request(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Returns messages as every server takes them.

    What is kept beside a message is left out, and so are arguments that are no object: vLLM,
    SGLang and llama.cpp parse those of old calls, and would refuse the chat for ever. What was
    wrong with them the model reads in the result.
    """
    return to_openai(map(_sendable, messages))


def _sendable(message: Message) -> dict[str, Any]:
    kept = {name: value for name, value in message.items() if name not in _ASIDE}
    if "tool_calls" in kept:
        kept["tool_calls"] = [
            {name: value for name, value in call.items() if name != "raw"}
            for call in kept["tool_calls"]
        ]
    return kept


def _whole(call: Json) -> Json:
    """A call as the API defines it: some servers send no id, or arguments that are no text."""
    given = call["function"].get("arguments") or "{}"
    text = given if isinstance(given, str) else json_text(given)
    return {"id": call.get("id") or "", "function": {**call["function"], "arguments": text}}


def _count(usage: Json, kind: str) -> int:
    number = usage.get(kind) if isinstance(usage, Mapping) else None
    return int(number) if isinstance(number, int | float) and number >= 0 else 0
