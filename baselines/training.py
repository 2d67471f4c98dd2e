"""Training: the arguments that the four algorithms share, checked before anything is loaded."""

from dataclasses import dataclass, field
from typing import Any, Literal, cast

from baselines.credit import Recipe
from baselines.rollouts import Play
from coworkgym.company import SPLITS
from coworkgym.errors import SettingsError, unknown
from coworkgym.rewards import FORMULAS
from coworkgym.tasks import LEVELS, Item, get_package

_COUNTS = (
    "groups",
    "items",
    "steps",
    "micro_batch",
    "iterations",
    "budget",
    "max_tokens",
    "save_every",
)


@dataclass(kw_only=True)
class TrainingArgs:
    """What every algorithm takes.

    Attributes:
        model: `tiny`, `smollm2`, or the folder or id of a model.
        adapter: Folder of a LoRA adapter to start from (warm start) and to train on.
        out: Folder of the run.
        packages: Names of task packages, or their Gymnasium ids.
        level: Level of the tasks.
        language: Language of the tasks.
        items: Training tasks of each package; seeds 0 up.
        steps: Optimizer steps.
        groups: Tasks of a batch of rollouts, all processes together.
        k: Rollouts of a task, 2 or more.
        micro_batch: Rollouts of a forward and backward pass on each device.
        learning_rate: Constant; 1e-3 for `tiny`, 1e-5 for models of billions.
        lora_rank: Rank of a new adapter; 0 trains all weights.
        beta: Weight of the KL to the model that training started from.
        epsilon: Clipping of the ratio.
        epsilon_high: Its upper side, if another (0.28 is clip-higher).
        iterations: Optimizer steps over a batch of rollouts.
        max_grad_norm: Longest gradient.
        temperature: Of sampling, above 0.
        max_tokens: Tokens of one answer at most.
        budget: Tokens after the first prompt at most, tools' included; Dr.GRPO's constant.
        max_steps: Calls at which an episode is cut off, if before the task's limit.
        rollout_batch: Answers that are generated side by side.
        reward: Formula of the reward: score, solved (1 or 0), dense, or wild_awm.
        breach_reward: Reward of an episode that breached a gate of severity 1; at most 0.
        on_malformed: observe a malformed call, or terminate the episode with -1; by default what
            the reward wants: terminate for wild_awm, observe for all others.
        faults: Share of calls that fail.
        recipe: wild_awm sets reward, floor, multiplier and dynamic_filter as WildAWM has them.
        floor: Whether a group of nothing but format errors gets the advantage -K^(-1/2).
        multiplier: Whether tasks that seldom give a signal are played more often.
        dynamic_filter: Whether groups without a signal are left out of the loss.
        overlong: Whether cut-off rollouts are trained with their reward (keep) or not (mask).
        retries: Tries more for episodes that failed for no fault of the model.
        eval_every: Steps between evaluations; 0 for none.
        eval_items: Tasks of each package in an evaluation.
        eval_samples: Episodes of each.
        eval_split: validation or test; never train.
        eval_temperature: Of sampling in evaluations.
        save_every: Steps between checkpoints.
        resume: Whether to go on from the last checkpoint in `out`.
        transcripts_every: Steps between sample transcripts; 0 for none.
        seed: Of everything.
        bf16: Whether to train in bfloat16; by default on a GPU only.
        gradient_checkpointing: Less memory, a third more time.
        vllm_server: URL of `trl vllm-serve`, which generates.
        cpu: Whether to leave a GPU alone.
        threads: Threads of PyTorch on the CPU; 0 for its default.
        dry_run: Whether to print what training would take, and stop.
    """

    model: str = "tiny"
    adapter: str | None = None
    out: str = "runs/train"
    packages: list[str] = field(default_factory=lambda: ["escalation"])
    level: str = "warmup"
    language: str = "en"
    items: int = 64
    steps: int = 100
    groups: int = 4
    k: int = 8
    micro_batch: int = 8
    learning_rate: float = 1e-5
    lora_rank: int = 16
    beta: float = 0.0
    epsilon: float = 0.2
    epsilon_high: float | None = None
    iterations: int = 1
    max_grad_norm: float = 1.0
    temperature: float = 1.0
    max_tokens: int = 256
    budget: int = 4096
    max_steps: int | None = None
    rollout_batch: int = 32
    reward: str = "score"
    breach_reward: float = -0.5
    on_malformed: Literal["observe", "terminate"] | None = None
    faults: float | None = None
    recipe: Literal["plain", "wild_awm"] = "plain"
    floor: bool = False
    multiplier: bool = False
    dynamic_filter: bool = False
    overlong: Literal["keep", "mask"] = "keep"
    retries: int = 2
    eval_every: int = 0
    eval_items: int = 16
    eval_samples: int = 1
    eval_split: str = "validation"
    eval_temperature: float = 0.0
    save_every: int = 50
    resume: bool = False
    transcripts_every: int = 10
    seed: int = 0
    bf16: bool | None = None
    gradient_checkpointing: bool = False
    vllm_server: str | None = None
    cpu: bool = False
    threads: int = 0
    dry_run: bool = False

    def __post_init__(self) -> None:
        """Checks the values.

        Raises:
            SettingsError: For a number that cannot be.
            UnknownNameError: For a package, level or formula that does not exist.
        """
        if self.recipe == "wild_awm":
            self.reward, self.floor = "wild_awm", True
            self.multiplier = self.dynamic_filter = True
        if self.k < 2:
            raise SettingsError(f"a group needs rollouts to compare: k is at least 2, not {self.k}")
        for name in _COUNTS:
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} is at least 1, not {getattr(self, name)}")
        if not self.temperature > 0:
            raise SettingsError(f"temperature is above 0 in training, not {self.temperature}")
        if self.breach_reward > 0:
            raise SettingsError(f"breach_reward is at most 0, not {self.breach_reward}")
        self._check_names()

    def _check_names(self) -> None:
        held_out = [split for split in SPLITS if split != "train"]
        for noun, name, allowed in (
            ("reward formula", self.reward, FORMULAS),
            ("level", self.level, LEVELS),
            ("held-out split", self.eval_split, held_out),
        ):
            if name not in allowed:
                raise unknown(noun, name, allowed)
        self.training_items()

    def training_items(self) -> list[Item]:
        """Returns the tasks that are trained on, those of the packages in turn."""
        return self._items("train", self.items)

    def held_out_items(self) -> list[Item]:
        """Returns the tasks of an evaluation; no person, firm or address of training occurs."""
        return self._items(self.eval_split, self.eval_items)

    def _items(self, split: Any, count: int) -> list[Item]:
        level, language = cast(Any, self.level), cast(Any, self.language)
        packages = [get_package(name) for name in dict.fromkeys(self.packages)]
        return [
            package.item(seed=seed, level=level, split=split, language=language)
            for seed in range(count)
            for package in packages
        ]

    def play(self, *, anchors: bool = False, gamma: float = 1.0) -> Play:
        """Returns how episodes are played.

        Args:
            anchors: Whether states are told apart, for GiGPO.
            gamma: Discount of `dense`.
        """
        env: dict[str, Any] = {
            "reward": self.reward,
            "breach_reward": self.breach_reward,
            "on_malformed": self.on_malformed,
            "anchors": anchors,
            "gamma": gamma,
            "faults": self.faults,
        }
        return Play(env=env, budget=self.budget, max_steps=self.max_steps, retries=self.retries)

    def extras(self) -> Recipe:
        """Returns what is done beside the estimator."""
        return Recipe(
            floor=self.floor,
            dynamic_filter=self.dynamic_filter,
            train_cut_off=self.overlong == "keep",
        )
