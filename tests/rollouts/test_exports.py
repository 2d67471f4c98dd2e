"""Exports: rows that trainers read, with nothing added and nothing lost."""

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rollout_items import mixed
from rollout_players import Reference, Scripted

from coworkgym import get_package
from coworkgym.errors import InfrastructureError
from coworkgym.policies import NullPolicy, RandomPolicy
from coworkgym.rollouts import Run, collect, run_episode
from coworkgym.rollouts.exports import save_jsonl, save_parquet, training_rows
from coworkgym.transcript import from_openai, tools_to_openai

ODD = '🚀 \u2028\x00 \\ "Zoë" 张伟'


@pytest.fixture(scope="module")
def rollouts():
    """Calls with many arguments, none, odd ones; replies without calls."""
    every = [*collect(mixed(14), Reference()), *collect(mixed(7), RandomPolicy())]
    every += collect(mixed(3), NullPolicy())
    task = get_package("escalation").build(mixed(2)[1])
    calls = [
        {"name": "helpdesk_list_tickets", "arguments": {ODD: ODD, "limit": None, "deep": [[]]}},
        {"name": "helpdesk_list_tickets", "arguments": '{"cut": '},
        {"name": "reply", "arguments": {}},
    ]
    return [*every, run_episode(task, Scripted([{"content": ODD, "tool_calls": calls}]))]


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Loads a file as most trainers do."""
    datasets = pytest.importorskip("datasets", reason="the extra [train] is not installed")
    datasets.disable_progress_bars()

    def load(kind, file):
        cache = str(tmp_path / "cache")
        return datasets.load_dataset(kind, data_files=str(file), split="train", cache_dir=cache)

    return load


def test_a_row_is_what_the_agent_saw_and_did(rollouts):
    for rollout, row in zip(rollouts, training_rows(rollouts), strict=True):
        assert from_openai(row["messages"]) == rollout.transcript
        task = get_package(rollout.item.package).build(rollout.item)
        assert json.loads(row["tools"]) == tools_to_openai(task.tool_schemas)
        assert (row["id"], row["seed"], row["score"]) == (
            rollout.id, rollout.item.seed, rollout.score.value,
        )  # fmt: skip
        for message in row["messages"]:
            for call in message.get("tool_calls", ()):
                assert type(call["function"]["arguments"]) is str


def test_only_the_chosen_are_taken(rollouts):
    rows = list(training_rows(rollouts, only=lambda rollout: rollout.score.solved))
    assert len(rows) == 14
    assert all(row["solved"] and row["score"] == 1 for row in rows)


@pytest.mark.parametrize("kind", ["json", "parquet"])
def test_datasets_reads_the_same_rows(rollouts, tmp_path, load, kind):
    """A-surrogates; a table adds no null arguments and no null fields."""
    save = save_jsonl if kind == "json" else save_parquet
    rows = list(training_rows(rollouts))
    assert save(rows, tmp_path / "deep" / "rows") == len(rows)
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["rows"]
    read = load(kind, tmp_path / "deep" / "rows")
    assert list(read) == rows


def test_a_run_is_saved_as_it_is(tmp_path, load):
    list(collect(mixed(5), Reference(), store=tmp_path / "run"))
    run = Run(tmp_path / "run")
    assert save_parquet(run, tmp_path / "rows.parquet", batch=2) == 5
    assert list(load("parquet", tmp_path / "rows.parquet")) == list(training_rows(run.rollouts()))


@settings(max_examples=20)
@given(st.text(max_size=20), st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.none()))
def test_any_text_comes_back(tmp_path_factory, text, arguments):
    """A-surrogates"""
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra [store] is not installed")
    folder = tmp_path_factory.mktemp("odd")
    task = get_package("escalation").build(mixed(2)[1])
    said = {"content": text, "tool_calls": [{"name": "reply", "arguments": arguments}]}
    (row,) = training_rows([run_episode(task, Scripted([said]))])
    save_jsonl([row], folder / "rows.jsonl")
    save_parquet([row], folder / "rows.parquet")
    lines = (folder / "rows.jsonl").read_bytes().split(b"\n")
    assert [json.loads(line) for line in lines[:-1]] == [row]
    (kept,) = parquet.read_table(folder / "rows.parquet").to_pylist()
    assert [json.loads(message) for message in kept["messages"]] == row["messages"]


@pytest.mark.parametrize("save", [save_jsonl, save_parquet])
def test_a_file_is_whole_or_not_there(save, rollouts, tmp_path):
    if save is save_parquet:
        pytest.importorskip("pyarrow", reason="the extra [store] is not installed")

    def broken():
        yield from training_rows(rollouts[:2])
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        save(broken(), tmp_path / "rows")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "rows").write_text("before")
    with pytest.raises(RuntimeError, match="no more"):
        save(broken(), tmp_path / "rows")
    assert (tmp_path / "rows").read_text() == "before"
    assert save([], tmp_path / "rows") == 0


def test_a_row_with_other_columns_is_named(rollouts, tmp_path):
    pytest.importorskip("pyarrow", reason="the extra [store] is not installed")
    row = next(training_rows(rollouts))
    for odd in ({**row, "reward": 1}, {name: row[name] for name in row if name != "reward"}):
        odd.pop("tools")
        with pytest.raises(ValueError, match=r"other columns than training rows: .*tools"):
            save_parquet([odd], tmp_path / "rows")


def test_without_pyarrow_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InfrastructureError, match=r"coworkgym\[store\]"):
        save_parquet([], tmp_path / "rows")
