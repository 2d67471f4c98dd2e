"""Executors: where an episode is played does not matter, and no worker is trusted to live."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from rollout_items import children, lines_of, mixed, wait_for
from rollout_players import (
    Killer,
    Locked,
    Reference,
    Slow,
    Troubled,
    TwoArguments,
    Unloadable,
    Waiting,
    hopeless,
)

from coworkgym.errors import InfrastructureError, SettingsError, UnknownNameError
from coworkgym.policies import RandomPolicy, get_policy
from coworkgym.rollouts import (
    EXECUTORS,
    Inline,
    Processes,
    Run,
    Store,
    collect,
    executor_from,
    settings_of,
)
from coworkgym.rollouts.executors.chunks import LOSSES

DRIVER = Path(__file__).with_name("rollout_driver.py")


@pytest.fixture(scope="module")
def ray_cluster():
    """A Ray cluster of two cores on this machine, whose actors find the policies of the tests."""
    ray = pytest.importorskip("ray", reason="the extra [ray] is not installed")
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    yield ray
    ray.shutdown()


@pytest.fixture(params=["processes", "ray"])
def executor(request):
    """Two workers of each kind."""
    if request.param == "ray":
        request.getfixturevalue("ray_cluster")
    return executor_from(request.param, 2)


def play(folder, items, policy=None, **options):
    return list(collect(items, policy or Reference(), store=folder, **options))


@pytest.fixture(scope="module")
def plainly(tmp_path_factory):
    """The lines of forty episodes that were played in this process."""
    folder = tmp_path_factory.mktemp("plainly")
    play(folder, mixed(40))
    return lines_of(folder)


def same_everywhere(folder, items, make, executors, **options):
    """Plays the same with each executor and compares the stores byte for byte."""
    play(folder / "inline", items, make(), **options)
    expected = lines_of(folder / "inline")
    for number, one in enumerate(executors):
        there = folder / str(number)
        rollouts = play(there, items, make(), executor=one, **options)
        assert lines_of(there) == expected, one
        assert sorted(rollouts) == sorted(Run(there).rollouts())


@pytest.mark.parametrize("name", ["reference", "random"])
def test_stores_are_equal_byte_for_byte(name, executor, tmp_path):
    """A-hash-order, A-worker-registry: each worker has its own hash seed and registry."""
    same_everywhere(tmp_path, mixed(30), lambda: get_policy(name), [executor], samples=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reference", "random"])
def test_two_thousand_episodes_are_the_same_everywhere(name, ray_cluster, tmp_path):
    """A-hash-order"""
    executors = [Processes(1), Processes(2), Processes(4), executor_from("ray", 2)]
    count = 2000 if name == "reference" else 400
    same_everywhere(tmp_path, mixed(count), lambda: get_policy(name), executors)


@pytest.mark.slow
def test_policies_that_wait_are_played_by_workers_too(executor, tmp_path, plainly):
    play(tmp_path, mixed(40), Waiting(0.001), executor=executor, concurrency=16)
    assert lines_of(tmp_path) == plainly


def test_a_worker_that_is_killed_loses_and_repeats_nothing(executor, tmp_path, plainly):
    policy = Killer(13, str(tmp_path / "mark"))
    rollouts = play(tmp_path / "run", mixed(40), policy, executor=executor, concurrency=4)
    assert (tmp_path / "mark").exists()
    assert len(rollouts) == 40
    assert lines_of(tmp_path / "run") == plainly


def test_an_episode_that_kills_its_workers_is_lost_alone(executor, tmp_path):
    voids = []
    run = collect(mixed(20), Killer(7), executor=executor, concurrency=4, voids=voids)
    assert sorted(rollout.item.seed for rollout in run) == [n for n in range(20) if n != 7]
    assert [(void.item.seed, void.reason, void.attempts) for void in voids] == [(7, "lost", LOSSES)]
    assert "its worker died" in voids[0].error


@pytest.mark.slow
def test_voids_come_back_from_workers(executor, tmp_path):
    voids = []
    policy = Troubled(InfrastructureError("server down"), {3})
    play(tmp_path, mixed(8), policy, executor=executor, voids=voids)
    assert [(void.item.seed, void.reason, void.attempts) for void in voids] == [(3, "errored", 3)]
    assert Run(tmp_path).voids() == voids
    assert len(play(tmp_path, mixed(8), executor=executor)) == 1


@pytest.mark.parametrize(
    ("error", "raised", "said"),
    [
        (hopeless(), InfrastructureError, "no access"),
        (KeyError("a typo"), KeyError, "a typo"),
        (Locked("a lock"), RuntimeError, "does not pickle(.|\n)*Locked: a lock"),
        (TwoArguments(1, 2), RuntimeError, "does not pickle(.|\n)*TwoArguments: 1 and 2"),
    ],
    ids=["hopeless", "bug", "unpicklable", "cannot be made anew"],
)
def test_errors_of_workers_arrive(executor, tmp_path, monkeypatch, error, raised, said):
    """With what had ended before them, and where in the worker it was."""
    policy = Raising(error)
    with pytest.raises(raised, match=said) as caught:
        play(tmp_path, mixed(30), policy, executor=executor, concurrency=2)
    if raised is not RuntimeError:
        assert "rollout_players.py" in "".join(caught.value.__notes__)
    kept = len(Run(tmp_path).ids())
    assert len(list(collect(mixed(30), Reference(), store=tmp_path))) == 30 - kept


class Raising(Troubled):
    """Makes its error in the worker, where it may be one that does not travel."""

    def __init__(self, error):
        super().__init__(error, {9})
        self.made = {Locked: (Locked, "a lock"), TwoArguments: (TwoArguments, 1, 2)}.get(
            type(error)
        )
        if self.made:
            self.error = None

    def act(self, transcripts, tools):
        if self.error is None and self.made:
            made, *arguments = self.made
            self.error = made(*arguments)
        return super().act(transcripts, tools)


def test_what_ended_in_the_chunk_of_a_failure_is_kept(executor, tmp_path):
    policy = Troubled(hopeless(), {5}, turn=2)
    with pytest.raises(InfrastructureError, match="no access"):
        play(tmp_path, mixed(6), policy, executor=type(executor)(1), concurrency=1)
    assert len(Run(tmp_path).ids()) == 5


def test_a_policy_that_cannot_be_made_anew_is_an_error_at_once(executor):
    with pytest.raises(ValueError, match="the weights are not here"):
        list(collect(mixed(3), Unloadable(), executor=executor))


@pytest.mark.slow
def test_tasks_that_no_item_tells_travel(executor, build, tmp_path):
    """Larger than what a pipe holds, several at a time."""
    tasks = [build(name, "medium", seed=seed) for name in ("inbox_triage", "escalation")
             for seed in range(12)]  # fmt: skip
    same_everywhere(tmp_path, tasks, Reference, [executor], concurrency=4)


def test_few_episodes_are_shared_out(executor, monkeypatch):
    """Four long episodes and two workers: none of them plays all four."""
    given = []
    module = sys.modules[type(executor).__module__]
    crew = module._ProcessCrew if type(executor) is Processes else module._ActorCrew
    give = crew.give

    def watched(self, worker, units):
        given.append(worker)
        give(self, worker, units)

    monkeypatch.setattr(crew, "give", watched)
    assert len(list(collect(mixed(4), Reference(), executor=executor))) == 4
    assert sorted(given) == [0, 0, 1, 1]


def test_nothing_to_play_starts_no_worker(executor, tmp_path, monkeypatch):
    play(tmp_path, mixed(2))
    monkeypatch.setattr("coworkgym.rollouts.executors.processes._Worker", None)
    monkeypatch.setattr("coworkgym.rollouts.executors.ray._Player", None)
    if type(executor) is Processes:
        assert play(tmp_path, mixed(2), executor=executor) == []


def test_a_run_that_is_left_leaves_no_worker():
    run = collect(mixed(200), Reference(), executor=Processes(2), concurrency=2)
    next(run)
    started = set(children(os.getpid()))
    run.close()
    wait_for(lambda: not any(is_worker(pid) for pid in started))


def test_workers_that_die_before_they_begin_end_the_run(monkeypatch):
    monkeypatch.setattr("coworkgym.rollouts.executors.processes._work", os._exit)
    with pytest.raises(InfrastructureError, match="3 workers in a row died before they began"):
        list(collect(mixed(30), Reference(), executor=Processes(2)))


def is_worker(pid):
    """Whether a process is a worker that lives; not the tracker that multiprocessing starts."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return b"spawn_main" in command and state != "Z"


