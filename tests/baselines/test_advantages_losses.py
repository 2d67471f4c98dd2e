"""Losses: clipping, KL, aggregation, masks and gradients against numbers worked out by hand."""

import math

import numpy as np
import pytest

from baselines.advantages import DAPO, Clip, aggregate, dr_grpo, k3, mask_truncated, policy_loss

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

LOSS = [[1.0, 3.0, 9.0, 9.0], [0.5, 0.5, 0.5, 0.5], [-2.0, 9.0, 9.0, 9.0]]
MASK = [[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]]


@pytest.fixture(params=["numpy", "torch"])
def array(request):
    """Makes an array of one kind."""
    return np.array if request.param == "numpy" else torch.tensor


def close(found, expected, tolerance=1e-6):
    np.testing.assert_allclose(
        found.detach().numpy() if torch.is_tensor(found) else found, expected, 0, tolerance
    )


def lengths_two_and_eight(make):
    """Rows of 2 and 8 tokens, advantages +1 and -1, ratio 1."""
    logp = make(np.full((2, 8), -1.0).tolist())
    mask = make((np.arange(8) < np.array([[2], [8]])).astype(int).tolist())
    return policy_loss(logp, logp, make([1.0, -1.0]), mask), mask


def test_dr_grpo_divides_by_the_budget_and_grpo_by_each_length(array):
    """A-drgrpo-constant"""
    loss, mask = lengths_two_and_eight(array)
    close(aggregate(loss, mask, "const-len", length=10), 0.3)  # -(2 - 8) / (2 * 10)
    close(aggregate(loss, mask, "seq-mean-token-mean"), 0)
    close(aggregate(loss, mask, "token-mean", tokens=10), 0.6)


@pytest.mark.parametrize(
    ("how", "constants", "expected"),
    [
        ("seq-mean-token-mean", {}, (2 + 0.5 - 2) / 3),
        ("token-mean", {"tokens": 7}, 4 / 7),
        ("token-mean", {"tokens": 14}, 4 / 14),
        ("local-token-mean", {}, 4 / 7),
        ("const-len", {"length": 8}, 4 / 24),
        ("const-len", {"length": 8, "rows": 6}, 4 / 48),
    ],
)
def test_four_ways_to_make_one_number(array, how, constants, expected):
    close(aggregate(array(LOSS), array(MASK), how, **constants), expected)


@pytest.mark.parametrize("dtype", [bool, int, float])
def test_masks_are_booleans_or_numbers(array, dtype):
    mask = array(np.array(MASK, dtype=dtype).tolist())
    close(aggregate(array(LOSS), mask, "local-token-mean"), 4 / 7)


def test_a_fully_masked_row_counts_and_adds_nothing(array):
    loss, mask = array([*LOSS, [math.nan] * 4]), array([*MASK, [0] * 4])
    close(aggregate(loss, mask, "seq-mean-token-mean"), 0.5 / 4)
    close(aggregate(loss, mask, "const-len", length=8), 4 / 32)
    close(aggregate(loss, mask, "local-token-mean"), 4 / 7)
    for how in ("seq-mean-token-mean", "local-token-mean"):
        close(aggregate(loss[3:], mask[3:], how), 0)
    close(aggregate(loss[3:], mask[3:], "token-mean", tokens=0), 0)


@pytest.mark.parametrize("how", ["seq-mean-token-mean", "token-mean", "const-len"])
def test_micro_batches_add_up_to_the_whole_step(array, how):
    constants = {"length": 8, "tokens": 7, "rows": 3}
    loss, mask = array(LOSS), array(MASK)
    parts = [aggregate(loss[cut], mask[cut], how, **constants) for cut in ([0], [1, 2])]
    close(sum(parts), aggregate(loss, mask, how, **constants))


def test_local_means_do_not_add_up():
    loss, mask = np.array(LOSS), np.array(MASK)
    parts = [aggregate(loss[cut], mask[cut], "local-token-mean") for cut in ([0], [1, 2])]
    assert np.mean(parts) == pytest.approx((2 + 0) / 2)


def test_a_way_without_its_constant_is_refused():
    for how in ("token-mean", "const-len", "mean"):
        with pytest.raises(ValueError, match=how):
            aggregate(np.array(LOSS), np.array(MASK), how)


