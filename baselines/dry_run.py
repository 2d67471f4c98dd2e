"""Dry runs: what training by rollouts would take, told before it is begun.

Lengths are those of the reference solutions: a model that reads and calls as much as they do needs
as many tokens. Where a reference does not fit into the budget, no rollout can solve its task.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from baselines.memory import Memory, memory_estimate
from baselines.models import load_tokenizer, read_config, resolve
from baselines.templates import encode
from baselines.timing import seconds_per_token
from baselines.training import TrainingArgs
from coworkgym.policies import ReferencePolicy
from coworkgym.policies.local import ChatFormat
from coworkgym.rollouts import play_out
from coworkgym.tasks import Item, get_package

_LOOKED_AT = 8  # tasks of a package
_GENERATION = 1.0  # forward passes of generation, in those of training a token


class Lengths(NamedTuple):
    """Tokens of a package's tasks, the longest of a few.

    Attributes:
        package: Its name.
        prompt: What is read before the first answer.
        tools: What of it describes tools.
        episode: What the reference solution adds to the prompt, results included.
        written: What of that the reference writes.
        fits: Share of the tasks whose reference fits into the budget.
    """

    package: str
    prompt: int
    tools: int
    episode: int
    written: int
    fits: float


class DryRun(NamedTuple):
    """What a run would take.

    Attributes:
        lengths: Of each package.
        episodes: Rollouts of the whole run.
        tokens: Tokens of all of them, if they were as long as the reference's.
        memory: Of a forward and backward pass.
        seconds: Of the whole run here, roughly, evaluations aside.
    """

    lengths: tuple[Lengths, ...]
    episodes: int
    tokens: int
    memory: Memory
    seconds: float

    def __str__(self) -> str:
        """Returns it as lines."""
        lines = [
            f"{one.package:20} prompt {one.prompt} tokens, tools {one.tools} of them; reference "
            f"{one.episode} more, {one.written} written; {one.fits:.0%} fit into the budget"
            for one in self.lengths
        ]
        lines += [f"episodes  {self.episodes}, about {self.tokens:,} tokens", str(self.memory)]
        return "\n".join([*lines, f"time      about {self.seconds / 60:.0f} min"])


def dry_run(args: TrainingArgs) -> DryRun:
    """Returns what training would take; loads the tokenizer, and no weights.

    Args:
        args: Of any of the four algorithms.
    """
    form = ChatFormat(load_tokenizer(args.model))
    items = args.training_items()
    names = list(dict.fromkeys(item.package for item in items))
    lengths = tuple(
        lengths_of(form, [item for item in items if item.package == name], args.budget)
        for name in names
    )
    episodes = args.steps * args.groups * args.k // args.iterations
    whole = [one.prompt + min(one.episode, args.budget) for one in lengths]
    tokens = episodes * sum(whole) // len(whole)
    config = read_config(resolve(args.model)[0])
    given: dict[str, Any] = {
        "rank": args.lora_rank,
        "gradient_checkpointing": args.gradient_checkpointing,
    }
    on_gpu = torch.cuda.is_available() and not args.cpu
    memory = memory_estimate(
        config, batch=args.micro_batch, length=max(whole), fused=False,
        dtype=torch.bfloat16 if on_gpu else torch.float32, **given,
    )  # fmt: skip
    seconds = tokens * (1 + _GENERATION) * seconds_per_token(config, max(whole), **given)
    return DryRun(lengths, episodes, tokens, memory, seconds)


def lengths_of(form: ChatFormat, items: Sequence[Item], budget: int) -> Lengths:
    """Returns the lengths of a package's first tasks.

    Args:
        form: Of the model's chats.
        items: Of one package.
        budget: Tokens after the first prompt.
    """
    found = [_lengths(form, item) for item in items[:_LOOKED_AT]]
    fits = sum(one[2] <= budget for one in found) / len(found)
    prompt, tools, episode, written = (max(column) for column in zip(*found, strict=True))
    return Lengths(items[0].package, prompt, tools, episode, written, fits)


def _lengths(form: ChatFormat, item: Item) -> tuple[int, int, int, int]:
    """Prompt, tools, episode and written tokens of one task's reference."""
    episode = play_out(get_package(item.package).build(item), ReferencePolicy())
    tools = list(episode.task.tool_schemas)
    opening = list(episode.task.opening)
    prompt, bare = (
        len(form.encode(form.render(opening, given, prompt=True))) for given in (tools, [])
    )
    whole = encode(form, list(episode.transcript.messages), tools)
    return prompt, prompt - bare, len(whole.ids) - prompt, whole.trained
