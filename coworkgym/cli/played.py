"""Playing a plan: which episodes it asks for, playing them, and runs that are there already."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from coworkgym.cli.options import err, is_file
from coworkgym.cli.plan import PlanOptions
from coworkgym.cli.progress import Watch
from coworkgym.errors import TaskError
from coworkgym.policies import Policy, policy_from
from coworkgym.rollouts import (
    Rollout,
    Run,
    Settings,
    Store,
    Void,
    collect,
    episode_id,
    executor_from,
    settings_of,
)
from coworkgym.tasks import LANGUAGES, LEVELS, Item, Task, get_package, load_task, packages


class Played(NamedTuple):
    """What one policy did.

    Attributes:
        policy: Name of the policy.
        settings: How it played.
        asked: Items asked for, one for each episode.
        rollouts: The finished episodes, in order of their ids.
        voids: Those that did not come to an end.
        path: The folder they are kept in, or None.
    """

    policy: str
    settings: Settings
    asked: list[Item]
    rollouts: list[Rollout]
    voids: list[Void]
    path: Path | None


def play_plan(options: PlanOptions) -> Iterator[Played]:
    """Plays what the options ask for, one policy after the other; progress goes to stderr.

    Raises:
        CoworkError: For options that cannot be, before anything is played; for a run that stopped.
    """
    policies = [_policy(spec, options) for spec in options.policy or ["reference"]]
    tasks = list(_tasks(options))
    executor_from(options.executor, options.workers)
    for policy in policies:
        _settings(policy, options)
    for policy in policies:
        yield _play(policy, tasks, options, many=len(policies) > 1)


def _play(
    policy: Policy, tasks: Sequence[Item | Task], options: PlanOptions, *, many: bool
) -> Played:
    settings = _settings(policy, options)
    voids: list[Void] = []
    path = options.out and (options.out / _slug(policy.name) if many else options.out)
    asked = [(_item(task), sample, task) for task in tasks for sample in range(options.samples)]
    with _store(path, settings, compress=options.compress) as store:
        kept = {} if store is None else {one.id: one for one in store.rollouts()}
        watch = Watch(err, policy.name, len(asked), settings.formula)
        with watch:
            for rollout in kept.values():
                watch.saw(rollout)
            for rollout in collect(
                tasks,
                policy,
                settings=settings,
                samples=options.samples,
                store=store,
                executor=executor_from(options.executor, options.workers),
                concurrency=options.concurrency,
                voids=voids,
            ):
                kept[rollout.id] = rollout
                watch.saw(rollout, void=len(voids))
    ids = {_id(item, sample, task) for item, sample, task in asked}
    rollouts = [kept[one] for one in sorted(ids & set(kept))]
    return Played(policy.name, settings, [one for one, *_ in asked], rollouts, voids, path)


@contextmanager
def _store(path: Path | None, settings: Settings, *, compress: bool) -> Iterator[Store | None]:
    if path is None:
        yield None
        return
    with Store(path, settings, compress=compress) as store:
        try:
            yield store
        except KeyboardInterrupt:
            total = len(store.asked)
            err.print(f"stopped: {len(store.finished)} of {total} episodes are in {path}; the same "
                      "command goes on with it", style="yellow", markup=False)  # fmt: skip
            raise


def _policy(spec: str, options: PlanOptions) -> Policy:
    given = {"temperature": options.temperature, "max_tokens": options.max_tokens}
    chosen = {name: value for name, value in given.items() if value is not None}
    return policy_from(spec, options.policy_seed, **chosen)


def _settings(policy: Policy, options: PlanOptions) -> Settings:
    return settings_of(
        policy,
        seed=options.policy_seed,
        user=options.user,
        judge=options.judge,
        faults=options.faults,
        formula=options.reward,
        max_steps=options.max_steps,
        max_context=options.max_context,
        timeout=options.timeout,
    )


def _tasks(options: PlanOptions) -> Iterator[Item | Task]:
    """Yields the tasks of each package, level and language, and of each task file."""
    if options.root is not None or options.names == ["claw_eval"]:
        yield from _imported(options)
        return
    if options.task or options.mode != "intended":
        raise TaskError("--task and --mode are for: claw_eval --root DIR")
    levels = _expand(options.level or ["easy"], LEVELS)
    languages = _expand(options.language or ["en"], LANGUAGES)
    for name in options.names or [package.name for package in packages()]:
        if is_file(name):
            yield load_task(name)
            continue
        package = get_package(name)
        for level in levels:
            for language in languages:
                variant: dict[str, Any] = {
                    "level": level, "language": language, "split": options.split,
                }  # fmt: skip
                for seed in range(options.seed, options.seed + options.episodes):
                    yield package.item(seed=seed, **variant)


def _imported(options: PlanOptions) -> Iterator[Task]:
    """Yields tasks of a checkout: those asked for, or all that run with the user there is."""
    from coworkgym.integrations.claw_eval import load_claw_task, runnable

    if options.names != ["claw_eval"] or options.root is None:
        raise TaskError("a checkout is played with: claw_eval --root DIR")
    if options.level or options.language:
        raise TaskError(
            "tasks of a checkout have their own level and language: name them by --task"
        )
    chosen = options.task or runnable(options.root, talk=options.user != "scripted")
    for task_id in chosen:
        yield load_claw_task(options.root, task_id, mode=options.mode).task


def _expand(given: list[str], every: Sequence[str]) -> list[str]:
    return list(every) if "all" in given else given


def _item(task: Item | Task) -> Item:
    return task.item if isinstance(task, Task) else task


def _id(item: Item, sample: int, task: Item | Task) -> str:
    return episode_id(item, sample, task.digest if isinstance(task, Task) else "")


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name).strip("_")


def open_runs(names: Sequence[str] | None) -> list[Run]:
    """Returns the runs that names on the command line mean, where all of them are folders of runs.

    Raises:
        TaskError: Where runs and other names are mixed.
    """
    given = names or []
    runs = [name for name in given if (Path(name) / "run.json").is_file()]
    if runs and len(runs) < len(given):
        others = [name for name in given if name not in runs]
        raise TaskError(f"runs and packages in one command: {', '.join(runs)}; {', '.join(others)}")
    return [Run(name) for name in runs]
