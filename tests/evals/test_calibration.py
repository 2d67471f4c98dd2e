"""Calibration: pass rates by kind, kept in a file that is whole."""

import json

import pytest
from made_runs import rollout, run, void

from coworkgym.evals import EmptyRun, Fact, FactsError, facts_of, read_facts, write_facts


@pytest.fixture
def played(tmp_path):
    outcomes = [
        *(rollout(n, 0, float(n < 3)) for n in range(4)),
        rollout(4, 0, None),
        void(5),
        rollout(0, 0, 0.0, level="hard", language="zh"),
        rollout(0, 0, 1.0, package="payment_change"),
    ]
    return run(tmp_path / "run", outcomes)


def test_facts_are_pass_rates_by_package_level_and_language(played):
    """A-errored-dropped"""
    facts = facts_of(played, "2031-05-06")
    assert [(f.package, f.level, f.language) for f in facts] == [
        ("escalation", "hard", "zh"),
        ("escalation", "warmup", "en"),
        ("payment_change", "warmup", "en"),
    ]
    warmup = facts[1]
    assert warmup.pass_rate.value == 0.75
    assert (warmup.pass_rate.n, warmup.asked) == (4, 6)
    assert warmup.pass_rate.low < 0.75 < warmup.pass_rate.high
    assert facts[0].pass_rate.low is None
    assert (warmup.policy, warmup.date) == ("reference", "2031-05-06")
    assert warmup.fingerprint == played.settings.fingerprint
    assert warmup.versions == played.versions


def test_facts_come_back_as_they_were_written(played, tmp_path):
    facts = facts_of(played, "2031-05-06")
    write_facts(tmp_path / "sub" / "facts.json", facts)
    assert read_facts(tmp_path / "sub" / "facts.json") == sorted(facts, key=lambda f: f.key)


def test_newer_facts_of_the_same_key_replace_and_others_are_added(played, tmp_path):
    path = tmp_path / "facts.json"
    facts = facts_of(played, "2031-05-06")
    write_facts(path, facts)
    again = facts[0]._replace(date="2032-01-01", asked=99)
    other = facts[0]._replace(policy="random")
    elsewhere = facts[0]._replace(fingerprint="0")
    write_facts(path, [again, other, elsewhere])
    found = read_facts(path)
    assert len(found) == len(facts) + 2
    assert again in found
    assert facts[0] not in found
    assert facts[1] in found


def test_the_file_does_not_depend_on_the_order_of_writing(played, tmp_path):
    facts = facts_of(played)
    write_facts(tmp_path / "a.json", facts)
    for fact in reversed(facts):
        write_facts(tmp_path / "b.json", [fact])
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_write_that_fails_leaves_the_file_as_it_was(played, tmp_path):
    path = tmp_path / "facts.json"
    write_facts(path, facts_of(played))
    before = path.read_bytes()
    with pytest.raises(TypeError):
        write_facts(path, [facts_of(played)[0]._replace(versions={"x": object()})])
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.glob("*.json*")] == ["facts.json"]


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 1}', '{"schema": 1, "facts": [{}]}'])
def test_a_file_of_something_else_is_refused_and_kept(played, tmp_path, text):
    path = tmp_path / "facts.json"
    path.write_text(text)
    with pytest.raises(FactsError, match="holds no facts"):
        read_facts(path)
    with pytest.raises(FactsError):
        write_facts(path, facts_of(played))
    assert path.read_text() == text


def test_files_that_are_not_there_or_of_another_schema_are_refused(tmp_path):
    with pytest.raises(FactsError, match="cannot be read"):
        read_facts(tmp_path / "none.json")
    (tmp_path / "new.json").write_text(json.dumps({"schema": 9, "facts": []}))
    with pytest.raises(FactsError, match="schema 9"):
        read_facts(tmp_path / "new.json")


def test_an_empty_run_has_no_facts(tmp_path):
    with pytest.raises(EmptyRun):
        facts_of(run(tmp_path / "run", [void(0)]))


def test_train_and_test_are_kept_apart(tmp_path):
    facts = facts_of(run(tmp_path / "run", [rollout(0), rollout(0, 0, 0.0, split="test")]))
    assert len({fact.key for fact in facts}) == 2
    assert all(isinstance(fact, Fact) for fact in facts)
