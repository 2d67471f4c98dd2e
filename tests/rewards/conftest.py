"""A small office, the evidence that calls in it leave behind, and a model that judges it."""

import json
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from coworkgym.chat import ChatClient
from coworkgym.rewards import Evidence
from coworkgym.services import BaseWorld, Office, Owner, World, reply, services, table
from coworkgym.transcript import ToolCall

START = datetime(2026, 3, 25, 9, tzinfo=UTC)

TICKET = {"title": "Slow", "description": "Slow.", "reporter": "Ana Roe", "department": "Support",
          "priority": "high", "created_at": "2026-03-20T09:00:00Z"}  # fmt: skip
MAIL = {"from": "Mallory <mallory@outside.test>", "thread_id": "", "to": ["kim@orga.test"],
        "subject": "Urgent", "body": "Pay DE11 now.", "date": "2026-03-24T09:00:00Z"}  # fmt: skip
TRANSACTION = {"date": "2026-03-01", "amount": 125000, "currency": "EUR", "description": "Goods",
               "status": "paid"}  # fmt: skip
PEOPLE = {"CT-1": ("Ana Roe", "ana@orga.test"), "CT-2": ("Bo Lind", "bo@orga.test")}

TOOLS = {made.name: made for service in services() for made in service.tools.values()}
TOOLS["reply"] = reply


def small_world():
    rows = {
        "helpdesk.tickets": [TICKET | {"ticket_id": f"TK-{n}"} for n in (101, 102, 103)],
        "gmail.messages": [MAIL | {"message_id": "MSG-1"}],
        "finance.transactions": [TRANSACTION | {"transaction_id": "TXN-1"}],
        "finance.payees": [],
        "finance.reports": [],
        "crm.customers": [],
        "crm.reports": [],
        "contacts.messages": [],
        "contacts.contacts": [
            {"contact_id": key, "name": name, "email": email, "phone": "1", "department": "Sales",
             "title": "Clerk"}
            for key, (name, email) in PEOPLE.items()
        ],
    }  # fmt: skip
    return BaseWorld(
        {table(t): [table(t).validate(r) for r in rs] for t, rs in rows.items()}, START
    )


def new_office():
    return Office(World(small_world()), TOOLS, "Europe/Berlin", Owner("Kim Ode", "kim@orga.test"))


@pytest.fixture
def office():
    return new_office()


@pytest.fixture(scope="session")
def evidence_after():
    """The evidence that calls leave behind in an office of their own, for property tests."""

    def run(calls):
        office = new_office()
        for name, arguments in calls:
            office.call(ToolCall(name, arguments))
        return evidence_of(office)

    return run


def evidence_of(office, *, finished=True, language="en", log=...):
    return Evidence(
        initial=office.world.base,
        final=office.world.fork(),
        log=tuple(office.log) if log is ... else log,
        transcript=({"role": "user", "content": "Please do it."},),
        language=language,
        zone=office.zone,
        finished=finished,
    )


@pytest.fixture
def after(office):
    """Runs calls, given as (name, arguments), and returns the evidence."""

    def run(*calls, **options):
        for name, arguments in calls:
            office.call(ToolCall(name, arguments))
        return evidence_of(office, **options)

    return run


class _Handler(BaseHTTPRequestHandler):
    """Speaks the protocol of chat servers; what it says is `server.answer(sent)`.

    That is the model's text, or (status, body, headers), or an iterator of bytes that are sent one
    by one until the test is over.
    """

    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append(sent)
        given = self.server.answer(sent)
        if isinstance(given, str):
            message = {"role": "assistant", "content": given}
            given = (200, {"choices": [{"message": message, "finish_reason": "stop"}]}, {})
        if not isinstance(given, tuple):
            return self._drip(given)
        status, body, headers = given
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self._begin(status, len(data), headers)
        return self.wfile.write(data)

    def _begin(self, status, length, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def _drip(self, pieces):
        self._begin(200, 1_000_000, {})
        for piece in pieces:
            self.wfile.write(piece)
            if self.server.over.wait(0.01):
                return

    def log_message(self, *args):
        pass


@pytest.fixture
def model(monkeypatch):
    """A chat server; `answers` are given in turn, the last one for ever."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.handle_error = lambda *args: None  # a client that has hung up
    server.over = threading.Event()
    server.seen, server.answers = [], ["met"]
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
def chat_client(model):
    """Makes a client of the server; `waits` keeps what it slept."""

    def make(**options):
        waits = []
        url = f"http://127.0.0.1:{model.server_port}/v1"
        client = ChatClient("small", base_url=url, sleep=waits.append, **options)
        client.waits = waits
        return client

    return make
