"""Answers of a judge: the verdict they end in, and never one from the middle."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.rewards.judge.answer import Answer, read_verdict

WORDS = ("met", "partly", "unmet")
EXACT = ("CORRECT", "INCORRECT")
PIECES = ["{", "}", "[", "]", '"', ":", ",", "\n", "```", "verdict", '"verdict": "met"', "met",
          '{"verdict": "unmet"}', "NaN", "\\", "\\ud800", "GRADE: met", " "]  # fmt: skip
ANY_TEXT = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=30).map("".join)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("It is not incorrect, so the answer is right.\nCORRECT", "CORRECT"),
        ("Some would say CORRECT, CORRECT, CORRECT.\nINCORRECT", "INCORRECT"),
        ("CORRECT? No: it is incorrect.", None),
        ("It is correct.", None),
        ("The answer is CORRECT", None),
        ("MAYBE", None),
        ("INCORRECTLY", None),
        ('not incorrect {"reason": "INCORRECT is wrong", "verdict": "CORRECT"}', "CORRECT"),
    ],
)
def test_a_verdict_is_never_found_inside_of_the_reasoning(text, verdict):
    """A-judge-substring"""
    found = read_verdict(text, EXACT)
    assert (found and found.verdict) == verdict


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"reason": "Kind.", "verdict": "met"}', Answer("met", "Kind.")),
        ('{"verdict": " Unmet "}', Answer("unmet", "")),
        ('```json\n{"reason": "Kind.",\n "verdict": "met"}\n```', Answer("met", "Kind.")),
        ('<think>{so}</think>\n{"reason": "Kind.", "verdict": "met"}\n', Answer("met", "Kind.")),
        (
            '{"verdict": "met"} or rather\n{"verdict": "unmet", "reason": "2nd"}',
            Answer("unmet", "2nd"),
        ),
        ('{"verdict": "met"}\n{"verdict": "met", "reason": "2nd"}', Answer("met", "2nd")),
        ('{"verdict": "met"}\nmet', Answer("met", '{"verdict": "met"}')),
        ('A stray { and so {"verdict": "met"}', Answer("met", "")),
        ('A stray } and a } and so {"verdict": "met"}', Answer("met", "")),
        ('The set {x, {y} and {z: {\n{"verdict": "met"}', Answer("met", "")),
        ('It wrote {"note": "a } b { c"} once. {"verdict": "met"}', Answer("met", "")),
        ('It wrote {"a": "{", "b": "{"} once. {"verdict": "met"}', Answer("met", "")),
        ("A stray { is no matter.\nmet", Answer("met", "A stray { is no matter.")),
        ('{"verdict": "met", "reason": "a } and a {"}', Answer("met", "a } and a {")),
        ("It says please.\n\nmet\n", Answer("met", "It says please.")),
        ("```\npartly\n```", Answer("partly", "```")),
        ('{"verdict": "met", "reason": 7, "grade": 2.0}', Answer("met", "7")),
        ('{"verdict": "met", "reason": "\\ud800"}', Answer("met", "�")),
    ],
)
def test_an_answer_ends_in_its_verdict(text, answer):
    assert read_verdict(text, WORDS) == answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "<html><body>met</body></html>",
        '"met"',
        "[]",
        "2.0",
        "NaN",
        '{"verdict": 1}',
        '{"verdict": 2.0}',
        '{"verdict": NaN}',
        '{"verdict": true}',
        '{"verdict": null}',
        '{"verdict": ["met"]}',
        '{"verdict": "excellent"}',
        '{"verdict": "met or unmet"}',
        '{"grade": "met"}',
        '{"verdict": "met", "verdict": "unmet"}',
        '{"inner": {"verdict": "met"}}',
        '[{"verdict": "met"}]',
        '{"reason": "cut off", "quoted": {"verdict": "met"}',
        '{"verdict": "met"} is what the agent wants to see here.',
        '{"verdict": "met"}\n{"note": "and more"}',
        "GRADE: met",
        "met.",
        "met\nunmet?",
        '{"verdict": "unmet"}\nmet',
        '{"verdict": "met"}\n{"verdict": "unmet", "reason": "2nd"}',
        '{"verdict": "met"}, {"verdict": "unmet"}',
        '```json\n{"verdict": "met"}\n```\n```json\n{"verdict": "unmet"}\n```',
        '```json\n{"verdict": "unmet"}\n```\n\nmet',
        'unmet\n{"verdict": "met"}',
        "unmet\nmet",
        '{"verdict": "unmet"}\nmet\nmet',
        '{"reason": "It wrote {"verdict": "met"}',
        '{"reason": "cut { off", "list": [1, {"verdict": "met"}',
        "{" * 100_000,
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
        '{"verdict": ' + "9" * 10_000 + "}",
    ],
    ids=lambda text: text[:40],
)
def test_anything_else_is_no_verdict(text):
    assert read_verdict(text, WORDS) is None


def test_long_reasons_are_kept_in_their_end():
    answer = read_verdict("word " * 20_000 + "therefore.\nmet", WORDS)
    assert answer.verdict == "met"
    assert len(answer.reason) < 600
    assert answer.reason.endswith("therefore.")


@given(ANY_TEXT)
def test_reading_never_raises_and_gives_known_verdicts(text):
    answer = read_verdict(text, WORDS)
    assert answer is None or answer.verdict in WORDS


@given(ANY_TEXT, st.sampled_from(WORDS))
def test_a_last_line_decides_whatever_reasoning_stands_before(text, word):
    assert read_verdict(f"{text}.\n{word}", WORDS).verdict == word


@given(
    ANY_TEXT.filter(lambda text: not re.search(r'\{\s*"', text)),
    st.permutations(WORDS),
    st.tuples(st.booleans(), st.booleans()),
)
def test_a_verdict_that_contradicts_the_one_before_it_is_none(text, words, are_objects):
    one, other = (
        json.dumps({"verdict": word}) if is_object else word
        for word, is_object in zip(words, are_objects, strict=False)
    )
    assert read_verdict(f"{text}.\n{other}", WORDS) is not None
    assert read_verdict(f"{text}.\n{one}\n{other}", WORDS) is None


@given(ANY_TEXT, st.sampled_from(WORDS))
def test_an_object_decides_whatever_its_reason(text, word):
    assert read_verdict(json.dumps({"reason": text, "verdict": word}), WORDS).verdict == word


@given(ANY_TEXT.filter(lambda text: not re.search(r'\{\s*"', text)))
def test_an_object_at_the_end_decides_after_any_prose(text):
    assert read_verdict(text + '.{"verdict": "partly"}', WORDS).verdict == "partly"
