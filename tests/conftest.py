"""Shared by all tests: the hypothesis profile, tasks to play, and a chat server."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import ThreadingHTTPServer
from typing import Any

import pytest
from chat_server import Handler
from hypothesis import settings

from coworkgym.chat import ChatClient
from coworkgym.tasks import Stage, Task, get_package
from coworkgym.tasks.spec import RecordChange

settings.register_profile("coworkgym", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("coworkgym")


def _build(name: str = "escalation", level: str = "warmup", **item: Any) -> Task:
    package = get_package(name)
    return package.build(package.item(level=level, **item))


@pytest.fixture(scope="session")
def build() -> Callable[..., Task]:
    """Builds a task by package name and the parts of its item; warmup unless told."""
    return _build


@pytest.fixture(scope="session")
def task() -> Task:
    """A small escalation task."""
    return _build(seed=1)


@pytest.fixture(scope="session")
def overdue(task: Task) -> str:
    """The ticket that is to be escalated in the small task."""
    names = {call.name: call.arguments for call in task.solution}
    return str(names["helpdesk_escalate_ticket"]["ticket_id"])


@pytest.fixture(scope="session")
def two_stages(task: Task, overdue: str) -> Task:
    """The small task with a second day, before which the system changes three records."""
    tickets = task.base.tables["helpdesk.tickets"]
    changed, deleted = [ticket_id for ticket_id in tickets if ticket_id != overdue][:2]
    news = {
        "from": "ana.roe@outside.test",
        "thread_id": "",
        "to": [task.owner.email],
        "subject": "Second day",
        "body": "Nothing to do.",
        "date": tickets[changed]["created_at"],
    }
    changes = (
        RecordChange("helpdesk.tickets", changed, {"category": "reopened"}),
        RecordChange("helpdesk.tickets", deleted, None),
        RecordChange("gmail.messages", "MSG-90001", news),
    )
    return replace(task, stages=(*task.stages, Stage("Anything new today?", changes)))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A chat server; `answers` are given in turn, the last one for ever."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *args: None  # a client that has hung up
    server.over = threading.Event()
    server.seen, server.addressed, server.answers = [], [], ["met"]
    server.answer = lambda sent: (
        server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def chat_client(model: Any) -> Callable[..., ChatClient]:
    """Makes a client of the server; `waits` keeps what it slept."""

    def make(**options: Any) -> Any:
        waits = []
        url = f"http://127.0.0.1:{model.server_port}/v1/"
        client = ChatClient("small", base_url=url, sleep=waits.append, **options)
        client.waits = waits
        return client

    return make
