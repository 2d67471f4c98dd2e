"""Trainer: TRL's GRPOTrainer with our episodes and our advantages.

TRL keeps the loss, the optimizer, logging, checkpoints and accelerate. Rollouts are those of
`baselines.rollouts`; advantages those of an estimator, one a rollout or one a token. A row of the
dataset names a task and how often it was drawn before, and the dataset is the plan of the whole
run, so a run that is resumed goes on with the same tasks, draws and weights.
"""

import json
import math
import os
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate.utils import gather_object  # type: ignore[import-untyped]
from datasets import Dataset  # type: ignore[import-untyped]
from trl.models.utils import unwrap_model_for_generation
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer

from baselines.advantages import RolloutMultiplier
from baselines.credit import Credit, Estimator, credit, groups_of, kept_rows, rewards_of
from baselines.decoders import Client, connect, served
from baselines.earned import Earned, TrainingRollout
from baselines.models import Loaded, lora_config, require_trainable
from baselines.records import figures, write_transcripts
from baselines.rollouts import Play, places, play
from baselines.rows import column, plan, require_whole_groups, row_of, task_of, trimmed
from baselines.training import TrainingArgs
from coworkgym.errors import CoworkError
from coworkgym.policies.local import TransformersPolicy
from coworkgym.rollouts import item_of

COLUMNS = ("reward", "success", "safety", "format", "efficiency")
"""Reward functions of TRL, for its log; advantages are not computed from what TRL makes of them."""

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")  # rollout_func is one of its experiments

_MEANS_OVER_ROWS = ("grpo", "dr_grpo")
_STATE = "office.json"


class TrainingError(CoworkError, RuntimeError):
    """A run that cannot go on: what happened, at which step, what to change."""


