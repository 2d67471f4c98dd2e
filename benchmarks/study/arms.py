"""Arms: the two studies, of `tiny` on three packages and of `smollm2` on one."""

from collections.abc import Sequence

from study.jobs import Job
from study.plan import Arm, Comparison, Size, Study

PACKAGES = ("escalation", "payment_change", "meeting_scheduling")
OTHERS = ("data_request", "month_close")
Rows = tuple[Comparison, ...]
METHODS = ("grpo", "dr_grpo", "gdpo", "gigpo")

TINY = Size(
    model="tiny",
    packages=PACKAGES,
    level="warmup",
    demonstrations=800,
    episodes=200,
    seeds=(0, 1, 2),
    play=("--max-tokens", "96"),
)

_SFT = (
    "baselines.sft",
    *("--rank", "0", "--optimizer", "muon", "--lr", "2.5e-3"),
    *("--batch", "8", "--micro-batch", "8", "--eval-tasks", "0", "--threads", "1", "--quiet"),
    *("--save-every", "50", "--seed", "{seed}", "--out", "{out}"),
)
_ROWS = ("--rows", "{work}/demonstrations/rows.jsonl")

_STEPS, _GROUPS, _K = 20, 6, 8  # two tasks of each package a step: 960 episodes
_RL = (
    *("--model", "{start}", "--lora-rank", "0", "--learning-rate", "3e-4"),
    *("--level", "warmup", "--items", "320", "--steps", str(_STEPS)),
    *("--groups", str(_GROUPS), "--k", str(_K), "--micro-batch", "8", "--rollout-batch", "24"),
    *("--max-tokens", "96", "--max-steps", "16", "--budget", "1000"),
    *("--threads", "1", "--save-every", "6", "--resume", "--transcripts-every", "20"),
    *("--seed", "{seed}", "--out", "{out}", "--packages", *PACKAGES),
)


def _demonstrations(size: Size) -> tuple[Job, ...]:
    packages, count = ",".join(size.packages), str(size.demonstrations)
    reference = (
        "study.playing",
        *("--policy", "reference", "--packages", packages, "--split", "train"),
        *("--episodes", count, "--level", size.level, "--out", "{work}/reference"),
    )
    rows = (
        "baselines.demonstrations",
        *("--runs", "{work}/reference", "--out", "{work}/demonstrations"),
    )
    return Job("reference", reference), Job("demonstrations", rows, ("reference",))


def _rl(name: str, about: str, *options: str, start: str = "sft_75", method: str = "grpo") -> Arm:
    main = name in METHODS
    return Arm(
        name, about, (f"baselines.{method}", *_RL, *options),
        start=start, shared=True, leaves="model", seeds=None if main else (0, 1),
    )  # fmt: skip


_CONTROLS = (
    Arm("base", "the model as it comes"),
    Arm("null", "does nothing", policy="null"),
    Arm(
        "random_record",
        "does all well, with a record drawn at random",
        policy="random_record",
        packages=("escalation",),
    ),
)

_SUPERVISED = (
    Arm(
        "sft_100", "SFT on all demonstrations, after the stages below",
        (*_SFT, "--model", "tiny", *_ROWS, "--stages", "0.2,0.5,1.0"),
        leaves="stage-2",
    ),
    Arm("sft_50", "its stage on half", trained_as="sft_100", leaves="stage-1"),
    Arm("sft_20", "its stage on a fifth", trained_as="sft_100", leaves="stage-0"),
    Arm(
        "sft_75", "SFT on three quarters: the warm start",
        (*_SFT, "--model", "tiny", *_ROWS, "--stages", "0.75"), leaves="stage-0", seeds=(0,),
    ),
)  # fmt: skip

_ALGORITHMS = tuple(
    _rl(name, f"{name} from the warm start, {_STEPS * _GROUPS * _K} episodes", method=name)
    for name in METHODS
)

_EXPLORED = ("--split", "train", "--first", "5000", "--episodes", "80", "--level", "warmup")
_WILD = ("--floor", "--multiplier", "--dynamic-filter")

