"""Many environments side by side: vectors, copies, interleaved runs, spaces."""

import copy
import gc
import json
import pickle
from collections.abc import Callable
from typing import Any

import cloudpickle
import gymnasium as gym
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from coworkgym import CoworkEnv, CoworkVectorEnv, Task, packages, save_task
from coworkgym.envs import (
    AssistantMessageSpace,
    ModelTextSpace,
    ToolCallSpace,
    TranscriptSpace,
    register_package,
)
from coworkgym.tasks import remove_package

ID = "cowork/escalation-v0"
READ = {"name": "helpdesk_list_tickets", "arguments": {}}
IDLE = {"name": "reply", "arguments": {"text": "OK."}}
SPAWN = {"shared_memory": False, "context": "spawn"}

every_package = pytest.mark.parametrize("package", [p.name for p in packages()])


def straight(seed: int, **keywords: Any) -> CoworkEnv:
    env = CoworkEnv("escalation", **keywords)
    env.reset(seed=seed)
    return env


def solutions(seeds: list[int], **keywords: Any) -> list[list[dict[str, Any]]]:
    return [[c._asdict() for c in straight(seed, **keywords).task.solution] for seed in seeds]


# Vectors ----------------------------------------------------------------------------------------


def test_make_vec_gives_the_vector_of_this_library() -> None:
    envs = gym.make_vec(ID, num_envs=3, level="warmup", reward="dense", breach_reward=-0.5)
    assert isinstance(envs, CoworkVectorEnv)
    assert envs.num_envs == 3
    obs, infos = envs.reset(seed=5)
    assert obs == tuple(
        straight(5 + n, level="warmup").episode.transcript.messages for n in range(3)
    )
    assert infos["step"].tolist() == [0, 0, 0]
    assert obs in envs.observation_space
    assert (READ,) * 3 in envs.action_space
    envs.close()


def run(envs: gym.vector.VectorEnv[Any, Any, Any], steps: int) -> list[Any]:
    """Plays the reference solutions of seeds 0, 1, 2; returns all observations and rewards."""
    plans = solutions([0, 1, 2], level="warmup")
    seen = [envs.reset(seed=0)[0]]
    for n in range(steps):
        obs, rewards, terminated, truncated, _ = envs.step(
            tuple(plan[n] if n < len(plan) else READ for plan in plans)
        )
        seen += [obs, rewards.tolist(), terminated.tolist(), truncated.tolist()]
    envs.close()
    return seen


def test_every_vector_gives_the_same_episodes() -> None:
    own = run(gym.make_vec(ID, num_envs=3, level="warmup"), 8)
    sync = run(gym.make_vec(ID, num_envs=3, vectorization_mode="sync", level="warmup"), 8)
    assert own == sync
    singles = [straight(seed, level="warmup") for seed in range(3)]
    for n, plan in enumerate(solutions([0, 1, 2], level="warmup")):
        steps = [singles[n].step(action) for action in plan]
        assert [own[1 + 4 * k][n] for k in range(len(plan))] == [step[0] for step in steps]
        assert [own[2 + 4 * k][n] for k in range(len(plan))] == [step[1] for step in steps]
        assert own[3 + 4 * (len(plan) - 1)][n] is True


@pytest.mark.slow
def test_spawned_workers_know_the_ids() -> None:
    """A-worker-registry, A-unpicklable-lock"""
    envs = gym.make_vec(
        ID, num_envs=3, vectorization_mode="async", vector_kwargs=SPAWN, level="warmup"
    )
    assert isinstance(envs, AsyncVectorEnv)
    assert run(envs, 7) == run(gym.make_vec(ID, num_envs=3, level="warmup"), 7)


@pytest.mark.slow
def test_spawned_workers_know_a_registered_folder(
    tmp_path: Any, build: Callable[..., Task]
) -> None:
    """A-worker-registry"""
    folder = tmp_path / "spawned_folder"
    folder.mkdir()
    save_task(build("payment_change", seed=2), folder / "one.json")
    env_id = register_package(folder)
    try:
        envs = gym.make_vec(
            env_id, num_envs=2, vectorization_mode="async", vector_kwargs=SPAWN, level="warmup"
        )
        obs, _ = envs.reset(seed=0)
        assert obs[0] == obs[1] == list(build("payment_change", seed=2).opening)
        envs.close()
    finally:
        remove_package("spawned_folder")
        gym.registry.pop(env_id)
        gc.collect()  # what a failed start leaves behind must not trouble another test


