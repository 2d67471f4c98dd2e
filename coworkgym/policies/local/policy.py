"""The policy of a local model: token-exact, batched, every draw by its own seed."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from coworkgym.errors import ContextOverflow
from coworkgym.frozen import Json
from coworkgym.policies.local.chat_format import ChatFormat
from coworkgym.policies.local.decoder import Completion, Decoder, Row
from coworkgym.policies.local.loading import ModelError, load, weights_digest
from coworkgym.policies.local.prompts import Prompt, Prompts
from coworkgym.policies.local.sampling import seed_of
from coworkgym.policies.policy import Tokens
from coworkgym.transcript import Message

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class TransformersPolicy:
    """Answers with a causal language model of transformers, in this process.

    What it answers depends on the transcript, the seed of the episode and the weights. Each message
    carries `tokens`. A turn's prompt is the tokens of the turn before, as they were read and
    sampled, and the template's tokens for what came since; nothing that the model wrote is
    tokenised again. Where the policy did not answer the last message itself, or where the template
    writes earlier messages differently later on (it drops reasoning, say), the transcript is
    tokenised as a whole. An answer that was cut off has no end-of-turn token: the next prompt adds
    it, and it does not count as sampled.

    Args:
        path_or_id: A folder, or the id of a model on the Hugging Face hub.
        temperature: At least 0; 0 takes the likeliest token, with log-probability 0.
        max_tokens: Most tokens of an answer.
        context_length: Most tokens of prompt and answer; by default what the model was made for.
        call_form: How it writes calls, one of `FORMS`; by default what its chat template shows.
        system: Text that is added to the system message.
        device: Such as `cuda:0`; by default the first GPU, else the CPU.
        dtype: Such as `bfloat16`; by default float32 on the CPU, else what the model was saved in.
        adapter: Folder of a peft adapter.
        batch: Most transcripts that are answered side by side.
        policy_version: Which weights these are; by default the name. Whoever changes the weights
            sets it anew.
        name: By default the last part of `path_or_id`, and of the adapter.

    Raises:
        ModelError: When the model or adapter is not there, or does not fit.
        TaskError: When its chat template knows no tools and ours does not fit.
    """

    samples: Literal[True] = True

    def __init__(  # noqa: PLR0913
        self,
        path_or_id: str | os.PathLike[str],
        *,
        temperature: float = 1.0,
        max_tokens: int = 256,
        context_length: int | None = None,
        call_form: str | None = None,
        system: str | None = None,
        device: str | None = None,
        dtype: str | None = None,
        adapter: str | os.PathLike[str] | None = None,
        batch: int = 8,
        policy_version: str | None = None,
        name: str | None = None,
    ) -> None:
        given = dict(locals())
        del given["self"]
        model, tokenizer = load(os.fspath(path_or_id), device, dtype, adapter)
        for key in ("path_or_id", "device", "dtype", "adapter"):
            del given[key]
        named = [Path(part).resolve().name for part in (path_or_id, adapter) if part is not None]
        self._start(model, tokenizer, named, **given)
        self._origin: dict[str, Any] | None = {
            **given, "path_or_id": os.fspath(path_or_id), "device": device, "dtype": dtype,
            "adapter": adapter and os.fspath(adapter),
        }  # fmt: skip

    @classmethod
    def from_model(
        cls,
        model: "PreTrainedModel",
        tokenizer: "PreTrainedTokenizerBase",
        *,
        name: str = "model",
        **settings: Any,
    ) -> "TransformersPolicy":
        """Returns the policy of a model in memory, which a trainer may go on changing.

        Args:
            model: A causal language model, with or without a peft adapter.
            tokenizer: Its tokenizer.
            name: The policy's name.
            settings: `temperature`, `max_tokens`, `context_length`, `call_form`, `system`, `batch`
                and `policy_version`, as of the class.
        """
        policy = cls.__new__(cls)
        policy._start(model, tokenizer, [name], **settings)
        policy._origin = None
        return policy

    def _start(  # noqa: PLR0913
        self,
        model: "PreTrainedModel",
        tokenizer: "PreTrainedTokenizerBase",
        names: Sequence[str],
        *,
        temperature: float = 1.0,
        max_tokens: int = 256,
        context_length: int | None = None,
        call_form: str | None = None,
        system: str | None = None,
        batch: int = 8,
        policy_version: str | None = None,
        name: str | None = None,
    ) -> None:
        if temperature < 0 or max_tokens < 1 or batch < 1:
            raise ModelError("temperature is at least 0, max_tokens and batch are at least 1")
        self.name = name or "+".join(names)
        self.policy_version = policy_version or self.name
        self.context_length: int = context_length or _context_length(model)
        self._model, self._names = model, tuple(names)
        self.max_tokens, self._temperature, self._batch = max_tokens, temperature, batch
        self._format = ChatFormat(tokenizer, call_form, system)
        stops = _stop_ids(model, tokenizer, self._format.end_of_turn.id)
        self._decoder = Decoder(model, stops, temperature)
        self._prompts = Prompts(self._format)

    @property
    def harness(self) -> dict[str, Json]:
        """What stands between model and office."""
        made = self._format
        return {
            "call_form": made.call_form,
            "chat_template": made.digest,
            "system": made.system,
        }

    @property
    def settings(self) -> dict[str, Json]:
        """The model, and how it is sampled; the same wherever it lies and runs."""
        return {
            "model": self._names[0],
            "adapter": self._names[1] if len(self._names) > 1 else None,
            "weights": weights_digest(self._model),
            "temperature": self._temperature,
            "max_tokens": self.max_tokens,
            "context_length": self.context_length,
            "dtype": str(self._model.dtype).removeprefix("torch."),
        }

    def act(
        self,
        transcripts: Sequence[Sequence[Message]],
        tools: Sequence[Json],
        seeds: Sequence[int] | None = None,
    ) -> list[dict[str, Any]]:
        """Returns one message for each transcript.

        Beside the message's own parts: `usage`, `finish_reason` (`stop` or `length`), `tokens`, and
        `reasoning` when the model thought first.

        Args:
            transcripts: The messages so far of each episode.
            tools: The tool schemas of each episode.
            seeds: One for each episode, the same in all its turns; 0 without.

        Raises:
            ContextOverflow: Before anything is drawn, when a transcript leaves no room for an
                answer; `count_tokens` says which.
        """
        seeds = [0] * len(transcripts) if seeds is None else seeds
        prompts = [
            self._prompts.of(transcript, schemas, seed, self.policy_version)
            for transcript, schemas, seed in zip(transcripts, tools, seeds, strict=True)
        ]
        rows = [self._row(prompt, seed) for prompt, seed in zip(prompts, seeds, strict=True)]
        messages: list[dict[str, Any]] = [{}] * len(rows)
        for chosen in self._batches(rows):
            done = self._decoder.complete([rows[i] for i in chosen])
            for i, completion in zip(chosen, done, strict=True):
                messages[i] = self._message(prompts[i], completion)
                self._prompts.keep(prompts[i], completion, messages[i])
        return messages

    def count_tokens(self, transcript: Sequence[Message], tools: Json, seed: int = 0) -> int:
        """Returns how many tokens `act` would read for a transcript."""
        return len(self._prompts.of(transcript, tools, seed, self.policy_version).ids)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as its arguments: another process loads the model for itself."""
        if self._origin is None:
            raise TypeError("a policy of a model in memory does not pickle; save the model first")
        return _loaded, (self._origin | {"policy_version": self.policy_version},)

    def _row(self, prompt: Prompt, seed: int) -> Row:
        room = self.context_length - len(prompt.ids)
        if room < 1:
            raise ContextOverflow(
                f"{len(prompt.ids)} tokens; {self.name} reads fewer than {self.context_length}"
            )
        states = prompt.turn.states if prompt.turn else None
        drawn_by = seed_of(seed, prompt.position)
        return Row(prompt.ids, states, drawn_by, min(self.max_tokens, room))

    def _batches(self, rows: Sequence[Row]) -> list[list[int]]:
        """Rows with about as much to read go together, so that little is padded."""
        order = sorted(range(len(rows)), key=lambda i: (len(rows[i].ids) - rows[i].known, i))
        return [order[i : i + self._batch] for i in range(0, len(order), self._batch)]

    def _message(self, prompt: Prompt, completion: Completion) -> dict[str, Any]:
        tokens = Tokens(prompt.ids, completion.ids, completion.logprobs, self.policy_version)
        return self._format.read(completion.ids, prompt.ids) | {
            "usage": {
                "prompt_tokens": len(prompt.ids),
                "completion_tokens": len(completion.ids),
            },
            "finish_reason": "stop" if completion.stopped else "length",
            "tokens": tokens,
        }


def _loaded(origin: dict[str, Any]) -> TransformersPolicy:
    return TransformersPolicy(**origin)


def _context_length(model: "PreTrainedModel") -> int:
    config: Any = model.config.get_text_config(decoder=True)
    length = getattr(config, "max_position_embeddings", None)
    if length is None:
        raise ModelError("the model does not say how much it reads: give context_length")
    return int(length)


def _stop_ids(
    model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", end_of_turn: int
) -> list[int]:
    """Whatever ends a turn, the template's own token first."""
    given = getattr(model.generation_config, "eos_token_id", None)
    others = given if isinstance(given, list) else [given]
    found: list[int | None] = [end_of_turn, tokenizer.eos_token_id, *others]
    return [token for token in dict.fromkeys(found) if token is not None]
