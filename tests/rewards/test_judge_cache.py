"""The cache of a judge: what was written is read again, however the file ended."""

import json

import pytest

from coworkgym.rewards.judge.answer import Answer
from coworkgym.rewards.judge.cache import Asking, JudgeCache

ONE = Asking("small", "http://x/v1", "digest", 0)
ANSWER = Answer("met", "好 \u2028 please")


def test_a_verdict_is_kept_under_model_url_prompt_and_vote():
    cache = JudgeCache()
    cache.put(ONE, ANSWER)
    assert cache.get(ONE) == ANSWER
    others = ("large", "http://y/v1", "other", 1)
    for name, value in zip(Asking._fields, others, strict=True):
        assert cache.get(ONE._replace(**{name: value})) is None


def test_a_file_is_read_again_and_only_appended_to(tmp_path):
    path = tmp_path / "cache.jsonl"
    JudgeCache(path).put(ONE, ANSWER)
    first = path.read_bytes()
    second = JudgeCache(path)
    second.put(ONE._replace(vote=1), Answer("unmet", ""))
    assert path.read_bytes().startswith(first)
    third = JudgeCache(path)
    assert (len(third), third.get(ONE)) == (2, ANSWER)
    assert third.get(ONE._replace(vote=1)) == Answer("unmet", "")


@pytest.mark.parametrize("length", range(1, 40, 4))
def test_a_torn_last_line_costs_only_itself(length, tmp_path):
    path = tmp_path / "cache.jsonl"
    cache = JudgeCache(path)
    cache.put(ONE, ANSWER)
    cache.put(ONE._replace(vote=1), ANSWER)
    path.write_bytes(path.read_bytes()[:-length])
    torn = JudgeCache(path)
    assert torn.get(ONE) == ANSWER
    torn.put(ONE._replace(vote=2), ANSWER)
    again = JudgeCache(path)
    assert again.get(ONE) == again.get(ONE._replace(vote=2)) == ANSWER


@pytest.mark.parametrize(
    "line", ["", "1", "[]", "{}", "nul", '{"model": []}', "\xff", "[" * 20_000,
             json.dumps(ONE._asdict()), json.dumps({**ONE._asdict(), "model": [], "verdict": "",
                                                    "reason": ""})]
)  # fmt: skip
def test_a_line_of_another_form_is_passed_over(line, tmp_path):
    path = tmp_path / "cache.jsonl"
    path.write_bytes(line.encode("latin-1") + b"\n")
    cache = JudgeCache(path)
    assert len(cache) == 0
    cache.put(ONE, ANSWER)
    assert JudgeCache(path).get(ONE) == ANSWER
