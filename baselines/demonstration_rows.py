"""Rows: single demonstrations, and what makes two of them the same.

Beside the columns of `training_rows` a row has `kind` (`solved`, `recovery` or `feedback`), `rate`,
the solve rate of its task, and `untrained`, the positions of answers that are read and not trained:
those with a call that failed by the agent's own fault, and a failed attempt before its feedback.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from coworkgym.frozen import Json
from coworkgym.rollouts import Rollout
from coworkgym.rollouts.exports import Row, training_rows
from coworkgym.services.faults import KINDS
from coworkgym.transcript import Message

FEEDBACK = {
    "en": (
        "[Feedback] Your attempt did not do all of the work:",
        "Everything in the office is as it was at the beginning. Please do it again.",
    ),
    "zh": ("【反馈】这次尝试没有完成全部工作：", "办公系统的一切已恢复到最初的状态，请重新处理。"),
}
"""What a user says of a failed attempt, before and after the explanations, by language."""

_FAULTS = frozenset(KINDS.values())
_FORMS = (
    ("id", r"[A-Z]{2,5}-\d+"),
    ("address", r"[^\s@]+@[^\s@]+"),
    ("time", r"\d{4}-\d\d-\d\d([T ].*)?"),
    ("number", r"-?\d+([.,]\d+)*"),
)
_VALUE = re.compile(r"[^\s\"',;:，。；：、()]*[\d@][^\s\"',;，。；：、()]*")


def prefix_of(messages: Iterable[Message], calls: int | None = None) -> tuple[str, ...]:
    """Returns the normalised prefix: of each of the first calls its tool and arguments' forms.

    A form is id, address, time, number, boolean or text, and of a list those of its entries;
    no value is left, so that two tasks, or two samples of one, agree where the work is the same.

    Args:
        messages: A transcript.
        calls: How many calls; by default all.
    """
    made = []
    for call in calls_of(messages):
        shapes = sorted(f"{key}={_form(value)}" for key, value in call["arguments"].items())
        made.append(f"{call['name']}({', '.join(shapes)})")
    return tuple(made[:calls])


def calls_of(messages: Iterable[Message]) -> Iterator[Mapping[str, Any]]:
    """Yields the calls of a transcript in coworkgym's form."""
    for message in messages:
        yield from message.get("tool_calls", ())


def recovers(rollout: Rollout) -> bool:
    """Whether a call failed and the same tool succeeded later."""
    calls = [deed for deed in rollout.deeds if deed.actor == "agent"]
    return any(
        deed.error and any(not later.error and later.name == deed.name for later in calls[n + 1 :])
        for n, deed in enumerate(calls)
    )


def demonstration(rollout: Rollout, kind: str, rate: float) -> Row:
    """Returns the row of a rollout."""
    row = next(iter(training_rows([rollout])))
    return {**row, "kind": kind, "rate": rate, "untrained": mistakes(rollout.transcript)}


def mistakes(messages: Sequence[Message]) -> list[int]:
    """Returns the positions of answers with a call that failed, though not by an office's fault."""
    failed = {
        message["tool_call_id"]
        for message in messages
        if message["role"] == "tool" and _error(message["content"]) not in (None, *_FAULTS)
    }
    return [
        place
        for place, message in enumerate(messages)
        if any(call["id"] in failed for call in message.get("tool_calls", ()))
    ]


def with_feedback(failed: Rollout, solved: Rollout, rate: float) -> Row:
    """Returns a failed attempt, what was wrong with it, and a solved one of the same task.

    The user says which checks and gates failed and why, and that the office is as it was: the
    second attempt was played from the beginning. Only that attempt is trained.
    """
    first, second = (demonstration(rollout, "feedback", rate) for rollout in (failed, solved))
    before, after = FEEDBACK[failed.item.language]
    told = [f"- {check.name}: {check.why}" for check in failed.score.checks if check.value < 1]
    told += [f"- {gate.name}: {gate.why}" for gate in failed.score.gates if gate.breached]
    feedback = {"role": "user", "content": "\n".join([before, *told, after])}
    head = [*first["messages"], feedback]
    answers = [n for n, message in enumerate(head) if message["role"] == "assistant"]
    later = [len(head) + place - 2 for place in second["untrained"]]
    return {
        **second,
        "id": f"{second['id']}~feedback~{failed.policy}~{failed.sample}",
        "messages": [*head, *_renumbered(second["messages"][2:], len(_ids(head)))],
        "untrained": [*answers, *later],
    }


def cut_results(row: Row, limit: int) -> tuple[Row, int]:
    """Returns a row whose long results end early, at a marked place, and how many do.

    A result is never cut before something that the agent goes on to use and was not told before:
    a row would teach it to make values up.

    Args:
        row: A row.
        limit: Characters of a result that stay; 0 for all.
    """
    if not limit:
        return row, 0
    messages: list[Any] = []
    cut, told = 0, ""
    for place, message in enumerate(row["messages"]):
        content = message["content"] or ""
        if message["role"] == "tool" and len(content) > limit:
            keep = _needed(content, limit, told, row["messages"][place + 1 :])
            if keep < len(content):
                note = f"[... {len(content) - keep} characters cut]"
                message, cut = {**message, "content": content[:keep] + note}, cut + 1
        told += "\n" + (message["content"] or "")
        messages.append(message)
    return {**row, "messages": messages}, cut


def _needed(content: str, limit: int, told: str, later: Sequence[Message]) -> int:
    keep = limit
    for text in _used(later):
        place = content.find(text)
        if place >= 0 and text not in told:
            keep = max(keep, place + len(text))
    return keep


def _used(messages: Sequence[Message]) -> set[str]:
    """The values in what an agent goes on to call and say."""
    found: set[str] = set()
    for message in messages:
        if message["role"] == "assistant":
            written = [call["function"]["arguments"] for call in message.get("tool_calls") or ()]
            for text in [message["content"] or "", *written]:
                found.update(value.rstrip(".}]") for value in _VALUE.findall(text))
    return {value for value in found if len(value) > 2}


def _ids(messages: Iterable[Message]) -> list[str]:
    return [call["id"] for message in messages for call in message.get("tool_calls") or ()]


def _renumbered(messages: Iterable[Message], offset: int) -> list[dict[str, Any]]:
    """The messages of a second attempt, whose calls are counted on from the first."""
    text = json.dumps(list(messages), ensure_ascii=False)
    ids = _ids(messages)
    new = {name: f"call_{offset + n}" for n, name in enumerate(ids, start=1)}
    made: list[dict[str, Any]] = json.loads(text)
    for message in made:
        for call in message.get("tool_calls") or ():
            call["id"] = new[call["id"]]
        if "tool_call_id" in message:
            message["tool_call_id"] = new[message["tool_call_id"]]
    return made


def _error(content: str) -> Json:
    read = json.loads(content)
    return read.get("error") if isinstance(read, dict) else None


def _form(value: Json) -> str:
    if isinstance(value, bool) or value is None:
        return "boolean" if value is not None else "none"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, list | tuple):
        return f"[{', '.join(sorted({_form(entry) for entry in value}))}]"
    text = str(value)
    return next((name for name, form in _FORMS if re.fullmatch(form, text)), "text")