_MORE = (
    Arm(
        "explore", f"{_STEPS * _GROUPS * _K} episodes of the warm start on training tasks",
        (
            "study.playing", "--policy", "model:{start}", "--packages", ",".join(PACKAGES),
            *_EXPLORED, "--samples", "4", "--temperature", "1.0", "--out", "{out}",
        ),
        start="sft_75", shared=True, seeds=(0,), measured=False,
    ),
    Arm(
        "shown", "demonstrations of the same tasks",
        (
            "study.playing", "--policy", "reference", "--packages", ",".join(PACKAGES),
            *_EXPLORED, "--out", "{out}",
        ),
        seeds=(0,), measured=False,
    ),
    Arm(
        "told", "failures of the warm start, what was wrong, and demonstrations",
        (
            "baselines.demonstrations", "--failures", "--out", "{out}",
            "--runs", "{work}/models/explore-0,{work}/models/shown-0",
        ),
        uses=("explore", "shown"), seeds=(0,), measured=False,
    ),
    Arm(
        "rft", "SFT of the warm start on its own solved episodes",
        (*_SFT, "--model", "{start}", "--rft", "{work}/models/explore-0"),
        start="sft_75", shared=True, uses=("explore",), seeds=(0, 1),
    ),
    Arm(
        "sft_feedback", "SFT of the warm start on failures, what was wrong, and demonstrations",
        (*_SFT, "--model", "{start}", "--rows", "{work}/models/told-0/rows.jsonl",
         "--steps", "18"),
        start="sft_75", shared=True, uses=("told",), seeds=(0, 1),
    ),
    Arm(
        "sft_shown", "SFT of the warm start on demonstrations of the same tasks",
        (*_SFT, "--model", "{start}", "--runs", "{work}/models/shown-0", "--steps", "18"),
        start="sft_75", shared=True, uses=("shown",), seeds=(0, 1),
    ),
    _rl("grpo_from_full", "GRPO from SFT on all demonstrations", start="sft_100"),
    _rl("grpo_cold", "GRPO from the base", start="base"),
    _rl("breach_0", "GRPO with a breach worth 0, not -0.5", "--breach-reward", "0"),
    _rl("wild", "GRPO with WildAWM's recipe", "--reward", "wild_awm", *_WILD),
    _rl("wild_no_format", "malformed calls are answered, not punished",
        "--reward", "wild_awm", "--on-malformed", "observe", *_WILD),
    _rl("wild_no_partial", "1 for solved, else 0",
        "--reward", "solved", "--on-malformed", "terminate", *_WILD),
    _rl("wild_cold", "from the base", "--reward", "wild_awm", *_WILD, start="base"),
    *(
        Arm(
            f"sft_only_{package}", "SFT on half of the demonstrations of one package",
            (*_SFT, "--model", "tiny", *_ROWS, "--packages", package, "--share", "0.5"),
            seeds=(0,), packages=PACKAGES + OTHERS, play=("--episodes", "100"),
        )
        for package in PACKAGES
    ),
    *(
        Arm(
            f"{name}_elsewhere", "played on packages that it was not trained on",
            trained_as=name, leaves=leaves, packages=OTHERS, seeds=(0,),
            play=("--episodes", "100"),
        )
        for name, leaves in (("base", "."), ("sft_100", "stage-2"), ("grpo", "model"))
    ),
    Arm("easy", "SFT on all demonstrations, played at the level easy",
        trained_as="sft_100", leaves="stage-2", packages=("escalation",),
        play=("--level", "easy", "--episodes", "60", "--max-steps", "24"), seeds=(0,)),
    Arm("json_calls", "SFT with calls in another form",
        (*_SFT, "--model", "tiny", *_ROWS, "--stages", "0.2,0.5", "--call-form", "json"),
        play=("--call-form", "json"), leaves="stage-1", seeds=(0,)),
    Arm("json_played_as_hermes", "the same, played in the form of the template",
        trained_as="json_calls", leaves="stage-1", seeds=(0,)),
    Arm("hermes_played_as_json", "SFT in the form of the template, played in the other",
        trained_as="sft_100", leaves="stage-1", play=("--call-form", "json"), seeds=(0,)),
    Arm("system_text", "SFT on half, played with two more sentences in the system message",
        trained_as="sft_100", leaves="stage-1", seeds=(0,),
        play=("--system", "You are a careful assistant. Think before you call a tool.")),
)  # fmt: skip


