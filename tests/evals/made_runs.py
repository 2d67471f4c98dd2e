"""Rollouts and runs of known values, made from one real episode."""

import math
from dataclasses import replace
from functools import lru_cache

from coworkgym.evals import Trial
from coworkgym.frozen import FrozenDict, FrozenList, freeze, json_text
from coworkgym.policies import get_policy
from coworkgym.rewards import GateResult
from coworkgym.rollouts import (
    Deed,
    Ended,
    Rollout,
    Settings,
    Store,
    Void,
    episode_id,
    run_episode,
)
from coworkgym.rollouts import Run as Run
from coworkgym.tasks import get_package


@lru_cache
def real() -> Rollout:
    package = get_package("escalation")
    task = package.build(package.item(level="warmup"))
    return run_episode(task, get_policy("reference"))


def score(completion=1.0, severities=(), **fields):
    """A score by completion and the severities of breached gates; None for an ungraded one."""
    base = real().score
    if completion is None:
        none = dict.fromkeys(("completion", "safety", "format", "efficiency"), math.nan)
        return replace(base, status="ungraded", checks=(), gates=(), robustness=None, **none)
    gates = tuple(GateResult(f"gate {n}", cost, True, "") for n, cost in enumerate(severities))
    safety = math.prod(1 - cost for cost in severities)
    return replace(base, completion=completion, gates=gates, safety=float(safety), **fields)


def rollout(seed=0, sample=0, completion=1.0, severities=(), *, facts=None, **fields) -> Rollout:
    """A rollout of a known value; parts of the item and of the task's facts by name."""
    names = ("package", "version", "split", "level", "language")
    parts = {name: fields.pop(name) for name in names if name in fields}
    item = real().item._replace(seed=seed, **parts)
    of_score = {name: fields.pop(name) for name in ("false_claim", "robustness") if name in fields}
    digest = json_text(list(item))
    given = {
        "id": episode_id(item, sample),
        "item": item,
        "sample": sample,
        "task": real().task._replace(**{"digest": digest} | (facts or {})),
        "score": score(completion, severities, **of_score),
    }
    return real()._replace(**given | fields)


def trials(*rollouts) -> list[Trial]:
    return [Trial.of(one) for one in rollouts]


def void(seed=0, sample=0, reason="errored", **parts) -> Void:
    item = real().item._replace(seed=seed, **parts)
    return Void(episode_id(item, sample), item, sample, reason, "no answer", 3)


def gone(outcome="errored", seed=0, sample=0, policy="reference", **parts) -> Trial:
    """A trial that was not finished."""
    item = real().item._replace(seed=seed, **parts)
    return Trial(episode_id(item, sample), item, policy, outcome)


def identity(seed=0, sample=0, **parts) -> str:
    return episode_id(real().item._replace(seed=seed, **parts), sample)


def run(folder, outcomes, asked=(), *, policy="reference", **settings) -> Run:
    """A store of rollouts and voids; `asked` are ids beside theirs."""
    with Store(folder, Settings(policy=policy, **settings)) as store:
        store.ask([*(one.id for one in outcomes), *asked])
        for outcome in outcomes:
            named = outcome._replace(policy=policy) if isinstance(outcome, Rollout) else outcome
            store.add(Ended(named, 0.1, 1))
    return Run(folder)


def pair_of(folder, of_a=1.0, of_b=0.0, **settings) -> tuple[Run, Run]:
    """Two runs of the same 8 tasks by two policies; the settings are the second's."""
    a = run(folder / "a", [rollout(seed, 0, of_a) for seed in range(8)], policy="good")
    of_second = [rollout(seed, 0, of_b) for seed in range(8)]
    options = {"temperature": 0.7}
    return a, run(folder / "b", of_second, policy="bad", options=options, **settings)


def told(*calls, value=1.0, steps=None, tools=None) -> Rollout:
    """A rollout of given calls: (name, arguments, error, changed, interface), the last optional."""
    messages, deeds = list(real().transcript[:2]), []
    for number, call in enumerate(calls, 1):
        name, arguments, error, changed, interface = (
            *call,
            *(None, False, "function")[len(call) - 2 :],
        )
        changes = '[["notes.notes","N-1",null,{}]]' if changed else "[]"
        deeds.append(Deed(number, 0, interface, "agent", name, error, changes))
        asked = FrozenDict(id=f"call_{number}", name=name, arguments=freeze(arguments))
        messages += [
            FrozenDict(role="assistant", content="", tool_calls=FrozenList([asked])),
            FrozenDict(role="tool", tool_call_id=f"call_{number}", content="{}"),
        ]
    offered = tools or ("gmail_get", "gmail_send", "crm_get", "crm_find", "notes_add", "reply")
    return rollout(completion=value, facts={"tools": offered})._replace(
        transcript=FrozenList(messages),
        deeds=tuple(deeds),
        steps=len(calls) if steps is None else steps,
    )
