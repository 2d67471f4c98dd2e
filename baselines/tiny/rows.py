"""Rows: drills as tokens, in batches of about one length, and how many are answered exactly."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random

import torch
from transformers import PreTrainedTokenizerBase, Qwen3ForCausalLM

from baselines.tiny.drills import LESSONS, LISTING, Drill, make_drill
from baselines.tiny.tokenizer import END, render

_EARLIER = 0.4  # share of drills that are of lessons before


class Row:
    """One drill as tokens.

    Attributes:
        ids: The tokens.
        said: For each token the number of the assistant message it belongs to, from 1, or 0.
        kinds: What each assistant message practises.
    """

    def __init__(self, drill: Drill, tokenizer: PreTrainedTokenizerBase) -> None:
        text = render(tokenizer, drill.messages, drill.tools)
        self.ids: list[int] = tokenizer(text)["input_ids"]
        self.said = _said(self.ids, tokenizer)
        self.kinds = _kinds(drill)
        self.records = drill.records


def _said(ids: list[int], tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """Marks the tokens of assistant messages, their ends included."""
    start, end, speaker = (
        tokenizer.convert_tokens_to_ids(t) for t in ("<|im_start|>", END, "assistant\n")
    )
    marks, number, inside = [], 0, False
    for i, token in enumerate(ids):
        marks.append(number if inside else 0)
        if token == end:
            inside = False
        elif i and token == speaker and ids[i - 1] == start:
            inside, number = True, number + 1
    return marks


def _kinds(drill: Drill) -> list[str]:
    kinds: list[str] = []
    asked = 0
    for message in drill.messages:
        asked += message["role"] == "user"
        if message["role"] == "assistant":
            kinds.append(drill.kinds[asked - 1] if kinds else LISTING)
    return kinds


def batches(
    tokenizer: PreTrainedTokenizerBase, steps: Sequence[int], tokens: int, seed: int, first: int = 0
) -> Iterator[list[Row]]:
    """Yields batches of drills of about the same length.

    Args:
        tokenizer: Makes the tokens.
        steps: Batches of each lesson.
        tokens: Of a batch, at most, padding included.
        seed: Of the drills and their order.
        first: The batch to begin with.
    """
    for lesson, many in enumerate(steps):
        begin = sum(steps[:lesson])
        made: list[list[Row]] = []
        for step in range(begin, begin + many):
            if not made:
                made = _pool(tokenizer, lesson, tokens, seed * 1_000_000 + step * 1_000)
            batch = made.pop()
            if step >= first:
                yield batch


def _pool(
    tokenizer: PreTrainedTokenizerBase, lesson: int, tokens: int, seed: int
) -> list[list[Row]]:
    """Draws some batches' worth of drills, the longest together."""
    rng, rows = Random(f"pool {seed}"), []
    for number in range(max(1, tokens // 64)):
        which = rng.randrange(lesson) if lesson and rng.random() < _EARLIER else lesson
        rows.append(Row(make_drill(seed + number, LESSONS[which]), tokenizer))
    rows.sort(key=lambda row: len(row.ids))
    made: list[list[Row]] = [[]]
    for row in rows:
        if made[-1] and (len(made[-1]) + 1) * len(row.ids) > tokens:
            made.append([])
        made[-1].append(row)
    rng.shuffle(made)
    return made


def tensors(rows: list[Row], pad: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns ids and assistant message numbers, (rows, longest row), padded at the end."""
    longest = max(len(row.ids) for row in rows)
    ids = [row.ids + [pad] * (longest - len(row.ids)) for row in rows]
    said = [row.said + [0] * (longest - len(row.said)) for row in rows]
    return torch.tensor(ids), torch.tensor(said)


@torch.no_grad()
def exactness(
    model: Qwen3ForCausalLM, rows: list[Row], pad: int, batch: int = 8
) -> dict[str, tuple[int, int]]:
    """Returns (exact, all) assistant messages by kind, and by lists of few and many records.

    A message is exact when each token is the likeliest after what stands before.
    """
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    order = sorted(rows, key=lambda row: len(row.ids))
    for begin in range(0, len(order), batch):
        some = order[begin : begin + batch]
        ids, said = tensors(some, pad)
        hidden = model.model(input_ids=ids[:, :-1]).last_hidden_state
        ours = said[:, 1:] > 0
        right = torch.ones_like(said[:, 1:], dtype=torch.bool)
        right[ours] = model.lm_head(hidden[ours]).argmax(-1) == ids[:, 1:][ours]
        for row, marks, good in zip(some, said[:, 1:], right, strict=True):
            for number, kind in enumerate(row.kinds, 1):
                exact = bool(good[marks == number].all())
                size = "1" if row.records == 1 else "2-3" if row.records < 4 else "4-8"
                for key in (kind, f"{size} records"):
                    found[key][0] += exact
                    found[key][1] += 1
        found["tokens"][0] += int(right[ours].sum())
        found["tokens"][1] += int(ours.sum())
    return {key: (one, every) for key, (one, every) in sorted(found.items())}
