"""Muon and AdamW as one optimizer take the steps that each takes alone."""

import copy

import pytest
import torch

from baselines.muon import MuonAdamW, is_matrix


@pytest.fixture
def model():
    torch.manual_seed(0)
    layers = {
        "embed_tokens": torch.nn.Embedding(7, 4),
        "hidden": torch.nn.Linear(4, 4),
        "lm_head": torch.nn.Linear(4, 7, bias=False),
    }
    return torch.nn.ModuleDict(layers)


def stepped(model, optimizers, steps=3):
    for step in range(steps):
        hidden = model["hidden"](model["embed_tokens"](torch.arange(7)))
        (model["lm_head"](hidden).square().mean() * (step + 1)).backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    return [one.detach().clone() for one in model.parameters()]


def test_matrices_go_to_muon_and_all_else_to_adamw(model):
    twin = copy.deepcopy(model)
    named = list(twin.named_parameters())
    assert [name for name, one in named if is_matrix(name, one)] == ["hidden.weight"]
    apart = [
        torch.optim.Muon(
            [one for name, one in named if is_matrix(name, one)],
            lr=0.01, weight_decay=0.1, adjust_lr_fn="match_rms_adamw",
        ),
        torch.optim.AdamW(
            [one for name, one in named if not is_matrix(name, one)], lr=0.01, weight_decay=0.1
        ),
    ]  # fmt: skip
    together = MuonAdamW(model.named_parameters(), lr=0.01, weight_decay=0.1)
    for ours, theirs in zip(stepped(model, [together]), stepped(twin, apart), strict=True):
        assert torch.equal(ours, theirs)


def test_a_state_that_was_saved_goes_on(model):
    first = MuonAdamW(model.named_parameters(), lr=0.01)
    stepped(model, [first], 2)
    twin = copy.deepcopy(model)
    second = MuonAdamW(twin.named_parameters(), lr=0.5)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    for ours, theirs in zip(stepped(model, [first]), stepped(twin, [second]), strict=True):
        assert torch.equal(ours, theirs)


def test_a_schedule_reaches_both(model):
    optimizer = MuonAdamW(model.named_parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 0.0)
    before = [one.detach().clone() for one in model.parameters()]
    assert all(torch.equal(*pair) for pair in zip(before, stepped(model, [optimizer]), strict=True))
    schedule.step()


def test_what_needs_no_gradient_is_left_out(model):
    model["embed_tokens"].weight.requires_grad_(False)
    optimizer = MuonAdamW(model.named_parameters(), lr=0.01)
    held = {id(one) for group in optimizer.param_groups for one in group["params"]}
    assert id(model["embed_tokens"].weight) not in held and len(held) == 3
