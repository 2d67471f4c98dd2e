"""Pretrains the tiny model on drills, from random weights, on one CPU core.

    python -m baselines.tiny.pretrain --out runs/tiny

The loss is on what the assistant says. Drills come in lessons, from few records to more; those of a
lesson go on being drawn in the later ones. The same arguments give the same weights on the same
machine, unless `--minutes` ends a run; `--resume` goes on from the newest save in `--out`.
"""

import argparse
import json
import time
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from transformers import AutoTokenizer, PreTrainedTokenizerBase, Qwen3ForCausalLM

from baselines.tiny.drills import LESSONS, make_drill
from baselines.tiny.model import Size, new_model
from baselines.tiny.rows import Row, batches, exactness, tensors
from baselines.tiny.tokenizer import train_tokenizer

_HOW = ("out", "resume", "threads")  # where and how: nothing that weights depend on
_HELD_OUT = 10_000_000  # seeds from here on are measured, never trained on


@dataclass
class Args:
    """What a run does."""

    out: str = "runs/tiny"
    seed: int = 0
    steps: tuple[int, ...] = (50, 500, 200, 150, 1500)  # of each lesson
    batch_tokens: int = 3072
    learning_rate: float = 0.015  # of Muon, for the matrices
    embedding_rate: float = 0.003  # of AdamW, for the rest
    warmup: int = 15
    hidden: int = 192
    layers: int = 4
    heads: int = 6
    head_dim: int = 64
    mlp: int = 256
    wired: bool = True
    evaluate_every: int = 150
    held_out: int = 24  # drills of each lesson
    minutes: float = 1e9  # of the processor; after so many it stops, with the rates brought down
    threads: int = 1
    resume: bool = False


def loss_of(model: Qwen3ForCausalLM, ids: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
    """Returns the mean loss on what the assistant says."""
    hidden = model.model(input_ids=ids[:, :-1]).last_hidden_state
    ours = said[:, 1:] > 0
    return cross_entropy(model.lm_head(hidden[ours]), ids[:, 1:][ours])


def main(args: Args) -> None:
    """Trains, prints, and saves to `args.out`."""
    torch.set_num_threads(args.threads)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = _tokenizer(args, out)
    size = Size(args.hidden, args.layers, args.heads, args.head_dim, args.mlp)
    model = new_model(size, tokenizer, args.seed, args.wired)
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and "embed" not in n]
    others = [p for n, p in model.named_parameters() if p.ndim < 2 or "embed" in n]
    optimizers = [
        torch.optim.Muon(matrices, lr=args.learning_rate, weight_decay=0.01),
        torch.optim.AdamW(others, lr=args.embedding_rate, betas=(0.9, 0.98), weight_decay=0.0),
    ]
    state = out / "state.pt"
    first, seconds, tokens = _resume(state, model, optimizers) if args.resume else (0, 0.0, 0)
    held_out = [
        Row(make_drill(_HELD_OUT + 1000 * i + n, lesson, "validation"), tokenizer)
        for i, lesson in enumerate(LESSONS) for n in range(args.held_out)
    ]  # fmt: skip
    total, pad, losses = sum(args.steps), tokenizer.pad_token_id, []
    made = batches(tokenizer, args.steps, args.batch_tokens, args.seed, first)
    began = time.process_time() - seconds
    for step, rows in enumerate(made, first):
        spent = (time.process_time() - began) / 60 / args.minutes
        rate = _rate(step, args.warmup, max(step / total, spent))
        for optimizer, base in zip(
            optimizers, (args.learning_rate, args.embedding_rate), strict=True
        ):
            for group in optimizer.param_groups:
                group["lr"] = base * rate
        ids, said = tensors(rows, pad)
        loss = loss_of(model, ids, said)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
        tokens += ids.numel()
        last = step + 1 == total or spent >= 1
        if (step + 1) % args.evaluate_every == 0 or last:
            seconds = time.process_time() - began
            exact = exactness(model, held_out, pad)
            _print(step + 1, seconds, sum(losses) / len(losses), exact)
            losses = []
            saved = {
                "model": model.state_dict(),
                "optimizers": [optimizer.state_dict() for optimizer in optimizers],
                "step": step + 1, "seconds": seconds, "tokens": tokens,
            }  # fmt: skip
            torch.save(saved, state)
            _save(model, tokenizer, out, args, {**saved, "exact": exact})
        if last:
            break


def _resume(
    state: Path, model: Qwen3ForCausalLM, optimizers: list[torch.optim.Optimizer]
) -> tuple[int, float, int]:
    """Reads the newest save, if there is one; returns its steps, seconds and tokens."""
    if not state.exists():
        return 0, 0.0, 0
    saved = torch.load(state)
    model.load_state_dict(saved["model"])
    for optimizer, was in zip(optimizers, saved["optimizers"], strict=True):
        optimizer.load_state_dict(was)
    return saved["step"], saved["seconds"], saved["tokens"]


def _tokenizer(args: Args, out: Path) -> PreTrainedTokenizerBase:
    """Trains the tokenizer, or reads the one of the run that goes on."""
    if not (args.resume and (out / "tokenizer.json").exists()):
        drills = [make_drill(n, lesson) for lesson in LESSONS for n in range(200)]
        train_tokenizer(drills).save_pretrained(out)
    return AutoTokenizer.from_pretrained(out)


def _rate(step: int, warmup: int, progress: float) -> float:
    """Share of the learning rate: up from 0, then flat, and down to 0 over the last two fifths."""
    return min(1.0, (step + 1) / warmup) * min(1.0, max(0.0, 1 - progress) / 0.4)


def _print(step: int, seconds: float, loss: float, exact: dict[str, tuple[int, int]]) -> None:
    shares = " ".join(f"{key} {one / every:.2f}" for key, (one, every) in exact.items())
    print(f"step {step} {seconds:.0f}s loss {loss:.3f} | {shares}", flush=True)


def _save(
    model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerBase, out: Path, args: Args,
    facts: dict[str, Any],
) -> None:  # fmt: skip
    """Saves weights as fp16, and a card that says how they were made."""
    twin = {name: value.half() for name, value in model.named_parameters()}  # tied ones once
    model.save_pretrained(out, state_dict=twin)
    card = {
        "args": {name: value for name, value in asdict(args).items() if name not in _HOW},
        "parameters": sum(p.numel() for p in model.parameters()),
        **{key: facts[key] for key in ("step", "tokens")},
        "seconds": round(facts["seconds"]),
        "held_out": {key: round(one / every, 3) for key, (one, every) in facts["exact"].items()},
        "versions": {name: version(name) for name in ("torch", "transformers", "tokenizers")},
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def read_args() -> Args:
    """Reads the command line; every field of Args is an option."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for field in fields(Args):
        name, default = "--" + field.name.replace("_", "-"), getattr(Args, field.name)
        if isinstance(default, bool):
            parser.add_argument(name, action=argparse.BooleanOptionalAction, default=default)
        elif isinstance(default, tuple):
            parser.add_argument(name, type=int, nargs="+", default=default)
        else:
            parser.add_argument(name, type=type(default), default=default)
    return Args(**vars(parser.parse_args()))


if __name__ == "__main__":
    main(read_args())
