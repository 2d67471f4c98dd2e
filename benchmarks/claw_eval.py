"""Claw-Eval in process: what starting a five-service task, a call and a live environment cost.

    python benchmarks/claw_eval.py ROOT                         # beside recorded figures
    python benchmarks/claw_eval.py ROOT --served --python PY    # beside the services, started here

ROOT is a checkout of Claw-Eval (it holds `tasks/`). `--served` starts its mock services on loopback
with PY, a Python that has fastapi and uvicorn, and sends them the same calls. Otherwise the figures
beside ours are those measured once on two cores (commit 9365e1a). Times are wall time, medians.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from provenance import provenance
from rich.console import Console
from rich.table import Table
from throughput import Bench

from coworkgym.envs import CoworkEnv, Episode
from coworkgym.integrations.claw_eval import Imported, load_claw_task
from coworkgym.transcript import ToolCall

RESULTS = Path(__file__).parent / "results" / "claw_eval.json"
TASK = "T160_vip_ticket_escalation"  # contacts, crm, gmail, helpdesk, kb
RECORDED = {"ready_s": 5.7, "calls_per_s": 342.0, "kb_an_env": 160 * 1024.0}
"""Five published services on two cores: cold start, calls of one client, all processes."""
LIVE = 500


class Served(NamedTuple):
    """What the published services cost: seconds until ready, calls a second, kB."""

    ready_s: float
    calls_per_s: float
    kb_an_env: float


def calls_of(imported: Imported) -> list[ToolCall]:
    """Returns reading calls of a task: every list, and every record it shows."""
    calls = [
        ToolCall("helpdesk_list_tickets", {"status": "all"}),
        ToolCall("crm_list_customers", {}),
        ToolCall("gmail_list_messages", {"days_back": 30}),
        ToolCall("contacts_search", {"query": ""}),
        ToolCall("kb_search", {"query": "escalation policy"}),
    ]
    one = {
        "helpdesk.tickets": ("helpdesk_get_ticket", "ticket_id"),
        "crm.customers": ("crm_get_customer", "customer_id"),
        "gmail.messages": ("gmail_get_message", "message_id"),
        "contacts.contacts": ("contacts_get", "contact_id"),
        "kb.articles": ("kb_get_article", "article_id"),
    }
    for fixture in imported.fixtures:
        tool, key = one[fixture.table]
        calls += [ToolCall(tool, {key: row[key]}) for row in fixture.rows]
    return [call for call in calls if call.name in imported.task.tools]


def seconds(act: Callable[[], object], times: int) -> float:
    """Returns the median wall time of an act, after a try that does not count."""
    act()
    found = []
    for _ in range(times):
        start = time.perf_counter()
        act()
        found.append(time.perf_counter() - start)
    return median(found)


def played(imported: Imported, calls: list[ToolCall]) -> float:
    """Returns seconds a call, through an office of the faithful dialect."""

    def once() -> None:
        office = Episode(imported.task).office
        for call in calls:
            office.call(call)

    return seconds(once, 200) / len(calls)


def memory_kb(imported: Imported) -> float:
    """Returns kB an environment that has just been reset."""
    gc.collect()
    before = _resident_kb()
    envs = []
    for _ in range(LIVE):
        env = CoworkEnv("escalation", task=imported.task)
        env.reset(seed=0)
        envs.append(env)
    gc.collect()
    return (_resident_kb() - before) / len(envs)


def _resident_kb(pid: int | str = "self") -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


@contextmanager
def started(root: Path, imported: Imported, python: str) -> Iterator[tuple[float, list[int]]]:
    """Starts the published services of a task, one after the other; seconds, and their pids."""
    processes = []
    start = time.perf_counter()
    try:
        for service in imported.source.services.values():
            env = {**os.environ, **{k: str(v) for k, v in (service.get("env") or {}).items()}}
            script = str(service["command"]).split()[-1]
            processes.append(
                subprocess.Popen(
                    [python, script],
                    cwd=root,
                    env={**env, "PORT": str(service["port"])},
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
            _wait(str(service["health_check"]).replace("localhost", "127.0.0.1"))
        yield time.perf_counter() - start, [process.pid for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _wait(url: str, limit: float = 60.0) -> None:
    end = time.perf_counter() + limit
    while time.perf_counter() < end:
        try:
            _post(url, {})
            return
        except urllib.error.HTTPError:
            return  # it answers, if only that something is missing
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"{url} did not answer within {limit:.0f} s")


def _post(url: str, body: Any) -> bytes:
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        found: bytes = answer.read()
        return found


def served(root: Path, imported: Imported, calls: list[ToolCall], python: str) -> Served:
    """Returns what the published services cost on this machine."""
    ends = imported.source.data["tool_endpoints"]
    urls = {each["tool_name"]: each["url"].replace("localhost", "127.0.0.1") for each in ends}
    with started(root, imported, python) as (ready, pids):

        def once() -> None:
            for call in calls:
                _post(urls[call.name], call.arguments)

        a_call = seconds(once, 5) / len(calls)
        return Served(ready, 1 / a_call, sum(map(_resident_kb, pids)))


def main() -> None:
    """Measures, prints ratios, writes results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--task", default=TASK)
    parser.add_argument("--served", action="store_true", help="start the published services")
    parser.add_argument("--python", default=sys.executable, help="that has fastapi and uvicorn")
    asked = parser.parse_args()

    imported = load_claw_task(asked.root, asked.task, mode="faithful")
    calls = calls_of(imported)
    env = CoworkEnv("escalation", task=imported.task)
    load = seconds(lambda: load_claw_task(asked.root, asked.task, mode="faithful"), 10)
    ready = seconds(lambda: env.reset(seed=0), 500)
    a_call = played(imported, calls)
    ours = Served(ready, 1 / a_call, memory_kb(imported))
    theirs = served(asked.root, imported, calls, asked.python) if asked.served else None
    beside = theirs or Served(**RECORDED)
    rows = {
        "ready": ("reset to ready", f"{ours.ready_s * 1e6:.0f} us", f"{beside.ready_s:.2f} s",
                  beside.ready_s / ours.ready_s),
        "calls": ("calls a second", f"{ours.calls_per_s:,.0f}", f"{beside.calls_per_s:,.0f}",
                  ours.calls_per_s / beside.calls_per_s),
        "memory_kb": ("memory an env", f"{ours.kb_an_env:.0f} kB",
                      f"{beside.kb_an_env / 1024:.0f} MB", beside.kb_an_env / ours.kb_an_env),
    }  # fmt: skip
    floor = Bench(1, 1).floor()
    table = Table("", "coworkgym", "services, " + ("here" if theirs else "recorded"), "ratio")
    for what, mine, others, ratio in rows.values():
        table.add_row(what, mine, others, f"{ratio:,.0f}x")
    console = Console(width=100)
    console.print(table)
    console.print(
        f"{asked.task}, {len(calls)} calls a round; a call is {a_call * 1e6 / floor:.1f} F; "
        f"reading the task from its files takes {load * 1e3:.0f} ms once"
    )
    told = {
        "task": asked.task,
        "calls": len(calls),
        "load_s": load,
        "ours": ours._asdict(),
        "beside": beside._asdict(),
        "beside_is": "started here" if theirs else "recorded at commit 9365e1a",
        "floor_us": floor,
    }
    facts = {**provenance(("gymnasium", "pydantic")), **told}
    RESULTS.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
