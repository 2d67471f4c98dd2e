"""Chat formats: templates, masks, and what follows an answer."""

import copy
from importlib.util import find_spec
from pathlib import Path

import pytest

from coworkgym.errors import TaskError
from coworkgym.policies.local import ChatFormat
from coworkgym.policies.local.chat_format import TEMPLATE


@pytest.fixture
def made(tokenizer):
    return ChatFormat(tokenizer)


def with_template(tokenizer, template):
    twin = copy.deepcopy(tokenizer)
    twin.chat_template = template
    return twin


def test_a_model_without_tools_gets_our_template(made, worked):
    assert made.call_form == "hermes"
    assert made.template == TEMPLATE.read_text(encoding="utf-8")
    text = made.render(*worked, prompt=True)
    assert '<tools>\n{"type": "function", "function": {"name": "' in text
    assert "<tool_response>\n{" in text
    assert text.endswith("<|im_end|>\n<|im_start|>assistant\n")


def test_the_template_writes_a_golden_call(made):
    """A-args-dict-or-string."""
    chat = [
        {"role": "user", "content": " go "},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": "call_1", "name": "f", "arguments": {"a": "ü"}},
            {"id": "call_2", "name": "g", "arguments": {}, "raw": '{"a'},
        ]},
        {"role": "tool", "tool_call_id": "call_1", "content": "1"},
        {"role": "tool", "tool_call_id": "call_2", "content": "2"},
    ]  # fmt: skip
    good = [chat[0], {**chat[1], "tool_calls": chat[1]["tool_calls"][:1]}, chat[2]]
    assert made.render(good, [], prompt=False) == (
        "<|im_start|>user\n go <|im_end|>\n<|im_start|>assistant\n"
        '<tool_call>\n{"name": "f", "arguments": {"a": "ü"}}\n</tool_call><|im_end|>\n'
        "<|im_start|>user\n<tool_response>\n1\n</tool_response><|im_end|>\n"
    )
    assert made.render(chat, [], prompt=False).endswith(
        '<tool_call>\n{"name": "f", "arguments": {"a": "ü"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "g", "arguments": {"a\n</tool_call><|im_end|>\n'
        "<|im_start|>user\n<tool_response>\n1\n</tool_response>\n"
        "<tool_response>\n2\n</tool_response><|im_end|>\n"
    )


def test_the_template_preserves_prefixes(made, worked):
    messages, tools = worked
    whole = made.render(messages, tools, prompt=False)
    for end in range(2, len(messages)):
        if messages[end]["role"] != "tool":
            assert whole.startswith(made.render(messages[:end], tools, prompt=False))


def test_the_mask_covers_every_answer_and_its_end(made, worked):
    """A-tool-tokens-in-loss, A-stop-token-masked."""
    messages, tools = worked
    found = made.tokenizer.apply_chat_template(
        made._chat(messages), tools=[{"type": "function", "function": dict(t)} for t in tools],
        chat_template=made.template, return_dict=True, return_assistant_tokens_mask=True,
    )  # fmt: skip
    answers = [m for m in messages if m["role"] == "assistant"]
    ends = [
        (token, masked)
        for token, masked in zip(found["input_ids"], found["assistant_masks"], strict=True)
        if token == made.end_of_turn.id
    ]
    assert sum(masked for _, masked in ends) == len(answers)
    told = made.tokenizer.decode(
        [t for t, m in zip(found["input_ids"], found["assistant_masks"], strict=True) if m]
    )
    assert "<tool_response>" not in told and told.count("<|im_end|>") == len(answers)


def test_a_suffix_is_the_whole_less_the_beginning(made, worked):
    """A-turn-separator, A-eos-slice."""
    messages, tools = worked
    answer = next(i for i, m in enumerate(messages) if m["role"] == "assistant")
    suffix = made.suffix(messages[: answer + 2], tools, answer)
    whole = made.render(messages[: answer + 2], tools, prompt=True)
    assert whole.endswith(made.end_of_turn.text + suffix)
    assert suffix.startswith("\n<|im_start|>user\n<tool_response>")


OWN = Path(find_spec("trl").origin).parent / "chat_templates" if find_spec("trl") else None


@pytest.mark.skipif(OWN is None, reason="needs the chat templates that trl ships")
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("qwen2_5", "hermes"),
        ("qwen3", "hermes"),
        ("qwen3_training", "hermes"),
        ("llama3_1", "llama"),
    ],
)
def test_models_with_tools_keep_their_own_template(tokenizer, worked, name, form):
    """A-turn-separator, A-eos-slice: step by step is the whole, for templates of real models."""
    own = with_template(tokenizer, (OWN / f"{name}.jinja").read_text())
    marks = ["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|begin_of_text|>"]
    own.add_special_tokens({"additional_special_tokens": marks, "bos_token": marks[3]})
    made, (messages, tools) = ChatFormat(own), worked
    assert made.call_form == form and made.template == own.chat_template
    assert made.end_of_turn.text == ("<|eot_id|>" if form == "llama" else "<|im_end|>")
    for answer in [i for i, m in enumerate(messages[:-2]) if m["role"] == "assistant"]:
        whole = made.render(messages[: answer + 2], tools, prompt=True)
        suffix = made.suffix(messages[: answer + 2], tools, answer)
        assert whole.endswith(made.end_of_turn.text + suffix)
        tokens = made.encode(made.end_of_turn.text + suffix)
        assert made.encode(whole)[-len(tokens) :] == tokens


