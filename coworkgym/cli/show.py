"""`coworkgym show`: a task as the agent sees it, and with --answer what it is judged by."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from coworkgym.cli.options import (
    JsonOption,
    LanguageOption,
    LevelOption,
    NameArgument,
    SeedOption,
    SplitOption,
    find_task,
    out,
    print_json,
)
from coworkgym.frozen import json_text
from coworkgym.rewards import Statement
from coworkgym.tasks import Task


def show(  # noqa: PLR0913
    name: NameArgument,
    seed: SeedOption = 0,
    level: LevelOption = "easy",
    language: LanguageOption = "en",
    split: SplitOption = "train",
    answer: Annotated[
        bool, typer.Option("--answer", help="Also the checks, the gates and the solution.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a task as the agent sees it."""
    task = find_task(name, seed, level, language, split)
    if as_json:
        visible = {"messages": task.opening, "tools": task.tool_schemas}
        print_json(task.data() if answer else visible)
        return
    print_task(task)
    if answer:
        _print_answer(task)


def print_task(task: Task) -> None:
    """Prints the opening messages and the tools."""
    for message in task.opening:
        out.print(f"[bold cyan]{message['role']}[/bold cyan]")
        out.print(escape(message["content"]), highlight=False)
        out.print()
    table = Table("tool", "what it does", box=None, pad_edge=False)
    for schema in task.tool_schemas:
        table.add_row(f"{schema['name']}({_signature(schema)})", escape(schema["description"]))
    out.print(table)


def _signature(schema: Mapping[str, Any]) -> str:
    parameters = schema["parameters"]
    names = parameters["properties"]
    return ", ".join(name if name in parameters["required"] else f"{name}=" for name in names)


def _print_answer(task: Task) -> None:
    out.print("\n[bold]Checks[/bold]")
    for check in task.checks:
        _print_line(check.weight, check.name, check.statement)
    out.print("\n[bold]Gates[/bold]")
    for gate in task.gates:
        _print_line(gate.severity, f"{gate.name} ({gate.counts})", gate.statement)
    out.print("\n[bold]Reference solution[/bold]")
    for call in task.solution:
        out.print(f"{call.name} {json_text(call.arguments)}", markup=False, highlight=False)


def _print_line(number: float, name: str, statement: Statement) -> None:
    out.print(f"{number:5.3g}  {name}", markup=False, highlight=False)
    out.print(f"       {json_text(statement.data())}", style="dim", markup=False, highlight=False)
