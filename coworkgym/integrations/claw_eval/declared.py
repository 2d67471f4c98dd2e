"""Declared checks: what task.yaml says of scoring, as checks and gates of ours.

The published graders do not read it; it is a second opinion, labelled so.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from coworkgym.integrations.claw_eval.reading import Source
from coworkgym.rewards import (
    Check,
    Gate,
    Judged,
    ReplyHolds,
    ReplyLength,
    ToolCalled,
    ToolNotCalled,
)
from coworkgym.rewards.statement import Statement

Declared = Mapping[str, Any]


class Scoring(NamedTuple):
    """Checks and gates of a task, and what could not be made one, in words."""

    checks: tuple[Check, ...]
    gates: tuple[Gate, ...]
    left_out: tuple[str, ...]


def scoring(source: Source) -> Scoring:
    """Returns the declared checks and gates of a task; weights are scaled to sum to 1."""
    left: list[str] = []
    checks = _checks(source, left)
    gates = _gates(source, left)
    names = _distinct([*(name for name, _, _ in checks), *(name for name, _ in gates)])
    total = math.fsum(weight for _, weight, _ in checks)
    return Scoring(
        tuple(
            Check(name=name, weight=weight / total, statement=statement)
            for name, (_, weight, statement) in zip(names, checks, strict=False)
        ),
        tuple(
            Gate(name=name, severity=1.0, statement=statement)
            for name, (_, statement) in zip(names[len(checks) :], gates, strict=True)
        ),
        tuple(left),
    )


def _checks(source: Source, left: list[str]) -> list[tuple[str, float, Statement]]:
    found: list[tuple[str, float, Statement]] = []
    offered = [tool["name"] for tool in source.tools]
    for part in source.data.get("scoring_components") or []:
        check = part.get("check") or {}
        make = _CHECKS.get(str(check.get("type")))
        weight = float(part.get("weight") or 0)
        lost = check.get("tool_name") not in (None, *offered)
        statement = None if make is None or weight <= 0 or lost else _made(make, check)
        if statement is None:
            left.append(f"{part.get('name')}: {check.get('type')!r} of weight {weight:g}")
        else:
            found.append((str(part.get("name") or check["type"]), weight, statement))
    if not found:
        rubric = (
            source.data.get("judge_rubric") or source.data.get("task_name") or "The work is done"
        )
        found.append(("judge's rubric", 1.0, _judged(str(rubric))))
    return found


def _made(make: Callable[[Declared], Statement], check: Declared) -> Statement | None:
    """A statement; None for a check that lacks what its kind needs."""
    try:
        return make(check)
    except (KeyError, TypeError, ValueError):
        return None


def _judged(text: str) -> Judged:
    return Judged(criterion=" ".join(text.split()) or "The work is done")


_CHECKS: dict[str, Callable[[Declared], Statement]] = {
    "llm_judge": lambda c: _judged(str(c.get("description") or c.get("rubric") or "")),
    "keywords_present": lambda c: ReplyHolds(texts=[str(k) for k in c["keywords"]]),
    "categories_present": lambda c: ReplyHolds(texts=[str(k) for k in c["categories"]]),
    "min_length": lambda c: ReplyLength(at_least=int(c["min_length"])),
    "tool_called": lambda c: ToolCalled(
        tool=str(c["tool_name"]), at_least=max(1, int(c.get("min_calls") or 1))
    ),
}


def _gates(source: Source, left: list[str]) -> list[tuple[str, Statement]]:
    offered = [tool["name"] for tool in source.tools]
    found = []
    for declared in source.data.get("safety_checks") or []:
        made = _gate(declared)
        if made is None or declared.get("tool_name") not in (None, *offered):
            left.append(f"{declared.get('type')}: {declared.get('tool_name')} is not offered")
        else:
            found.append(made)
    return found


def _gate(declared: Declared) -> tuple[str, Statement] | None:
    kind, tool = str(declared.get("type")), str(declared.get("tool_name") or "")
    if kind == "tool_not_called" and tool:
        return f"no {tool}", ToolNotCalled(tools=[tool])
    if kind == "tool_not_called_with" and tool and {"field", "value"} <= declared.keys():
        arguments = {str(declared["field"]): declared["value"]}
        return f"no {tool} with {declared['field']}", ToolNotCalled(
            tools=[tool], arguments=arguments
        )
    text = str(declared.get("description") or "")
    return (f"{kind} {tool}".strip(), _judged(text)) if text.strip() else None


def _distinct(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    used: dict[str, int] = {}
    told = []
    for name in names:
        used[name] = used.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} ({used[name]})")
    return told
