"""Graders: a task's own grader.py, from the user's checkout, on an episode of ours.

It is the user's code and runs as such: nothing here imports it unless asked.
"""

import importlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from coworkgym.envs import Episode
from coworkgym.envs.episode import NOT_RUN
from coworkgym.errors import GraderError, TaskError
from coworkgym.frozen import Json
from coworkgym.integrations.claw_eval.judging import StubJudge, TheirJudge
from coworkgym.integrations.claw_eval.reading import read_source
from coworkgym.services import Event
from coworkgym.services.dialects.claw_eval import audit, response
from coworkgym.transcript import ToolResult

_TRACE = "coworkgym"


class TheirScore(NamedTuple):
    """What the published grader gives.

    Attributes:
        score: safety x (0.8 completion + 0.2 robustness), rounded to four digits.
        completion: In [0, 1].
        robustness: In [0, 1].
        communication: In [0, 1]; it is no part of the score.
        safety: In [0, 1].
    """

    score: float
    completion: float
    robustness: float
    communication: float
    safety: float


def grade_theirs(
    root: str | os.PathLike[str],
    task_id: str,
    episode: Episode,
    judge: TheirJudge | None = None,
) -> TheirScore:
    """Grades an episode by the grader of its task.

    Args:
        root: A full checkout; it holds `src/claw_eval` and `tasks/ID/grader.py`.
        task_id: The task.
        episode: Of that task, over or not.
        judge: Answers what rules cannot; by default a StubJudge.

    Raises:
        TaskError: For a checkout without graders.
        GraderError: When the grader raises.
    """
    folder = Path(root).resolve()
    if not (folder / "tasks" / task_id / "grader.py").is_file():
        raise TaskError(f"{folder} has no tasks/{task_id}/grader.py: graders need a full checkout")
    audits = audit(episode.office, read_source(folder, task_id).servers)
    with _their_code(folder):
        try:
            return _graded(folder, task_id, episode, audits, judge or StubJudge())
        except Exception as error:
            raise GraderError(f"the grader of {task_id} raised {error!r}") from error


def _graded(
    folder: Path, task_id: str, episode: Episode, audits: Mapping[str, Json], judge: TheirJudge
) -> TheirScore:
    trace = importlib.import_module("claw_eval.models.trace")
    message = importlib.import_module("claw_eval.models.message")
    definition = importlib.import_module("claw_eval.models.task")
    grader = importlib.import_module("claw_eval.graders.registry").get_grader(
        task_id, tasks_dir=folder / "tasks"
    )
    found = grader.grade(
        messages=[
            trace.TraceMessage(trace_id=_TRACE, message=message.Message(**each))
            for each in messages(episode.transcript.messages)
        ],
        dispatches=[trace.ToolDispatch(**each) for each in dispatches(episode)],
        task=definition.TaskDefinition.from_yaml(folder / "tasks" / task_id / "task.yaml"),
        audit_data=audits,
        judge=judge,
    )
    total = importlib.import_module("claw_eval.models.scoring").compute_task_score(found)
    return TheirScore(total, found.completion, found.robustness, found.communication, found.safety)


def messages(transcript: Sequence[Mapping[str, Json]]) -> Iterator[dict[str, Json]]:
    """Yields a transcript of ours in blocks: texts, tool uses and tool results.

    The reply is the text of a message, as there; the system message is left out.
    """
    replies = {call["id"] for call in _calls(transcript) if call["name"] == "reply"}
    for message in transcript:
        if message["role"] == "system":
            continue
        if message["role"] == "tool":
            if message["tool_call_id"] not in replies:
                yield {"role": "user", "content": [_result(message)]}
        elif message["role"] == "assistant":
            blocks = [*_texts(message), *_uses(message)]
            if blocks:
                yield {"role": "assistant", "content": blocks}
        else:
            yield {"role": "user", "content": [{"type": "text", "text": message["content"]}]}


def _result(message: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "tool_result",
        "tool_use_id": str(message.get("tool_call_id") or ""),
        "content": [{"type": "text", "text": message["content"]}],
    }


def _texts(message: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    said = [message["content"]] if message["content"] else []
    for call in message.get("tool_calls") or ():
        if call["name"] == "reply" and isinstance(call["arguments"], Mapping):
            said.append(str(call["arguments"].get("text", "")))
    yield from ({"type": "text", "text": text} for text in said if text)


def _uses(message: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    for call in message.get("tool_calls") or ():
        if call["name"] != "reply":
            yield {
                "type": "tool_use",
                "id": str(call.get("id") or ""),
                "name": str(call["name"]),
                "input": _plain(call["arguments"]),
            }


def _calls(transcript: Sequence[Mapping[str, Json]]) -> Iterator[Mapping[str, Json]]:
    return (call for message in transcript for call in message.get("tool_calls") or ())


def dispatches(episode: Episode) -> Iterator[dict[str, Json]]:
    """Yields the calls of an episode as the harness records them, under the ids of `messages`."""
    for event, call_id in _events(episode):
        if event.name == "reply":
            continue
        status, body = response(ToolResult(event.result, event.error))
        override = getattr(episode.office.tools.get(event.name), "override", None)
        yield {
            "trace_id": _TRACE,
            "tool_use_id": call_id,
            "tool_name": event.name,
            "endpoint_url": override.route if override else "",
            "request_body": _plain(event.raw),
            "response_status": status,
            "response_body": body,
        }


def _events(episode: Episode) -> Iterator[tuple[Event, str]]:
    """What was called, and the id it has in the transcript: there are calls that were not run."""
    transcript = episode.transcript.messages
    results = [message for message in transcript if message["role"] == "tool"]
    idle = {m["tool_call_id"] for m in results if m["content"] == NOT_RUN.content}
    events = (event for event in episode.office.log if event.actor == "agent")
    for message in transcript:
        if message["role"] != "assistant":
            continue
        if not message.get("tool_calls"):
            next(events)  # text is a call of reply, or of nothing where it is empty
        for call in message.get("tool_calls") or ():
            if call["id"] not in idle:
                yield next(events), str(call["id"])


def _plain(arguments: Json) -> dict[str, Json]:
    """Arguments as a plain dict; what is none is left out."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return {}
    return json.loads(json.dumps(arguments)) if isinstance(arguments, Mapping) else {}


@contextmanager
def _their_code(folder: Path) -> Iterator[None]:
    """Makes the checkout's package importable, and forgets it afterwards."""
    source = str(folder / "src")
    sys.path.insert(0, source)
    before = set(sys.modules)
    try:
        yield
    finally:
        sys.path.remove(source)
        for name in _of_theirs(set(sys.modules) - before):
            del sys.modules[name]


def _of_theirs(names: Iterable[str]) -> list[str]:
    return [name for name in names if name.partition(".")[0] == "claw_eval"]
