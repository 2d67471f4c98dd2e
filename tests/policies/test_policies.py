"""Policies: batched, independent of the batch, and found by name."""

import pytest

from coworkgym import Episode, get_package
from coworkgym.errors import EpisodeError, UnknownNameError
from coworkgym.policies import (
    DETERMINISTIC,
    GUESSERS,
    NullPolicy,
    PrivilegedPolicy,
    RandomPolicy,
    ReferencePolicy,
    get_policy,
    policy_names,
)
from coworkgym.rollouts import collect, run_episode


def tasks(count, level="easy"):
    package = get_package("escalation")
    return [package.build(package.item(seed=seed, level=level)) for seed in range(count)]


def test_policies_are_found_by_name():
    assert [get_policy(name).name for name in policy_names()] == policy_names()
    for name, made in (("reference", ReferencePolicy), ("null", NullPolicy)):
        assert type(get_policy(name)) is made
    assert get_policy("random", seed=7).seed == 7
    with pytest.raises(UnknownNameError, match="Did you mean 'random'"):
        get_policy("randon")


def test_only_the_reference_is_privileged():
    assert isinstance(ReferencePolicy(), PrivilegedPolicy)
    assert {"reference", *DETERMINISTIC, *GUESSERS} == set(policy_names())
    for name in DETERMINISTIC + GUESSERS:
        assert not isinstance(get_policy(name), PrivilegedPolicy)


@pytest.mark.parametrize("policy", [RandomPolicy(), ReferencePolicy()])
def test_what_a_policy_does_does_not_depend_on_the_batch(policy):
    together = sorted(collect(tasks(6), policy, concurrency=4))
    assert together == sorted(run_episode(task, policy) for task in tasks(6))


def test_random_calls_fit_their_schemas():
    for task in tasks(4):
        episode = Episode(task)
        while not episode.over:
            (message,) = RandomPolicy().act([episode.transcript.messages], [task.tool_schemas])
            (result,) = episode.say(message)
            assert result.error not in ("malformed_call", "unknown_tool", "unknown_argument",
                                        "missing_argument", "invalid_json"), result  # fmt: skip


def test_another_seed_makes_other_random_calls():
    (task,) = tasks(1)
    assert (
        run_episode(task, RandomPolicy(0)).transcript
        != run_episode(task, RandomPolicy(1)).transcript
    )


def test_the_reference_refuses_what_it_was_not_shown():
    (task,) = tasks(1)
    with pytest.raises(EpisodeError, match="no call left"):
        ReferencePolicy().act([task.opening], [task.tool_schemas])
