"""Collect: every episode comes to an end or is void, and nothing depends on what is beside it."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rollout_items import lines_of, mixed
from rollout_players import Overflowing, Reference, Scripted, Slow, Troubled, Waiting, hopeless

from coworkgym.errors import InfrastructureError, SettingsError
from coworkgym.policies import NullPolicy, RandomPolicy, get_policy
from coworkgym.rollouts import Run, Store, collect, play_out, run_episode, settings_of
from coworkgym.rollouts.collect import HOPELESS_AFTER
from coworkgym.users import ScriptedUser


def down():
    return InfrastructureError("server down")


def seeds(rollouts):
    return sorted(rollout.item.seed for rollout in rollouts)


def test_a_run_goes_on_where_it_stopped(tmp_path):
    run = collect(mixed(9), Reference(), store=tmp_path, concurrency=3)
    first = list(itertools.islice(run, 4))
    run.close()
    second = Reference()
    rest = list(collect(mixed(9), second, store=tmp_path, concurrency=3))
    assert len(rest) == 5
    assert sorted(second.begun) == seeds(rest)  # what is there is not played again
    assert seeds(Run(tmp_path).rollouts()) == seeds([*first, *rest]) == list(range(9))
    list(collect(mixed(9), Reference(), store=tmp_path / "whole"))
    assert lines_of(tmp_path) == lines_of(tmp_path / "whole")


def test_what_is_left_is_built_only_when_it_is_played():
    def endless():
        for item in itertools.count():
            taken.append(item)
            yield from mixed(1, start=item)

    taken = []
    assert len(list(itertools.islice(collect(endless(), NullPolicy(), concurrency=4), 8))) == 8
    assert len(taken) <= 12


@pytest.mark.parametrize(("times", "attempts"), [(1, 2), (2, 3)])
def test_a_failure_that_is_not_the_agents_is_tried_again(times, attempts, tmp_path):
    voids = []
    policy = Troubled(down(), {2}, times)
    run = collect(mixed(5), policy, store=tmp_path, voids=voids, concurrency=1)
    rollouts = list(run)
    assert (seeds(rollouts), voids) == ([0, 1, 2, 3, 4], [])
    assert policy.begun.count(2) == attempts
    list(collect(mixed(5), Reference(), store=tmp_path / "alone"))
    assert lines_of(tmp_path) == lines_of(tmp_path / "alone")


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_after_the_last_try_an_episode_is_void_and_nobodys_score(retries, tmp_path):
    voids = []
    run = collect(mixed(5), Troubled(down(), {2}), voids=voids, retries=retries, store=tmp_path)
    assert seeds(run) == [0, 1, 3, 4]
    (void,) = voids
    assert (void.reason, void.error, void.attempts) == ("errored", "server down", retries + 1)
    assert Run(tmp_path).voids() == voids


def test_a_failing_batch_makes_only_the_guilty_episode_void():
    voids = []
    run = collect(mixed(8), Troubled(down(), {5}), voids=voids, concurrency=8)
    assert seeds(run) == [0, 1, 2, 3, 4, 6, 7]
    assert [void.item.seed for void in voids] == [5]


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("policy", [Troubled, Waiting])
def test_a_hopeless_error_stops_at_once_and_all_that_ended_is_kept(policy, concurrency, tmp_path):
    policy = policy(error=hopeless(), seeds={6})
    seen = []
    with pytest.raises(InfrastructureError, match="no access"):
        for rollout in collect(mixed(40), policy, store=tmp_path, concurrency=concurrency):
            seen.append(rollout)
    assert policy.begun.count(6) == 1
    assert 6 not in seeds(seen) and len(policy.begun) <= 7 + 2 * concurrency
    assert list(Run(tmp_path).rollouts()) == seen
    assert len(list(collect(mixed(40), Reference(), store=tmp_path))) == 40 - len(seen)


def test_what_ended_beside_a_hopeless_error_is_kept(tmp_path):
    """The batch fails, each is asked for alone, and some end in that very round."""

    class Batched(Reference):
        def act(self, transcripts, tools):
            if len(transcripts) > 1:
                raise down()
            if self.seed(transcripts[0]) == 0:
                raise hopeless()
            return [{"role": "assistant", "content": "done"}]

    items = [package_item for package_item in mixed(30) if package_item.package == "escalation"]
    items[0] = items[0]._replace(seed=0)
    with pytest.raises(InfrastructureError, match="no access"):
        list(collect(items[:3], Batched(), store=tmp_path))
    assert len(Run(tmp_path).ids()) == 2


@pytest.mark.parametrize("policy", [Troubled, Waiting])
def test_failures_without_end_stop_the_run(policy, tmp_path):
    voids = []
    policy = policy(error=down(), seeds=range(10, 1000))
    run = collect(mixed(200), policy, store=tmp_path, voids=voids, retries=0, concurrency=2)
    with pytest.raises(InfrastructureError, match=r"16 episodes in a row are void.*server down"):
        list(run)
    assert HOPELESS_AFTER <= len(voids) <= HOPELESS_AFTER + 8  # some before the last success
    assert seeds(Run(tmp_path).rollouts()) == list(range(10))
    assert Run(tmp_path).voids() == voids


def test_single_failures_do_not_stop_a_run():
    voids = []
    troubled = [seed for seed in range(60) if seed % 3]
    run = collect(mixed(60), Troubled(down(), troubled), voids=voids, retries=0)
    assert len(list(run)) == 20
    assert len(voids) == 40


@pytest.mark.parametrize("policy", [Troubled, Waiting])
@pytest.mark.parametrize("error", [KeyError("typo"), TimeoutError("mine")])
def test_a_bug_of_a_policy_is_raised_and_the_store_is_whole(policy, error, tmp_path):
    policy = policy(error=error, seeds={7})
    seen = []
    with pytest.raises(type(error), match=str(error.args[0])):
        for rollout in collect(mixed(20), policy, store=tmp_path, concurrency=2):
            seen.append(rollout)
    assert seen and list(Run(tmp_path).rollouts()) == seen
    Store(tmp_path, settings_of(policy)).close()


def test_an_episode_that_takes_too_long_is_void():
    policy, voids = Slow(0.02), []
    limits = settings_of(policy, timeout=0.01)
    assert list(collect(mixed(2), policy, settings=limits, voids=voids, retries=1)) == []
    assert [(void.reason, void.attempts) for void in voids] == [("timed_out", 2)] * 2
    assert "not over after 0.01 s" in voids[0].error


def test_a_transcript_that_is_too_long_is_the_agents_and_scored():
    """A-agent-stop-token: what was cut off never passes."""
    rollouts = list(collect(mixed(7), Overflowing(4), concurrency=7))
    assert seeds(rollouts) == list(range(7))
    assert {(r.ended, r.truncated, r.score.status) for r in rollouts} == {
        ("context", True, "graded")
    }
    assert all(not rollout.score.solved for rollout in rollouts)
    assert {len(rollout.transcript) for rollout in rollouts} <= {5, 6, 7}


def test_the_limit_of_a_context_shortens_or_ends(task):
    policy = Reference()
    (whole,) = collect([task], policy)
    shown = []

    class Watching(Reference):
        def act(self, transcripts, tools):
            shown.extend(transcripts)
            return super().act(transcripts, tools)

        def count_tokens(self, transcript, tools):
            return sum(len(message["content"]) for message in transcript)

    need = Watching().count_tokens(whole.transcript, [])
    (short,) = collect([task], Watching(), settings=settings_of(policy, max_context=need * 2 // 3))
    assert short.transcript == whole.transcript
    assert any("left_out" in message["content"] for t in shown for message in t)
    (cut,) = collect([task], Watching(), settings=settings_of(policy, max_context=1))
    assert (cut.ended, cut.steps) == ("context", 0)


def test_a_policy_says_how_much_it_reads(task):
    class Small(Reference):
        context_length, max_tokens = 10**6, 10**6 - 1  # nothing is left beside the answer

    assert run_episode(task, Small()).ended == "context"
    Small.max_tokens = None
    assert run_episode(task, Small()).ended == "user"
    tight = settings_of(Small(), max_context=1)
    assert run_episode(task, Small(), settings=tight).ended == "context"


def test_the_limit_of_calls_cuts_off(task):
    policy = Reference()
    rollout = run_episode(task, policy, settings=settings_of(policy, max_steps=2))
    assert (rollout.steps, rollout.ended) == (2, "max_steps")


def test_samples_differ_where_the_policy_draws():
    items = mixed(2)
    drawn = list(collect(items, RandomPolicy(), samples=4))
    assert len({rollout.id for rollout in drawn}) == 8
    assert len({str(rollout.transcript) for rollout in drawn}) == 8
    told = list(collect(items, Reference(), samples=4))
    assert len({rollout.id for rollout in told}) == 8
    assert len({str(rollout.transcript) for rollout in told}) == 2


def test_another_seed_of_the_run_draws_otherwise(task):
    policy = RandomPolicy()
    one, same, other = (
        run_episode(task, policy, settings=settings_of(policy, seed=seed)) for seed in (0, 0, 1)
    )
    assert one == same
    assert one.transcript != other.transcript


ALONE = {}


@settings(max_examples=25)
@given(
    st.permutations(range(8)),
    st.integers(1, 9),
    st.sampled_from(["random", "copy_record", "null", "reference"]),
)
def test_results_do_not_depend_on_the_order_or_on_what_is_beside(order, concurrency, name):
    items = mixed(8)
    for item in items:
        if (name, item) not in ALONE:
            (ALONE[name, item],) = collect([item], name, concurrency=1)
    shuffled = [items[place] for place in order]
    for rollout in collect(shuffled, get_policy(name), concurrency=concurrency):
        assert rollout == ALONE[name, rollout.item]


def test_items_and_tasks_are_told_apart(build):
    """A task may come from a file that has changed since; its digest is part of the id."""
    task = build(seed=3)
    by_item, by_task = (run_episode_of(what) for what in (task.item, task))
    assert f"@{task.digest[:8]}" in by_task.id and "@" not in by_item.id
    assert by_item.transcript == by_task.transcript


def run_episode_of(what):
    (rollout,) = collect([what], Reference())
    return rollout


def test_a_judge_is_asked_after_each_episode(task):
    asked = []

    class Recorder:
        def resolve(self, lines, evidence):
            asked.append(evidence.finished)
            return evidence

    list(collect([task], Reference(), judge=Recorder(), samples=3))
    assert asked == [True] * 3


@pytest.mark.parametrize("policy", [Reference, Waiting])
def test_a_judge_that_fails_is_asked_again(task, policy):
    class Failing:
        left = 1

        def resolve(self, lines, evidence):
            if self.left:
                self.left -= 1
                raise down()
            return evidence

    voids = []
    (rollout,) = collect([task], policy(), judge=Failing(), voids=voids)
    assert (rollout.score.value, voids) == (1, [])


class Faulty(ScriptedUser):
    """A user that does something wrong."""

    faults = ("invents in turn 1",)


@pytest.fixture
def talks(build):
    """A task whose user answers."""
    for name in ("meeting_scheduling", "data_request", "expense_audit"):
        for level in ("warmup", "easy", "medium"):
            task = build(name, level, seed=1)
            if task.stages[0].user is not None:
                return task
    raise AssertionError("no task has a user with a script")


@pytest.mark.parametrize("policy", [Reference, Waiting])
@pytest.mark.parametrize("faulty", [1, 9])
def test_users_are_made_and_their_faults_are_not_the_agents(talks, policy, faulty):
    """A-user-fault-attribution"""
    made = []

    def make(stage, language):
        made.append(language)
        return (Faulty if len(made) <= faulty else ScriptedUser)(stage.user, language)

    (rollout,) = collect([talks], policy(), make_user=make, retries=2)
    assert made == ["en"] * min(faulty + 1, 3)
    assert rollout.score.status == ("graded" if faulty == 1 else "ungraded")
    assert math.isnan(rollout.score.value) == (faulty == 9)


@pytest.mark.parametrize("policy", [Reference, Waiting])
@pytest.mark.parametrize("hopeless", [False, True])
def test_a_user_whose_server_fails_makes_a_void(talks, policy, hopeless):
    class Silent(ScriptedUser):
        def hear(self, text):
            raise InfrastructureError("no user", hopeless=hopeless)

    voids = []
    run = collect([talks], policy(), make_user=lambda s, _: Silent(s.user, "en"), voids=voids)
    if hopeless:
        with pytest.raises(InfrastructureError, match="no user"):
            list(run)
    else:
        assert list(run) == []
        assert [(void.reason, void.error) for void in voids] == [("errored", "no user")]


def test_one_episode_raises_what_made_it_void(task):
    with pytest.raises(InfrastructureError, match="server down"):
        run_episode(task, Troubled(down(), {1}))
    with pytest.raises(InfrastructureError, match="server down"):
        play_out(task, Troubled(down(), {1}))


def test_an_episode_is_played_out_with_its_office(task):
    episode = play_out(task, Reference())
    assert (episode.over, episode.score().value) == (True, 1)


def test_usage_is_added_up(task):
    usage = [{"content": "?", "usage": {"prompt_tokens": 3, "completion_tokens": None}}] * 2
    rollout = run_episode(task, Scripted(usage))
    assert rollout.usage[:2] == (3 * min(2, rollout.usage.answers), 0)


@pytest.mark.parametrize("name", ["samples", "concurrency"])
def test_numbers_below_one_are_refused(name):
    with pytest.raises(SettingsError, match=f"{name} must be at least 1, got 0"):
        collect(mixed(1), NullPolicy(), **{name: 0})


class Thinking(NullPolicy):
    """Thinks before it answers."""

    def act(self, transcripts, tools):
        return [
            one | {"reasoning": "Nothing to do \U0001f914."}
            for one in super().act(transcripts, tools)
        ]


def test_reasoning_is_kept_beside_the_transcript_and_shown_to_nobody(tmp_path):
    (rollout,) = collect(mixed(1), Thinking(), store=tmp_path)
    assert rollout.reasoning == ("Nothing to do \U0001f914.",)
    assert "Nothing to do" not in str(rollout.transcript)
    assert list(Run(tmp_path).rollouts()) == [rollout]
    (plain,) = collect(mixed(1), NullPolicy())
    assert plain.reasoning == ()
