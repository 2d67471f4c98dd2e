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
        """Returns a continuation of each row."""
        for part in self._forget:
            part.rope_deltas = None  # type: ignore[assignment]
        device = self._model.device
        width = max(row.known for row in rows)
        ids, mask = self._layout(rows, width)
        limits = [row.limit for row in rows]
        draw = GumbelDraw([row.seed for row in rows], self._temperature, device)
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
        for i, row in enumerate(rows):
            added = self._cut(drawn[i][: row.limit])
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
