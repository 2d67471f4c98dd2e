"""Running: what the four training scripts do alike, from the model to the plot."""

import math
import os
import sys
from contextlib import ExitStack
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from accelerate.utils import gather_object  # type: ignore[import-untyped]
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from trl.trainer.grpo_config import GRPOConfig

from baselines.credit import Estimator
from baselines.dry_run import dry_run
from baselines.models import load
from baselines.records import plot
from baselines.rollouts import Play
from baselines.trainer import OfficeTrainer, TrainingError
from baselines.training import TrainingArgs
from coworkgym.frozen import json_text
from coworkgym.rollouts import Rollout, Settings, collect

_FIXED: dict[str, Any] = {
    "lr_scheduler_type": "constant",
    "disable_dropout": True,  # the policy that is trained is the one that played
    "shuffle_dataset": False,  # the dataset is the plan
    "remove_unused_columns": False,
    "logging_steps": 1,
    "save_strategy": "steps",
    "report_to": "tensorboard" if find_spec("tensorboard") else "none",
    "reward_weights": [1.0, 0.0, 0.0, 0.0, 0.0],  # for TRL's own log
}

_MEMORY = (
    "out of memory at step {step}: lower micro_batch ({micro_batch}), budget ({budget}) or "
    "rollout_batch ({rollout_batch}), or switch gradient_checkpointing on"
)


def config_of(args: TrainingArgs, **algorithm: Any) -> GRPOConfig:
    """Returns TRL's configuration, with its defaults overridden where they are not the papers'.

    Args:
        args: What all algorithms share.
        algorithm: What one adds, such as `loss_type`.
    """
    cpu = args.cpu or not torch.cuda.is_available()
    return GRPOConfig(
        output_dir=args.out,
        max_steps=args.steps,
        learning_rate=args.learning_rate,
        max_grad_norm=args.max_grad_norm,
        per_device_train_batch_size=args.micro_batch,
        num_generations=args.k,
        num_iterations=args.iterations,
        max_completion_length=args.budget,
        temperature=args.temperature,
        beta=args.beta,
        epsilon=args.epsilon,
        epsilon_high=args.epsilon_high,
        use_cpu=cpu,
        bf16=not cpu if args.bf16 is None else args.bf16,
        gradient_checkpointing=args.gradient_checkpointing,
        save_steps=args.save_every,
        seed=args.seed,
        **{**_FIXED, **_sharing(args), **_serving(args), **algorithm},
    )


def _serving(args: TrainingArgs) -> dict[str, Any]:
    if not args.vllm_server:
        return {}
    return {
        "use_vllm": True,
        "vllm_mode": "server",
        "vllm_server_base_url": args.vllm_server,
    }


def _sharing(args: TrainingArgs) -> dict[str, Any]:
    """One batch of rollouts an optimizer step, or as many steps as there are iterations."""
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    rows = args.groups * args.k // (processes * args.micro_batch)
    return {"gradient_accumulation_steps": max(rows, 1), "steps_per_generation": max(rows, 1)}


def run(args: TrainingArgs, config: GRPOConfig, estimator: Estimator, how: Play) -> OfficeTrainer:
    """Trains, and returns the trainer; what was trained is in `args.out`.

    There are then `adapter/` (or `model/`, where all weights were trained), checkpoints,
    `args.json`, `transcripts.jsonl`, `log.jsonl` and `curves.png`.

    Raises:
        TrainingError: When the loss is not a number, or memory runs out.
    """
    if args.threads:
        torch.set_num_threads(args.threads)
    if args.dry_run:
        print(dry_run(args))
        raise SystemExit
    loaded = load(
        args.model,
        device="cpu" if args.cpu else None,
        dtype=torch.float32 if not config.bf16 else None,
        adapter=args.adapter,
        gradient_checkpointing=args.gradient_checkpointing,
    )
    trainer = OfficeTrainer(loaded, args, config, estimator, how)
    if args.eval_every:
        trainer.add_callback(HeldOut(trainer))
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "args.json").write_text(json_text(asdict(args)) + "\n", encoding="utf-8")
    _train(trainer, args)
    trainer.save_model(str(out / ("adapter" if hasattr(trainer.model, "peft_config") else "model")))
    if trainer.is_world_process_zero():
        lines = [json_text(line) for line in trainer.state.log_history]
        (out / "log.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        if not plot(trainer.state.log_history, out / "curves.png", f"{args.out}: {args.model}"):
            print("no plot: matplotlib is not installed (coworkgym[eval])", file=sys.stderr)
    return trainer


def _train(trainer: OfficeTrainer, args: TrainingArgs) -> None:
    started = any(Path(args.out).glob("checkpoint-*"))
    try:
        trainer.train(resume_from_checkpoint=args.resume and started)
    except (torch.OutOfMemoryError, MemoryError) as error:
        step = trainer.state.global_step
        raise TrainingError(_MEMORY.format(step=step, **asdict(args))) from error
    except RuntimeError as error:  # the CPU's allocator has no error of its own
        if "can't allocate memory" not in str(error):
            raise
        step = trainer.state.global_step
        raise TrainingError(_MEMORY.format(step=step, **asdict(args))) from error


class HeldOut(TrainerCallback):
    """Evaluates on held-out tasks: before training, and every so many steps.

    Each process plays its share. Draws have seeds of their own, so evaluating changes nothing.

    Args:
        trainer: Whose policy plays.
    """

    def __init__(self, trainer: OfficeTrainer) -> None:
        self._trainer, self._args = trainer, trainer.office

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Evaluates what training starts from."""
        if state.global_step == 0:
            self._evaluate()

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Evaluates where it is time."""
        if state.global_step % self._args.eval_every == 0:
            self._evaluate()

    def _evaluate(self) -> None:
        accelerator, args = self._trainer.accelerator, self._args
        items = args.held_out_items()[accelerator.process_index :: accelerator.num_processes]
        with ExitStack() as stack:
            policy = self._trainer.policy(stack, args.eval_temperature)
            settings = Settings(
                policy="trained", seed=args.seed, faults=args.faults, max_steps=args.max_steps
            )
            played = collect(
                items, policy, settings=settings, samples=args.eval_samples,
                concurrency=args.rollout_batch,
            )  # fmt: skip
            rollouts: list[Rollout] = list(played)
        figures = [_figures(one) for one in gather_object(rollouts)]
        graded = [one for one in figures if not math.isnan(one["score"])]
        if graded:
            self._trainer.note(
                {name: sum(one[name] for one in graded) / len(graded) for name in graded[0]}
            )


def _figures(rollout: Rollout) -> dict[str, float]:
    score = rollout.score
    return {
        "score": score.value,
        "solved": float(score.solved),
        "completion": score.completion,
        "breach_rate": float(score.safety == 0),
        "format": score.format,
    }
