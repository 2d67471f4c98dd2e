"""Collect: play tasks with a policy, keep what came of each, go on after a kill."""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any

from coworkgym.envs import Episode
from coworkgym.envs.episode import UserFactory
from coworkgym.errors import InfrastructureError, SettingsError
from coworkgym.policies import Policy, policy_from
from coworkgym.rewards.judge import Judge
from coworkgym.rollouts.executors import Executor, Inline
from coworkgym.rollouts.lockstep import advance
from coworkgym.rollouts.playing import Job, Playing, Unit
from coworkgym.rollouts.rollout import Rollout, Void
from coworkgym.rollouts.settings import Settings
from coworkgym.rollouts.store import Store
from coworkgym.tasks import Item, Task, get_package

HOPELESS_AFTER = 16
"""Void episodes in a row that end a run; or as many as a worker plays side by side, if more."""


def collect(  # noqa: PLR0913
    tasks: Iterable[Item | Task],
    policy: Policy | str,
    *,
    settings: Settings | None = None,
    samples: int = 1,
    store: Store | str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    concurrency: int = 8,
    retries: int = 2,
    make_user: UserFactory | None = None,
    judge: Judge | None = None,
    voids: list[Void] | None = None,
) -> Iterator[Rollout]:
    """Plays every task and yields the rollouts as they end.

    Args:
        tasks: Items, which are built as they are needed, or tasks.
        policy: A policy, or what `policies.policy_from` reads.
        settings: How episodes are played; by default as the store says, or plainly, see
            `settings_of`.
        samples: Episodes of each task, at least 1.
        store: Where rollouts are kept, or its folder. What it holds already is neither played nor
            yielded: read it from there.
        executor: Where episodes are played; by default in this process.
        concurrency: Episodes side by side in each worker, at least 1.
        retries: How many more times an episode is tried after a failure that is not the agent's.
        make_user: Makes the users with a script; by default what the settings say.
        judge: Answers what no program can check; by default what the settings say.
        voids: A list that takes the episodes that did not come to an end.

    Raises:
        InfrastructureError: When trying again cannot help, or one episode after the other fails.
            What was played is in the store.
        StoreError: For a store of other settings, or one that another writer has open.
    """
    for name, number in (("samples", samples), ("concurrency", concurrency)):
        if number < 1:
            raise SettingsError(f"{name} must be at least 1, got {number!r}")
    policy = policy_from(policy) if isinstance(policy, str) else policy
    if settings is None:
        settings = store.settings if isinstance(store, Store) else settings_of(policy)
    if isinstance(store, Store):
        store.require(settings)
    job = Job(
        settings=settings,
        policy=policy,
        make_user=make_user,
        given_judge=judge,
        concurrency=concurrency,
        retries=retries,
        digests=store is not None,
    )
    units = (_unit(task, sample) for task in tasks for sample in range(samples))
    return _collect(units, job, store, executor or Inline(), [] if voids is None else voids)


def _collect(
    units: Iterable[Unit],
    job: Job,
    place: Store | str | os.PathLike[str] | None,
    executor: Executor,
    voids: list[Void],
) -> Iterator[Rollout]:
    in_a_row = 0
    with ExitStack() as stack:
        if place is None or isinstance(place, Store):
            store = place
        else:
            store = stack.enter_context(Store(place, job.settings))
        played = executor.play(_left(units, store), job)
        stack.callback(getattr(played, "close", lambda: None))  # whatever holds on to it
        for ended in played:
            if store is not None:
                store.add(ended)
            if isinstance(ended.outcome, Rollout):
                in_a_row = 0
                yield ended.outcome
                continue
            voids.append(ended.outcome)
            in_a_row += 1
            if in_a_row >= max(HOPELESS_AFTER, job.concurrency):
                raise InfrastructureError(
                    f"{in_a_row} episodes in a row are void, so the run stopped; the last: "
                    f"{ended.outcome.error}",
                    hopeless=True,
                )


def _left(units: Iterable[Unit], store: Store | None) -> Iterable[Unit]:
    """The units that a store does not hold yet; it notes what all of them ask for."""
    if store is None:
        return units
    listed = {unit.id: unit for unit in units}
    store.ask(listed)
    return [unit for identity, unit in listed.items() if identity not in store.finished]


def _unit(task: Item | Task, sample: int) -> Unit:
    if isinstance(task, Task):
        return Unit(task.item, sample, task)
    package = get_package(task.package)
    return Unit(task, sample, package.build(task) if package.source else None)


def settings_of(policy: Policy, **given: Any) -> Settings:
    """Returns the settings of a policy, with others as given."""
    facts: dict[str, Any] = {
        "options": getattr(policy, "settings", {}),
        "harness": getattr(policy, "harness", {}),
    }
    return Settings(policy=policy.name, **facts | given)


def run_episode(
    task: Task, policy: Policy, *, judge: Judge | None = None, settings: Settings | None = None
) -> Rollout:
    """Plays one episode of a task to its end; the same every time.

    Args:
        task: What to play.
        policy: Who plays.
        judge: Answers what no program can check.
        settings: How; by default plainly.

    Raises:
        InfrastructureError: When the episode did not come to an end, for no fault of the agent.
    """
    voids: list[Void] = []
    for rollout in collect([task], policy, settings=settings, judge=judge, voids=voids):
        return rollout
    raise InfrastructureError(voids[0].error)


def play_out(task: Task, policy: Policy) -> Episode:
    """Plays one episode of a task and returns it, ended, with its office."""
    job = Job(settings=settings_of(policy), policy=policy)
    playing = Playing(Unit(task.item, 0, task), job)
    while not playing.over:
        advance([playing], job)
        if playing.failure is not None:
            raise playing.failure
    return playing.episode