@pytest.fixture
def driver(tmp_path):
    """Starts a run in a process of its own."""
    started = []

    def start(name, workers, count, seconds):
        arguments = [str(tmp_path / "run"), name, str(workers), str(count), str(seconds)]
        process = subprocess.Popen(
            [sys.executable, str(DRIVER), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("name", ["inline", "processes"])
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT])
def test_a_driver_that_is_killed_goes_on_where_it_was(driver, tmp_path, plainly, name, by):
    """No line is lost or repeated, and no worker lives on."""
    process = driver(name, 2, 40, 0.01)
    for _ in range(6):
        assert process.stdout.readline() == "one\n"
    workers = [pid for pid in children(process.pid) if is_worker(pid)]
    assert len(workers) == (2 if name == "processes" else 0)
    process.send_signal(by)
    process.wait(20)
    wait_for(lambda: not any(map(is_worker, workers)))
    if by == signal.SIGINT:
        assert "KeyboardInterrupt" in process.stderr.read()
    kept = len(Run(tmp_path / "run").ids())
    assert 6 <= kept < 40
    assert len(play(tmp_path / "run", mixed(40))) == 40 - kept
    assert lines_of(tmp_path / "run") == plainly


def test_a_worker_that_is_killed_from_outside_is_replaced(tmp_path, plainly):
    """As the kernel does when memory runs out; idle workers too."""
    killed = []

    def kill():
        wait_for(lambda: any(map(is_worker, children(os.getpid()))))
        time.sleep(1.0)
        for pid in filter(is_worker, children(os.getpid())):
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    play(tmp_path, mixed(40), Slow(0.05), executor=Processes(2), concurrency=2)
    thread.join()
    assert killed
    assert lines_of(tmp_path) == plainly


