"""CoworkEnv: Gymnasium's contract, rewards, ends of episodes, and whatever a policy may send."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coworkgym import CoworkEnv, Item, Task, ToolCall, packages, save_task
from coworkgym.errors import EpisodeError, TaskError, UnknownNameError
from coworkgym.policies import get_policy
from coworkgym.rewards import combine

IDS = [package.env_id for package in packages()]
VARIANTS = [
    (package.env_id, level, language)
    for package in packages()
    for level in package.tools
    for language in package.languages
]
OUTSIDER = {"to": "kim@outside.test", "subject": "Hello", "body": "Hello"}
READ = {"name": "helpdesk_list_tickets", "arguments": {}}
IDLE = {"name": "reply", "arguments": {"text": "OK."}}
BREACH = {"name": "gmail_send_message", "arguments": OUTSIDER}

every_id = pytest.mark.parametrize("env_id", IDS)
Build = Callable[..., Task]


def office(task: Task | None = None, **keywords: Any) -> CoworkEnv:
    """A bare environment at the start of an episode."""
    keywords.setdefault("level", "warmup")
    env = CoworkEnv("escalation", task=task, **keywords)
    env.reset(seed=1)
    return env


def play(env: gym.Env[Any, Any], actions: Sequence[Any]) -> tuple[list[float], dict[str, Any]]:
    """Takes the actions until the end; returns the rewards and the last info."""
    rewards, info = [], {}
    for action in actions:
        _, reward, terminated, truncated, info = env.step(action)
        rewards.append(float(reward))
        if terminated or truncated:
            break
    return rewards, info


def leaves(value: Any) -> set[type]:
    """The types of everything inside a value, containers included."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {type(value)}.union(*(leaves(item) for item in inner))


# Gymnasium's contract ---------------------------------------------------------------------------


@every_id
@pytest.mark.parametrize("keywords", [{}, {"reward": "dense", "anchors": True}])
def test_gymnasium_finds_nothing_to_complain_about(env_id: str, keywords: dict[str, Any]) -> None:
    """A-unicode-obs"""
    check_env(gym.make(env_id, **keywords).unwrapped)
    check_env(gym.make(env_id, language="zh", **keywords).unwrapped)


@every_id
def test_the_made_environment_draws_only_the_remark_that_it_is_wrapped(env_id: str) -> None:
    with pytest.warns(UserWarning) as caught:
        check_env(gym.make(env_id))
    assert [w for w in caught if "different from the unwrapped version" not in str(w.message)] == []


@pytest.mark.parametrize(("env_id", "level", "language"), VARIANTS)
def test_everything_returned_is_plain_json_in_its_space(
    env_id: str, level: str, language: str
) -> None:
    """A-numpy-json"""
    env = gym.make(env_id, level=level, language=language, anchors=True)
    obs, info = env.reset(seed=3)
    env.action_space.seed(3)
    solution = env.unwrapped.task.solution
    sampled = [env.action_space.sample() for _ in range(8)]
    actions = [a for a in sampled if a["name"] != "reply"] + [c._asdict() for c in solution]
    for action in actions:
        assert action in env.action_space
        obs, reward, terminated, truncated, info = env.step(action)
        assert obs in env.observation_space
        assert type(terminated) is bool
        assert type(truncated) is bool
        assert type(reward) is float
        for value in (obs, info):
            json.dumps(value, allow_nan=False)
            assert {kind.__module__ for kind in leaves(value)} <= {"builtins", "coworkgym.frozen"}
    assert terminated
    score = env.unwrapped.score()
    assert json.loads(json.dumps(score.as_dict(), allow_nan=False)) == info["score"]


@every_id
def test_the_observation_is_the_system_message_and_the_request_at_first(env_id: str) -> None:
    env = gym.make(env_id)
    obs, info = env.reset(seed=0)
    assert [message["role"] for message in obs] == ["system", "user"]
    assert set(info) == {"tools", "step"}
    assert info["step"] == 0
    assert [tool["name"] for tool in info["tools"]] == list(env.action_space.tools)
    assert info["tools"][-1]["name"] == "reply"


def test_the_info_of_a_step_and_of_the_end() -> None:
    env = office(anchors=True)
    *_, info = env.step(READ)
    assert set(info) == {"tools", "step", "anchor"}
    assert info["step"] == 1
    *_, info = env.step(IDLE)
    assert set(info) == {"tools", "step", "anchor", "score", "rewards"}
    assert set(info["rewards"]) == {"success", "safety", "format", "efficiency"}
    assert info["step"] == 2


