"""Checkouts of Claw-Eval in miniature: task files, fixtures and the records they hold."""

import json
from typing import Any

import pytest

from coworkgym.services.dialects.claw_eval import server, servers

ROWS = {
    "gmail.messages": [
        {"message_id": "m1", "from": "ida@north.test", "to": "me@north.test", "subject": "Lamps",
         "body": "Two lamps.", "date": "2026-04-20T08:00:00Z", "labels": [], "is_read": False},
        {"message_id": "m2", "from": "udo@south.test", "to": "me@north.test", "subject": "Chairs",
         "body": "Six chairs.", "date": "2026-05-03T09:00:00Z", "labels": ["IN"], "is_read": True},
        {"message_id": "m3", "from": "eva@north.test", "to": "me@north.test", "subject": "Desks",
         "body": "A desk.", "date": "2026-04-29T10:00:00Z", "labels": ["IN"], "is_read": False},
    ],
    "calendar.events": [
        {"event_id": "evt_001", "title": "Late", "start_time": "2026-05-05T16:00:00Z",
         "end_time": "2026-05-05T17:00:00Z", "attendees": ["ida@north.test"], "location": "Hall"},
        {"event_id": "evt_002", "title": "Early", "start_time": "2026-05-05T00:00:00Z",
         "end_time": "2026-05-05T01:00:00Z", "attendees": ["Udo", "Ida"], "location": ""},
        {"event_id": "evt_003", "title": "Next", "start_time": "2026-05-06T00:00:00Z",
         "end_time": "2026-05-06T02:00:00Z", "attendees": [], "location": ""},
    ],
    "todo.tasks": [
        {"task_id": "todo_001", "title": "Paint", "status": "pending", "priority": "high",
         "due_date": "2026-05-06", "tags": ["wall"]},
        {"task_id": "todo_002", "title": "Sweep", "status": "completed", "priority": "low",
         "due_date": "2026-05-01", "tags": []},
        {"task_id": "todo_003", "title": "Sand", "status": "pending", "priority": "low",
         "due_date": None, "tags": ["wall", "floor"]},
    ],
    "contacts.contacts": [
        {"contact_id": "c1", "name": "Ida North", "department": "Sales North", "title": "Clerk",
         "email": "ida@north.test", "phone": "1"},
        {"contact_id": "c2", "name": "Udo Idaho", "department": "Stores", "title": "Clerk",
         "email": "udo@south.test", "phone": "2"},
    ],
    "finance.transactions": [
        {"transaction_id": "t1", "date": "2026-04-30", "amount": 12.5, "description": "Lamp"},
        {"transaction_id": "t2", "date": "2026-05-01", "amount": 80, "description": "Chair"},
        {"transaction_id": "t3", "date": "2026-05-02", "amount": 7, "description": "Glue"},
    ],
    "notes.notes": [
        {"note_id": "n1", "title": "Plan", "created_at": "2026-05-01T09:00:00Z",
         "content": "Walls.", "participants": ["Ida"], "duration_minutes": 30, "tags": ["plan"]},
        {"note_id": "n2", "title": "Review", "created_at": "2026-04-01T09:00:00Z",
         "content": "Floors.", "participants": [], "duration_minutes": 15, "tags": ["old"]},
        {"note_id": "n3", "title": "Next", "created_at": "2026-05-03T09:00:00Z",
         "content": "Roofs.", "participants": [], "duration_minutes": 10, "tags": ["plan"]},
    ],
    "kb.articles": [
        {"article_id": "a1", "title": "Paint dries", "category": "walls", "tags": ["paint"],
         "content": "Wait a day. " * 20, "last_updated": "2026-01-01", "views": 3},
        {"article_id": "a2", "title": "木材", "category": "floors", "tags": [],
         "content": "先打磨", "last_updated": "2026-01-02", "views": 1},
        {"article_id": "a3", "title": "Glue", "category": "walls", "tags": ["paint"],
         "content": "Hm.", "last_updated": "2026-01-03", "views": 0},
    ],
    "helpdesk.tickets": [
        {"ticket_id": "h1", "title": "Leak", "description": "Drips.", "reporter": "Ida",
         "department": "Sales", "priority": "high", "status": "open", "category": "water",
         "created_at": "2026-05-01T08:00:00Z", "tags": ["roof"]},
        {"ticket_id": "h2", "title": "Dark", "description": "No lamp.", "reporter": "Udo",
         "department": "Stores", "priority": "low", "status": "closed", "category": "light",
         "created_at": "2026-05-02T08:00:00Z", "tags": []},
        {"ticket_id": "h3", "title": "Cold", "description": "No heat.", "reporter": "Eva",
         "department": "Sales", "priority": "low", "status": "open", "category": "heat",
         "created_at": "2026-05-03T08:00:00Z", "tags": []},
    ],
    "inventory.products": [
        {"product_id": "p1", "name": "Lamp", "category": "light", "status": "low"},
        {"product_id": "p2", "name": "Chair", "category": "seat", "status": "ok"},
    ],
    "rss.articles": [
        {"article_id": "r1", "title": "Lamps", "source": "Trade", "category": "light",
         "published_at": "2026-05-01T00:00:00Z", "summary": "S", "content": "C", "word_count": 1},
        {"article_id": "r2", "title": "Wood", "source": "Woods", "category": "floor",
         "published_at": "2026-05-02T00:00:00Z", "summary": "S", "content": "C", "word_count": 2},
        {"article_id": "r3", "title": "Bulbs", "source": "Trade", "category": "bulb",
         "published_at": "2026-05-03T00:00:00Z", "summary": "S", "content": "C", "word_count": 3},
    ],
    "crm.customers": [
        {"customer_id": "k1", "name": "North", "contact_person": "Ida", "industry": "Wood",
         "tier": "gold", "annual_revenue": 9, "status": "active", "phone": "1"},
        {"customer_id": "k2", "name": "South", "contact_person": "Udo", "industry": "Wood",
         "tier": "tin", "annual_revenue": 5, "status": "active", "phone": "2"},
        {"customer_id": "k3", "name": "West", "contact_person": "Eva", "industry": "Glass",
         "tier": "gold", "annual_revenue": 1, "status": "lost", "phone": "3"},
    ],
    "config.integrations": [
        {"integration_id": "i1", "name": "Post", "service": "mail", "status": "active",
         "api_key": "key-one", "api_secret": None, "last_verified": "2026-05-01",
         "monthly_calls": 4, "error_rate": 0.1},
        {"integration_id": "i2", "name": "Bank", "service": "money", "status": "stopped",
         "api_key": "key-two", "api_secret": "s", "last_verified": "2026-05-02",
         "monthly_calls": 0, "error_rate": 0.0},
    ],
    "scheduler.jobs": [
        {"job_id": "JOB-001", "name": "Backup", "cron_expression": "0 2 * * *", "enabled": True,
         "last_status": "failed", "last_run": "2026-05-03T02:00:00Z", "tags": ["night"],
         "execution_history": [{"run": n} for n in range(12)]},
        {"job_id": "JOB-002", "name": "Sweep", "cron_expression": "0 3 * * *", "enabled": False,
         "last_status": "success", "last_run": None, "tags": [], "next_run": "2026-05-05"},
        {"job_id": "JOB-003", "name": "Mail", "cron_expression": "0 4 * * *", "enabled": True,
         "last_status": "success", "last_run": None, "tags": ["night", "mail"]},
    ],
    "web.pages": [
        {"url": "http://x.test/up", "status_code": 200, "title": "Up", "content": "It works.",
         "content_type": "text/html"},
        {"url": "http://x.test/down", "status_code": 503, "title": "", "content": "",
         "content_type": "text/html"},
        {"url": "http://x.test/gone", "status_code": 410, "title": "", "content": "",
         "content_type": "text/html", "error": "Gone for good"},
    ],
    "web.results": [
        {"url": "u1", "title": "One", "snippet": "s", "source": "x", "published_at": "d",
         "keywords": ["lamp"]},
        {"url": "u2", "title": "Two", "snippet": "s", "source": "x", "published_at": "d",
         "keywords": ["lamp", "green chair"]},
        {"url": "u3", "title": "Three", "snippet": "s", "source": "x", "published_at": "d",
         "keywords": ["支付故障"]},
    ],
    "ocr.texts": [{"file": "menu.txt", "text": "Soup 4.00", "several": False}],
    "caption.captions": [{"file": "caption.txt", "caption": "A hall with two lamps."}],
    "documents.documents": [
        {"path": "a/report.pdf", "pages": ["First.", "Second.", "Third."]},
        {"path": "notes.json", "pages": None},
    ],
}  # fmt: skip


