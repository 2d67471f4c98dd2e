"""Waiting: many episodes wait for a server at the same time, and none waits for ever."""

import asyncio
import itertools
import threading
import time

import pytest
from rollout_items import lines_of, mixed
from rollout_players import Reference, Waiting

from coworkgym.errors import ContextOverflow, InfrastructureError
from coworkgym.rollouts import Run, collect, settings_of


def threads():
    return {thread for thread in threading.enumerate() if thread.is_alive()}


@pytest.fixture(autouse=True)
def _no_thread_is_left():
    before = threads()
    yield
    assert threads() <= before


def test_sixty_four_episodes_wait_together_and_come_out_as_in_step(tmp_path):
    policy = Waiting(0.01)
    list(collect(mixed(128), policy, store=tmp_path / "waiting", concurrency=64))
    assert policy.most == 64
    assert policy.closed == 1
    list(collect(mixed(128), Reference(), store=tmp_path / "step"))
    assert lines_of(tmp_path / "waiting") == lines_of(tmp_path / "step")


def test_an_answer_that_does_not_come_is_timed_out():
    policy, voids = Waiting(seeds={1}), []
    limits = settings_of(policy, timeout=0.3)
    rollouts = list(collect(mixed(4), policy, settings=limits, voids=voids, retries=1))
    assert sorted(rollout.item.seed for rollout in rollouts) == [0, 2, 3]
    assert [(v.reason, v.attempts, v.item.seed) for v in voids] == [("timed_out", 2, 1)]
    assert "not over after 0.3 s" in voids[0].error


def test_a_late_answer_is_tried_again():
    policy, voids = Waiting(seeds={1}, times=1), []
    limits = settings_of(policy, timeout=0.3)
    assert len(list(collect(mixed(2), policy, settings=limits, voids=voids))) == 2
    assert voids == []


def test_failures_are_tried_again_and_then_void():
    voids = []
    policy = Waiting(error=InfrastructureError("busy"), seeds={1}, times=2)
    assert len(list(collect(mixed(3), policy, voids=voids))) == 3
    policy = Waiting(error=InfrastructureError("busy"), seeds={1})
    assert len(list(collect(mixed(3), policy, voids=voids))) == 2
    assert [(void.reason, void.attempts) for void in voids] == [("errored", 3)]


def test_a_transcript_that_is_too_long_is_scored():
    policy = Waiting(error=ContextOverflow("too long"), seeds={1})
    endings = {r.item.seed: (r.ended, r.score.status) for r in collect(mixed(3), policy)}
    assert endings == {0: ("user", "graded"), 1: ("context", "graded"), 2: ("user", "graded")}


@pytest.mark.parametrize("concurrency", [1, 16])
def test_an_interrupt_leaves_a_whole_store(tmp_path, concurrency):
    kept = []
    with pytest.raises(KeyboardInterrupt):
        for rollout in collect(mixed(50), Waiting(0.005), store=tmp_path, concurrency=concurrency):
            kept.append(rollout)
            if len(kept) == 3:
                raise KeyboardInterrupt
    assert list(Run(tmp_path).rollouts()) == kept


def test_a_run_that_is_left_cancels_what_waits():
    run = collect(mixed(50), Waiting(0.01, seeds=range(3, 50)), concurrency=8)
    started = time.monotonic()
    next(run)
    run.close()
    assert time.monotonic() - started < 30  # what waits would wait for a minute


def test_a_run_that_is_never_begun_costs_nothing():
    collect(mixed(5), Waiting(60))


def test_episodes_are_taken_as_there_is_room():
    """A consumer that takes its time, a trainer say, does not find everything played."""

    def endless():
        for number in itertools.count():
            taken.append(number)
            yield from mixed(1, start=number)

    taken = []
    run = collect(endless(), Waiting(), concurrency=4)
    for _ in range(5):
        next(run)
    time.sleep(0.3)
    assert len(taken) <= 5 + 4 * 3
    run.close()


def test_a_bug_in_the_list_of_tasks_is_raised():
    def broken():
        yield from mixed(2)
        raise LookupError("no more tasks")

    with pytest.raises(LookupError, match="no more tasks"):
        list(collect(broken(), Waiting(0.001)))


def test_what_blocks_is_run_beside_the_loop(task):
    """A judge may wait for its server while the others go on."""
    main = threading.main_thread()

    class Blocking:
        def resolve(self, lines, evidence):
            assert threading.current_thread() is not main
            with pytest.raises(RuntimeError):
                asyncio.get_running_loop()
            together.wait(30)
            return evidence

    together = threading.Barrier(16)
    run = collect([task], Waiting(), judge=Blocking(), samples=16, concurrency=16)
    assert len(list(run)) == 16