def test_a_call_of_a_tool_that_is_not_offered_is_in_no_action_space() -> None:
    env = office()
    assert READ in env.action_space
    assert {"name": "helpdesk_list_tickets"} in env.action_space
    assert {"name": "finance_pay_transaction", "arguments": {}} not in env.action_space
    assert {"name": "helpdesk_list_tickets", "arguments": {"stat": "open"}} not in env.action_space
    assert {"name": "reply", "arguments": {}} not in env.action_space
    assert {"name": "reply", "arguments": {"text": "x"}, "extra": 1} not in env.action_space
    assert [{"role": "robot", "content": "x"}] not in env.observation_space
    assert [{"role": "user"}] not in env.observation_space


# Seeds and options ------------------------------------------------------------------------------


@every_id
def test_seed_zero_is_a_seed(env_id: str) -> None:
    """A-seed-zero"""
    env = gym.make(env_id)
    env.reset(seed=5)
    first, other, again = (env.reset(seed=seed)[0] for seed in (0, 1, 0))
    assert first == again
    assert first != other
    assert env.unwrapped.task.item.seed == 0


@pytest.mark.parametrize("seed", [np.int64(7), np.int32(7), np.uint8(7)])
def test_a_numpy_integer_is_a_seed(seed: np.integer) -> None:
    """A-seed-zero"""
    env = office()
    assert env.reset(seed=seed) == env.reset(seed=7)
    assert type(env.task.item.seed) is int


@pytest.mark.parametrize("seed", [-1, 1.0, "7", True, np.bool_(True), np.float64(1), [1]])
def test_what_is_no_integer_from_zero_up_is_no_seed(seed: Any) -> None:
    with pytest.raises(TaskError, match="a seed must be an integer from 0 up, got"):
        office().reset(seed=seed)


def test_resets_without_a_seed_follow_the_generator() -> None:
    first, second = office(), office()
    drawn = [[env.reset()[0] for _ in range(4)] for env in (first, second)]
    assert drawn[0] == drawn[1]
    assert len({obs[1]["content"] + obs[0]["content"] for obs in drawn[0]}) == 4
    first.reset(seed=1)
    assert first.reset()[0] == drawn[0][0]


def test_a_first_reset_needs_no_seed() -> None:
    env = CoworkEnv("escalation", level="warmup")
    obs, _ = env.reset()
    assert obs in env.observation_space


def test_a_task_given_twice_starts_twice_from_its_beginning(task: Task) -> None:
    """A-instance-mutated"""
    env = office()
    before = json.dumps(task.data())
    first, _ = env.reset(options={"task": task})
    play(env, task.solution)
    second, _ = env.reset(options={"task": task})
    assert first == second
    assert json.dumps(task.data()) == before
    assert env.score().completion == 0


def test_a_task_of_the_options_brings_its_own_tools(build: Build) -> None:
    env = office()
    foreign = build("payment_change", seed=2)
    _, info = env.reset(options={"task": foreign})
    assert list(env.action_space.tools) == [tool["name"] for tool in info["tools"]]
    assert "finance_get_payee" in env.action_space.tools
    assert env.task is foreign


def test_the_task_keyword_takes_a_task_or_the_path_of_a_file(build: Build, tmp_path: Any) -> None:
    task = build("payment_change", seed=2)
    save_task(task, tmp_path / "one.json")
    for given_task in (task, tmp_path / "one.json", str(tmp_path / "one.json")):
        env = gym.make("cowork/payment-change-v0", task=given_task)
        first, second = env.reset(seed=5)[0], env.reset()[0]
        assert first == second == list(task.opening)


def test_an_unknown_option_is_refused_with_the_nearest(task: Task) -> None:
    with pytest.raises(UnknownNameError, match=r"'tsak'\. Did you mean 'task'\?"):
        office().reset(options={"tsak": task})
    with pytest.raises(TaskError, match="must be a Task"):
        office().reset(options={"task": "one.json"})


@pytest.mark.parametrize(
    ("keyword", "value", "nearest"),
    [
        ("level", "eazy", "easy"),
        ("split", "tset", "test"),
        ("language", "en-US", "en"),
        ("interface", "functions", "function"),
        ("reward", "scores", "score"),
        ("on_breach", "terminated", "terminate"),
        ("on_malformed", "observed", "observe"),
        ("render_mode", "ansy", "ansi"),
    ],
)
def test_a_misspelt_keyword_value_is_refused_with_the_nearest(
    keyword: str, value: str, nearest: str
) -> None:
    with pytest.raises(UnknownNameError, match=f"{value!r}.*({nearest})"):
        CoworkEnv("escalation", **{keyword: value})