class OfficeTrainer(GRPOTrainer):
    """GRPOTrainer over office tasks.

    Args:
        loaded: Model and tokenizer.
        args: What all algorithms share.
        config: TRL's; see `baselines.running.config_of`.
        estimator: The algorithm.
        how: How episodes are played.
    """

    def __init__(
        self,
        loaded: Loaded,
        args: TrainingArgs,
        config: GRPOConfig,
        estimator: Estimator,
        how: Play,
    ) -> None:
        require_trainable(loaded.tokenizer)
        require_whole_groups(args, config.world_size)
        fresh = args.lora_rank > 0 and not hasattr(loaded.model, "peft_config")
        self.office, self._estimator, self._how = args, estimator, how
        self._recipe = args.extras()
        self._client: Client | None = connect(args.vllm_server) if args.vllm_server else None
        self._multiplier, self._dead_steps = RolloutMultiplier(), 0
        self._played: list[TrainingRollout] = []
        super().__init__(
            model=loaded.model,
            reward_funcs=[column(name) for name in COLUMNS],
            args=config,
            train_dataset=Dataset.from_dict({"prompt": plan(args)}),
            processing_class=loaded.tokenizer,
            peft_config=lora_config(loaded.model, args.lora_rank) if fresh else None,
            rollout_func=lambda prompts, _: self.roll_out(prompts),
        )

    def policy(self, stack: ExitStack, temperature: float) -> TransformersPolicy:
        """Returns the policy of the weights as they are; they stay gathered until the stack closes.

        Args:
            stack: Takes what gathers weights that lie on several devices.
            temperature: Of sampling.
        """
        model = self._whole(stack) if self._client is None else self._sent()
        made = TransformersPolicy.from_model(
            model,
            self._tokenizer,
            temperature=temperature,
            max_tokens=self.office.max_tokens,
            batch=self.office.rollout_batch,
            policy_version=f"step-{self.state.global_step}",
        )
        if self._client is not None:
            return served(made, self._client, temperature)
        return made

    def _whole(self, stack: ExitStack) -> Any:
        """The model with all its weights on this device."""
        args: Any = self.args
        model = stack.enter_context(
            unwrap_model_for_generation(
                self.model_wrapped,
                self.accelerator,
                gather_deepspeed3_params=args.ds3_gather_for_generation,
                gradient_checkpointing_kwargs=args.gradient_checkpointing_kwargs,
            )
        )
        stack.enter_context(torch.no_grad())
        stack.enter_context(self._dist.summon_full_params(self.model_wrapped, recurse=False))
        return model

    def _sent(self) -> Any:
        """The model as it is here; the server has got its weights, if they are new."""
        if self.state.global_step != self._last_loaded_step:
            self.vllm_generation.sync_weights()  # type: ignore[no-untyped-call]
            self._last_loaded_step = self.state.global_step
        return self.accelerator.unwrap_model(self.model)

    # Rollouts ---------------------------------------------------------------------------------

    def roll_out(self, prompts: Sequence[str]) -> dict[str, list[Any]]:
        """Plays the tasks of a batch: TRL's `rollout_func`.

        Args:
            prompts: Of this process; each k times, one after the other.
        """
        asked = []
        for group in dict.fromkeys(prompts):
            count = self.office.k
            if self.office.multiplier:
                count = self._multiplier.count(task_of(group), count)
            asked += places(group, item_of(group), count, self.office.seed)
        with ExitStack() as stack:
            policy = self.policy(stack, self.office.temperature)
            self._played = play(policy, asked, self._how)
        kept = [self._played[n] for n in self._kept_rows()]
        rows = [row_of(one, self._tokenizer.pad_token_id) for one in kept]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _kept_rows(self) -> list[int]:
        return kept_rows([one.earned for one in self._played], self.office.k)

    # Advantages -------------------------------------------------------------------------------

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        output: dict[str, Any] = super()._generate_and_score_completions(inputs)
        mine = [one.earned for one in self._played]
        earned: list[Earned] = gather_object(mine)
        counts: list[int] = gather_object([len(mine)])
        found = credit(earned, self._estimator, self._recipe)
        start = sum(counts[: self.accelerator.process_index])
        rows = [start + n for n in self._kept_rows()]
        self._take_in(earned, found)
        kept = [self._played[n - start] for n in rows]
        values = [found.advantages[n] for n in rows]
        self._record(kept, values)
        return self._with_credit(output, found, rows, kept)

    def _with_credit(
        self,
        output: dict[str, Any],
        found: Credit,
        rows: Sequence[int],
        kept: Sequence[TrainingRollout],
    ) -> dict[str, Any]:
        """Puts advantages and the rows that are trained into what TRL's loss takes."""
        device, mask = output["completion_ids"].device, output["tool_mask"]
        scale = found.scale if self.loss_type in _MEANS_OVER_ROWS else 1.0
        if isinstance(found.advantages, list):
            values = np.zeros(tuple(mask.shape))
            for n, (row, one) in enumerate(zip(rows, kept, strict=True)):
                for span, value in zip(one.spans, found.advantages[row], strict=True):
                    values[n, span.start : span.stop] = value
        else:
            values = found.advantages[list(rows)]
        output["advantages"] = torch.as_tensor(values * scale, dtype=torch.float32, device=device)
        trained = torch.as_tensor(found.trained[list(rows)], device=device)
        output["tool_mask"] = mask * trained[:, None].to(mask.dtype)
        trained_tokens = (output["completion_mask"] * output["tool_mask"]).sum()
        output["num_items_in_batch"] = self.accelerator.gather(trained_tokens).sum()
        return output

    def _take_in(self, earned: Sequence[Earned], found: Credit) -> None:
        """Learns from a batch which tasks give a signal, and says when none does."""
        signal = dict(zip(groups_of(earned), found.informative, strict=True))
        for group, informative in signal.items():
            self._multiplier.update(task_of(group), bool(informative))
        for name, value in figures(earned, found).items():
            self._metrics["train"][f"office/{name}"].append(value)
        if any(signal.values()):
            return
        self._dead_steps += 1
        if self._dead_steps & (self._dead_steps - 1) == 0:
            rewards = rewards_of(earned)
            known = rewards[~np.isnan(rewards)]
            told = (
                f"all rewards of a group are equal (mean {known.mean():.3f})"
                if len(known)
                else ("no rollout could be scored")
            )
            warnings.warn(
                f"step {self.state.global_step}: {told}, so nothing is learned; {self._dead_steps} "
                "batches like this so far. Easier tasks, a warm start or a larger k help",
                stacklevel=2,
            )

    def _record(self, kept: Sequence[TrainingRollout], values: Sequence[Any]) -> None:
        lost = sum(one.lost for one in kept)
        self._metrics["train"]["office/lost_tokens"].append(lost)
        every, step = self.office.transcripts_every, self.state.global_step
        if every and step % every == 0 and self.accelerator.is_main_process:
            path = Path(self.office.out) / "transcripts.jsonl"
            write_transcripts(path, kept, values, step)

    def note(self, figures: dict[str, float]) -> None:
        """Puts the figures of an evaluation into the next line of the log."""
        for name, value in figures.items():
            self._metrics["train"][f"eval/{name}"].append(value)

    # Failures and checkpoints -----------------------------------------------------------------

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        """Returns TRL's loss.

        Raises:
            TrainingError: When it is not a number.
        """
        loss = super().compute_loss(model, trimmed(inputs), return_outputs, num_items_in_batch)
        if not math.isfinite(loss.detach().sum().item()):
            raise TrainingError(
                f"the loss is {loss.item()} at step {self.state.global_step}: lower learning_rate "
                f"({self.args.learning_rate:g}) or max_grad_norm ({self.args.max_grad_norm:g})"
            )
        return loss

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        super()._save_checkpoint(model, trial)  # type: ignore[no-untyped-call]
        if self.args.should_save:
            folder = Path(self.office.out) / f"checkpoint-{self.state.global_step}"
            state = {"multiplier": self._multiplier.state_dict(), "dead_steps": self._dead_steps}
            (folder / _STATE).write_text(json.dumps(state), encoding="utf-8")

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)  # type: ignore[no-untyped-call]
        if checkpoint is not None:
            state = json.loads((Path(checkpoint) / _STATE).read_text(encoding="utf-8"))
            self._multiplier.load_state_dict(state["multiplier"])
            self._dead_steps = state["dead_steps"]
