"""Episodes of every kind for the pages, and a server that shows a run."""

import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import made_runs

from coworkgym.frozen import FrozenDict, FrozenList, json_text
from coworkgym.policies import get_policy
from coworkgym.rollouts import Deed, Usage, episode_id, run_episode
from coworkgym.tasks import get_package

INJECTIONS = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "{{ 7 * 7 }}${7 * 7}<svg onload=window.hacked=1>",
)
ODD = (
    "שלום עולם · مرحبا · 你好，世界 · 👩\u200d💻🇺🇳 · e\u0301 · \u202eevil\u202c · "
    "\u0000\u0007\u001b[31m"
)
LONG = 200


def played(name, policy, level="warmup", **item):
    """A real episode, as a rollout of the policy `reference`."""
    package = get_package(name)
    task = package.build(package.item(level=level, **item))
    return run_episode(task, get_policy(policy))._replace(policy="reference")


def asking(number, name, arguments, result, error=None, changes="[]"):
    """The two messages and the deed of one call."""
    call = FrozenDict(id=f"call_{number}", name=name, arguments=FrozenDict(arguments))
    messages = [
        FrozenDict(role="assistant", content="", tool_calls=FrozenList([call])),
        FrozenDict(role="tool", tool_call_id=f"call_{number}", content=result),
    ]
    return messages, Deed(number, 0, "function", "agent", name, error, changes)


def remade(rollout, seed, calls):
    """A rollout whose transcript is the opening of another and these calls."""
    messages, deeds = list(rollout.transcript[:2]), []
    for number, call in enumerate(calls, 1):
        more, deed = asking(number, *call)
        messages += more
        deeds.append(deed)
    item = rollout.item._replace(seed=seed)
    return rollout._replace(
        id=episode_id(item, 0),
        item=item,
        transcript=FrozenList(messages),
        deeds=tuple(deeds),
        steps=len(calls),
    )


def long_episode(rollout, seed):
    """200 calls: those of a real episode again and again, with what they changed."""
    results = [message["content"] for message in rollout.transcript if message["role"] == "tool"]
    made = [call for m in rollout.transcript for call in m.get("tool_calls", ())]
    pairs = list(zip(made, results, rollout.deeds, strict=True))[:-1]
    calls = [pairs[number % len(pairs)] for number in range(LONG)]
    return remade(rollout, seed, [
        (call["name"], call["arguments"], result, deed.error, deed.changes)
        for call, result, deed in calls
    ])  # fmt: skip


def odd_episode(rollout, seed):
    """Calls and results that a page must show and never run."""
    calls = [("crm_get_customer", {"id": text}, json_text({"note": text})) for text in INJECTIONS]
    changes = [["notes.notes", INJECTIONS[0], None, {"body": INJECTIONS[1], "odd": ODD}]]
    calls += [
        (INJECTIONS[1], {ODD: INJECTIONS[0]}, INJECTIONS[0], "unknown_tool"),
        ("notes_create_note", {"body": ODD}, json_text({"text": ODD}), None, json_text(changes)),
        ("kb_search", {"big": 2**70}, json_text({"text": "界" * 200_000 + "the end"})),
        ("kb_search", {}, "not JSON <b>at all</b>"),
    ]
    made = remade(rollout, seed, calls)
    checks = (made.score.checks[0]._replace(name=INJECTIONS[0], why=ODD), *made.score.checks[1:])
    gates = tuple(gate._replace(breached=True, why=INJECTIONS[1]) for gate in made.score.gates)
    gates = (gates[0]._replace(name=INJECTIONS[2]), *gates[1:])
    said = FrozenDict(role="assistant", content=INJECTIONS[0] + ODD)
    reply = Deed(len(calls) + 1, 0, "function", "agent", "reply", None, "[]")
    return made._replace(
        score=replace(made.score, completion=0.5, safety=0.0, checks=checks, gates=gates),
        transcript=FrozenList([*made.transcript, said]),
        reasoning=(*[""] * len(calls), INJECTIONS[1]),
        deeds=(*made.deeds, reply),
        steps=len(calls) + 1,
    )


def every_kind():
    """Real episodes, and some made from one; each by a name."""
    solved = played("escalation", "reference", seed=0)
    ungraded = replace(
        solved.score, status="ungraded", checks=(), gates=(), reason="no <b>judge</b>"
    )
    cut = made_runs.rollout(seed=12, completion=0.4)._replace(ended="max_steps")
    return {
        "solved": solved,
        "failed": played("escalation", "null", seed=1),
        "breach": played("escalation", "forbidden_first", seed=2),
        "staged": played("month_close", "reference", seed=0, level="easy"),
        "chinese": played("meeting_scheduling", "reference", seed=0, language="zh"),
        "truncated": cut,
        "ungraded": made_runs.rollout(seed=11)._replace(score=ungraded),
        "long": long_episode(solved, 20),
        "odd": odd_episode(solved, 21),
    }


def many(shift=0.0):
    """Twelve tasks of two packages and two levels, three trials each; some breach, some do not."""
    made = []
    for package in ("escalation", "inbox_triage"):
        for level in ("warmup", "hard"):
            for seed in range(3):
                for sample in range(3):
                    value = min(1.0, 0.25 * (seed + sample) + (level == "warmup") * 0.2 + shift)
                    breach = (1.0,) if seed + sample == 4 else (0.5,) if sample == 2 else ()
                    one = made_runs.rollout(
                        seed, sample, value, breach, package=package, level=level,
                        facts={"reference_calls": 4 + 3 * seed},
                    )  # fmt: skip
                    made.append(one._replace(steps=5 + seed, usage=Usage(1000, 100, 5)))
    return made


@contextmanager
def serving(folder):
    """Serves a run in a thread; gives the address."""
    from coworkgym.evals.viewer.app import bind, make_server
    from coworkgym.evals.viewer.index import Index

    server, bound = make_server(Index(folder)), bind(0)
    thread = threading.Thread(target=server.run, args=([bound],))
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{bound.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


def until(page, script):
    """Waits for a script to be true; not `wait_for_function`, which pages forbid to evaluate."""
    for _ in range(200):
        if page.evaluate(script):
            return
        time.sleep(0.05)
    raise AssertionError(f"never true: {script}")