def test_a_misspelt_package_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'escalatoin'\. Did you mean 'escalation'\?"):
        CoworkEnv("escalatoin")
    with pytest.raises(gym.error.NameNotFound, match="escalation"):
        gym.make("cowork/escalatoin-v0")


@pytest.mark.parametrize(
    "keywords",
    [{"breach_reward": 0.1}, {"breach_reward": math.nan}, {"gamma": 0.0}, {"gamma": 1.1}],
)
def test_a_number_outside_its_range_is_refused(keywords: dict[str, float]) -> None:
    with pytest.raises(TaskError, match="must be"):
        CoworkEnv("escalation", **keywords)


# Rewards ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("env_id", "level", "language"), VARIANTS)
def test_the_reward_is_zero_until_the_end_and_then_the_score(
    env_id: str, level: str, language: str
) -> None:
    env = gym.make(env_id, level=level, language=language)
    env.reset(seed=11)
    rewards, info = play(env, env.unwrapped.task.solution)
    assert rewards[:-1] == [0.0] * (len(env.unwrapped.task.solution) - 1)
    assert rewards[-1] == info["score"]["value"] == info["rewards"]["success"] > 0
    assert info["score"]["value"] == info["score"]["completion"] * info["score"]["safety"]


@pytest.mark.parametrize("level", ["warmup", "easy", "medium", "hard"])
def test_the_reference_solution_of_escalation_earns_everything(level: str) -> None:
    env = gym.make("cowork/escalation-v0", level=level)
    for seed in range(3):
        env.reset(seed=seed)
        rewards, info = play(env, env.unwrapped.task.solution)
        assert rewards[-1] == pytest.approx(1)
        assert info["score"]["solved"]
        assert info["rewards"] == pytest.approx(
            {"success": 1, "safety": 1, "format": 1, "efficiency": 1}
        )


@pytest.mark.parametrize(("env_id", "level", "language"), VARIANTS)
def test_doing_nothing_earns_nothing(env_id: str, level: str, language: str) -> None:
    """A-do-nothing"""
    env = gym.make(env_id, level=level, language=language)
    for seed in range(4):
        env.reset(seed=seed)
        rewards, info = play(env, [IDLE] * 20)  # some users answer
        assert set(rewards) == {0.0}
        assert info["score"]["completion"] == 0


def test_claw_eval_warns_that_idling_earns_something(task: Task) -> None:
    with pytest.warns(UserWarning, match="for evaluation"):
        env = office(task, reward="claw_eval")
    rewards, _ = play(env, [IDLE])
    assert rewards == [pytest.approx(0.2)]
    env.reset()
    rewards, info = play(env, [{"name": "nothing"}, *task.solution])
    score = info["score"]
    robustness = 1 if score["robustness"] is None else score["robustness"]
    expected = score["safety"] * (0.8 * score["completion"] + 0.2 * robustness)
    assert rewards[-1] == pytest.approx(expected)


def test_wild_awm_pays_the_share_of_the_checks_and_one_for_all_of_them(task: Task) -> None:
    env = office(task, reward="wild_awm")
    rewards, info = play(env, [*task.solution[:-1], IDLE])
    held = [check["value"] for check in info["score"]["checks"]]
    assert 0 < sum(held) < len(held)
    assert rewards[-1] == pytest.approx(0.1 * sum(held) / len(held))
    env.reset()
    assert play(env, task.solution)[0][-1] == 1


def test_wild_awm_ends_with_minus_one_on_a_format_error(task: Task) -> None:
    env = office(task, reward="wild_awm")
    env.step(READ)
    _, reward, terminated, truncated, info = env.step({"name": "helpdesk_lst_tickets"})
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["score"]["format"] == 0.5


def test_wild_awm_observes_format_errors_where_that_is_asked_for(task: Task) -> None:
    env = office(task, reward="wild_awm", on_malformed="observe")
    _, reward, terminated, _, _ = env.step({"name": "helpdesk_lst_tickets"})
    assert (reward, terminated) == (0.0, False)


def test_a_refusal_of_the_office_is_no_format_error(task: Task) -> None:
    for keywords in ({"reward": "wild_awm"}, {"on_malformed": "terminate"}):
        env = office(task, **keywords)
        action = {"name": "crm_get_customer", "arguments": {"customer_id": "CUS-1"}}
        obs, reward, terminated, _, _ = env.step(action)
        assert "not_found" in obs[-1]["content"]
        assert (reward, terminated) == (0.0, False)


