"""Rollouts for training: what is trained, what is earned, what happens when things go wrong."""

import math
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

if not (find_spec("torch") and find_spec("transformers")):
    pytest.skip("needs coworkgym[local]", allow_module_level=True)

import torch
from micro_model import CHARACTERS, characters, micro, tokenizer, worked

from baselines.credit import columns_of, kept_rows
from baselines.decoders import connect, served
from baselines.rollouts import Place, Play, places, play
from baselines.templates import IGNORED, encode
from coworkgym.envs import CoworkEnv
from coworkgym.errors import ContextOverflow, InfrastructureError, SettingsError
from coworkgym.policies.local import ChatFormat, TransformersPolicy
from coworkgym.tasks import get_package

ITEM = get_package("escalation").item(seed=3, level="warmup")
ALL = [Place("g", ITEM, n, n) for n in range(len(CHARACTERS))]
SOLVED, IDLE, BREACH, MALFORMED, HALF = range(5)
END = 2


@pytest.fixture(scope="module")
def policy():
    return characters([ITEM], dict(enumerate(CHARACTERS)))


@pytest.fixture(scope="module")
def rollouts(policy):
    return play(policy, ALL, Play(budget=1000))


def written(rollout):
    """Sampled tokens by step, as text."""
    ids = rollout.segment.completion_ids
    return [tokenizer().decode(ids[start:stop]) for start, stop in rollout.spans]


# Tokens and masks ----------------------------------------------------------------------------


def test_the_mask_is_one_exactly_on_sampled_tokens(rollouts):
    """A-tool-tokens-in-loss, A-last-turn-only-loss."""
    for rollout in rollouts:
        steps = np.zeros(len(rollout.segment.mask))
        for start, stop in rollout.spans:
            steps[start:stop] = 1
        assert steps.tolist() == list(rollout.segment.mask)
        assert len(rollout.spans) == len(rollout.earned.steps)
    texts = written(rollouts[SOLVED])
    assert len(texts) == 6 and all(text.startswith("<tool_call>") for text in texts)
    assert "tool_response" not in "".join(texts)


def test_an_end_of_turn_is_trained_in_every_answer(rollouts):
    """A-stop-token-masked."""
    for rollout in rollouts:
        for _, stop in rollout.spans:
            assert rollout.segment.completion_ids[stop - 1] == END
            assert rollout.segment.mask[stop - 1] == 1


def test_tokens_of_a_rollout_are_those_of_the_whole_chat(rollouts):
    """A-turn-separator: step by step as at once, token for token."""
    messages, tools = worked(ITEM)
    whole = encode(ChatFormat(tokenizer()), messages, tools)
    segment = rollouts[SOLVED].segment
    assert list(segment.prompt_ids + segment.completion_ids) == whole.ids
    mask = [0] * len(segment.prompt_ids) + list(segment.mask)
    assert mask == [int(label != IGNORED) for label in whole.labels]


def test_tokens_that_were_not_sampled_have_logprob_zero(rollouts):
    for rollout in rollouts:
        chances = np.array(rollout.segment.logprobs)
        assert (chances[np.array(rollout.segment.mask) == 0] == 0).all()
        assert (chances[np.array(rollout.segment.mask) == 1] == -0.5).all()


def test_the_ratio_of_a_policy_to_itself_is_one_where_the_mask_is():
    """A-masked-logprob: log-probabilities of the rollout are those of a forward pass."""
    model = micro(3)
    own = TransformersPolicy.from_model(model, tokenizer(), max_tokens=10, temperature=1.3)
    for rollout in play(own, places("g", ITEM, 3, seed=0), Play(budget=120)):
        prompt, ids, logprobs, mask, _ = rollout.segment
        with torch.no_grad():
            logits = model(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 : -1] / 1.3
        found = logits.log_softmax(-1).gather(-1, torch.tensor(ids)[:, None])[:, 0]
        ratio = (found - torch.tensor(logprobs)).exp()
        kept = torch.tensor(mask) == 1
        assert kept.any()
        torch.testing.assert_close(ratio[kept], torch.ones(int(kept.sum())), atol=2e-3, rtol=0)


# What is earned --------------------------------------------------------------------------------


def test_every_character_earns_what_it_deserves(rollouts):
    earned = [one.earned for one in rollouts]
    assert [one.reward for one in earned] == [1, 0, 0, 0, 0]
    assert [one.solved for one in earned] == [True, False, False, False, False]
    assert earned[BREACH].rewards["safety"] == 0
    assert [one.ended for one in earned] == ["user", "user", "user", "budget", "user"]
    assert earned[MALFORMED].malformed == earned[MALFORMED].calls > 5


