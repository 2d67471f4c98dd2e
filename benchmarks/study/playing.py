"""Playing: held-out episodes of a model or a control, kept in a store.

    python -m study.playing --policy model:runs/sft --packages escalation --out runs/played

Run from `benchmarks/`; `learning.py` does. Greedy, so that what a task earns depends on weights and
task alone; a second try of the same weights earns the same.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from coworkgym import get_package
from coworkgym.policies import Policy, policy_from
from coworkgym.rollouts import Store, collect, settings_of
from coworkgym.tasks import Item
from study.control import RandomRecordPolicy

SIDE_BY_SIDE = 64


def items(packages: Sequence[str], level: str, split: str, count: int, first: int) -> list[Item]:
    """Returns the tasks of some packages, seeds in a row."""
    return [
        get_package(name).item(seed=seed, level=level, split=split, language="en")  # type: ignore[arg-type]
        for name in packages
        for seed in range(first, first + count)
    ]


def main(asked: argparse.Namespace) -> None:
    """Plays what the store does not hold yet."""
    policy = _policy(asked)
    wanted = items(asked.packages.split(","), asked.level, asked.split, asked.episodes, asked.first)
    settings = settings_of(policy, seed=asked.seed, max_steps=asked.max_steps)
    how = {"samples": asked.samples, "concurrency": asked.batch}
    with Store(asked.out, settings) as store:
        done = sum(1 for _ in collect(wanted, policy, store=store, **how))
    print(f"{done} episodes -> {asked.out}")


def _policy(asked: argparse.Namespace) -> Policy:
    if asked.policy == RandomRecordPolicy.name:
        return RandomRecordPolicy()
    kind, _, model = asked.policy.partition(":")
    if kind != "model":
        return policy_from(asked.policy)
    import torch

    from baselines.models import load
    from coworkgym.policies.local import TransformersPolicy

    torch.set_num_threads(asked.threads)
    loaded = load(model, dtype=getattr(torch, asked.dtype))
    return TransformersPolicy.from_model(
        loaded.model,
        loaded.tokenizer,
        name="model",
        temperature=asked.temperature,
        max_tokens=asked.max_tokens,
        batch=asked.batch,
        call_form=asked.call_form or None,
        system=asked.system or None,
    )


def arguments() -> argparse.ArgumentParser:
    """Returns what the command line takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", required=True)
    parser.add_argument("--packages", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--level", default="warmup")
    parser.add_argument("--split", default="test")
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--max-steps", type=int, default=16)
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--max-tokens", type=int, default=96)
    parser.add_argument("--batch", type=int, default=SIDE_BY_SIDE)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--call-form", default="")
    parser.add_argument("--system", default="")
    return parser


if __name__ == "__main__":
    main(arguments().parse_args())
