"""Stages: the folder of a staged run, so that a killed one goes on, and what it leaves behind."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from coworkgym.errors import SettingsError

_FREE = ("resume", "quiet", "threads", "dry_run", "out", "eval_every", "eval_tasks", "save_every")
"""Arguments that may differ when a run goes on."""


def require_same(out: Path, args: Any) -> None:
    """Passes when a run may go on in a folder, or begins there.

    Raises:
        SettingsError: When what is there was trained otherwise, with the differences.
    """
    file = out / "args.json"
    if args.dry_run or not args.resume or not file.is_file():
        return
    old, new = json.loads(file.read_text(encoding="utf-8")), asdict(args)
    other = [name for name in new if name not in _FREE and old.get(name) != new[name]]
    if other:
        told = ", ".join(f"{name} {old.get(name)!r}, now {new[name]!r}" for name in other)
        raise SettingsError(f"{out} holds a run with {told}: name another out, or --no-resume")


def begin(out: Path, args: Any) -> None:
    """Notes the arguments of a run, and takes away what an old one left, if it does not go on."""
    if not args.resume:
        for folder in out.glob("stage-*"):
            shutil.rmtree(folder)
        (out / "transcripts.jsonl").unlink(missing_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    (out / "args.json").write_text(json.dumps(asdict(args), indent=1), encoding="utf-8")


def recorded(out: Path, count: int) -> tuple[list[tuple[int, float]], list[dict[str, Any]]]:
    """Returns losses and evaluations of the first `count` stages, which are finished."""
    losses: list[tuple[int, float]] = []
    played: list[dict[str, Any]] = []
    for n in range(count):
        told = json.loads((out / f"stage-{n}" / "done.json").read_text(encoding="utf-8"))
        losses += [(step, loss) for step, loss in told["losses"]]
        played += told["played"]
    return losses, played


def finish(out: Path, last: int, found: Mapping[str, Any]) -> None:
    """Copies the last stage to the folder itself, writes the losses, draws and prints them."""
    left = shutil.ignore_patterns("checkpoint-*", "done.json", "runs", "README.md")
    shutil.copytree(out / f"stage-{last}", out, ignore=left, dirs_exist_ok=True)
    (out / "log.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    if not plot(found["losses"], found["played"], out / "curves.png"):
        print("no plot: matplotlib is not installed (coworkgym[eval])")
    for told in found["played"][-1:]:
        print(f"held out  value {told['value']:.3f}, solved {told['solved']:.3f}, "
              f"{told['episodes']} episodes")  # fmt: skip
    print(f"saved     {out}: coworkgym eval NAME --policy transformers:{out}")


def plot(
    losses: Sequence[tuple[int, float]], played: Sequence[Mapping[str, Any]], path: Path
) -> bool:
    """Draws loss and held-out scores by step; False where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        return False
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot([step for step, _ in losses], [loss for _, loss in losses], color="tab:blue")
    left.set(title="loss of trained tokens", xlabel="step")
    steps = [told["step"] for told in played]
    for name in ("value", "solved", "safety"):
        right.plot(steps, [told[name] for told in played], marker="o", label=name)
    right.set(title="held-out tasks", xlabel="step", ylim=(-0.05, 1.05))
    right.legend()
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
    return True