def test_the_next_step_starts_an_ended_episode_again() -> None:
    envs = gym.make_vec(ID, num_envs=2, level="warmup", autoreset_mode=AutoresetMode.NEXT_STEP)
    envs.reset(seed=0)
    obs, _, terminated, _, infos = envs.step((IDLE, READ))
    assert terminated.tolist() == [True, False]
    assert infos["score"]["status"][0] == "graded"
    obs, rewards, terminated, _, infos = envs.step((READ, READ))
    assert [len(one) for one in obs] == [2, 6]
    assert (rewards.tolist(), terminated.tolist()) == ([0, 0], [False, False])
    assert infos["step"].tolist() == [0, 2]
    envs.close()


def test_the_same_step_starts_an_ended_episode_again() -> None:
    envs = gym.make_vec(ID, num_envs=2, level="warmup", autoreset_mode="SameStep")
    first, _ = envs.reset(seed=0)
    obs, _, terminated, _, infos = envs.step((IDLE, READ))
    assert terminated.tolist() == [True, False]
    assert [len(one) for one in obs] == [2, 4]
    assert obs[0] != first[0]
    assert infos["final_obs"][0][:2] == first[0]
    assert len(infos["final_obs"][0]) == 4
    assert infos["final_info"]["score"]["status"][0] == "graded"
    envs.close()


def test_ended_episodes_wait_when_nothing_resets_them() -> None:
    envs = gym.make_vec(ID, num_envs=2, level="warmup", autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=0)
    _, _, terminated, _, _ = envs.step((IDLE, READ))
    obs, _ = envs.reset(options={"reset_mask": terminated})
    assert [len(one) for one in obs] == [2, 4]
    obs, *_ = envs.step((READ, READ))
    assert [len(one) for one in obs] == [4, 6]
    envs.close()


def test_observations_kept_from_a_vector_never_change() -> None:
    """A-returned-reference"""
    envs = gym.make_vec(ID, num_envs=2, level="warmup")
    kept = [envs.reset(seed=0)[0]]
    texts = [json.dumps(kept[0])]
    for _ in range(5):
        kept.append(envs.step((READ, READ))[0])
        texts.append(json.dumps(kept[-1]))
    assert [json.dumps(obs) for obs in kept] == texts
    envs.close()


def test_statistics_of_episodes_are_recorded() -> None:
    envs = gym.wrappers.vector.RecordEpisodeStatistics(gym.make_vec(ID, num_envs=2, level="warmup"))
    envs.reset(seed=0)
    envs.step((READ, READ))
    *_, infos = envs.step((IDLE, READ))
    assert infos["episode"]["l"].tolist() == [2, 0]
    assert infos["episode"]["r"].tolist() == [0, 0]
    envs.close()


# Copies -----------------------------------------------------------------------------------------

COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "deepcopy": copy.deepcopy,
    "cloudpickle": lambda env: cloudpickle.loads(cloudpickle.dumps(env)),
}


@every_package
@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("steps", [None, 0, 1, 3])
def test_a_copy_of_an_environment_goes_on_as_the_original(
    package: str, name: str, steps: int | None
) -> None:
    """A-unpicklable-lock"""
    env = CoworkEnv(package, level="warmup", anchors=True, reward="dense")
    if steps is None:
        twin = COPIES[name](env)
        assert twin.reset(seed=4) == env.reset(seed=4)
        return
    env.reset(seed=4)
    actions = [call._asdict() for call in env.task.solution]
    for action in actions[:steps]:
        env.step(action)
    twin = COPIES[name](env)
    for action in actions[steps:]:
        assert twin.step(action) == env.step(action)
    assert twin.reset() == env.reset()


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_of_a_made_environment_goes_on_as_the_original(name: str) -> None:
    """A-unpicklable-lock"""
    env = gym.make(ID, level="warmup")
    env.reset(seed=4)
    env.step(READ)
    twin = COPIES[name](env)
    assert twin.step(READ) == env.step(READ)
    assert twin.step(IDLE) == env.step(IDLE)