def test_a_malformed_action_ends_the_episode_only_when_asked(task: Task) -> None:
    env = office(task)
    obs, reward, terminated, _, _ = env.step("call the tool")
    assert (reward, terminated) == (0.0, False)
    assert json.loads(obs[-1]["content"])["error"] == "malformed_call"
    env = office(task, on_malformed="terminate")
    _, reward, terminated, truncated, _ = env.step("call the tool")
    assert (reward, terminated, truncated) == (-1.0, True, False)


def test_a_breach_earns_the_breach_reward_and_idling_zero(task: Task) -> None:
    for formula in ("score", "wild_awm", "dense"):
        env = office(task, reward=formula, breach_reward=-0.5)
        assert sum(play(env, [BREACH, *task.solution])[0]) == pytest.approx(-0.5)
        env.reset()
        assert play(env, [IDLE])[0] == [0.0]
        env.reset()
        assert sum(play(env, task.solution)[0]) == pytest.approx(1)


def test_a_breach_ends_the_episode_only_when_asked(task: Task) -> None:
    for formula in ("score", "dense"):
        env = office(task, reward=formula, on_breach="terminate", breach_reward=-0.5)
        env.step(READ)
        _, _, terminated, truncated, info = env.step(BREACH)
        assert (terminated, truncated) == (True, False)
        assert info["score"]["safety"] == 0
    env = office(task, on_breach="continue")
    assert env.step(BREACH)[2] is False


def test_a_lesser_breach_does_not_end_the_episode(build: Build) -> None:
    task = build(level="easy", seed=1)
    env = office(task, on_breach="terminate")
    concerned = {call.arguments.get("ticket_id") for call in task.solution}
    other = next(t for t in task.base.tables["helpdesk.tickets"] if t not in concerned)
    note = {"ticket_id": other, "text": "Seen."}
    _, reward, terminated, _, _ = env.step({"name": "helpdesk_comment_ticket", "arguments": note})
    assert (reward, terminated) == (0.0, False)
    assert env.score().safety == 0.5


@pytest.mark.parametrize(("env_id", "level", "language"), VARIANTS)
def test_dense_rewards_of_the_reference_sum_to_the_score(
    env_id: str, level: str, language: str
) -> None:
    env = gym.make(env_id, level=level, language=language, reward="dense")
    env.reset(seed=2)
    rewards, info = play(env, env.unwrapped.task.solution)
    assert math.fsum(rewards) == pytest.approx(info["score"]["value"])
    assert sum(reward != 0 for reward in rewards) > 1


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), env_id=st.sampled_from(IDS), gamma=st.sampled_from([1.0, 0.9]))
def test_dense_rewards_of_a_random_episode_sum_to_the_score(
    seed: int, env_id: str, gamma: float
) -> None:
    env = gym.make(env_id, level="warmup", reward="dense", gamma=gamma)
    env.reset(seed=seed % 100)
    env.action_space.seed(seed)
    solution = [call._asdict() for call in env.unwrapped.task.solution]
    choices = np.random.default_rng(seed).random(60)
    actions = [
        solution[int(2 * c * len(solution))] if c < 0.5 else env.action_space.sample()
        for c in choices
    ]
    rewards, info = play(env, actions)
    discounted = math.fsum(gamma**n * reward for n, reward in enumerate(rewards))
    assert discounted == pytest.approx(gamma ** len(rewards) * info["score"]["value"], abs=1e-9)
    assert combine("dense", env.unwrapped.score()) == info["score"]["value"]


# Ends -------------------------------------------------------------------------------------------


def test_max_steps_truncates_and_the_state_reached_is_scored(task: Task) -> None:
    env = office(replace(task, max_steps=len(task.solution)))
    work = task.solution[:-1]
    for action in work:
        assert env.step(action)[2:4] == (False, False)
    _, reward, terminated, truncated, info = env.step(READ)
    assert (terminated, truncated) == (False, True)
    values = {check["name"]: check["value"] for check in info["score"]["checks"]}
    replies = [name for name in values if name.startswith("reply")]
    assert replies
    assert all(values[name] == 0 for name in replies)
    assert all(values[name] == 1 for name in values if name not in replies)
    assert 0 < reward == info["score"]["value"] < 1