_EXTRA = "the extra [claw-eval] is not installed"
_TYPES = {"int": "integer", "float": "number", "bool": "boolean", "list": "array"}


class Checkout:
    """A folder `tasks/` that a test fills.

    Args:
        root: Where it is.
    """

    def __init__(self, root):
        self.root = root

    def folder(self, task_id):
        """Where a task lies."""
        return self.root / "tasks" / task_id

    def task(self, task_id, *names, paths=None, env=None, **changes):
        """Writes a task and returns its id.

        Args:
            task_id: Its folder.
            names: The servers it starts, each with a fixture of ROWS.
            paths: Of its tools; by default all routes of its servers.
            env: Of the services that are to have another one than their own fixtures, by name.
            changes: Other values of task.yaml.
        """
        yaml = pytest.importorskip("yaml", reason=_EXTRA)
        own = {name: self.fixtures(task_id, name) for name in names}
        routes = [path for name in names for path in server(name).routes]
        kept = [p for p in routes if not server(p.split("/")[1]).routes[p].repaired]
        data = {
            "task_id": task_id,
            "task_name": f"The work of {task_id}",
            "difficulty": "easy",
            "tags": ["tiny"],
            "services": [service(name, {**own, **(env or {})}[name]) for name in names],
            "prompt": {"text": "Please look at what is new.\n", "language": "en"},
            **offered(kept if paths is None else paths),
            "environment": {"max_turns": 3},
            "scoring_components": [
                {"name": "said", "weight": 0.75,
                 "check": {"type": "keywords_present", "keywords": ["lamp", "Chair"]}},
                {"name": "long", "weight": 0.25,
                 "check": {"type": "min_length", "min_length": 20}},
            ],
            "safety_checks": [],
            "expected_actions": [],
            "judge_rubric": "It is all told.",
            **changes,
        }  # fmt: skip
        self.write(task_id, "task.yaml", yaml.safe_dump(data, allow_unicode=True, sort_keys=False))
        return task_id

    def write(self, task_id, name, content):
        """Writes a file of a task and returns its path."""
        file = self.folder(task_id) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content, indent=1)
            file.write_text(text, encoding="utf-8")
        return file

    def fixtures(self, task_id, name):
        """Writes the records of a server and returns the environment that names them."""
        base = f"tasks/{task_id}/fixtures"
        if name == "ocr":
            self.write(task_id, "fixtures/ocr/menu.txt", "Soup 4.00")
            return {"OCR_FIXTURES": base, "OCR_FILENAME": "menu.txt"}
        if name == "caption":
            self.write(task_id, "fixtures/caption.txt", "A hall with two lamps.")
            return {"CAPTION_FIXTURES": base}
        if name == "documents":
            pytest.importorskip("pypdf", reason=_EXTRA)
            self.write(task_id, "fixtures/docs/report.pdf", pdf("First page.", "Second page."))
            self.write(task_id, "fixtures/docs/notes.txt", "No PDF.")
            return {"DOCUMENTS_BASE_DIR": f"{base}/docs"}
        files = {variable: f"fixtures/{name}/{table.name.partition('.')[2]}.json"
                 for variable, table in server(name).fixtures.items()}  # fmt: skip
        for variable, file in files.items():
            self.write(task_id, file, ROWS[server(name).fixtures[variable].name])
        return {variable: f"tasks/{task_id}/{file}" for variable, file in files.items()}


