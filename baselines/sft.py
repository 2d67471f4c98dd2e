"""SFT: a model learns from demonstrations, or from what it solved itself.

The loss is cross-entropy on the tokens that the assistant wrote, calls and end of turn included:

    loss = - (1 / N) sum over the batch, over its trained tokens t of log pi(t | all before t)

where N is the number of trained tokens in the global batch, whatever micro-batches and processes it
is spread over, so that every token weighs the same. Tools stand in the template; what users, tools
and the template wrote is read and not trained. LoRA (Hu et al. 2021, arXiv 2106.09685) on all
linear layers of the language model; `rank=0` trains all weights.

`stages="0.2,0.5,1.0"` trains on nested parts of the rows, each drawn at random: first on a fifth,
then on a half that holds it, then on all. Each stage goes on from the weights of the one before,
with an optimizer and a schedule of its own, and is saved in `OUT/stage-N`; the last is also in OUT.
`rft=RUN` is rejection-sampling fine-tuning (Yuan et al. 2023, arXiv 2308.01825): the rows are the
model's own solved rollouts, a few distinct ones of each task, see `baselines.demonstrations`.

Differences: rows that are too long are dropped and counted, never cut; a call that failed by the
agent's own fault is read and not trained; learning rates are LoRA's, about ten times those of all
weights.

    python -m baselines.teachers --packages escalation --seeds 200
    python -m baselines.demonstrations --runs runs/teachers/paraphrasing,runs/teachers/exploring
    python -m baselines.sft --rows demonstrations/rows.jsonl --model tiny --rank 0 --lr 1e-3
    python -m baselines.sft --rft runs/mine --model smollm2 --stages 0.2,0.5,1.0 --out runs/rft
    python -m baselines.sft --model Qwen/Qwen3-VL-8B-Instruct --rows rows.jsonl --dry-run
    accelerate launch -m baselines.sft --model Qwen/Qwen3-VL-8B-Instruct --rows rows.jsonl
    coworkgym eval escalation --policy transformers:runs/sft

Where memory is short: `--gradient-checkpointing --micro-batch 1`, then a lower `--max-length`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from accelerate import PartialState  # type: ignore[import-untyped]

from baselines.arguments import from_command_line
from baselines.models import (
    load,
    load_tokenizer,
    lora_config,
    memory_estimate,
    read_config,
    require_trainable,
    resolve,
)
from baselines.sft_trainer import (
    HeldOut,
    StageTrainer,
    config_of,
    dataset_of,
)
from baselines.stages import begin, finish, recorded, require_same
from baselines.supervision import Lessons, encode_rows, nested, read_rows, require_level, shares_of
from baselines.timing import seconds_per_token
from coworkgym import get_package
from coworkgym.policies.local import ChatFormat, TransformersPolicy
from coworkgym.rollouts.exports import Row
from coworkgym.tasks import Item


@dataclass
class Args:
    """What is trained, on what, and how.

    Attributes:
        model: `tiny`, `smollm2`, a folder, or an id of the Hugging Face hub.
        rows: Files of demonstrations, separated by commas.
        runs: Folders of runs to make demonstrations of, separated by commas.
        rft: The same, of runs that the model played itself.
        packages: Packages to learn and to be evaluated on, separated by commas; empty for all rows.
        level: Level of the rows and of the evaluation; empty for all.
        splits: Splits that may be learnt from.
        share: Share of the rows that is used, drawn at random.
        stages: Nested shares of those, separated by commas.
        epochs: Passes over the rows of each stage.
        steps: Optimizer steps of each stage; 0 for what the epochs take.
        lr: Learning rate at its highest.
        optimizer: muon is for all weights of small models, see `baselines.muon`.
        schedule: Of the learning rate, as of transformers.
        warmup: Share of the steps in which the learning rate rises.
        weight_decay: Of the optimizer.
        max_grad_norm: At which gradients are clipped.
        rank: Of the adapter; 0 trains all weights.
        alpha: The adapter's output is scaled by alpha / rank.
        dropout: Of the adapter's inputs.
        batch: Rows of an optimizer step.
        micro_batch: Rows of a forward pass.
        max_length: Most tokens of a row.
        call_form: How calls are written, as of `TransformersPolicy`; by default as in the template.
        system: Text that is added to the system message.
        gradient_checkpointing: Whether to save memory for a third more time.
        seed: Of weights, order and parts.
        out: Folder for what is trained.
        save_every: Steps between checkpoints; 0 for one at the end of each stage.
        resume: Whether to go on from the newest checkpoint in `out`.
        eval_every: Steps between evaluations; 0 for one at the end.
        eval_tasks: Held-out tasks of each package; 0 for no evaluation.
        eval_split: Their split.
        eval_tokens: Most tokens of an answer.
        threads: Of torch; 0 for its own choice.
        bf16: Whether to compute in bfloat16; by default on a GPU only.
        cpu: Whether to leave a GPU alone.
        quiet: Whether to show no progress bar.
        dry_run: Whether to print what it would take, and stop.
    """

    model: str = "tiny"
    rows: str = ""
    runs: str = ""
    rft: str = ""
    packages: str = ""
    level: str = ""
    splits: str = "train"
    share: float = 1.0
    stages: str = "1.0"
    epochs: float = 1.0
    steps: int = 0
    lr: float = 2e-4
    optimizer: Literal["adamw", "muon"] = "adamw"
    schedule: str = "cosine"
    warmup: float = 0.03
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    batch: int = 16
    micro_batch: int = 4
    max_length: int = 8192
    call_form: str = ""
    system: str = ""
    gradient_checkpointing: bool = False
    seed: int = 0
    out: str = "runs/sft"
    save_every: int = 0
    resume: bool = True
    eval_every: int = 0
    eval_tasks: int = 4
    eval_split: str = "validation"
    eval_tokens: int = 256
    threads: int = 0
    bf16: bool | None = None
    cpu: bool = False
    quiet: bool = False
    dry_run: bool = False


def main(args: Args) -> dict[str, Any]:  # noqa: C901  (one straight line to read)
    """Trains, saves, evaluates, and returns losses by step and the evaluations.

    Raises:
        CoworkError: For what cannot be trained; before anything is loaded where that can be known.
    """
    # What can be wrong is looked for before a model is loaded.
    if args.threads:
        torch.set_num_threads(args.threads)
    state = PartialState(cpu=args.cpu or not torch.cuda.is_available())
    main_process = bool(state.is_main_process)
    out = Path(args.out)
    require_same(out, args)
    shares = [share * args.share for share in shares_of(args.stages)]
    require_level(args.level, args.packages)
    rows = read_rows(args.rows, args.runs, args.rft, args.packages, args.level, args.splits)
    tokenizer = load_tokenizer(args.model)
    require_trainable(tokenizer)
    harness: dict[str, Any] = {
        "call_form": args.call_form or None,
        "system": args.system or None,
    }
    lessons = encode_rows(rows, ChatFormat(tokenizer, **harness), args.max_length)
    parts = list(nested(lessons.kept, shares, args.seed))
    configs = [
        config_of(out / f"stage-{n}", args, len(part), state.num_processes)
        for n, part in enumerate(parts)
    ]
    items = held_out_items(args, rows)
    if main_process:
        print(lessons)
        print(f"stages    {[len(part) for part in parts]} rows, "
              f"{[config.max_steps for config in configs]} steps")  # fmt: skip
    if args.dry_run:
        return _dry_run(args, lessons, sum(config.max_steps for config in configs))

    # The model as the newest finished stage left it.
    if main_process:
        begin(out, args)
    state.wait_for_everyone()
    first = sum((out / f"stage-{n}" / "done.json").is_file() for n in range(len(parts)))
    newest = str(out / f"stage-{first - 1}") if first else args.model
    dtype = None if args.rank else torch.float32  # weights that are trained are not rounded
    model: Any = load(newest, device="cpu" if args.cpu else None, dtype=dtype).model
    losses, played = recorded(out, first)

    # Each stage on its part.
    for n in range(first, len(parts)):
        folder = out / f"stage-{n}"
        adapter = None
        if args.rank and not hasattr(model, "peft_config"):
            adapter = lora_config(model, args.rank, args.alpha, args.dropout)
        trainer = StageTrainer(
            model=model,
            args=configs[n],
            train_dataset=dataset_of(parts[n]),
            processing_class=tokenizer,
            peft_config=adapter,
            muon=args.optimizer == "muon",
        )
        model = trainer.model
        policy = TransformersPolicy.from_model(
            model, tokenizer, max_tokens=args.eval_tokens, **harness
        )
        before = sum(config.max_steps for config in configs[:n])
        held_out = HeldOut(policy, items, args.eval_every, args.micro_batch, out, before)
        if main_process and items:
            trainer.add_callback(held_out)
        trainer.train(resume_from_checkpoint=any(folder.glob("checkpoint-*")))
        if main_process and items and n == len(parts) - 1:
            held_out.play(before + configs[n].max_steps)
        losses += trainer.losses(before)
        played += held_out.history
        trainer.save_model(str(folder))
        if main_process:
            tokenizer.save_pretrained(str(folder))
            told = {"losses": trainer.losses(before), "played": held_out.history}
            (folder / "done.json").write_text(json.dumps(told), encoding="utf-8")
        state.wait_for_everyone()

    # What is left of it: weights and tokenizer, losses, a plot.
    found = {"losses": losses, "played": played, "dropped": dict(lessons.dropped)}
    if main_process:
        finish(out, len(parts) - 1, found)
    return found


def held_out_items(args: Args, rows: Sequence[Row]) -> list[Item]:
    """Returns the tasks of the evaluation: of the packages, levels and languages of the rows."""
    kinds = {(row["package"], row["level"], row["language"]) for row in rows if "package" in row}
    return [
        get_package(name).item(seed=seed, split=args.eval_split, level=level, language=language)  # type: ignore[arg-type]
        for name, level, language in sorted(kinds)
        for seed in range(args.eval_tasks)
    ]


def _dry_run(args: Args, lessons: Lessons, steps: int) -> dict[str, Any]:
    """Prints what training would take, and returns it."""
    on_gpu = torch.cuda.is_available() and not args.cpu
    dtype = torch.bfloat16 if on_gpu and args.rank else torch.float32
    lengths = [len(lesson.input_ids) for lesson in lessons.kept]
    config = read_config(resolve(args.model)[0])
    given: dict[str, Any] = {
        "rank": args.rank,
        "gradient_checkpointing": args.gradient_checkpointing,
    }
    memory = memory_estimate(
        config, batch=args.micro_batch, length=max(lengths), dtype=dtype, **given
    )
    tokens = int(steps * args.batch * sum(lengths) / len(lengths))
    seconds = tokens * seconds_per_token(config, sum(lengths) // len(lengths), **given)
    print(f"memory    at {args.micro_batch} x {max(lengths)} tokens\n{memory}")
    print(f"time      about {seconds / 60:.1f} min for {tokens} tokens, evaluations aside")
    return {"rows": len(lengths), "tokens": tokens, "seconds": seconds, "memory": memory}


if __name__ == "__main__":
    main(from_command_line(Args, __doc__))