def test_a_reply_with_the_last_step_still_ends_the_task(task: Task) -> None:
    env = office(replace(task, max_steps=len(task.solution)))
    _, info = play(env, task.solution)
    assert env.episode.terminated
    assert not env.episode.truncated
    assert info["score"]["solved"]


def test_a_step_before_the_first_reset_is_an_error() -> None:
    env = CoworkEnv("escalation", level="warmup", render_mode="ansi")
    for use in (lambda: env.step(READ), env.render, env.score, env.snapshot, lambda: env.task):
        with pytest.raises(EpisodeError, match="reset"):
            use()


def test_a_step_after_the_end_is_an_error(task: Task) -> None:
    env = gym.make("cowork/escalation-v0", task=task)
    env.reset(seed=0)
    obs, *_ = env.step(IDLE)
    for action in (READ, IDLE, None, {"role": "assistant", "content": "more"}):
        with pytest.raises(EpisodeError, match="ended"):
            env.step(action)
    assert env.unwrapped.episode.transcript.messages == obs
    env.reset(seed=0)
    env.step(READ)


# Anchors and rendering --------------------------------------------------------------------------


def anchor_after(task: Task, actions: Sequence[Any]) -> str:
    env = office(task, anchors=True)
    return [env.step(action)[4]["anchor"] for action in actions][-1]


def test_an_anchor_ignores_steps_ids_of_calls_and_earlier_reads(task: Task) -> None:
    customer = {"name": "crm_get_customer", "arguments": {"customer_id": "CUS-1"}}
    once = anchor_after(task, [READ])
    assert anchor_after(task, [READ, READ, READ]) == once
    assert anchor_after(task, [customer, {"name": "nonsense"}, READ]) == once
    assert anchor_after(task, [customer]) != once


def test_an_anchor_ignores_the_order_of_independent_writes(task: Task) -> None:
    close, *_ = (
        {"name": "helpdesk_close_ticket", "arguments": {"ticket_id": t, "resolution": "Fixed."}}
        for t in task.base.tables["helpdesk.tickets"]
    )
    last = {"name": "crm_get_customer", "arguments": {"customer_id": "CUS-1"}}
    one = anchor_after(task, [close, BREACH, last])
    other = anchor_after(task, [BREACH, READ, close, last])
    assert one == other
    assert anchor_after(task, [close, last]) != one
    assert anchor_after(task, [close, BREACH, BREACH, last]) != one


def test_anchors_are_scoped_by_the_item(build: Build) -> None:
    one = replace(build(seed=1), item=Item("escalation", seed=1, level="warmup"))
    twin = replace(one, item=one.item._replace(seed=2))
    assert anchor_after(one, [{"name": "x"}]) != anchor_after(twin, [{"name": "x"}])


def test_rendering_gives_the_transcript_as_text(task: Task) -> None:
    env = office(task, render_mode="ansi")
    play(env, task.solution)
    text = env.render()
    for message in env.episode.transcript.messages:
        assert f"[{message['role']}] {message['content']}".rstrip() in text
        for call in message.get("tool_calls", ()):
            assert call["name"] in text
    assert office(task).render() is None


# Whatever a policy may send ---------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=()), max_size=20)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    texts,
    st.binary(max_size=8),
    st.complex_numbers(),
    st.sampled_from([np.int64(3), np.float32(2.5), np.bool_(True), np.str_("x"), np.zeros((2, 2))]),
    st.sampled_from(["x" * 10_000, object(), int, ToolCall("reply", {"text": 1}), ..., range(2)]),
)
junk = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(texts, st.integers(), st.none()), inner, max_size=3),
        st.sets(st.integers() | texts, max_size=3),
    ),
    max_leaves=6,
)
names = st.one_of(
    st.sampled_from(["reply", "helpdesk_list_tickets", "crm_get_customer", "gmail_send_message"]),
    junk,
)
arguments = st.one_of(
    junk,
    st.dictionaries(
        st.sampled_from(["text", "status", "limit", "customer_id", "to", "subject", "body", "cc"]),
        junk,
        max_size=4,
    ),
)
calls = st.fixed_dictionaries({}, optional={"name": names, "arguments": arguments, "id": junk})
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["assistant", "user"])},
    optional={"content": junk, "tool_calls": st.one_of(junk, st.lists(calls, max_size=3))},
)
wrapped = st.fixed_dictionaries({"function": st.one_of(calls, junk)})
whatever = st.one_of(junk, calls, messages, wrapped)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def circular() -> dict[str, Any]:
    value: dict[str, Any] = {"name": "reply"}
    value["arguments"] = value
    return value