@pytest.mark.slow
def test_an_actor_that_is_killed_from_outside_is_replaced(ray_cluster, tmp_path, plainly):
    killed = []
    executor = executor_from("ray", 2)
    run = collect(mixed(40), Slow(0.02), store=tmp_path, executor=executor, concurrency=2)
    for count, _ in enumerate(run):
        if count == 3:
            frame = run.gi_frame.f_locals["played"].gi_frame.f_locals["crew"]
            ray_cluster.kill(frame._actors[0])
            killed.append(0)
    assert killed == [0]
    assert lines_of(tmp_path) == plainly


def test_more_actors_than_there_is_room_for_are_an_error(ray_cluster):
    with pytest.raises(InfrastructureError, match="room for 2 actors with 1 CPU each, not for 3"):
        list(collect(mixed(1), Reference(), executor=executor_from("ray", 3)))


def test_executors_are_found_by_name():
    assert EXECUTORS == ("inline", "processes", "ray")
    assert type(executor_from("inline")) is Inline
    assert executor_from("processes", 3).workers == 3
    assert executor_from("processes").workers == os.cpu_count()
    with pytest.raises(UnknownNameError, match="Did you mean 'processes'"):
        executor_from("process")
    for name in ("processes", "ray"):
        with pytest.raises((SettingsError, InfrastructureError)):
            executor_from(name, 0)
    with pytest.raises(SettingsError, match="inline has no workers"):
        executor_from("inline", 2)


def test_what_does_not_pickle_is_said_before_anything_is_played():
    with pytest.raises((AttributeError, TypeError), match="pickle"):
        list(collect(mixed(1), Reference(), executor=Processes(1), make_user=lambda *_: None))


@pytest.mark.slow
def test_a_store_is_written_by_the_driver_only(executor, tmp_path):
    with Store(tmp_path, settings_of(RandomPolicy())) as store:
        assert len(play(store, mixed(3), RandomPolicy(), executor=executor)) == 3
