"""Forms of calls: what is written is read back, and what cannot be read stays a call."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.errors import UnknownNameError
from coworkgym.policies.local import FORMS, parse_text, render_message
from coworkgym.policies.local.forms import form_of, parse_with, require_form

WRITTEN = ("hermes", "llama", "json")
KEY = {"hermes": "arguments", "llama": "parameters", "json": "arguments"}
TEXT = st.text(st.characters(blacklist_categories=("Cs",)))
SCALAR = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
CALL = st.fixed_dictionaries(
    {"name": TEXT.filter(bool), "arguments": st.dictionaries(TEXT, VALUE, max_size=4)}
)
PROSE = st.text(st.characters(whitelist_categories=("L", "Zs", "Po")), max_size=40).map(str.strip)


@pytest.mark.parametrize("form", WRITTEN)
@given(calls=st.lists(CALL, min_size=1, max_size=3), content=PROSE)
def test_what_is_rendered_is_read_back(form, calls, content):
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    assert parse_text(render_message(message, form), form) == message


@pytest.mark.parametrize("form", WRITTEN)
@given(content=PROSE.filter(bool), reasoning=PROSE.filter(bool))
def test_replies_and_thoughts_are_read_back(form, content, reasoning):
    message = {"role": "assistant", "content": content, "reasoning": reasoning}
    assert parse_text(render_message(message, form), form) == message


def call_text(form, **arguments):
    return render_message(
        {"content": "", "tool_calls": [{"name": "go", "arguments": arguments}]}, form
    )


@pytest.mark.parametrize("form", WRITTEN)
def test_a_call_in_thoughts_does_not_run(form):
    """A-call-in-think."""
    thought = f"<think>\nI could say\n{call_text(form, n=1)}\n</think>\n\n"
    both = parse_text(thought + call_text(form, n=2), form)
    assert [call["arguments"] for call in both["tool_calls"]] == [{"n": 2}]
    assert "I could say" in both["reasoning"]
    assert "tool_calls" not in parse_text(thought + "All done.", form)
    assert "tool_calls" not in parse_text(thought.removesuffix("</think>\n\n"), form)
    opened = parse_text(thought.removeprefix("<think>") + "Done.", form, opened=True)
    assert "tool_calls" not in opened and opened["content"] == "Done."


@pytest.mark.parametrize("form", WRITTEN)
def test_prose_that_mentions_the_markup_is_no_call(form):
    """A-call-in-think."""
    said = 'I would write <tool_call> or {"name": "go"} or <think> there.'
    assert "tool_calls" not in parse_text(said, form)


@pytest.mark.parametrize("form", WRITTEN)
def test_a_call_without_its_last_brace_is_read(form):
    """A-missing-brace."""
    text = call_text(form, n=1)
    cut = text.replace("}}", "}")
    assert cut != text
    assert parse_text(cut, form)["tool_calls"] == [{"name": "go", "arguments": {"n": 1}}]


@pytest.mark.parametrize("form", WRITTEN)
def test_a_call_that_is_cut_off_stays_a_call(form):
    """A-truncated-args."""
    text = call_text(form, body="a long letter", to=["a@b.example"])
    for length in range(len(text) // 2, text.rindex('"')):
        [call] = parse_text(text[:length], form)["tool_calls"]
        assert call["name"] == "go"
        assert isinstance(call["arguments"], str)
        assert call["arguments"].startswith('{"body"')


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("raw", ['{"a": 1', "[1, 2]", "nonsense", '{"a": "x'])
def test_malformed_arguments_are_written_as_they_were(form, raw):
    """A-args-dict-or-string."""
    call = {"name": "go", "arguments": {}, "raw": raw}
    [read] = parse_text(render_message({"content": "", "tool_calls": [call]}, form), form)[
        "tool_calls"
    ]
    written = read["arguments"]
    assert read["name"] == "go"
    assert (written if isinstance(written, str) else json.dumps(written)).startswith(raw)


def test_llama_tags_and_several_calls_are_read():
    one = '<|python_tag|>{"name": "go", "parameters": {"n": 1}}'
    assert parse_text(one, "llama")["tool_calls"] == [{"name": "go", "arguments": {"n": 1}}]
    two = parse_text(one + '; {"name": "go", "parameters": {"n": 2}}', "llama")
    assert [call["arguments"]["n"] for call in two["tool_calls"]] == [1, 2]
    [odd] = parse_text("<|python_tag|>print(1)", "llama")["tool_calls"]
    assert odd == {"name": "", "arguments": "print(1)"}


def test_json_is_read_out_of_a_fence():
    said = 'I look.\n```json\n{"name": "go", "arguments": {"n": 1}}\n```'
    found = parse_text(said, "json")
    assert found == {
        "role": "assistant", "content": "I look.",
        "tool_calls": [{"name": "go", "arguments": {"n": 1}}],
    }  # fmt: skip
    prose = '```json\n{"total": 3}\n```'
    assert "tool_calls" not in parse_text(prose, "json")


def test_openai_shaped_json_is_read():
    said = '{"type": "function", "function": {"name": "go", "arguments": {"n": 1}}}'
    assert parse_text(said, "json")["tool_calls"] == [{"name": "go", "arguments": {"n": 1}}]


def test_a_parser_that_gives_up_leaves_a_malformed_call():
    def parse(text):
        raise ValueError("no JSON")

    text = '<call>{"name": "go", "arguments": {"n": '
    [call] = parse_with(parse, text)["tool_calls"]
    assert call == {"name": "go", "arguments": '{"n":'}
    [call] = parse_with(lambda text: {"tool_calls": [{"function": "go"}]}, text)["tool_calls"]
    assert call["arguments"] == '{"n":'
    found = {
        "content": "hi",
        "thinking": "hm",
        "tool_calls": [{"function": {"name": "go", "arguments": {}}}],
    }
    assert parse_with(lambda text: found, "x") == {
        "role": "assistant", "content": "hi", "reasoning": "hm",
        "tool_calls": [{"name": "go", "arguments": {}}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("template", "form"),
    [
        ("{{ messages }}", None),
        ("{% if tools %}<tool_call>", "hermes"),
        ('{% if tools %} ipython "parameters"', "llama"),
        ('{% if tools %} {"name": ...}', "json"),
    ],
)
def test_the_template_shows_the_form(template, form):
    assert form_of(template) == form


def test_unknown_forms_are_refused_with_the_nearest():
    assert [require_form(form) for form in FORMS] == list(FORMS)
    with pytest.raises(UnknownNameError, match="Did you mean 'hermes'"):
        require_form("hermess")
