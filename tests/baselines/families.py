"""Tokenizers of three template families and a model of them, made here of a few transcripts."""

import json
from functools import lru_cache

import torch
import trl.chat_template_utils as trl_templates
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM, Qwen3VLConfig

from baselines.templates import prepare
from coworkgym.policies.local.chat_format import TEMPLATE
from coworkgym.rollouts import collect
from coworkgym.rollouts.exports import training_rows
from coworkgym.tasks import get_package

CHATML = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
LLAMA = (
    "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
    "<|python_tag|>", "<|finetune_right_pad_id|>",
)  # fmt: skip


def items(count, package="escalation", **item):
    made = get_package(package)
    return [made.item(seed=seed, level="warmup", **item) for seed in range(count)]


def rows_of(count, policy="reference", **item):
    return list(training_rows(collect(items(count, **item), policy)))


def _texts():
    for row in rows_of(4):
        yield from (json.dumps(tool) for tool in json.loads(row["tools"]))
        for message in row["messages"]:
            yield message["content"]
            yield from (call["function"]["arguments"] for call in message.get("tool_calls", ()))


@lru_cache
def _words(special, size=2000):
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(
        _texts(),
        trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=list(special),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return made.to_str()


def tokenizer(template="ours"):
    """`ours`, `qwen3`, `qwen3_vl`, `llama3_1`, `llama3` (which knows no tools), or None."""
    llama = str(template).startswith("llama")
    special = LLAMA if llama else CHATML
    named = {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"} if llama else {}
    made = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(_words(special)),
        clean_up_tokenization_spaces=False,
        **(named or {"eos_token": "<|im_end|>"}),
    )
    if template == "ours":
        made.chat_template = TEMPLATE.read_text(encoding="utf-8")
    elif template is not None:
        made.chat_template = getattr(trl_templates, f"{template}_chat_template")
    return made


def config(vocabulary, hidden=48, layers=2, context=8192):
    return Qwen3Config(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=hidden // 2,
        tie_word_embeddings=True,
        max_position_embeddings=context,
    )


def save_model(folder, template="ours"):
    """Writes an untrained model with its tokenizer, and returns the folder's name."""
    words = tokenizer(template)
    torch.manual_seed(0)
    Qwen3ForCausalLM(config(len(words))).save_pretrained(folder)
    words.save_pretrained(folder)
    return str(folder)


def words(family):
    """A tokenizer that is ready for training."""
    made = tokenizer(family)
    prepare(made)
    return made


def seeing(vocabulary):
    text = config(vocabulary).to_dict()
    text["rope_scaling"] = {"rope_type": "default", "mrope_section": [4, 4, 4]}
    vision = {
        "depth": 1, "hidden_size": 32, "intermediate_size": 32, "num_heads": 2,
        "out_hidden_size": 48, "deepstack_visual_indexes": [0],
    }  # fmt: skip
    return Qwen3VLConfig(text_config=text, vision_config=vision, tie_word_embeddings=True)
