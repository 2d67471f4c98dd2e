"""A model of a few thousand weights, and a policy that says what its characters would say.

The policy takes the way of a local model, token for token, but what it "samples" is written by
library policies: who plays a rollout goes by its seed, so that the rewards of a group differ.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from coworkgym.envs import Episode
from coworkgym.policies import ReferencePolicy, get_policy
from coworkgym.policies.local import ChatFormat, TransformersPolicy, render_message
from coworkgym.policies.local.chat_format import TEMPLATE
from coworkgym.policies.local.decoder import Completion
from coworkgym.policies.local.sampling import seed_of
from coworkgym.tasks import Item, get_package

CHARACTERS = ("reference", "null", "mail_everybody", "malformed", "half")
"""Solves; says nothing of use; breaches; writes no call that can be read; stops after two calls."""

_SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
_TORN = '<tool_call>\n{"name": "helpdesk_list_tickets", "arg\n</tool_call>'


def worked(item: Item) -> tuple[Any, Any]:
    """The transcript of the reference, and the tools."""
    task = get_package(item.package).build(item)
    policy, episode = ReferencePolicy(), Episode(task)
    policy.begin(task)
    while not episode.over:
        [message] = policy.act([episode.transcript.messages], [task.tool_schemas])
        episode.say(message)
    return episode.transcript.messages, task.tool_schemas


@cache
def tokenizer() -> PreTrainedTokenizerFast:
    """Trained on whole chats, so that the schemas of the tools are a few dozen tokens."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    raw.decoder = decoders.ByteLevel()
    plain = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>")
    plain.add_special_tokens({"additional_special_tokens": _SPECIAL[:2]})
    plain.chat_template = TEMPLATE.read_text(encoding="utf-8")
    form, texts = ChatFormat(plain), []
    for seed in range(4):
        messages, tools = worked(get_package("escalation").item(seed=seed, level="warmup"))
        texts += form.render(messages, tools, prompt=False).split("<|im_end|>")
    trainer = trainers.BpeTrainer(
        vocab_size=1500, special_tokens=_SPECIAL, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    raw.train_from_iterator(texts, trainer)
    made = PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    made.chat_template = plain.chat_template
    return made


def micro(seed: int = 0) -> Qwen3ForCausalLM:
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    config = Qwen3Config(
        vocab_size=len(tokenizer()), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, head_dim=8, max_position_embeddings=4096,
        eos_token_id=2, pad_token_id=0, bos_token_id=None,
    )  # fmt: skip
    return Qwen3ForCausalLM(config)


class _Teller:
    """A decoder that writes what it was told, by the seed of the turn."""

    def __init__(self) -> None:
        self.told: dict[int, str] = {}

    def complete(self, rows: Sequence[Any]) -> list[Completion]:
        encoded = [tokenizer()(self.told[row.seed])["input_ids"][: row.limit] for row in rows]
        return [Completion(tuple(ids), (-0.5,) * len(ids), ids[-1] == 2, None) for ids in encoded]


class Characters(TransformersPolicy):
    """Plays each rollout as the character that its seed picks."""

    def cast(self, items: Sequence[Item], parts: Mapping[int, str] | None = None) -> "Characters":
        """Takes what the reference has to know.

        Args:
            items: Tasks that may come.
            parts: Characters by seed; by default by the remainder of the seed.
        """
        self._reference, self._parts = ReferencePolicy(), parts
        for item in items:
            self._reference.begin(get_package(item.package).build(item))
        self._decoder = _Teller()
        return self

    def act(self, transcripts, tools, seeds=None):
        for messages, schemas, seed in zip(transcripts, tools, seeds, strict=True):
            text = self._text(self.character(seed), messages, schemas)
            self._decoder.told[seed_of(seed, len(messages))] = text + "<|im_end|>"
        return super().act(transcripts, tools, seeds)

    def character(self, seed: int) -> str:
        return self._parts[seed] if self._parts else CHARACTERS[seed % len(CHARACTERS)]

    def _text(self, name: str, messages: Any, tools: Any) -> str:
        if name == "malformed":
            return _TORN
        if name == "half":
            name = "reference" if len(messages) < 6 else "null"
        policy = self._reference if name == "reference" else get_policy(name)
        return render_message(policy.act([messages], [tools])[0], "hermes")


def characters(items, parts=None, **settings) -> Characters:
    given = {"max_tokens": 400, "batch": 64} | settings
    return Characters.from_model(micro(), tokenizer(), **given).cast(items, parts)
