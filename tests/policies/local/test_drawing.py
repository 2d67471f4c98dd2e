"""Draws: exact samples of the softmax, each row by its own generator."""

import pytest
import torch

from coworkgym.policies.local.sampling import GumbelDraw, RowLimits, seed_of

CPU = torch.device("cpu")


def dice(seeds):
    return [torch.Generator(CPU).manual_seed(seed) for seed in seeds]


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_draws_follow_the_softmax(temperature):
    logits = torch.tensor([2.0, 1.0, 0.0, -1.0, -9.0])
    count = 20_000
    draw = GumbelDraw(dice(range(count)), temperature, CPU)
    left = draw(torch.zeros(count, 1), logits.expand(count, 5))
    assert (left == 0).sum(-1).eq(1).all() and torch.isinf(left).sum(-1).eq(4).all()
    share = torch.bincount(left.argmax(-1), minlength=5) / count
    expected = (logits / temperature).softmax(-1)
    spread = (expected * (1 - expected) / count).sqrt()
    assert ((share - expected).abs() <= 4 * spread + 1e-4).all()
    chosen = left.argmax(-1)
    assert torch.allclose(draw.logprobs[0], expected.log()[chosen], atol=1e-5)


def test_a_row_draws_the_same_in_any_company():
    scores = torch.randn(3, 50, generator=torch.Generator().manual_seed(0))
    together = GumbelDraw(dice([1, 2, 3]), 1.0, CPU)
    alone = GumbelDraw(dice([2]), 1.0, CPU)
    for _ in range(5):
        assert torch.equal(together(None, scores)[1:2], alone(None, scores[1:2]))


def test_seeds_of_turns_differ():
    seeds = {seed_of(seed, position) for seed in range(20) for position in range(20)}
    assert len(seeds) == 400 and all(0 <= seed < 2**63 for seed in seeds)
    assert seed_of(-1, 0) != seed_of(1, 0)


def test_rows_end_at_their_own_limits():
    limits = RowLimits(10, [1, 3], CPU)
    assert limits(torch.zeros(2, 11), None).tolist() == [True, False]
    assert limits(torch.zeros(2, 13), None).tolist() == [True, True]
