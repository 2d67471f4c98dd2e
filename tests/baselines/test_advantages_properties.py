"""What holds of the estimators whatever the batch, and that numpy and torch agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.advantages import (
    NEMO,
    TRL,
    VERL,
    GigpoSettings,
    GroupNorm,
    aggregate,
    condition,
    discounted_returns,
    dr_grpo,
    first_scorable,
    floor,
    gdpo,
    gdpo_components,
    gigpo,
    grpo,
    informative,
    k3,
    masked_return,
    policy_loss,
    soft_overlong,
    weighted_sum,
)

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

pytestmark = pytest.mark.filterwarnings("ignore:.* one row:UserWarning")

NORMS = [TRL, VERL, NEMO, GroupNorm("batch"), GroupNorm("none", lone="raw"), GroupNorm(ddof=0)]
known = st.integers(-20, 20).map(lambda number: number / 8)
maybe = st.one_of(known, known, known, st.none())


@st.composite
def batches(draw, rewards=maybe, parts=2):
    """Draws rewards (B, N) and the group of each row, in any order."""
    rows = draw(st.integers(1, 12))
    table = draw(st.lists(st.lists(rewards, min_size=parts, max_size=parts), min_size=rows,
                          max_size=rows))  # fmt: skip
    group = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    return np.array(table, dtype=np.float64), group


@st.composite
def walks(draw):
    """Draws steps of several episodes of two tasks, with anchors that repeat."""
    rows = draw(st.integers(1, 14))

    def column(one):
        return draw(st.lists(one, min_size=rows, max_size=rows))

    return (
        np.array(column(maybe), dtype=np.float64),
        column(st.sampled_from("AB")),
        column(st.integers(0, 2)),
        column(st.one_of(st.none(), st.sampled_from([1, "s", True, ("x", 1)]))),
    )


def close(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=tolerance)


def sums(values, group):
    return [values[np.array(group) == one].sum(axis=0) for one in set(group)]


@given(batches())
def test_what_a_group_gains_it_loses(batch):
    rewards, group = batch
    close(sums(grpo(rewards, group), group), 0, 1e-8)
    close(sums(dr_grpo(rewards, group), group), 0, 1e-8)
    close(sums(gdpo_components(rewards, group), group), 0, 1e-8)
    close(gdpo(rewards, group).sum(), 0, 1e-8)


@given(batches(), st.sampled_from(NORMS), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_the_names_of_groups_do_not_matter(batch, norm, random):
    rewards, group = batch
    order = random.sample(range(len(group)), len(group))
    renamed = [f"group {9 - group[row]}" for row in order]
    for estimator in (grpo, gdpo):
        plain = estimator(rewards, group, norm=norm)
        close(estimator(rewards[order], renamed, norm=norm), plain[order], 1e-7)


@given(batches(parts=1), known, st.sampled_from([0.5, 2.0, 64.0]))
def test_grpo_is_free_of_shift_and_without_eps_of_scale(batch, shift, factor):
    rewards, group = batch
    close(grpo(rewards + shift, group), grpo(rewards, group), 1e-8)
    norm = GroupNorm(eps=0)
    close(grpo(rewards * factor, group, norm=norm), grpo(rewards, group, norm=norm), 1e-8)
    close(dr_grpo(rewards * factor, group), factor * dr_grpo(rewards, group))


@given(batches(rewards=known))
def test_a_component_that_all_groups_agree_on_changes_nothing(batch):
    rewards, group = batch
    more = np.column_stack([rewards, np.array(group) * 0.1])
    close(gdpo(more, group), gdpo(rewards, group), 0)


@given(batches())
def test_rows_without_a_reward_get_nothing_and_change_nothing(batch):
    rewards, group = batch
    known = ~np.isnan(rewards).all(axis=1)
    for norm in (TRL, NEMO):
        for estimator in (grpo, gdpo):
            found = estimator(rewards, group, norm=norm)
            assert np.isfinite(found).all()
            assert not found[~known].any()
            kept = estimator(rewards[known], np.array(group)[known], norm=norm)
            close(found[known], kept, 1e-8)


@given(batches())
def test_a_group_that_the_filter_drops_gets_next_to_nothing(batch):
    rewards, group = batch
    dropped = ~informative(rewards, group, threshold=0)
    close(grpo(rewards, group)[dropped], 0)
    dead = ~informative(rewards, group, per_component=True, threshold=0)
    close(gdpo(rewards, group)[dead], 0)


@given(walks(), st.sampled_from(["mean_norm", "mean_std_norm"]))
def test_without_repeated_anchors_gigpo_is_grpo_over_episodes(walk, mode):
    rewards, task, episode, _ = walk
    settings = GigpoSettings(mode=mode, gamma=0.9)
    found = gigpo(rewards, task, episode, range(len(rewards)), settings=settings)
    runs = list(zip(task, episode, strict=True))
    names = list(dict.fromkeys(runs))
    totals = [sum(r for r, run in zip(rewards, runs, strict=True) if run == one) for one in names]
    estimator = dr_grpo if mode == "mean_norm" else grpo
    whole = estimator(totals, [place for place, _ in names], norm=GroupNorm(eps=1e-6))
    close(found.total, [whole[names.index(run)] for run in runs], 1e-8)
    assert not found.step.any()


@given(walks())
def test_step_advantages_sum_to_nothing_over_each_anchor(walk):
    rewards, task, episode, anchor = walk
    found = gigpo(rewards, task, episode, anchor)
    groups = [(place, type(one), one) for place, one in zip(task, anchor, strict=True)]
    for one in set(groups):
        close(found.step[[group == one for group in groups]].sum(), 0, 1e-8)


@given(st.lists(known, min_size=1, max_size=8), st.sampled_from([0.0, 0.5, 1.0]))
def test_a_return_is_a_reward_and_the_discounted_rest(rewards, gamma):
    found = discounted_returns(rewards, ["x"] * len(rewards), gamma)
    close(found[:-1], np.array(rewards[:-1]) + gamma * found[1:])
    close(found[-1], rewards[-1])


ESTIMATORS = {
    "grpo": grpo,
    "dr_grpo": dr_grpo,
    "gdpo": gdpo,
    "gdpo_components": gdpo_components,
    "tokens": lambda r, g: gdpo(r, g, norm=VERL, lengths=range(1, len(g) + 1)),
    "loo": lambda r, g: gdpo(r, g, norm=NEMO, batch_eps=0),
    "condition": lambda r, g: condition(r, 0, 1, 0.0),
    "weighted_sum": lambda r, g: weighted_sum(r, [1, 2]),
    "informative": lambda r, g: informative(r, g, format_errors=[True] * len(g)),
    "first_scorable": lambda r, g: first_scorable(r, g, 2),
    "floor": lambda r, g: floor(r[:, 0], r, g, [one > 1 for one in g]),
    "masked_return": lambda r, g: masked_return(r, r == r),
    "soft_overlong": lambda r, g: soft_overlong(r[:, 0], 2, 1),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@given(batch=batches())
def test_numpy_and_torch_agree(name, batch):
    rewards, group = batch
    if name == "soft_overlong":
        rewards = np.nan_to_num(rewards)
    by_numpy = np.asarray(ESTIMATORS[name](rewards, group))
    by_torch = ESTIMATORS[name](torch.tensor(rewards), torch.tensor(group))
    if name != "weighted_sum":
        assert torch.is_tensor(by_torch)
        by_torch = by_torch.numpy()
    np.testing.assert_array_equal(by_torch, by_numpy)


@given(walks())
def test_numpy_and_torch_agree_on_gigpo(walk):
    rewards, task, episode, anchor = walk
    by_numpy = gigpo(rewards, task, episode, anchor)
    by_torch = gigpo(torch.tensor(rewards), task, torch.tensor(episode), anchor)
    for one, other in zip(by_numpy, by_torch, strict=True):
        np.testing.assert_array_equal(one, other.numpy())


@given(st.integers(0, 2**32 - 1))
def test_numpy_and_torch_agree_on_losses(seed):
    rng = np.random.default_rng(seed)
    logp, old = -rng.exponential(size=(2, 3, 4))
    mask, gains = rng.integers(0, 2, (3, 4)), rng.normal(size=3)

    def total(make):
        one, other, kept = make(logp), make(old), make(mask)
        loss = policy_loss(one, other, make(gains), kept) + 0.1 * k3(one, other, kept)
        hows = ("seq-mean-token-mean", "token-mean", "local-token-mean", "const-len")
        return [float(aggregate(loss, kept, how, length=5, tokens=6)) for how in hows]

    close(total(np.asarray), total(torch.tensor))


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_padding_changes_no_loss_but_local_widths(seed, width):
    rng = np.random.default_rng(seed)
    loss, mask = rng.normal(size=(3, 4)), rng.integers(0, 2, (3, 4))
    padded = np.pad(loss, ((0, 0), (0, width)), constant_values=np.nan)
    wider = np.pad(mask, ((0, 0), (0, width)))
    for how in ("seq-mean-token-mean", "token-mean", "local-token-mean", "const-len"):
        one, other = (
            aggregate(*pair, how, length=5, tokens=6) for pair in ((loss, mask), (padded, wider))
        )
        close(one, other)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_advantages_come_back_as_the_rewards_were(dtype):
    found = grpo(torch.tensor([1, 0], dtype=dtype, requires_grad=True), [0, 0])
    assert found.dtype is dtype
    assert not found.requires_grad


def test_advantages_of_integers_are_of_the_default_kind():
    assert grpo(torch.tensor([1, 0]), [0, 0]).dtype is torch.float32
    assert grpo(np.array([1, 0]), [0, 0]).dtype == np.float64
    assert grpo(np.array([1, 0], dtype=np.float32), [0, 0]).dtype == np.float32
    assert informative(torch.tensor([1, 0]), [0, 0]).dtype is torch.bool


def test_groups_may_be_numbers_of_any_kind():
    expected = list(grpo([1, 0, 5, 3], [0, 0, 1, 1]))
    numbers, texts = torch.tensor([4, 4, 7, 7]), np.array(["a", "a", "b", "b"])
    for group in (numbers, numbers.numpy(), list(numbers), texts):
        assert list(grpo([1, 0, 5, 3], group)) == expected
