"""Templates: exactly what the assistant wrote is trained, and what cannot be trained is refused."""

from importlib.util import find_spec

import pytest

if not all(map(find_spec, ("torch", "transformers", "peft", "trl"))):
    pytest.skip("needs coworkgym[train]", allow_module_level=True)

import families
from trl.chat_template_utils import (
    get_training_chat_template,
    is_chat_template_prefix_preserving,
    qwen3_training_chat_template,
)

from baselines.templates import IGNORED, encode, prepare, read_row, require_trainable
from coworkgym.policies.local import ChatFormat, ModelError, TransformersPolicy

pytestmark = pytest.mark.filterwarnings("ignore")
FAMILIES = ("ours", "qwen3", "llama3_1")
CALL = {"id": "call_1", "name": "notes_get", "arguments": {"note_id": "N-1"}}
TOOLS = [
    {
        "name": "notes_get",
        "description": "Read a note.",
        "parameters": {"type": "object", "properties": {"note_id": {"type": "string"}}},
    }
]
CHAT = [
    {"role": "system", "content": "You work."},
    {"role": "user", "content": "What does N-1 say?"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": '{"content":"Lunch at noon."}'},
    {"role": "assistant", "content": "Lunch at noon."},
    {"role": "user", "content": "Thanks. Again?"},
    {"role": "assistant", "content": "Lunch at noon, as I said."},
]
WRITTEN = {
    "ours": [
        '<tool_call>\n{"name": "notes_get", "arguments": {"note_id": "N-1"}}'
        "\n</tool_call><|im_end|>",
        "Lunch at noon.<|im_end|>",
        "Lunch at noon, as I said.<|im_end|>",
    ],
    "qwen3": [
        '<think>\n\n</think>\n\n<tool_call>\n{"name": "notes_get", "arguments": {"note_id": "N-1"}}'
        "\n</tool_call><|im_end|>",
        "<think>\n\n</think>\n\nLunch at noon.<|im_end|>",
        "<think>\n\n</think>\n\nLunch at noon, as I said.<|im_end|>",
    ],
    "llama3_1": [
        '{"name": "notes_get", "parameters": {"note_id": "N-1"}}<|eot_id|>',
        "Lunch at noon.<|eot_id|>",
        "Lunch at noon, as I said.<|eot_id|>",
    ],
}


def runs_of(encoded):
    """The stretches of tokens that are trained."""
    found, open_run = [], []
    for token, label in zip(encoded.ids, encoded.labels, strict=True):
        if label == IGNORED:
            found, open_run = found + [open_run] * bool(open_run), []
        else:
            assert token == label
            open_run.append(token)
    return [*found, open_run] if open_run else found


@pytest.mark.parametrize("family", FAMILIES)
def test_exactly_what_the_assistant_wrote_is_trained(family):
    """A-last-turn-only-loss, A-tool-tokens-in-loss"""
    made = families.words(family)
    encoded = encode(ChatFormat(made), CHAT, TOOLS)
    assert [made.decode(run) for run in runs_of(encoded)] == WRITTEN[family]
    text = made.decode(encoded.ids)
    assert "What does N-1 say?" in text and "Read a note." in text


@pytest.mark.parametrize("family", FAMILIES)
def test_the_end_of_every_turn_is_trained(family):
    """A-stop-token-masked"""
    made = families.words(family)
    form = ChatFormat(made)
    assert [run[-1] for run in runs_of(encode(form, CHAT, TOOLS))] == [form.end_of_turn.id] * 3
    require_trainable(made)


@pytest.mark.parametrize("family", ["ours", "qwen3", "qwen3_vl"])
def test_the_marks_of_a_template_say_the_same(family):
    made = families.words(family)
    form = ChatFormat(made)
    messages, tools = read_row(families.rows_of(1)[0])
    encoded = encode(form, messages, tools)
    chat, given = form._chat(messages), [{"type": "function", "function": tool} for tool in tools]
    marked = made.apply_chat_template(
        chat, tools=given, return_dict=True, return_assistant_tokens_mask=True
    )
    assert marked["input_ids"][: len(encoded.ids)] == encoded.ids
    newline = made.encode("\n", add_special_tokens=False)
    trl = [
        token for token, mask in zip(marked["input_ids"], marked["assistant_masks"], strict=True)
        if mask
    ]  # fmt: skip
    ours = [label for label in encoded.labels if label != IGNORED]
    if family != "ours":  # Qwen's marks hold a newline that is never sampled
        ours = [t for x in ours for t in ([x, *newline] if x == form.end_of_turn.id else [x])]
    assert trl == ours


@pytest.mark.parametrize("family", FAMILIES)
def test_arguments_are_written_alike_as_text_and_as_mapping(family):
    """A-args-dict-or-string"""
    texts = []
    for arguments in ('{"note_id": "N-1"}', {"note_id": "N-1"}):
        call = {"id": "call_1", "type": "function"}
        call["function"] = {"name": "notes_get", "arguments": arguments}
        row = {"messages": [*CHAT[:2], {**CHAT[2], "tool_calls": [call]}], "tools": TOOLS}
        made = families.words(family)
        encoded = encode(ChatFormat(made), *read_row(row))
        texts.append(made.decode(runs_of(encoded)[0]))
    assert texts == [WRITTEN[family][0]] * 2


def test_a_row_of_arrow_with_nulls_reads_as_without():
    row = families.rows_of(1)[0]
    nulled = [{"tool_calls": None, "tool_call_id": None, **m} for m in row["messages"]]
    assert read_row({**row, "messages": nulled}) == read_row(row)


def test_answers_that_are_not_to_be_learnt_are_read_only():
    made = families.words("ours")
    encoded = encode(ChatFormat(made), CHAT, TOOLS, untrained={2, 4})
    assert [made.decode(run) for run in runs_of(encoded)] == WRITTEN["ours"][2:]


def test_training_tokens_are_those_a_policy_reads(tmp_path):
    policy = TransformersPolicy(families.save_model(tmp_path / "m"), device="cpu")
    messages, tools = read_row(families.rows_of(1)[0])
    encoded = encode(policy._format, messages, tools)
    place = max(n for n, message in enumerate(messages) if message["role"] == "assistant")
    read = policy._prompts.of(messages[:place], tools, 0, "v").ids
    assert list(read) == encoded.ids[: len(read)]


def test_trl_has_the_template_that_is_taken():
    made = families.tokenizer("qwen3")
    assert get_training_chat_template(made) == qwen3_training_chat_template
    prepare(made)
    assert made.chat_template == qwen3_training_chat_template
    assert is_chat_template_prefix_preserving(made)
    assert made.pad_token == "<|endoftext|>"


def test_a_model_without_a_template_gets_ours():
    made = families.tokenizer(None)
    with pytest.raises(ModelError, match="no chat template"):
        require_trainable(made)
    prepare(made)
    require_trainable(made)


def test_a_template_without_tools_is_refused():
    with pytest.raises(ModelError, match="knows no tools"):
        prepare(families.tokenizer("llama3"))
    made = families.tokenizer("llama3")
    made.pad_token = made.eos_token
    with pytest.raises(ModelError, match="does not write tool calls"):
        require_trainable(made)


def test_a_template_that_forgets_is_refused():
    made = families.tokenizer("qwen3")
    made.pad_token = "<|endoftext|>"
    with pytest.raises(ModelError, match="not prefix-preserving"):
        require_trainable(made)


def test_a_template_that_drops_results_is_refused():
    made = families.tokenizer("ours")
    made.pad_token = "<|endoftext|>"
    made.chat_template = made.chat_template.replace("'\\n<tool_response>\\n' + content", "''")
    with pytest.raises(ModelError, match="leaves out probe of results"):
        require_trainable(made)


def test_a_template_that_ends_no_turn_is_refused():
    made = families.tokenizer("ours")
    made.pad_token = "<|endoftext|>"
    made.chat_template = made.chat_template.replace(
        "            {{- '<|im_end|>' }}\n        {%- endgeneration %}", "{%- endgeneration %}"
    )
    with pytest.raises(ModelError):
        require_trainable(made)


def test_a_tokenizer_without_padding_is_refused():
    with pytest.raises(ModelError, match="no padding token"):
        require_trainable(families.tokenizer("ours"))
