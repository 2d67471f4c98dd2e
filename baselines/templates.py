"""Templates: how chats become tokens to train on, and what stops a tokenizer from being trained.

Which tokens are trained is found by rendering: an answer is what a transcript has more than the
same transcript up to the question, and it ends with its end-of-turn token. So exactly those tokens
are trained that the model samples when it plays, calls and end of turn included, and no marks are
needed in the template. Pieces are tokenised one by one, as `TransformersPolicy` reads them.

TRL's training templates take the place of the templates they were made from: those that write
earlier messages differently later on cannot be trained on whole chats.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerBase
from trl.chat_template_utils import add_response_schema, get_training_chat_template

from coworkgym.errors import TaskError
from coworkgym.frozen import Json
from coworkgym.policies.local import ChatFormat, ModelError
from coworkgym.transcript import Message, from_openai

IGNORED = -100
"""Label of a token that is read and not trained."""

_PADS = ("<|finetune_right_pad_id|>", "<|vision_pad|>", "<pad>", "[PAD]", "<|endoftext|>")
_NAME, _VALUE, _RESULT = "probe_of_tools", "probe of values", "probe of results"
_TOOLS: list[Json] = [
    {
        "name": _NAME,
        "description": "Probes.",
        "parameters": {"type": "object", "properties": {"key": {"type": "string"}}},
    }
]
_CALL = {"id": "call_1", "name": _NAME, "arguments": {"key": _VALUE}}
_CHAT: list[Message] = [
    {"role": "system", "content": "Work."},
    {"role": "user", "content": "Go."},
    {"role": "assistant", "content": "", "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": f'{{"found":"{_RESULT}"}}'},
    {"role": "assistant", "content": "Done?"},
    {"role": "user", "content": "Once more."},
    {"role": "assistant", "content": "", "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": f'{{"found":"{_RESULT}"}}'},
    {"role": "assistant", "content": "Done."},
]


class Encoded(NamedTuple):
    """A transcript as a trainer takes it.

    Attributes:
        ids: Its tokens, up to the end of its last answer.
        labels: The same tokens where they are trained, IGNORED elsewhere.
    """

    ids: list[int]
    labels: list[int]

    @property
    def trained(self) -> int:
        """Number of tokens that are trained."""
        return sum(label != IGNORED for label in self.labels)


def prepare(tokenizer: PreTrainedTokenizerBase) -> None:
    """Gives a tokenizer a template to train with and a padding token, where it lacks them.

    Raises:
        ModelError: Where its template knows no tools and ours does not fit.
    """
    _readable(tokenizer)
    own = tokenizer.chat_template
    trl = _of_trl(tokenizer)
    if trl is not None:
        tokenizer.chat_template = trl
    try:
        tokenizer.chat_template = ChatFormat(tokenizer).template
    except TaskError as error:
        tokenizer.chat_template = own
        raise ModelError(str(error)) from error
    if tokenizer.pad_token is None:
        known = tokenizer.get_vocab()
        tokenizer.pad_token = next((pad for pad in _PADS if pad in known), tokenizer.eos_token)


def require_trainable(tokenizer: PreTrainedTokenizerBase) -> None:
    """Passes when whole chats with tool calls can be trained with a tokenizer's template.

    Raises:
        ModelError: Saying what is wrong: no template, none that writes tools, calls and results,
            one that writes earlier messages differently later on, an end of turn that is not
            trained, no padding token.
    """
    if not tokenizer.chat_template:
        raise ModelError("the tokenizer has no chat template: models.load gives it one")
    if tokenizer.pad_token_id is None:
        raise ModelError("the tokenizer has no padding token: set tokenizer.pad_token")
    try:
        form = ChatFormat(tokenizer)
        text = form.render(_CHAT, _TOOLS, prompt=False)
    except (TaskError, TemplateError, TypeError) as error:
        raise ModelError(f"the chat template does not write tool calls: {error}") from error
    missing = [probe for probe in (_NAME, _VALUE, _RESULT) if probe not in text]
    if form.template != tokenizer.chat_template and not isinstance(tokenizer.chat_template, dict):
        missing = ["tools"]
    if missing:
        raise ModelError(
            f"the chat template leaves out {', '.join(missing)}: it knows no tools. "
            "models.load replaces templates of ChatML models"
        )
    encoded = encode(form, _CHAT, _TOOLS)
    ends = sum(label == form.end_of_turn.id for label in encoded.labels)
    answers = sum(message["role"] == "assistant" for message in _CHAT)
    if ends != answers:
        raise ModelError(
            f"the end of turn {form.end_of_turn.text!r} is trained in {ends} of {answers} answers: "
            "the model would not learn to stop"
        )


def encode(
    form: ChatFormat,
    messages: Sequence[Message],
    tools: Json,
    untrained: Collection[int] = (),
) -> Encoded:
    """Returns the tokens of a transcript; trained are its answers, each with its end of turn.

    Args:
        form: Of the tokenizer that is trained.
        messages: In coworkgym's form; see `read_row`.
        tools: The tool schemas.
        untrained: Positions of answers that are read and not trained.

    Raises:
        ModelError: When the template writes an earlier message differently later on, or ends an
            answer with no end of turn.
    """
    ids: list[int] = []
    labels: list[int] = []
    places = [n for n, message in enumerate(messages) if message["role"] == "assistant"]
    whole = form.render(messages[: places[-1] + 1], tools, prompt=False) if places else ""
    at = 0
    for place in places:
        asked = form.render(messages[:place], tools, prompt=True)
        answered = form.render(messages[: place + 1], tools, prompt=False)
        end = answered.rfind(form.end_of_turn.text) + len(form.end_of_turn.text)
        if not whole.startswith(asked) or end <= len(asked) or answered[:end] != whole[:end]:
            raise ModelError(
                f"the chat template is not prefix-preserving: message {place} is written "
                "differently once others follow it, so what is trained is not what is read later. "
                "TRL has training templates for the usual models; models.load takes them"
            )
        read, said = form.encode(whole[at : len(asked)]), form.encode(whole[len(asked) : end])
        ids += read + said
        labels += [IGNORED] * len(read)
        labels += [IGNORED] * len(said) if place in untrained else said
        at = end
    return Encoded(ids, labels)


def read_row(row: Mapping[str, Any]) -> tuple[Sequence[Message], list[Json]]:
    """Returns the messages and the tool schemas of a training row, in coworkgym's form.

    Args:
        row: With `messages`, whose arguments are JSON text or mappings, and `tools`, JSON text or
            a list.
    """
    given = row.get("tools") or []
    tools = json.loads(given) if isinstance(given, str) else given
    messages = row["messages"]
    messages = json.loads(messages) if isinstance(messages, str) else messages
    chat = from_openai(map(_with_text_arguments, messages))
    return chat, [tool.get("function", tool) for tool in tools]


def _with_text_arguments(message: Message) -> dict[str, Any]:
    plain = {key: value for key, value in message.items() if value is not None}
    calls = [call.get("function", call) for call in plain.get("tool_calls") or ()]
    given = [call.get("id") or "" for call in plain.get("tool_calls") or ()]
    plain.pop("tool_calls", None)
    if calls:
        plain["tool_calls"] = [
            {"id": name, "function": {**call, "arguments": _text(call.get("arguments"))}}
            for name, call in zip(given, calls, strict=True)
        ]
    return plain


def _text(arguments: Json) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments or {}, ensure_ascii=False)


def _of_trl(tokenizer: PreTrainedTokenizerBase) -> str | None:
    """TRL's training template, where it has one that writes tools."""
    try:
        found: str | None = get_training_chat_template(tokenizer)
    except (ValueError, TypeError, TemplateError, KeyError):
        return None
    return found if found and "tool" in found else None


def _readable(tokenizer: PreTrainedTokenizerBase) -> None:
    """Lets the tokenizer parse what its model writes, where TRL knows how.

    It goes by the original template, so it comes before that is replaced.
    """
    if getattr(tokenizer, "response_template", None) is None:
        try:
            add_response_schema(tokenizer)
        except ValueError:
            return