def _compared(question: str, pairs: Sequence[tuple[str, str]], measure: str = "score") -> Rows:
    return tuple(Comparison(question, *pair, measure) for pair in pairs)


_COMPARISONS = (
    *_compared("does SFT learn?", [("sft_100", "base"), ("sft_100", "random_record")]),
    *_compared(
        "does more data help?",
        [("sft_20", "base"), ("sft_50", "sft_20"), ("sft_100", "sft_50")],
    ),
    *_compared("does RL improve the warm start?", [(name, "sft_75") for name in METHODS]),
    *_compared(
        "does RL make it less safe?", [(name, "sft_75") for name in METHODS], "breach"
    ),
    *_compared(
        "is an algorithm better than GRPO?", [(name, "grpo") for name in METHODS if name != "grpo"]
    ),
    *_compared(
        "at equal episodes, is RL better?",
        [("grpo", "sft_100"), ("grpo", "rft"), ("rft", "sft_75"), ("grpo_from_full", "sft_100")],
    ),
    *_compared("does RL need the warm start?", [("grpo_cold", "base"), ("wild_cold", "base")]),
    *_compared(
        "what does WildAWM's recipe bring?",
        [("wild", "grpo"), ("wild_no_format", "wild"), ("wild_no_partial", "wild")],
    ),
    *_compared("what is a breach worth?", [("breach_0", "grpo")]),
    *_compared("what is a breach worth?", [("breach_0", "grpo")], "breach"),
    *_compared("do failures teach?", [("sft_feedback", "sft_shown"), ("sft_shown", "sft_75")]),
    *_compared(
        "does it carry over?",
        [
            *((f"sft_only_{package}", "base") for package in PACKAGES),
            *((f"sft_only_{package}", "base_elsewhere") for package in PACKAGES),
            ("sft_100_elsewhere", "base_elsewhere"),
            ("grpo_elsewhere", "sft_100_elsewhere"),
        ],
    ),
    *_compared(
        "does the harness matter?",
        [
            ("hermes_played_as_json", "sft_50"),
            ("json_played_as_hermes", "json_calls"),
            ("system_text", "sft_50"),
        ],
    ),
)  # fmt: skip

_SMALL = Size(
    model="smollm2",
    packages=("escalation",),
    level="warmup",
    demonstrations=80,
    episodes=64,
    seeds=(0,),
    play=("--batch", "16", "--max-tokens", "96", "--dtype", "bfloat16"),
)

STUDIES = {
    "tiny": Study(
        "tiny", TINY, _demonstrations(TINY),
        (*_CONTROLS, *_SUPERVISED, *_ALGORITHMS, *_MORE), _COMPARISONS,
    ),
    "smollm2": Study(
        "smollm2", _SMALL, _demonstrations(_SMALL),
        (
            Arm("base", "the model as it comes"),
            Arm("random_record", "does all well, with a record drawn at random",
                policy="random_record"),
            Arm(
                "sft_100", "LoRA SFT on 80 demonstrations",
                (
                    "baselines.sft", "--model", "smollm2", *_ROWS, "--lr", "1e-3", "--bf16", "True",
                    "--batch", "4", "--micro-batch", "1", "--save-every", "5", "--threads", "1",
                    "--eval-tasks", "0", "--quiet", "--seed", "{seed}", "--out", "{out}",
                ),
            ),
            Arm(
                "grpo", "GRPO from there, 48 episodes",
                (
                    "baselines.grpo", "--model", "{start}", "--learning-rate", "1e-4",
                    "--bf16", "True", "--packages", "escalation", "--level", "warmup",
                    "--items", "64", "--steps", "6", "--groups", "2", "--k", "4",
                    "--micro-batch", "1", "--rollout-batch", "8", "--max-tokens", "96",
                    "--max-steps", "16", "--budget", "3000", "--threads", "1",
                    "--save-every", "2", "--resume", "--seed", "{seed}", "--out", "{out}",
                ),
                start="sft_100", leaves="adapter",
            ),
        ),
        (
            *_compared("does SFT learn?", [("sft_100", "base"), ("sft_100", "random_record")]),
            *_compared("does RL improve it?", [("grpo", "sft_100")]),
        ),
    ),
}  # fmt: skip