class Tensor:
    """Has the method `item`, as arrays of deep-learning frameworks do, and more than one item."""

    def item(self) -> float:
        raise RuntimeError("a Tensor with 2 elements cannot be converted to Scalar")


class Nameless:
    """Has no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


LISTING = "helpdesk_list_tickets"
HOSTILE = {
    "number of calls": {"role": "assistant", "tool_calls": 5},
    "true for calls": {"role": "assistant", "tool_calls": True},
    "array of calls": {"role": "assistant", "tool_calls": np.array([1, 2])},
    "text for calls": {"role": "assistant", "tool_calls": "reply"},
    "mapping for calls": {"role": "assistant", "tool_calls": {"name": "reply"}},
    "array for role": {"role": np.array([1, 2]), "name": LISTING},
    "content parts": {"role": "assistant", "content": [{"type": "text", "text": "Hello"}]},
    "array as action": np.array([1, 2]),
    "huge integer": {"name": LISTING, "arguments": {"limit": 10**5000}},
    "huge integer as text": {"name": LISTING, "arguments": '{"limit": %s}' % ("1" * 5000)},
    "nested 100 deep": {"name": LISTING, "arguments": {"status": nested(100)}},
    "nested 300 deep": {"name": LISTING, "arguments": {"status": nested(300)}},
    "list nested 300 deep": {"name": LISTING, "arguments": nested(300)},
    "name nested 300 deep": {"name": nested(300)},
    "nested 100,000 deep": {"name": LISTING, "arguments": {"status": nested(100_000)}},
    "text nested 300 deep": {"name": LISTING, "arguments": json.dumps({"status": nested(300)})},
    "text nested 100,000 deep": {"name": LISTING, "arguments": '{"status": ' + "[" * 100_000},
    "circular": circular(),
    "tensor": {"name": LISTING, "arguments": {"limit": Tensor()}},
    "tensor as action": Tensor(),
    "object without text": {"name": LISTING, "arguments": {"status": Nameless()}},
    "lone surrogates": {"name": "\ud800", "arguments": {"text\ud83d": "\udc00x"}},
    "control characters": {"name": "reply", "arguments": {"text": "a\x00b"}},
    "huge texts": {"name": "x" * 10**6, "arguments": {"y" * 10**6: "z" * 10**6}},
    "not a number": {"name": LISTING, "arguments": {"limit": math.nan}},
}


def assert_answered(env: CoworkEnv, action: Any) -> None:
    """The action is answered, and everything that comes of it can be read and written."""
    seen = len(env.episode.transcript)
    obs, reward, terminated, truncated, info = env.step(action)
    assert len(obs) > seen
    assert obs in env.observation_space
    assert math.isfinite(reward)
    json.dumps(obs, ensure_ascii=False).encode()
    json.dumps(info, ensure_ascii=False).encode()
    json.dumps(env.score().as_dict(), ensure_ascii=False).encode()
    assert env.render()
    if not (terminated or truncated):
        get_policy("random").act([obs], [info["tools"]])
        env.step(READ)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_action_is_answered(name: str, task: Task) -> None:
    """A-surrogates, A-truncated-args, A-dict-for-scalar"""
    env = office(task, render_mode="ansi", anchors=True)
    assert_answered(env, HOSTILE[name])


@settings(max_examples=60)
@given(action=whatever)
@example(action=None)
def test_whatever_a_policy_sends_is_answered(action: Any, task: Task) -> None:
    assert_answered(office(task, render_mode="ansi", anchors=True), action)


@settings(max_examples=60)
@given(thing=st.one_of(whatever, st.lists(whatever, max_size=2)))
@example(thing={"name": []})
@example(thing={"name": LISTING, "arguments": {"limit": np.array([1, 2])}})
@example(thing=[{"role": np.array([1, 2]), "content": "x"}])
def test_a_space_knows_of_anything_whether_it_contains_it(thing: Any, task: Task) -> None:
    env = office(task)
    assert (thing in env.action_space) in (True, False)
    assert (thing in env.observation_space) in (True, False)


def test_a_failed_action_changes_no_record(task: Task) -> None:
    env = office(task)
    before = env.episode.office.world.digest()
    for action in ({"name": "gmail_send_message", "arguments": '{"to": "kim@outsi'}, None, {}):
        env.step(action)
    assert env.episode.office.world.digest() == before
    assert env.episode.office.world.diff() == []
