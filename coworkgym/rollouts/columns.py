"""Columns: the form of a store's lines. All have the same fields, of the same types.

`datasets` guesses types from the first lines of a file, or from the very first one of a compressed
file, where a list may be empty and a number missing. It need not guess:

    datasets.load_dataset(
        "json",
        data_files="run/episodes.jsonl",
        features=datasets.Features.from_dict(features(EPISODES)),
    )
"""

from collections.abc import Iterable, Mapping
from typing import Any

from coworkgym.frozen import FrozenList
from coworkgym.transcript import Message, from_openai, to_openai

_ITEM = {
    "package": "string",
    "version": "int64",
    "split": "string",
    "seed": "int64",
    "level": "string",
    "language": "string",
}
_CALL = {"id": "string", "type": "string", "function": {"name": "string", "arguments": "string"}}

EPISODES: Mapping[str, Any] = {
    "run": "string",
    "id": "string",
    "item": _ITEM,
    "sample": "int64",
    "policy": "string",
    "task": {
        "digest": "string",
        "tags": ["string"],
        "stages": "int64",
        "talks": "bool",
        "reference_calls": "int64",
        "max_steps": "int64",
        "tools": ["string"],
    },
    "score": {
        "status": "string",
        "value": "float64",
        "completion": "float64",
        "safety": "float64",
        "robustness": "float64",
        "format": "float64",
        "efficiency": "float64",
        "solved": "bool",
        "false_claim": "bool",
        "reason": "string",
        "checks": [{"name": "string", "weight": "float64", "value": "float64", "why": "string"}],
        "gates": [{"name": "string", "severity": "float64", "breached": "bool", "why": "string"}],
    },
    "steps": "int64",
    "ended": "string",
    "usage": {"prompt_tokens": "int64", "completion_tokens": "int64", "answers": "int64"},
    "reasoning": ["string"],
    "messages": [
        {"role": "string", "content": "string", "tool_calls": [_CALL], "tool_call_id": "string"}
    ],
    "deeds": [
        {
            "step": "int64",
            "stage": "int64",
            "interface": "string",
            "actor": "string",
            "name": "string",
            "error": "string",
            "changes": "string",
        }
    ],
    "segments": [
        {
            "prompt_ids": ["int64"],
            "completion_ids": ["int64"],
            "logprobs": ["float64"],
            "mask": ["int64"],
            "policy_version": "string",
        }
    ],
}
"""The columns of a store's episodes: name and Arrow type; a list has one entry."""

ROWS: Mapping[str, Any] = {
    "id": "string",
    "messages": ["json"],
    "tools": "string",
    **_ITEM,
    "sample": "int64",
    "policy": "string",
    "ended": "string",
    "solved": "bool",
    "score": "float64",
}
"""The columns of training rows; `json` is a JSON text, which datasets unpacks."""


def features(columns: Any) -> Any:
    """Returns columns in the form that `datasets.Features.from_dict` takes."""
    if isinstance(columns, Mapping):
        return {name: features(column) for name, column in columns.items()}
    if isinstance(columns, list):
        return {"feature": features(columns[0]), "_type": "List"}
    return {"_type": "Json"} if columns == "json" else {"dtype": columns, "_type": "Value"}


def message_columns(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Returns messages in the string-argument form; what one does not have is empty."""
    return [
        {
            "role": message["role"],
            "content": message["content"],
            "tool_calls": to_openai([message])[0]["tool_calls"] if "tool_calls" in message else [],
            "tool_call_id": message.get("tool_call_id", ""),
        }
        for message in messages
    ]


def messages_of(columns: Iterable[Mapping[str, Any]]) -> FrozenList:
    """Returns the messages of `message_columns`."""
    always, sometimes = ("role", "content"), ("tool_calls", "tool_call_id")
    return from_openai(
        {name: entry[name] for name in always}
        | {name: entry[name] for name in sometimes if entry[name]}
        for entry in columns
    )
