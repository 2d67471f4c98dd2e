"""Stores: nothing lost, nothing repeated, nothing mixed."""

import json
import subprocess
import sys
import warnings

import pytest
from rollout_items import lines_of, mixed
from rollout_players import Reference, Troubled

from coworkgym.errors import InfrastructureError
from coworkgym.policies import ReferencePolicy
from coworkgym.rollouts import Run, Settings, Store, StoreError, collect, settings_of
from coworkgym.rollouts.rollout import Ended

SETTINGS = settings_of(ReferencePolicy())


def facts(settings):
    rest = {"schema": 1, "asked": [], "versions": {}, "compressed": False}
    return json.dumps(rest | {"settings": settings})


def play(folder, items, policy=None, **options):
    return list(collect(items, policy or Reference(), store=folder, **options))


@pytest.fixture(params=[False, True], ids=["plain", "zstd"])
def compress(request):
    if request.param:
        pytest.importorskip("zstandard")
    return request.param


@pytest.fixture
def folder(tmp_path, compress):
    """An empty store, plain or compressed."""
    Store(tmp_path / "run", SETTINGS, compress=compress).close()
    return tmp_path / "run"


def test_a_run_tells_what_was_asked_and_what_came_of_it(folder):
    rollouts = play(folder, mixed(5))
    run = Run(folder)
    assert list(run.rollouts()) == rollouts
    assert run.ids() == set(run.asked) == {rollout.id for rollout in rollouts}
    assert run.settings == SETTINGS
    assert run.name == "run"
    assert set(run.seconds()) == run.ids()
    assert run.versions["python"].startswith("3.")
    assert run.voids() == []


def test_a_cut_at_any_byte_of_the_last_line_loses_and_repeats_nothing(folder):
    """A kill may come in the middle of a write."""
    items = mixed(3)
    play(folder, items[:2])
    file = Run(folder).episodes_file
    start = file.stat().st_size
    play(folder, items)
    whole, lines = file.read_bytes(), lines_of(folder)
    step = max(1, (len(whole) - start) // 60)
    for cut in {*range(start + 1, len(whole), step), start + 1, len(whole) - 1}:
        file.write_bytes(whole[:cut])
        with pytest.warns(UserWarning, match="cut off"):
            assert len(list(Run(folder).rollouts())) == 2
        assert [rollout.item for rollout in play(folder, items)] == [items[2]]
        assert lines_of(folder) == lines
        assert (folder / "cut_off.txt").exists()


def test_cut_off_voids_and_attempts_are_set_aside_too(tmp_path):
    play(tmp_path / "run", mixed(2))
    for name in ("voids.jsonl", "attempts.jsonl"):
        with (tmp_path / "run" / name).open("ab") as file:
            file.write(b'{"id": "esc')
    Store(tmp_path / "run", SETTINGS).close()
    run = Run(tmp_path / "run")
    assert (run.voids(), len(run.seconds())) == ([], 2)


def test_a_broken_line_in_the_middle_is_named(tmp_path):
    play(tmp_path / "run", mixed(3))
    file = tmp_path / "run" / "episodes.jsonl"
    first, second, third = file.read_bytes().splitlines(keepends=True)
    for broken in (b"{]\n", b"[]\n", b"{}\n", second.replace(b'"steps":', b'"stops":')):
        file.write_bytes(first + broken + third)
        with pytest.raises(StoreError, match=r"episodes\.jsonl:2: "):
            list(Run(tmp_path / "run").rollouts())
    file.write_bytes(first + b"{}\n" + third)
    with pytest.raises(StoreError, match=r"episodes\.jsonl:2: "):
        Store(tmp_path / "run", SETTINGS)
    file.write_bytes(first + second + third)
    Store(tmp_path / "run", SETTINGS).close()  # the lock is free again


def test_an_episode_of_other_settings_is_named(tmp_path):
    play(tmp_path / "run", mixed(1))
    file = tmp_path / "run" / "episodes.jsonl"
    line = json.loads(file.read_text())
    file.write_text(json.dumps(line | {"run": "0" * 12}) + "\n")
    with pytest.raises(StoreError, match=r"episodes\.jsonl:1: an episode of other settings"):
        list(Run(tmp_path / "run").rollouts())


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(StoreError, match=r"no run\.json"):
        Run(tmp_path)
    with pytest.raises(StoreError, match=r"no run\.json"):
        Run(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "thesis.tex").write_text("important")
    with pytest.raises(StoreError, match="no store and not empty"):
        Store(tmp_path, SETTINGS)
    with pytest.raises(StoreError, match="no store"):
        Store(tmp_path / "thesis.tex", SETTINGS)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("not json", "cannot be read"),
        ("[]", "cannot be read"),
        ("{}", "cannot be read"),
        ('{"schema": 99}', "schema 99; this version reads 1"),
        (facts({"polcy": "x"}), "Did you mean 'policy'"),
        (facts([]), r"run\.json: not the settings"),
        (facts({}), r"run\.json: not the settings"),
        ('{"schema": 1}', r"run\.json lacks 'settings'"),
    ],
)
def test_facts_that_cannot_be_used_are_named(tmp_path, written, said):
    (tmp_path / "run.json").write_text(written)
    with pytest.raises(StoreError, match=said):
        Run(tmp_path)
    with pytest.raises(StoreError, match=said):
        Store(tmp_path, SETTINGS)