@pytest.mark.parametrize(
    ("gain", "clip", "expected"),
    [
        (1.0, Clip(), [-0.5, -0.8, -1.0, -1.2, -1.2, -1.2]),
        (-1.0, Clip(), [0.8, 0.8, 1.0, 1.2, 1.3, 5.0]),
        (1.0, DAPO, [-0.5, -0.8, -1.0, -1.2, -1.28, -1.28]),
        (-1.0, Clip(low=0.1), [0.9, 0.9, 1.0, 1.2, 1.3, 5.0]),
        (-1.0, Clip(delta=2.0), [0.8, 0.8, 1.0, 1.2, 1.3, 2.0]),
        (-1.0, Clip(dual=3.0), [0.8, 0.8, 1.0, 1.2, 1.3, 3.0]),
        (1.0, Clip(dual=3.0), [-0.5, -0.8, -1.0, -1.2, -1.2, -1.2]),
        (-1.0, Clip(max_log_ratio=math.log(1.5)), [0.8, 0.8, 1.0, 1.2, 1.3, 1.5]),
    ],
)
def test_clipping_bounds_how_far_a_token_moves(array, gain, clip, expected):
    logp = array([[math.log(ratio) for ratio in (0.5, 0.8, 1.0, 1.2, 1.3, 5.0)]])
    close(policy_loss(logp, logp * 0, array([gain]), logp == logp, clip), [expected])


def test_advantages_may_differ_by_token(array):
    logp = array([[-1.0, -2.0]])
    close(policy_loss(logp, logp, array([[3.0, -4.0]]), logp < 0), [[-3, 4]])


def test_k3_is_zero_where_both_agree(array):
    logp, ref = array([[-1.0, -0.5, -2.0]]), array([[-1.2, -0.5, -1.0]])
    exact = [math.exp(-0.2) + 0.2 - 1, 0, math.e - 2]
    close(k3(logp, ref, logp < 0), [exact])
    close(k3(logp, ref, array([[1, 1, 0]])), [[exact[0], 0, 0]])
    close(k3(logp, ref, logp < 0, max_log_ratio=0.5)[0][2], math.exp(0.5) - 1.5)
    close(k3(logp, ref, logp < 0, cap=0.5)[0][2], 0.5)
    close(k3(logp, ref, logp < 0, ratio=array([[2.0, 2.0, 3.0]]))[0][2], 3 * exact[2])


@pytest.mark.parametrize("junk", [0.0, -1e9, -math.inf, math.nan])
def test_what_stands_on_masked_tokens_never_counts(junk):
    """A-masked-logprob"""
    mask = torch.tensor([[1, 0, 1], [1, 1, 0]])
    real = torch.tensor([[-1.0, -3.0, -2.0], [-0.5, -1.5, -4.0]])
    old = torch.where(mask == 1, real - 0.1, junk)
    results = []
    for logp in (real.clone(), torch.where(mask == 1, real, junk)):
        logp.requires_grad_()
        loss = policy_loss(logp, old, torch.tensor([1.0, -1.0]), mask) + k3(logp, old, mask)
        total = aggregate(loss, mask, "seq-mean-token-mean")
        total.backward()
        assert not logp.grad[mask == 0].any()
        results.append((total.item(), logp.grad.tolist()))
    assert results[0] == results[1]
    assert math.isfinite(results[0][0])


def test_the_gradient_of_dr_grpo_is_the_advantage_over_rows_times_budget():
    """A-drgrpo-constant: d/d logp of -(1 / BL) sum rho A is -A / (BL) where rho is 1."""
    logp = torch.tensor([[-1.0, -2.0, -3.0], [-0.5, -0.7, -0.9]], requires_grad=True)
    mask = torch.tensor([[1, 1, 0], [1, 1, 1]])
    gains = dr_grpo(torch.tensor([1.0, 0.0]), [0, 0])
    loss = policy_loss(logp, logp.detach(), gains, mask)
    aggregate(loss, mask, "const-len", length=10).backward()
    close(logp.grad, [[-0.025, -0.025, 0], [0.025, 0.025, 0.025]])


def test_a_clipped_token_has_no_gradient():
    old = torch.zeros(1, 4)
    logp = torch.log(torch.tensor([[0.5, 1.1, 1.5, 0.9]])).requires_grad_()
    policy_loss(logp, old, torch.tensor([1.0]), old == 0).sum().backward()
    close(logp.grad, [[-0.5, -1.1, 0, -0.9]])
    assert torch.autograd.gradcheck(
        lambda x: policy_loss(
            x, old.double(), torch.tensor([-1.0]).double(), old == 0, Clip(dual=3)
        ),
        torch.tensor([[-0.4, 0.05, 0.3, 2.0]], dtype=torch.float64, requires_grad=True),
    )


def test_a_truncated_row_adds_no_loss_but_keeps_its_place(array):
    mask = mask_truncated(array(MASK), array([False, True, False]))
    assert mask.tolist() == [[1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]]
    assert mask.dtype == array(MASK).dtype
    close(aggregate(array(LOSS), mask, "seq-mean-token-mean"), 0)
    assert mask_truncated(array(MASK) == 1, [0, 0, 1])[2].tolist() == [False] * 4
