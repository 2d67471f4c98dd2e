"""Nothing that an agent can reach holds the checklist or the reference solution."""

import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from coworkgym import CoworkEnv, Task, ToolCall, packages
from coworkgym.envs import AssistantMessages, CoworkVectorEnv, ModelText
from coworkgym.frozen import FrozenDict
from coworkgym.policies import get_policy
from coworkgym.rewards import KINDS, Statement
from coworkgym.services import MALFORMED

CANARY = "canary-5f1d7c"
VARIANTS = [
    pytest.param(package.name, level, language, id=f"{package.name}-{level}-{language}")
    for package in packages()
    for level in package.tools
    for language in package.languages
]
SEEDS = range(8)  # enough for every twin

every_variant = pytest.mark.parametrize(("name", "level", "language"), VARIANTS)
Build = Callable[..., Task]


def shown(env: CoworkEnv, obs: Any, info: dict[str, Any]) -> str:
    """All that an agent, or whoever serves it, can get hold of before the end."""
    assert not set(info) - {"tools", "step", "anchor"}
    objects = [obs, info, list(obs), env.action_space, env.observation_space, env]
    texts = [text for thing in objects for text in (repr(thing), str(thing))]
    pickles = [pickle.dumps(thing).decode("latin-1") for thing in (obs, info)]
    plain = json.dumps([obs, info], ensure_ascii=False)
    return "\n".join([*texts, *pickles, plain, str(env.render())])


def junk(task: Task) -> Iterator[Any]:
    """Actions that earn every kind of error, and forbidden ones that gates are about."""
    yield from (None, {"name": "check"}, {"name": "reply"}, {"name": "score", "arguments": "{"})
    for name, tool in task.tools.items():
        if name != "reply":
            texts = {p: "x" for p in tool.parameters}
            yield {"name": name, "arguments": texts}
            yield {"name": name, "arguments": {"solution": CANARY[:6]}}
    yield {"name": "gmail_send_message",
           "arguments": {"to": "kim@outside.test", "subject": "x", "body": "x"}}  # fmt: skip


def seen_before_the_end(task: Task, actions: list[Any]) -> str:
    """Plays the actions and collects what is shown until the episode ends."""
    patient = replace(task, max_steps=1000)
    env = CoworkEnv("escalation", task=patient, anchors=True, render_mode="ansi", reward="dense")
    obs, info = env.reset(seed=0)
    everything = [shown(env, obs, info)]
    for action in actions:
        obs, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
        everything.append(obs[-1]["content"])
    else:
        everything.append(shown(env, obs, info))
    return "\n".join(everything)


def reference(task: Task) -> list[Any]:
    """The reference solution up to, and without, its reply."""
    return [call for call in task.solution if call.name != "reply"]


def randomly(task: Task, steps: int = 15) -> list[Any]:
    """Calls of the random policy, without replies."""
    env = CoworkEnv("escalation", task=task)
    obs, info = env.reset(seed=0)
    policy, actions = get_policy("random"), []
    for _ in range(steps):
        call = policy.act([obs], [info["tools"]])[0]["tool_calls"][0]
        if call["name"] == "reply":
            continue
        actions.append(call)
        obs, _, terminated, truncated, info = env.step(call)
        if terminated or truncated:
            break
    return actions


def marked(task: Task) -> Task:
    """The task with a canary in every name of its checklist, and in every call of its solution."""

    def renamed(line: Any) -> Any:
        return line.model_copy(update={"name": f"{CANARY} {line.name}"})

    return replace(
        task,
        checks=tuple(map(renamed, task.checks)),
        gates=tuple(map(renamed, task.gates)),
        solution=tuple(
            ToolCall(name, FrozenDict({**arguments, "note": CANARY}))
            for name, arguments in task.solution
        ),
    )


def answer_key(task: Task) -> Iterator[str]:
    """What must not be seen: names of checks and gates, kinds, the reference reply."""
    yield from (check.name for check in task.checks)
    yield from (gate.name for gate in task.gates)
    for line in (*task.checks, *task.gates):
        yield from kinds(line.statement)
        yield repr(line.statement)
    yield from (call.arguments["text"] for call in task.solution if call.name == "reply")


def kinds(statement: Statement) -> Iterator[str]:
    """The kinds of a statement and of those inside, apart from plain English words."""
    if "_" in statement.kind:
        yield statement.kind
    yield type(statement).__name__ + "("
    for part in getattr(statement, "parts", ()):
        yield from kinds(part)


@every_variant
def test_the_checklist_is_never_shown(name: str, level: str, language: str, build: Build) -> None:
    """A-answer-key-visible"""
    for seed in SEEDS if level in ("warmup", "easy") else SEEDS[:3]:
        task = build(name, level=level, language=language, seed=seed)
        for actions in (reference(task), randomly(task), list(junk(task))):
            text = seen_before_the_end(task, actions)
            assert task.opening[1]["content"] in text
            leaked = [secret for secret in answer_key(task) if secret in text]
            assert leaked == []


@every_variant
def test_a_canary_in_the_checklist_never_comes_out(
    name: str, level: str, language: str, build: Build
) -> None:
    """A-answer-key-visible"""
    task = build(name, level=level, language=language, seed=4)
    canary = marked(task)
    assert CANARY in json.dumps(canary.data())
    for actions in (reference(task), randomly(task), list(junk(task))):
        assert CANARY not in seen_before_the_end(canary, actions)


def test_every_twin_is_among_the_seeds(build: Build) -> None:
    for level in ("warmup", "easy"):
        tasks = [build("payment_change", level=level, seed=seed) for seed in SEEDS]
        acting = {any(task.tools[c.name].writes for c in task.solution) for task in tasks}
        assert acting == {True, False}


def test_the_junk_earns_errors_of_all_kinds(build: Build) -> None:
    task = replace(build("escalation", level="easy", seed=4), max_steps=1000)
    env = CoworkEnv("escalation", task=task)
    env.reset(seed=0)
    for action in junk(task):
        env.step(action)
    errors = {event.error for event in env.episode.office.log}
    assert errors >= (MALFORMED - {"invalid_json"})
    assert errors & {"not_found", "invalid_recipient"}
    assert not env.score().solved
    assert env.score().safety < 1


def test_wrappers_and_vectors_show_no_more(build: Build) -> None:
    """A-answer-key-visible"""
    task = marked(build("escalation", seed=4))
    broken = "<tool_call>{</tool_call>"
    for wrapper, action in ((AssistantMessages, {"content": ""}), (ModelText, broken)):
        env = wrapper(CoworkEnv("escalation", task=task))
        obs, info = env.reset(seed=0)
        assert CANARY not in repr((obs, info, env, env.action_space))
        obs, *_, info = env.step(action)
        assert CANARY not in repr((obs, info, env, env.action_space))
    envs = CoworkVectorEnv(2, package="escalation", task=task)
    obs, info = envs.reset(seed=0)
    assert CANARY not in repr((obs, info, envs.action_space, envs.observation_space))


def test_the_checklist_is_told_at_the_end(build: Build) -> None:
    env = CoworkEnv("escalation", task=marked(build("escalation", seed=4)))
    env.reset(seed=0)
    obs, *_, info = env.step({"name": "reply", "arguments": {"text": "OK."}})
    assert CANARY in json.dumps(info["score"])
    assert CANARY not in json.dumps(obs)


def test_there_are_kinds_to_look_for() -> None:
    assert sum("_" in kind for kind in KINDS) > 5
