"""Chat format: how transcripts become tokens for one tokenizer, and its answers messages again."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coworkgym.errors import TaskError
from coworkgym.frozen import Json, thaw
from coworkgym.policies.local.forms import (
    CallForm,
    form_of,
    parse_text,
    parse_with,
    render_message,
    require_form,
)
from coworkgym.transcript import Message, tools_to_openai

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

TEMPLATE = Path(__file__).with_name("template.jinja")
"""Our ChatML template with Hermes calls."""

_PROBE = "coworkgym probe"


class EndOfTurn(NamedTuple):
    """How a template ends an assistant message.

    Attributes:
        id: The end-of-turn token.
        text: Its text.
    """

    id: int
    text: str


class ChatFormat:
    """The chat template, the form of calls, and the end of turns of one tokenizer.

    Args:
        tokenizer: One whose template knows tools, or of a ChatML model, which gets our template.
        call_form: One of `FORMS`; by default what the template shows.
        system: Text that is added to the system message.

    Raises:
        TaskError: When the template knows no tools and the model is not of the ChatML kind.
        UnknownNameError: For a call form that does not exist.
    """

    def __init__(
        self,
        tokenizer: "PreTrainedTokenizerBase",
        call_form: str | None = None,
        system: str | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.system = system
        own = tokenizer.chat_template
        if isinstance(own, dict):
            own = own.get("tool_use", own.get("default"))
        readable = getattr(tokenizer, "response_template", None) is not None
        found = form_of(own or "", readable)
        if found is None:
            own = _our_template(tokenizer)
        self.template = str(own)
        self.call_form: CallForm = require_form(call_form) if call_form else found or "hermes"
        self.end_of_turn = self._find_end_of_turn()

    @property
    def digest(self) -> str:
        """Hash of the chat template."""
        return hashlib.blake2b(self.template.encode(), digest_size=8).hexdigest()

    def render(self, messages: Sequence[Message], tools: Json, *, prompt: bool) -> str:
        """Returns a transcript as the template writes it.

        Args:
            messages: Assistant messages may hold `reasoning`.
            tools: The tool schemas.
            prompt: Whether to add the beginning of the next assistant message.
        """
        chat: Any = self._chat(messages)
        schemas: Any = tools_to_openai(tools) or None
        text = self.tokenizer.apply_chat_template(
            chat,
            tools=schemas,
            chat_template=self.template,
            add_generation_prompt=prompt,
            tokenize=False,
        )
        return str(text)

    def encode(self, text: str) -> list[int]:
        """Returns the tokens of rendered text; nothing is added to it."""
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def suffix(self, messages: Sequence[Message], tools: Json, answer: int) -> str | None:
        """Returns what follows the end-of-turn token of an answer, up to the next answer.

        It is the difference of two renderings: of all messages, and of those up to the answer with
        a probe behind them, as some templates write the last message in another way.

        Args:
            messages: The transcript, as it goes on after the answer; with `reasoning`.
            tools: The tool schemas.
            answer: Position of the newest assistant message.

        Returns:
            The text, or None when the template now writes something else than was read and
            answered, or leaves text or reasoning out.
        """
        if answer + 1 == len(messages):
            return None
        probe = {**messages[answer + 1], "content": _PROBE}
        asked = self.render(messages[:answer], tools, prompt=True)
        probed = self.render([*messages[: answer + 1], probe], tools, prompt=False)
        whole = self.render(messages, tools, prompt=True)
        head = probed[: probed.rfind(_PROBE)]
        end = head.rfind(self.end_of_turn.text)
        told = [str(messages[answer].get(part) or "").strip() for part in ("reasoning", "content")]
        if not (head.startswith(asked) and all(text in head[len(asked) : end] for text in told)):
            return None
        if end < len(asked) or not whole.startswith(head):
            return None
        return whole[end + len(self.end_of_turn.text) :]

    def read(self, ids: Sequence[int], prompt_ids: Sequence[int]) -> dict[str, Any]:
        """Returns the assistant message that sampled tokens stand for."""
        said, tail = self._decode(ids), self._decode(prompt_ids[-16:])
        if self.call_form == "tokenizer":
            parse = partial(self.tokenizer.parse_response, prefix=tail)
            return parse_with(parse, said)
        opened = tail.rstrip().endswith("<think>")
        return parse_text(said.removesuffix(self.end_of_turn.text), self.call_form, opened=opened)

    def _decode(self, ids: Sequence[int]) -> str:
        return str(
            self.tokenizer.decode(
                list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False
            )
        )

    def _chat(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        chat = [self._chat_message(message) for message in messages]
        if self.system and chat and chat[0]["role"] == "system":
            chat[0]["content"] += "\n\n" + self.system
        elif self.system:
            chat.insert(0, {"role": "system", "content": self.system})
        return chat

    def _chat_message(self, message: Message) -> dict[str, Any]:
        """One message as templates expect it: arguments are mappings.

        A message with calls that the template could not write becomes the text of the model.
        """
        plain: dict[str, Any] = thaw(message)
        reasoning = plain.pop("reasoning", None)
        if reasoning:
            plain["reasoning_content"] = reasoning
        calls = plain.pop("tool_calls", None)
        if not calls:
            return plain
        single = self.call_form in ("llama", "json")  # such templates write no text beside a call
        odd = single and (len(calls) > 1 or bool(plain["content"]))
        if odd or any("raw" in call for call in calls):
            shown = {"content": plain["content"], "tool_calls": calls}
            return plain | {"content": render_message(shown, self.call_form)}
        return plain | {"tool_calls": [_wrapped(call) for call in calls]}

    def _find_end_of_turn(self) -> EndOfTurn:
        chat = [{"role": "user", "content": "?"}, {"role": "assistant", "content": _PROBE}]
        text = self.render(chat, [], prompt=False)
        ids = self.encode(text[text.rfind(_PROBE) + len(_PROBE) :])
        special = set(self.tokenizer.all_special_ids)
        end = next((token for token in ids if token in special), self.tokenizer.eos_token_id)
        if end is None:
            raise TaskError("the chat template ends no assistant message with a special token")
        return EndOfTurn(end, self._decode([end]))


def _wrapped(call: Mapping[str, Any]) -> dict[str, Any]:
    named = {"name": call["name"], "arguments": call["arguments"]}
    return {"id": call.get("id", ""), "type": "function", "function": named}


def _our_template(tokenizer: "PreTrainedTokenizerBase") -> str:
    if "<|im_start|>" not in tokenizer.get_vocab():
        raise TaskError(
            "the model's chat template knows no tools, and ours fits ChatML models only "
            "(with <|im_start|>): give the tokenizer a chat_template that writes tools"
        )
    return TEMPLATE.read_text(encoding="utf-8")
