"""Reading: task.yaml and fixtures of a checkout, with errors that name file and line."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from coworkgym.errors import TaskError, nearest
from coworkgym.services.dialects.claw_eval import servers
from coworkgym.services.dialects.claw_eval.server import Server

Mapping = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """A task of a checkout, as written.

    Attributes:
        root: The checkout; it holds `tasks/`.
        data: What task.yaml says.
    """

    root: Path
    data: Mapping

    @property
    def task_id(self) -> str:
        """Such as T032_escalation_budget_triage."""
        return str(self.data["task_id"])

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self.root / "tasks" / self.task_id

    @property
    def language(self) -> str:
        """Of the request."""
        return str(self.data.get("prompt", {}).get("language", "en"))

    @cached_property
    def services(self) -> dict[str, Mapping]:
        """The services it starts, by the name in its file."""
        return {str(each["name"]): each for each in self.data.get("services") or []}

    @cached_property
    def servers(self) -> dict[str, Server]:
        """The servers of ours that stand for them, by the name in the task's file."""
        found = {name: server_of(each) for name, each in self.services.items()}
        return {name: server for name, server in found.items() if server is not None}

    @cached_property
    def routes(self) -> dict[str, str]:
        """The path of each tool that has an endpoint."""
        endpoints = self.data.get("tool_endpoints") or []
        return {str(each["tool_name"]): urlsplit(str(each["url"])).path for each in endpoints}

    @cached_property
    def tools(self) -> list[Mapping]:
        """Its tools: name, description, input_schema."""
        return list(self.data.get("tools") or [])


LIVE = ("web_real", "web_real_injection")
"""Services that search the live web. Ours stands for them with nothing recorded."""


def type_of(service: Mapping) -> str:
    """Returns which program a service of a task is, by the folder of its script."""
    command = str(service.get("command", "")).split()
    script = next((part for part in command if part.endswith("server.py")), "")
    return Path(script).parent.name or str(service.get("name"))


def server_of(service: Mapping) -> Server | None:
    """Returns the server that a service of a task starts; None if it is none of ours."""
    name = type_of(service)
    return {each.name: each for each in servers()}.get("web" if name in LIVE else name)


def read_source(root: Path, task_id: str) -> Source:
    """Reads a task of a checkout.

    Raises:
        TaskError: For a root without tasks, a task that is not there (with the nearest), or a file
            that is broken, with its line.
    """
    known = task_ids(root)
    if task_id not in known:
        raise TaskError(f"{root} has no task {task_id!r}.{nearest(task_id, known)}")
    file = root / "tasks" / task_id / "task.yaml"
    data = read_yaml(file)
    if not isinstance(data, dict) or not isinstance(data.get("prompt"), dict):
        raise TaskError(f"{file}: a task needs a prompt with a text")
    if data.get("task_id", task_id) != task_id:
        raise TaskError(f"{file}: its task_id is {data['task_id']!r}, its folder {task_id!r}")
    return Source(root, {"task_id": task_id, **data})


def task_ids(root: Path) -> list[str]:
    """Returns the ids of all tasks of a checkout, sorted.

    Raises:
        TaskError: For a root that holds none.
    """
    found = sorted(file.parent.name for file in Path(root).glob("tasks/*/task.yaml"))
    if not found:
        raise TaskError(f"{root} holds no tasks: expected {Path(root) / 'tasks/ID/task.yaml'}")
    return found


def read_yaml(file: Path) -> Any:
    """Returns what a YAML file holds.

    Raises:
        TaskError: With file and line.
    """
    try:
        import yaml
    except ImportError:
        raise TaskError(
            'reading task.yaml needs PyYAML: pip install "coworkgym[claw-eval]"'
        ) from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(file.read_text(encoding="utf-8"), Loader=loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise TaskError(f"{file}:{line}: {error.problem or error.context}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise TaskError(f"{file}: {error}") from None


def read_rows(file: Path) -> list[Mapping]:
    """Returns the rows of a fixture.

    Raises:
        TaskError: With file and line.
    """
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise TaskError(f"{file}:{error.lineno}: {error.msg}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"{file}: {error}") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise TaskError(f"{file}: a fixture is a list of objects")
    return rows