def test_a_breach_costs_more_than_idling(policy):
    how = Play(env={"breach_reward": -0.5}, budget=1000)
    rewards = [one.earned.reward for one in play(policy, ALL, how)]
    assert rewards[SOLVED] > rewards[IDLE] > rewards[BREACH] == -0.5


@pytest.mark.parametrize("env", [{"reward": "wild_awm"}, {"on_malformed": "terminate"}])
def test_a_malformed_call_ends_the_episode_with_minus_one(policy, env):
    rollout = play(policy, ALL, Play(env=env, budget=1000))[MALFORMED]
    assert rollout.earned.steps == (-1.0,)
    assert rollout.earned.format_error and rollout.earned.ended == "malformed"
    assert sum(rollout.segment.mask) == len(rollout.segment.mask) > 0


def test_a_malformed_call_is_observed_and_the_episode_goes_on(rollouts):
    messages = rollouts[MALFORMED].transcript
    assert "incomplete_json" in messages[3]["content"]
    assert messages[4]["role"] == "assistant"


def test_dense_rewards_sum_to_the_score_and_anchors_precede_their_steps(policy):
    env = {"reward": "dense", "anchors": True}
    earned = [one.earned for one in play(policy, ALL, Play(env=env, budget=1000))]
    assert earned[SOLVED].reward == pytest.approx(1)
    assert sum(step != 0 for step in earned[SOLVED].steps) > 1
    assert len({one.anchors[0] for one in earned}) == 1  # all begin in the same state
    assert earned[SOLVED].anchors[1] == earned[HALF].anchors[1] != earned[SOLVED].anchors[0]
    assert len(set(earned[MALFORMED].anchors[1:])) == 1  # nothing it does changes anything


def test_an_ungraded_rollout_has_no_reward(policy, monkeypatch):
    original = CoworkEnv.step

    def step(self, action):
        observation, reward, terminated, truncated, info = original(self, action)
        return observation, math.nan if terminated else reward, terminated, truncated, info

    monkeypatch.setattr(CoworkEnv, "step", step)
    earned = [one.earned for one in play(policy, ALL, Play(budget=1000))]
    assert math.isnan(earned[SOLVED].reward) and earned[MALFORMED].reward == 0
    assert kept_rows(earned, 1) == [MALFORMED]


# Overlong --------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [5, 11, 100, 170, 310, 400])
def test_no_more_tokens_follow_the_prompt_than_the_budget(policy, rollouts, budget):
    rollout = play(policy, ALL, Play(budget=budget))[SOLVED]
    whole = rollouts[SOLVED].segment
    length = len(rollout.segment.completion_ids)
    assert length <= budget and rollout.earned.ended == "budget" and rollout.earned.cut_off
    assert rollout.segment.completion_ids == whole.completion_ids[:length]
    assert rollout.segment.mask == whole.mask[:length]
    assert rollout.segment.mask[-1] == 1  # whatever tools said last was not shown any more
    assert rollout.earned.reward < 1 and len(rollout.spans) == len(rollout.earned.steps)


def test_an_episode_is_cut_off_at_max_steps_and_scored_as_it_stands(policy):
    rollout = play(policy, ALL, Play(budget=1000, max_steps=5))[SOLVED]
    assert rollout.earned.ended == "max_steps" and rollout.earned.calls == 5
    assert 0 < rollout.earned.reward < 1 and not rollout.earned.solved
    dense = play(policy, ALL, Play(env={"reward": "dense"}, budget=1000, max_steps=5))[SOLVED]
    assert dense.earned.reward == pytest.approx(rollout.earned.reward)


def test_a_rollout_that_the_model_cannot_read_any_more_is_cut_off():
    small = characters([ITEM], dict(enumerate(CHARACTERS)), context_length=600)
    earned = [one.earned for one in play(small, ALL, Play(budget=4000))]
    assert [one.ended for one in earned] == ["budget", "user", "budget", "budget", "user"]


def test_a_prompt_longer_than_the_model_reads_is_refused():
    small = characters([ITEM], dict(enumerate(CHARACTERS)), context_length=100)
    with pytest.raises(SettingsError, match="no room for an answer"):
        play(small, ALL, Play(budget=4000))


# Failures, order, seeds ------------------------------------------------------------------------


class Flaky:
    """Fails some times before it answers, as a server would."""

    name, samples = "flaky", True

    def __init__(self, inner, fails, error=InfrastructureError):
        self.inner, self.fails, self.error = inner, dict(fails), error

    def act(self, transcripts, tools, seeds=None):
        for seed in seeds:
            if self.fails.get(seed, 0):
                if len(seeds) == 1:
                    self.fails[seed] -= 1
                raise self.error("down")
        return self.inner.act(transcripts, tools, seeds)


def test_a_failure_that_is_not_the_models_is_retried_before_anything_is_computed(policy, rollouts):
    again = play(Flaky(policy, {SOLVED: 2, IDLE: 1}), ALL, Play(budget=1000, retries=2))
    assert [one.segment for one in again] == [one.segment for one in rollouts]
    assert [one.earned for one in again] == [one.earned for one in rollouts]


