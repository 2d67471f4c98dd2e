"""A tiny random model, a tokenizer trained on the environments' text, and dialogues with tools."""

from importlib.util import find_spec

import pytest

from coworkgym.envs import Episode
from coworkgym.frozen import json_text
from coworkgym.policies import ReferencePolicy
from coworkgym.tasks import get_package

collect_ignore_glob = [] if find_spec("torch") and find_spec("transformers") else ["test_*.py"]

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def reference_transcript(package="escalation", seed=0):
    """The transcript of a warmup task, worked out by the reference policy, and its tools."""
    made = get_package(package)
    task = made.build(made.item(level="warmup", seed=seed))
    policy, episode = ReferencePolicy(), Episode(task)
    policy.begin(task)
    while not episode.over:
        [message] = policy.act([episode.transcript.messages], [task.tool_schemas])
        episode.say(message)
    return episode.transcript.messages, task.tool_schemas


@pytest.fixture(scope="session")
def worked():
    """A finished transcript and its tools."""
    return reference_transcript()


@pytest.fixture(scope="session")
def tokenizer(worked):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    texts = [message["content"] for message in worked[0]] + [json_text(worked[1])]
    texts.append('<tool_call>\n{"name": "x", "arguments": {}}\n</tool_call> <tool_response>')
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    raw.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )


@pytest.fixture(scope="session")
def model(tokenizer):
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.set_num_threads(1)
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=96, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, head_dim=16, max_position_embeddings=4096,
        eos_token_id=2, pad_token_id=0, bos_token_id=None,
    )  # fmt: skip
    made = Qwen3ForCausalLM(config).eval()
    with torch.no_grad():
        for parameter in made.parameters():  # random weights so small would hardly differ from none
            parameter.mul_(3.0 if parameter.dim() > 1 else 1.0)
    return made


@pytest.fixture
def make_policy(model, tokenizer):
    from coworkgym.policies.local import TransformersPolicy

    def make(**settings):
        return TransformersPolicy.from_model(model, tokenizer, **({"max_tokens": 12} | settings))

    return make


@pytest.fixture(scope="session")
def folder(model, tokenizer, tmp_path_factory):
    """The model on disk."""
    place = tmp_path_factory.mktemp("models") / "tiny"
    model.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


@pytest.fixture
def opening(worked):
    """The first two messages of a transcript, and its tools."""
    return list(worked[0][:2]), worked[1]
