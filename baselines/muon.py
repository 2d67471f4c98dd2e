"""Muon: orthogonalised momentum for matrices, AdamW for all else, as one optimizer.

Jordan et al. 2024, https://kellerjordan.github.io/posts/muon, with the step size of Moonshot AI
(2025, arXiv 2502.16982), so that both take a learning rate of AdamW's kind. Embeddings and output
layers count as all else. On the tiny model it took less than half of AdamW's
steps in one run of each (`benchmarks/LOG.md`); it keeps one moment of a matrix in place of two.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn


class MuonAdamW(torch.optim.Optimizer):
    """Muon and AdamW side by side.

    Args:
        named: Parameters by name; those that need no gradient are left out.
        lr: Of both.
        weight_decay: Of both.
    """

    def __init__(
        self, named: Iterable[tuple[str, nn.Parameter]], lr: float, weight_decay: float = 0.0
    ) -> None:
        trained = [(name, one) for name, one in named if one.requires_grad]
        matrices = [one for name, one in trained if is_matrix(name, one)]
        others = [one for name, one in trained if not is_matrix(name, one)]
        self._parts: list[torch.optim.Optimizer] = []
        given: dict[str, Any] = {"lr": lr, "weight_decay": weight_decay}
        if matrices:
            self._parts.append(torch.optim.Muon(matrices, adjust_lr_fn="match_rms_adamw", **given))
        if others:
            self._parts.append(torch.optim.AdamW(others, **given))
        super().__init__([group for part in self._parts for group in part.param_groups], given)
        self._share()

    def step(self, closure: Any = None) -> Any:
        """Takes a step with both."""
        loss = None if closure is None else closure()
        for part in self._parts:
            part.step()
        return loss

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from a state; the parts see it, too."""
        super().load_state_dict(state_dict)
        self._share()

    def _share(self) -> None:
        """Lets the parts work on our groups and state."""
        for part, group in zip(self._parts, self.param_groups, strict=True):
            part.param_groups, part.state = [group], self.state


def is_matrix(name: str, weights: torch.Tensor) -> bool:
    """Returns whether Muon takes a parameter: a matrix between hidden layers."""
    return weights.ndim == 2 and "embed" not in name and "lm_head" not in name