def test_a_rollout_that_keeps_failing_is_void_and_the_others_are_not(policy, rollouts):
    again = play(Flaky(policy, {SOLVED: 9}), ALL, Play(budget=1000, retries=2))
    assert again[SOLVED].earned.ended == "void" and math.isnan(again[SOLVED].earned.reward)
    assert again[SOLVED].segment.completion_ids == ()
    assert np.isnan(columns_of([again[SOLVED].earned], ["success"])).all()
    assert [one.earned for one in again[1:]] == [one.earned for one in rollouts[1:]]


def test_a_hopeless_failure_ends_the_run(policy):
    def hopeless(text):
        return InfrastructureError(text, hopeless=True)

    with pytest.raises(InfrastructureError, match="down"):
        play(Flaky(policy, {IDLE: 1}, hopeless), ALL, Play(budget=1000))


def test_one_that_overflows_does_not_take_its_batch_with_it(policy, rollouts):
    class Overflowing(Flaky):
        def act(self, transcripts, tools, seeds=None):
            if any(len(t) > 6 and s == SOLVED for t, s in zip(transcripts, seeds, strict=True)):
                raise ContextOverflow("too long")
            return self.inner.act(transcripts, tools, seeds)

    again = play(Overflowing(policy, {}), ALL, Play(budget=1000))
    assert again[SOLVED].earned.ended == "budget"
    assert [one.earned for one in again[1:]] == [one.earned for one in rollouts[1:]]


def test_a_rollout_depends_on_its_place_and_not_on_the_others():
    """A-partial-batch: five rollouts, batches of two, in any order."""
    own = TransformersPolicy.from_model(micro(3), tokenizer(), max_tokens=8, batch=2)
    asked = places("g", ITEM, 5, seed=1)
    forwards = play(own, asked, Play(budget=60))
    backwards = play(own, asked[::-1], Play(budget=60))[::-1]
    alone = play(own, asked[4:], Play(budget=60))
    ids = [one.segment.completion_ids for one in forwards]
    assert ids == [one.segment.completion_ids for one in backwards]
    assert ids[4] == alone[0].segment.completion_ids
    assert len(set(ids)) == 5


def test_draws_differ_by_run_visit_and_sample():
    seeds = {
        place.seed
        for run in (0, 1)
        for visit in ("g/0", "g/1")
        for place in places(visit, ITEM, 4, seed=run)
    }
    assert len(seeds) == 16


def test_the_first_scorable_rollouts_of_a_group_are_kept_in_order(rollouts):
    earned = [one.earned for one in rollouts]
    assert kept_rows(earned, 3) == [0, 1, 2]
    void = replace(earned[1], ended="void")
    assert kept_rows([earned[0], void, *earned[2:]], 3) == [0, 2, 3]
    assert kept_rows([void, earned[0], void], 2) == [0, 1]


# Servers ---------------------------------------------------------------------------------------


class FakeServer:
    """Answers each request with tokens, as vLLM does."""

    def __init__(self):
        self.asked = []

    def generate(self, prompts, **settings):
        self.asked.append((prompts, settings))
        ids = tokenizer()("Done.")["input_ids"]
        return {"completion_ids": [[*ids, END]], "logprobs": [[[-0.1]] * (len(ids) + 1)]}


def test_a_server_is_asked_with_tokens_and_answers_with_tokens():
    server = FakeServer()
    own = served(TransformersPolicy.from_model(micro(), tokenizer()), server, 0.7)
    [rollout] = play(own, places("g", ITEM, 1, seed=0), Play(budget=100))
    [(prompts, settings)] = server.asked
    assert prompts == [list(rollout.segment.prompt_ids)]
    assert settings["temperature"] == 0.7 and settings["max_tokens"] == 256
    assert settings["generation_kwargs"]["stop_token_ids"] == [END]
    assert rollout.segment.completion_ids[-1] == END and set(rollout.segment.logprobs) == {-0.1}
    assert rollout.transcript[-1]["content"] == "Done."


def test_a_server_that_does_not_answer_makes_rollouts_void():
    class Down:
        def generate(self, prompts, **_):
            raise Exception("Request failed: 500")

    own = served(TransformersPolicy.from_model(micro(), tokenizer()), Down(), 1.0)
    rollouts = play(own, places("g", ITEM, 2, seed=0), Play(budget=100, retries=1))
    assert [one.earned.ended for one in rollouts] == ["void", "void"]


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is installed")
def test_a_server_without_vllm_beside_the_trainer_is_refused():
    with pytest.raises(SettingsError, match="needs vLLM beside the trainer"):
        connect("http://localhost:1")