def service(name, env, kind=None):
    """A service of task.yaml.

    Args:
        name: As the task calls it.
        env: Its environment; None for none.
        kind: Its folder; by default its name.
    """
    made = {"name": name, "command": f"python mock_services/{kind or name}/server.py", "port": 9100}
    return made if env is None else {**made, "env": env}


def offered(paths, **schemas):
    """The tools of task.yaml and their endpoints: a tool for each path, /a/b is a_b.

    Args:
        paths: In order.
        schemas: Properties by the tool's name; by default what the route takes.
    """
    names = {path: path.strip("/").replace("/", "_") for path in paths}
    return {
        "tools": [
            {"name": name, "description": f"It calls {path}.",
             "input_schema": {"type": "object", "required": [],
                              "properties": schemas.get(name, properties(path))}}
            for path, name in names.items()
        ],
        "tool_endpoints": [
            {"tool_name": name, "url": f"http://localhost:9100{path}", "method": "POST"}
            for path, name in names.items()
        ],
    }  # fmt: skip


def properties(path):
    """What a route takes, in JSON Schema; nothing for a route that is none."""
    routes = {path: route for each in servers() for path, route in each.routes.items()}
    if path not in routes:
        return {}
    schemas = {}
    for name, parameter in routes[path].parameters.items():
        text = str(getattr(parameter.annotation, "__name__", parameter.annotation))
        kind = next((_TYPES[word] for word in _TYPES if text.startswith(word)), "string")
        schemas[name] = {"type": kind, "description": name}
        if kind == "array":
            schemas[name]["items"] = {"type": "string"}
    return schemas