def test_a_function_that_makes_an_environment_can_be_sent_to_workers() -> None:
    """A-unpicklable-lock"""
    make = cloudpickle.loads(cloudpickle.dumps(lambda: gym.make(ID, level="warmup")))
    assert make().reset(seed=4)[0] == straight(4, level="warmup").episode.transcript.messages


# Isolation --------------------------------------------------------------------------------------


def test_interleaved_environments_do_not_see_each_other() -> None:
    """A-singleton-state"""
    count = 64
    envs = [CoworkEnv("escalation", level="warmup", anchors=True) for _ in range(count)]
    seeds = [n % 8 for n in range(count)]  # eight of them share each task
    noise = [[READ] * (n % 5) for n in range(count)]
    plans = [
        before + plan for before, plan in zip(noise, solutions(seeds, level="warmup"), strict=True)
    ]
    for env, seed in zip(envs, seeds, strict=True):
        env.reset(seed=seed)
    mixed: list[list[Any]] = [[] for _ in envs]
    for n in range(max(map(len, plans))):
        for k, (env, plan) in enumerate(zip(envs, plans, strict=True)):
            if n < len(plan):
                mixed[k].append(env.step(plan[n]))
    for k, plan in enumerate(plans):
        alone = straight(seeds[k], level="warmup", anchors=True)
        assert [alone.step(action) for action in plan] == mixed[k]


# Spaces -----------------------------------------------------------------------------------------


@every_package
@pytest.mark.parametrize("level", ["warmup", "easy"])
def test_every_space_contains_what_it_samples(package: str, level: str) -> None:
    """A-text-charset"""
    calls = CoworkEnv(package, level=level).action_space
    messages = AssistantMessageSpace(calls)
    for space in (TranscriptSpace(), calls, messages, ModelTextSpace(messages)):
        for seed in range(1000 if level == "easy" else 200):
            space.seed(seed)
            sample = space.sample()
            assert sample in space, sample
        space.seed(7)
        first = [space.sample() for _ in range(3)]
        space.seed(7)
        assert [space.sample() for _ in range(3)] == first
        assert space.from_jsonable(json.loads(json.dumps(space.to_jsonable(first)))) == first


@every_package
def test_every_tool_is_sampled_sooner_or_later(package: str) -> None:
    space = CoworkEnv(package).action_space
    space.seed(0)
    assert {space.sample()["name"] for _ in range(1000)} == set(space.tools)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "line\nline\ttab\r\n",
        "🚀👩‍💻",
        "你好，世界",
        "שלום עולם مرحبا",
        "\u202e\u200b\ufeff",
        "x" * 200_000,
    ],
    ids=["empty", "newline", "emoji", "cjk", "rtl", "invisible", "long"],
)
def test_any_text_is_in_the_observation_space(text: str, task: Task) -> None:
    """A-unicode-obs"""
    env = CoworkEnv("escalation", task=task)
    env.reset(seed=0)
    action = {"name": "crm_get_customer", "arguments": {"customer_id": text}}
    obs, *_ = env.step(action)
    assert obs in env.observation_space
    assert obs[2]["tool_calls"][0]["arguments"] == {"customer_id": text}
    assert json.loads(json.dumps(obs, ensure_ascii=False).encode()) == obs


def test_equal_spaces_are_equal_and_copies_too() -> None:
    warmup, again, easy = (
        CoworkEnv("escalation", level=one) for one in ("warmup", "warmup", "easy")
    )
    assert warmup.action_space == again.action_space != easy.action_space
    assert TranscriptSpace() == warmup.observation_space != warmup.action_space
    for space in (warmup.action_space, warmup.observation_space):
        for duplicate in COPIES.values():
            assert duplicate(space) == space
        assert not space.is_np_flattenable
    assert isinstance(warmup.action_space, ToolCallSpace)


def test_a_vector_of_lambdas_works() -> None:
    envs = SyncVectorEnv([lambda: gym.make(ID, level="warmup")] * 2)
    obs, _ = envs.reset(seed=[3, 3])
    assert obs[0] == obs[1]
    envs.close()