def test_a_store_that_was_killed_before_its_first_line_goes_on(tmp_path):
    (tmp_path / "writer.lock").touch()
    (tmp_path / ".run.json.partial").write_text('{"sch')
    assert len(play(tmp_path, mixed(1))) == 1


def test_other_settings_are_refused_and_each_is_named(tmp_path):
    Store(tmp_path, Settings(policy="reference", seed=1, max_steps=9)).close()
    with pytest.raises(StoreError) as raised:
        Store(tmp_path, Settings(policy="null", seed=2, max_steps=9))
    assert "policy 'reference', now 'null'; seed 1, now 2" in str(raised.value)
    assert "max_steps" not in str(raised.value)


def test_an_open_store_gives_its_settings_to_the_run_and_takes_no_others(tmp_path):
    settings = settings_of(ReferencePolicy(), max_steps=3)
    with Store(tmp_path, settings) as store:
        (rollout,) = play(store, mixed(1))
        assert (rollout.steps, rollout.ended) == (3, "max_steps")
        with pytest.raises(StoreError, match="max_steps 3, now None"):
            play(store, mixed(2), settings=SETTINGS)
    assert list(Run(tmp_path).rollouts()) == [rollout]


def test_one_writer_at_a_time(tmp_path):
    """In one process and in two; who reads is not held up."""
    code = (
        "import sys; from coworkgym.rollouts import *\n"
        f"try: Store({str(tmp_path)!r}, Settings(policy='reference'))\n"
        "except StoreError as error: sys.exit('refused: ' + str(error))\n"
    )
    settings = Settings(policy="reference")
    with Store(tmp_path, settings):
        with pytest.raises(StoreError, match="being written"):
            Store(tmp_path, settings)
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (other.returncode, "being written" in other.stderr) == (1, True)
        assert list(Run(tmp_path).rollouts()) == []
    Store(tmp_path, settings).close()
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_closed_store_takes_nothing(tmp_path):
    store = Store(tmp_path, SETTINGS)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        play(store, mixed(1))


def test_the_same_episode_is_written_once(tmp_path):
    items = mixed(2)
    rollouts = play(tmp_path, [*items, *items])
    assert play(tmp_path, items) == []
    with Store(tmp_path, SETTINGS) as store:
        store.add(Ended(rollouts[0], 0.0, 1))
    assert len(lines_of(tmp_path)) == 2
    assert Run(tmp_path).asked == list(dict.fromkeys(Run(tmp_path).asked))


def test_what_is_asked_for_grows(tmp_path):
    play(tmp_path, mixed(2))
    play(tmp_path, mixed(4)[1:], samples=2)
    run = Run(tmp_path)
    assert len(run.asked) == len(run.ids()) == 7
    assert set(run.asked) == run.ids()


def test_a_later_success_takes_the_place_of_a_void(tmp_path):
    voids = []
    troubled = Troubled(InfrastructureError("server down"), {1})
    play(tmp_path, mixed(3), troubled, voids=voids)
    (void,) = Run(tmp_path).voids()
    assert voids == [void]
    assert (void.item.seed, void.reason, void.attempts) == (1, "errored", 3)
    (rollout,) = play(tmp_path, mixed(3))
    assert rollout.id == void.id
    assert Run(tmp_path).voids() == []
    assert len(Run(tmp_path).ids()) == 3


def test_a_run_is_read_while_it_is_written(tmp_path):
    """A reader may meet half a line; it warns and reads what is whole."""
    for count, _ in enumerate(collect(mixed(4), Reference(), store=tmp_path), 1):
        assert len(list(Run(tmp_path).rollouts())) == count


def test_compressing_is_of_a_new_store_only(folder, compress):
    Store(folder, SETTINGS, compress=not compress).close()
    play(folder, mixed(2))
    assert Run(folder).episodes_file.suffix == (".zst" if compress else ".jsonl")
    assert len(lines_of(folder)) == 2


def test_one_lost_tail_is_not_taken_for_a_broken_store(tmp_path):
    play(tmp_path, mixed(1))
    with (tmp_path / "episodes.jsonl").open("ab") as file:
        file.write(b"\x00" * 5000)  # as a machine that lost its power leaves it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(list(Run(tmp_path).rollouts())) == 1
    assert play(tmp_path, mixed(1)) == []
