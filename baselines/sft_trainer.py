"""The trainer of SFT: TRL's, stopped by a loss that is no number, and evaluated by playing."""

import json
import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset  # type: ignore[import-untyped]
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from baselines.muon import MuonAdamW
from baselines.supervision import Lesson
from coworkgym.errors import CoworkError
from coworkgym.frozen import thaw
from coworkgym.policies.local import TransformersPolicy
from coworkgym.rollouts import collect
from coworkgym.tasks import Item


class TrainingError(CoworkError, RuntimeError):
    """Training that cannot go on: at which step, and what to do."""


class StageTrainer(SFTTrainer):
    """TRL's trainer on lessons; a loss that is no number stops it before the weights change.

    Args:
        given: As of TRL's.
        muon: Whether Muon trains the matrices.
    """

    def __init__(self, *, muon: bool = False, **given: Any) -> None:
        self._muon = muon
        super().__init__(**given)

    def create_optimizer(self, model: Any = None) -> torch.optim.Optimizer:
        """Returns the optimizer, made at the first call."""
        if self._muon and self.optimizer is None:
            trained: Any = model or self.model
            self.optimizer = MuonAdamW(
                trained.named_parameters(), self.args.learning_rate, self.args.weight_decay
            )
        return super().create_optimizer(model)  # type: ignore[no-any-return]

    def train(self, *args: Any, **kwargs: Any) -> Any:
        """Trains.

        Raises:
            TrainingError: When memory runs out.
        """
        try:
            return super().train(*args, **kwargs)
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
            # The allocator of the CPU has no error of its own.
            if type(error) is RuntimeError and "allocate memory" not in str(error):
                raise
            if isinstance(error, CoworkError):
                raise
            rows = self.args.per_device_train_batch_size
            raise TrainingError(
                f"out of memory at step {self.state.global_step + 1}: lower micro_batch ({rows}), "
                "max_length or rank, or switch gradient_checkpointing on"
            ) from error

    def losses(self, before: int = 0) -> list[tuple[int, float]]:
        """Returns the loss of each step, counted from `before`."""
        lines = [line for line in self.state.log_history if "loss" in line]
        return [(before + int(line["step"]), float(line["loss"])) for line in lines]

    def compute_loss(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the loss.

        Raises:
            TrainingError: When it is no number.
        """
        made: Any = super().compute_loss(*args, **kwargs)  # type: ignore[no-untyped-call]
        loss = made[0] if isinstance(made, tuple) else made
        if not torch.isfinite(loss):
            raise TrainingError(
                f"the loss is {loss.item()} at step {self.state.global_step + 1}: lower lr, or "
                "train in float32; the newest checkpoint is from before"
            )
        return made


def dataset_of(lessons: Sequence[Lesson]) -> Dataset:
    """Returns lessons as the dataset that the trainer takes as it is."""
    return Dataset.from_dict({
        "input_ids": [lesson.input_ids for lesson in lessons],
        "labels": [lesson.labels for lesson in lessons],
    })  # fmt: skip


def config_of(out: Path, args: Any, rows: int, processes: int = 1) -> SFTConfig:
    """Returns TRL's configuration of one stage.

    The loss is the sum over all trained tokens of the global batch divided by their number:
    Trainer counts them over the micro-batches of a step and over all processes.

    Args:
        out: Folder of its checkpoints.
        args: As of `baselines.sft`.
        rows: Lessons of the stage.
        processes: That train side by side.
    """
    accumulated = max(1, args.batch // (args.micro_batch * processes))
    steps = args.steps or math.ceil(rows / (accumulated * args.micro_batch * processes))
    steps = steps if args.steps else max(1, round(steps * args.epochs))
    cpu = args.cpu or not torch.cuda.is_available()
    return SFTConfig(
        output_dir=str(out),
        max_steps=steps,
        learning_rate=args.lr,
        lr_scheduler_type=args.schedule,
        warmup_steps=round(args.warmup * steps),
        weight_decay=args.weight_decay,
        max_grad_norm=args.max_grad_norm,
        per_device_train_batch_size=args.micro_batch,
        gradient_accumulation_steps=accumulated,
        average_tokens_across_devices=True,
        max_length=None,  # too long rows are gone already, and none is cut
        shuffle_dataset=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        gradient_checkpointing=args.gradient_checkpointing,
        use_cpu=cpu,
        bf16=not cpu if args.bf16 is None else args.bf16,
        seed=args.seed,
        logging_steps=1,
        logging_nan_inf_filter=False,
        save_strategy="steps",
        save_steps=args.save_every or steps,
        save_total_limit=2,
        report_to="tensorboard" if find_spec("tensorboard") else "none",
        disable_tqdm=args.quiet,
    )


class HeldOut(TrainerCallback):
    """Plays held-out tasks every so many steps; draws have seeds of their own and change nothing.

    Args:
        policy: Of the model that is trained.
        items: What it plays.
        every: Steps between two evaluations; 0 for none.
        batch: Episodes side by side.
        out: Folder whose transcripts.jsonl takes one transcript each time.
        before: Steps of the stages before.
    """

    def __init__(
        self,
        policy: TransformersPolicy,
        items: Sequence[Item],
        every: int,
        batch: int,
        out: Path,
        before: int = 0,
    ) -> None:
        self._policy, self._items, self._every = policy, items, every
        self._batch, self._out, self._before = batch, out / "transcripts.jsonl", before
        self.history: list[dict[str, Any]] = []

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        """Plays where it is time."""
        if self._every and state.global_step % self._every == 0:
            self.play(self._before + state.global_step)

    def play(self, step: int) -> dict[str, Any]:
        """Plays every item once, keeps and returns the figures, and keeps one transcript."""
        if self.history and self.history[-1]["step"] == step:
            return self.history[-1]
        self._policy.policy_version = f"step-{step}"  # what it remembers is of other weights
        rollouts = list(collect(self._items, self._policy, concurrency=self._batch))
        graded = [one.score for one in rollouts if one.score.status == "graded"]
        figures = {
            name: sum(float(getattr(score, name)) for score in graded) / max(1, len(graded))
            for name in ("value", "solved", "completion", "safety", "format")
        }
        told = {"step": step, "episodes": len(rollouts), **figures}
        self.history.append(told)
        self._out.parent.mkdir(parents=True, exist_ok=True)
        with self._out.open("a", encoding="utf-8") as file:
            shown = {**told, "id": rollouts[0].id, "messages": thaw(rollouts[0].transcript)}
            file.write(json.dumps(shown, ensure_ascii=False) + "\n")
        return told
