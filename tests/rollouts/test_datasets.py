"""Stores as other tools read them: every line has the same columns."""

import json
import math
import warnings
from dataclasses import replace

import pytest
from rollout_items import mixed
from rollout_players import Reference, Scripted

from coworkgym.errors import InfrastructureError
from coworkgym.policies import NullPolicy, RandomPolicy
from coworkgym.rollouts import Run, Segment, Store, collect, settings_of
from coworkgym.rollouts.columns import EPISODES, features
from coworkgym.rollouts.rollout import Ended

datasets = pytest.importorskip("datasets", reason="the extra [train] is not installed")
datasets.disable_progress_bars()
SETTINGS = settings_of(Reference())


def various():
    """Rollouts of all packages: calls that change much and nothing, none, failed and odd ones."""
    yield from collect(mixed(7), NullPolicy())
    yield from collect(mixed(7), Reference(), samples=2)
    for rollout in collect(mixed(7), RandomPolicy()):
        segment = Segment((1,), (2, 3), (-0.5, 0.0), (1, 0), "v1")
        yield rollout._replace(sample=2, id=rollout.id[:-1] + "2", segments=(segment,))
    odd = {"name": "no_such_tool", "arguments": {"a": [1, "x", None], "b": {"c": {}}}}
    said = [{"content": "", "tool_calls": [odd, {"name": "x", "arguments": "{cut"}]}]
    for rollout in collect(mixed(1), Scripted(said)):
        nan = math.nan
        score = replace(rollout.score, status="ungraded", completion=nan, checks=(), gates=())
        yield rollout._replace(sample=3, id=rollout.id[:-1] + "3", score=score, deeds=())


@pytest.mark.parametrize("order", [1, -1], ids=["plain first", "odd first"])
@pytest.mark.parametrize("chunk", [10 << 20, 60_000], ids=["one chunk", "chunks"])
@pytest.mark.parametrize("compress", [False, True], ids=["plain", "zstd"])
def test_datasets_reads_what_a_store_keeps(tmp_path, compress, chunk, order):
    if compress:
        pytest.importorskip("zstandard")
    with Store(tmp_path / "run", SETTINGS, compress=compress) as store:
        for rollout in list(various())[::order]:
            store.add(Ended(rollout, 0.0, 1))
    run = Run(tmp_path / "run")
    read = datasets.load_dataset(
        "json",
        data_files=str(run.episodes_file),
        split="train",
        cache_dir=str(tmp_path / "cache"),
        chunksize=chunk,
        features=datasets.Features.from_dict(features(EPISODES)),
    )
    assert read.features == datasets.Features.from_dict(features(EPISODES))
    assert len(read) == len(run.ids())
    for row, rollout in zip(read, run.rollouts(), strict=True):
        assert type(rollout).from_dict(row) == rollout


def test_a_plain_store_of_some_size_needs_no_types(tmp_path):
    """Whatever is first, as long as everything occurs somewhere in the first ten megabytes."""
    with Store(tmp_path / "run", SETTINGS) as store:
        for rollout in various():
            store.add(Ended(rollout, 0.0, 1))
    run = Run(tmp_path / "run")
    read = datasets.load_dataset(
        "json", data_files=str(run.episodes_file), split="train", cache_dir=str(tmp_path / "cache")
    )
    for row, rollout in zip(read, run.rollouts(), strict=True):
        assert type(rollout).from_dict(row) == rollout


def test_runs_that_keep_different_things_are_read_together(tmp_path):
    """A policy that never calls a tool, one whose calls fail, one with tokens."""
    files = []
    for number, rollout in enumerate(various()):
        with Store(tmp_path / str(number), SETTINGS, compress=number % 2 == 1) as store:
            store.add(Ended(rollout, 0.0, 1))
        files.append(str(store.episodes_file))
    typed = datasets.Features.from_dict(features(EPISODES))
    cache = str(tmp_path / "cache")
    read = datasets.load_dataset(
        "json", data_files=files, split="train", cache_dir=cache, features=typed
    )
    assert [row["id"] for row in read] == [rollout.id for rollout in various()]


def test_voids_are_read_too(tmp_path):
    def fail(transcripts, tools):
        raise InfrastructureError("no\u2028server")

    policy = Reference()
    policy.act = fail
    list(collect(mixed(3), policy, store=tmp_path / "run"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = datasets.load_dataset(
            "json",
            data_files=str(tmp_path / "run" / "voids.jsonl"),
            split="train",
            cache_dir=str(tmp_path / "cache"),
        )
    assert [row["error"] for row in read] == ["no\u2028server"] * 3
    assert json.dumps(read[0]["item"])