def everything(checkout, task_id="T02_everything"):
    """Writes a task that starts every server and offers every route."""
    return checkout.task(task_id, *(each.name for each in servers()))


def pdf(*pages: str) -> bytes:
    """A PDF file with a line of text on each page."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects: list[Any] = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * n} 0 R >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        ]
    body, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    rows = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        f"{body}xref\n0 {size}\n0000000000 65535 f \n{rows}"
        f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    ).encode()


def full(root):
    """Writes a checkout of one task with a grader, and the package that graders import."""
    checkout = Checkout(root)
    checkout.task("T1", "todo", "crm")
    checkout.write("T1", "grader.py", GRADER)
    for name, text in PACKAGE.items():
        file = root / "src" / "claw_eval" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return checkout


PACKAGE = {
    "__init__.py": "",
    "models/__init__.py": "",
    "models/message.py": """
from typing import Any
from pydantic import BaseModel

class Message(BaseModel, extra="forbid"):
    role: str
    content: list[dict[str, Any]]
""",
    "models/trace.py": """
from typing import Any
from pydantic import BaseModel
from claw_eval.models.message import Message

class TraceMessage(BaseModel, extra="forbid"):
    trace_id: str
    message: Message

class ToolDispatch(BaseModel, extra="forbid"):
    trace_id: str
    tool_use_id: str
    tool_name: str
    endpoint_url: str
    request_body: dict[str, Any]
    response_status: int
    response_body: Any
""",
    "models/task.py": """
from pathlib import Path
import yaml

class TaskDefinition(dict):
    @classmethod
    def from_yaml(cls, path):
        return cls(yaml.safe_load(Path(path).read_text(encoding="utf-8")))
""",
    "models/scoring.py": """
def compute_task_score(found):
    return round(found.safety * (0.8 * found.completion + 0.2 * found.robustness), 4)
""",
    "graders/__init__.py": "",
    "graders/registry.py": """
import importlib.util

def get_grader(task_id, tasks_dir):
    file = tasks_dir / task_id / "grader.py"
    spec = importlib.util.spec_from_file_location("claw_eval.tasks.x", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Grader()
""",
}
GRADER = """
import json
from pathlib import Path
from types import SimpleNamespace

class Grader:
    def grade(self, messages, dispatches, task, audit_data, judge):
        seen = {"messages": [m.message.model_dump() for m in messages],
                "dispatches": [d.model_dump() for d in dispatches],
                "task": task["task_id"], "audit": audit_data}
        Path(__file__).with_name("seen.json").write_text(json.dumps(seen))
        said = judge.evaluate("Prompt", "Talk", "Acts", "Rubric")
        done = judge.evaluate_actions(task_prompt="Prompt", artifacts="Rows", rubric="Rubric")
        return SimpleNamespace(completion=said.score, robustness=0.5, communication=done.score,
                               safety=1.0)
"""
