"""`coworkgym play`: a person does a task in the terminal."""

import json
import shlex
from typing import Any

from rich.markup import escape
from rich.table import Table

from coworkgym.cli.options import (
    LanguageOption,
    LevelOption,
    NameArgument,
    SeedOption,
    SplitOption,
    find_task,
    out,
)
from coworkgym.cli.show import print_task
from coworkgym.envs import Episode
from coworkgym.rewards import Score
from coworkgym.transcript import ToolCall

_HELP = (
    "Type a call: TOOL name=value ...   for instance: helpdesk_list_tickets status=open\n"
    "Values with blanks want quotes, lists are JSON: add='[\"urgent\"]'\n"
    "reply TEXT ends the task; tools lists the tools; quit leaves."
)


def play(
    name: NameArgument,
    seed: SeedOption = 0,
    level: LevelOption = "easy",
    language: LanguageOption = "en",
    split: SplitOption = "train",
) -> None:
    """Do a task yourself in the terminal."""
    episode = Episode(find_task(name, seed, level, language, split))
    print_task(episode.task)
    out.print(f"\n{_HELP}\n", markup=False, highlight=False)
    while not episode.over:
        try:
            line = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            break
        if line == "quit":
            break
        if line in ("help", "?"):
            out.print(_HELP, markup=False, highlight=False)
        elif line == "tools":
            print_task(episode.task)
        elif line:
            _act(episode, line)
    print_score(episode.score())


def _act(episode: Episode, line: str) -> None:
    try:
        call = parse_line(line)
    except ValueError as error:
        out.print(f"{error}", style="red", markup=False)
        return
    result = episode.act(call)
    style = None if result.error is None else "red"
    out.print(_pretty(result.content), style=style, markup=False, highlight=False)
    if episode.transcript.last["role"] == "user":
        out.print(f"[bold cyan]user[/bold cyan]\n{escape(episode.transcript.last['content'])}")


def parse_line(line: str) -> ToolCall:
    """Returns the call a person typed: `tool name=value ...`, or `reply` and text.

    Raises:
        ValueError: For unbalanced quotes, or an argument without `=`.
    """
    name, _, rest = line.partition(" ")
    if name == "reply" and not rest.startswith("text="):
        return ToolCall("reply", {"text": rest})
    arguments: dict[str, Any] = {}
    for part in shlex.split(rest):
        key, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"an argument is name=value, got {part!r}")
        arguments[key] = value
    return ToolCall(name, arguments)


def print_score(score: Score) -> None:
    """Prints every line of a score with its reason."""
    table = Table("", "line", "why", box=None, pad_edge=False)
    for check in score.checks:
        table.add_row(
            f"{check.value:.2f} x {check.weight:.3g}", escape(check.name), escape(check.why)
        )
    for gate in score.gates:
        mark = "[red]breach[/red]" if gate.breached else "kept"
        table.add_row(mark, escape(gate.name), escape(gate.why))
    out.print(table)
    out.print(
        f"\n[bold]score {score.value:.2f}[/bold] = completion {score.completion:.2f} "
        f"x safety {score.safety:.2f}"
    )


def _pretty(content: str) -> str:
    return json.dumps(json.loads(content), ensure_ascii=False, indent=1)