@pytest.mark.skipif(OWN is None, reason="needs the chat templates that trl ships")
def test_a_template_that_drops_thoughts_has_no_suffix(tokenizer):
    made = ChatFormat(with_template(tokenizer, (OWN / "qwen3.jinja").read_text()))
    asked = {"role": "user", "content": "x"}
    thought = {"role": "assistant", "content": "y", "reasoning": "hm"}
    assert made.suffix([asked, thought, asked], [], 1) is None
    call = {**thought, "tool_calls": [{"id": "c", "name": "f", "arguments": {}}]}
    result = {"role": "tool", "tool_call_id": "c", "content": "1"}
    assert made.suffix([asked, call, result], [], 1).startswith("\n<|im_start|>user")


def test_a_template_that_rewrites_the_past_has_no_suffix(tokenizer):
    template = (
        "{% if tools %}<tool_call>{% endif %}{% for m in messages %}<|im_start|>{{ m.role }}\n"
        "{{ m.content if loop.last or m.role != 'assistant' else '...' }}<|im_end|>\n{% endfor %}"
    )
    made = ChatFormat(with_template(tokenizer, template))
    chat = [{"role": r, "content": "x"} for r in ("user", "assistant", "user")]
    assert made.suffix(chat, [], 1) is None


def test_llama_templates_get_one_call_or_text(tokenizer):
    template = (
        "{% if tools %}ipython parameters{% endif %}{% for m in messages %}"
        "<|im_start|>{{ m.role }}\n{% if m.tool_calls %}"
        "{{ '{\"name\": \"' + m.tool_calls[0].function.name + '\", ' }}"
        "{{ '\"parameters\": ' }}{{ m.tool_calls[0].function.arguments | tojson }}{{ '}' }}"
        "{% else %}{{ m.content }}{% endif %}<|im_end|>\n{% endfor %}"
    )
    made = ChatFormat(with_template(tokenizer, template))
    assert made.call_form == "llama"
    calls = [{"id": "c", "name": "f", "arguments": {"n": n}} for n in (1, 2)]
    for chosen in (calls[:1], calls):
        text = made.render(
            [{"role": "assistant", "content": "", "tool_calls": chosen}], [], prompt=False
        )
        ids = made.encode(text.removeprefix("<|im_start|>assistant\n").removesuffix("\n"))
        found = made.read(ids, [])
        assert [call["arguments"] for call in found["tool_calls"]] == [
            c["arguments"] for c in chosen
        ]


def test_the_system_text_is_added(tokenizer, opening):
    made = ChatFormat(tokenizer, system="Be brief.")
    assert "\n\nBe brief.\n\n# Tools" in made.render(*opening, prompt=True)
    bare = made.render([{"role": "user", "content": "hi"}], [], prompt=True)
    assert bare.startswith("<|im_start|>system\nBe brief.<|im_end|>\n")


def test_other_models_without_tools_are_refused():
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.WordLevel({"a": 0, "</s>": 1}, unk_token="a"))
    other = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="</s>")
    with pytest.raises(TaskError, match="knows no tools"):
        ChatFormat(other)


def test_a_tokenizer_of_its_own_form_reads_with_its_own_parser(tokenizer):
    template = (
        "{% if tools %}[call]{% endif %}{% for m in messages %}<|im_start|>{{ m.role }}\n"
        "{{ m.content }}<|im_end|>\n{% endfor %}"
    )
    own = with_template(tokenizer, template)
    own.response_template = {
        "defaults": {"role": "assistant"},
        "start_anchor": "<|im_start|>assistant\n",
        "fields": {
            "tool_calls": {
                "open": "[call]", "close": "[/call]", "repeats": True, "content": "json",
                "transform": {"type": "function", "function": "{content}"},
            },
            "content": {"close": "<|im_end|>", "content": "text"},
        },
    }  # fmt: skip
    made = ChatFormat(own)
    assert made.call_form == "tokenizer"
    prompt = made.encode("<|im_start|>assistant\n")
    good = made.encode('[call]{"name": "f", "arguments": {"n": 1}}[/call]<|im_end|>')
    assert made.read(good, prompt)["tool_calls"] == [{"name": "f", "arguments": {"n": 1}}]
    bad = made.encode('[call]{"name": "f", "arguments": {"n": [/call]<|im_end|>')
    [call] = made.read(bad, prompt)["tool_calls"]
    assert call["name"] == "f" and isinstance(call["arguments"], str)
    assert made.read(made.encode("Hello.<|im_end|>"), prompt)["content"] == "Hello."
