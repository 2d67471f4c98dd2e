"""Episode page: one rollout as the browser shows it, calls joined with what they changed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from coworkgym.frozen import Json
from coworkgym.rollouts import Deed, Rollout

NOT_RUN = "not_run"


def page_of(rollout: Rollout) -> dict[str, Json]:
    """Returns what the page of an episode shows: entries, score sheet, facts."""
    return {
        "entries": list(entries(rollout)),
        "score": rollout.score.as_dict(),
        "facts": {
            "policy": rollout.policy,
            "ended": rollout.ended,
            "steps": rollout.steps,
            "task": rollout.task._asdict(),
            "usage": rollout.usage._asdict(),
            "segments": len(rollout.segments),
        },
    }


def entries(rollout: Rollout) -> Iterator[dict[str, Json]]:
    """Yields the messages in order, and what the system changed between stages where it did.

    Results stand with their calls. What is JSON is passed on as text, so that no reader rounds its
    numbers.
    """
    deeds = list(rollout.deeds)
    messages = rollout.transcript
    results = {m["tool_call_id"]: m["content"] for m in messages if m["role"] == "tool"}
    thoughts = iter(rollout.reasoning)
    for message in messages:
        if message["role"] == "tool":
            continue
        entry = {"kind": message["role"], "content": message["content"]}
        if message["role"] == "assistant":
            entry |= {"reasoning": thought} if (thought := next(thoughts, "")) else {}
            listed = message.get("tool_calls")
            entry |= (
                {"calls": [_call(call, results, deeds) for call in listed]}
                if listed
                else (_done(deeds))
            )
        yield entry
        if message["role"] == "assistant":
            yield from _system_changes(deeds)


def _call(
    call: Mapping[str, Any], results: Mapping[str, str], deeds: list[Deed]
) -> dict[str, Json]:
    result = results.get(call["id"], "")
    arguments = call["raw"] if "raw" in call else _json(call["arguments"])
    done = {"error": NOT_RUN} if _was_not_run(result) else _done(deeds)
    return {"name": call["name"], "arguments": arguments, "result": result, **done}


def _done(deeds: list[Deed]) -> dict[str, Json]:
    """Takes the next deed of the agent: its step, error and changes."""
    if not deeds or deeds[0].step == 0:
        return {}
    deed = deeds.pop(0)
    facts: dict[str, Json] = {"step": deed.step, "stage": deed.stage, "error": deed.error}
    return facts | {"changes": _changes(deed)}


def _system_changes(deeds: list[Deed]) -> Iterator[dict[str, Json]]:
    """Takes the deeds of the system that come next, as one entry."""
    changes = []
    stage = 0
    while deeds and deeds[0].step == 0:
        deed = deeds.pop(0)
        stage = deed.stage
        changes += _changes(deed)
    if changes:
        yield {"kind": "world", "stage": stage, "changes": changes}


def _changes(deed: Deed) -> list[dict[str, Json]]:
    if deed.changes == "[]":
        return []
    return [_change(*change) for change in json.loads(deed.changes)]


def _change(
    table: str, record: str, before: Mapping[str, Json] | None, after: Mapping[str, Json] | None
) -> dict[str, Json]:
    """One record, field by field; fields that stayed the same are left out."""
    kind = "created" if before is None else "deleted" if after is None else "changed"
    old, new = before or {}, after or {}
    fields: list[Sequence[str | None]] = [
        (name, _text(old, name), _text(new, name))
        for name in {**old, **new}
        if name not in old or name not in new or old[name] != new[name]
    ]
    return {"table": table, "id": record, "kind": kind, "fields": fields}


def _text(record: Mapping[str, Json], name: str) -> str | None:
    return _json(record[name]) if name in record else None


def _was_not_run(result: str) -> bool:
    if NOT_RUN not in result[:40]:
        return False
    try:
        answer = json.loads(result)
    except ValueError:
        return False
    return isinstance(answer, dict) and answer.get("error") == NOT_RUN


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
