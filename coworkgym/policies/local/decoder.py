"""Decoder: continues token sequences with a model, several side by side, reusing states."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from transformers import (
    GenerationConfig,
    LogitsProcessorList,
    PreTrainedModel,
    StoppingCriteriaList,
)

from coworkgym.policies.local.sampling import GumbelDraw, RowLimits
from coworkgym.policies.local.states import States, are_kept, joined, taken


class Row(NamedTuple):
    """One sequence to be continued.

    Attributes:
        ids: Its tokens.
        states: Of its beginning, where they are known; of fewer tokens than it has.
        seed: What the draw depends on.
        limit: Most tokens to add, at least 1.
    """

    ids: Sequence[int]
    states: States | None
    seed: int
    limit: int

    @property
    def known(self) -> int:
        """Number of tokens whose states are known."""
        return self.states.length if self.states else 0


class Completion(NamedTuple):
    """What was added to a row.

    Attributes:
        ids: The tokens, the one that stopped it included.
        logprobs: Log-probability of each.
        stopped: Whether it ended its turn; else it was cut off.
        states: Of prompt and completion, where the model allows reuse.
    """

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    stopped: bool
    states: States | None


_ROUND = 16
"""Tokens after which rows that have ended leave the batch."""


class Decoder:
    """Continues rows with one model.

    Args:
        model: A causal language model, adapters included.
        stop_ids: Tokens that end a turn.
        temperature: At least 0.
    """

    def __init__(self, model: PreTrainedModel, stop_ids: Sequence[int], temperature: float) -> None:
        # Adapters sit in the base model; their wrapper would put its own settings first.
        self._model: Any = getattr(model, "get_base_model", lambda: model)()
        self._stops = list(dict.fromkeys(stop_ids))
        self._temperature = temperature
        named = inspect.signature(self._model.forward).parameters
        self._cache_name = "cache" if "cache" in named else "past_key_values"
        self._reuses = are_kept(self._model.config)
        # A model that sees keeps places of its last batch, a row each, and would add them to the
        # next, whose rows may be fewer. In text they are 0.
        self._forget = [one for one in model.modules() if hasattr(one, "rope_deltas")]

    def complete(self, rows: Sequence[Row]) -> list[Completion]:
        """Returns a continuation of each row.

        Rows that have ended leave the batch after every `_ROUND` tokens; until then they cost as
        much as the others.
        """
        dice = [torch.Generator(self._model.device).manual_seed(row.seed) for row in rows]
        done: list[Completion | None] = [None] * len(rows)
        going = list(range(len(rows)))
        while going:
            asked = [_rest(rows[i], done[i]) for i in going]
            most = _ROUND if self._reuses else max(row.limit for row in asked)
            found = self._round(asked, [dice[i] for i in going], most)
            for i, more in zip(going, found, strict=True):
                done[i] = _after(done[i], more)
            going = [i for i in going if _goes_on(rows[i], done[i])]
        return [one for one in done if one is not None]

    def _round(
        self, rows: Sequence[Row], dice: Sequence[torch.Generator], most: int
    ) -> list[Completion]:
        """Continues rows by at most so many tokens."""
        for part in self._forget:
            part.rope_deltas = None  # type: ignore[assignment]
        device = self._model.device
        width = max(row.known for row in rows)
        ids, mask = self._layout(rows, width)
        limits = [min(row.limit, most) for row in rows]
        draw = GumbelDraw(dice, self._temperature, device)
        cache = joined([row.states for row in rows], width) if self._reuses else None
        with self._settings(max(limits)):
            output = self._model.generate(
                input_ids=ids.to(device),
                attention_mask=mask.to(device),
                logits_processor=LogitsProcessorList([draw]),
                stopping_criteria=StoppingCriteriaList([RowLimits(ids.shape[1], limits, device)]),
                **({} if cache is None else {self._cache_name: cache}),
            )
        drawn = output[:, ids.shape[1] :].tolist()
        logprobs = torch.stack(draw.logprobs, 1).tolist()
        completions = []
        for i in range(len(rows)):
            added = self._cut(drawn[i][: limits[i]])
            own = torch.cat([mask[i], torch.ones(len(added))]).nonzero()[:, 0]
            states = taken(cache, i, own) if cache is not None else None
            stopped = added[-1] in self._stops
            completions.append(Completion(added, tuple(logprobs[i][: len(added)]), stopped, states))
        return completions

    def _layout(self, rows: Sequence[Row], width: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Tokens and mask: what is known ends at `width`, what is new at the right edge."""
        fresh = max(len(row.ids) - row.known for row in rows)
        ids = torch.full((len(rows), width + fresh), self._stops[0])
        mask = torch.zeros_like(ids)
        for i, row in enumerate(rows):
            new = len(row.ids) - row.known
            ids[i, width - row.known : width] = torch.tensor(row.ids[: row.known])
            ids[i, -new:] = torch.tensor(row.ids[row.known :])
            mask[i, width - row.known : width] = 1
            mask[i, -new:] = 1
        return ids, mask

    def _cut(self, drawn: Sequence[int]) -> tuple[int, ...]:
        stop = next((n for n, token in enumerate(drawn) if token in self._stops), len(drawn))
        return tuple(drawn[: stop + 1])

    @contextmanager
    def _settings(self, most: int) -> Iterator[None]:
        """Our settings only: a model's own would be mixed into whatever is passed to generate."""
        model = self._model
        own, training = model.generation_config, model.training
        model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
            max_new_tokens=most,
            do_sample=False,
            eos_token_id=self._stops,
            pad_token_id=self._stops[0],
            bos_token_id=own.bos_token_id,
            use_cache=True,
        )
        model.eval()
        try:
            yield
        finally:
            model.generation_config = own
            model.train(training)


def _rest(row: Row, so_far: Completion | None) -> Row:
    """What is left to do of a row."""
    if so_far is None:
        return row
    ids = (*row.ids, *so_far.ids)
    return Row(ids, so_far.states, row.seed, row.limit - len(so_far.ids))


def _after(so_far: Completion | None, more: Completion) -> Completion:
    """A completion and what was added to it."""
    if so_far is None:
        return more
    ids, logprobs = so_far.ids + more.ids, so_far.logprobs + more.logprobs
    return Completion(ids, logprobs, more.stopped, more.states)


def _goes_on(row: Row, so_far: Completion | None) -> bool:
    return so_far is None or (not so_far.stopped and len(so_far.ids) < row.limit)
