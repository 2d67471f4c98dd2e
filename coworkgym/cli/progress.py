"""Progress: how far a run is, on a terminal only: episodes, score, tokens, void episodes."""

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from coworkgym.rewards import combine
from coworkgym.rollouts import Rollout, is_scorable


class Watch:
    """Shows a run's progress; use it in a `with` statement.

    Args:
        console: Where; nothing is shown where that is no terminal.
        policy: Whose episodes.
        total: How many are asked for.
        formula: Of the mean that is shown.
    """

    def __init__(self, console: Console, policy: str, total: int, formula: str) -> None:
        self._formula = formula
        self._scores = [0.0, 0]
        self._tokens = 0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[facts]}"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._bar = self._progress.add_task(policy, total=total, facts="")

    def __enter__(self) -> "Watch":
        """Starts to show."""
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Takes the bar away."""
        self._progress.stop()

    def saw(self, rollout: Rollout, void: int = 0) -> None:
        """Counts a finished episode; `void` is how many did not come to an end so far."""
        if is_scorable(rollout):
            self._scores[0] += combine(self._formula, rollout.score)
            self._scores[1] += 1
        self._tokens += rollout.usage.prompt_tokens + rollout.usage.completion_tokens
        total, count = self._scores
        facts = [f"{self._formula} {total / count:.2f}"] if count else []
        facts += [f"{self._tokens:,} tokens"] if self._tokens else []
        facts += [f"{void} void"] if void else []
        self._progress.update(self._bar, advance=1, facts="  ".join(facts))
