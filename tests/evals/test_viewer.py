"""The server of the viewer: what it answers, and whom."""

import json
import shutil
import signal
import socket
import subprocess
import sys

import made_runs
import pytest
from made_pages import INJECTIONS

pytest.importorskip("starlette", reason="the viewer comes with the extra eval")
pytest.importorskip("uvicorn", reason="the viewer comes with the extra eval")
pytest.importorskip("httpx", reason="the test client needs httpx")

import httpx
from starlette.testclient import TestClient

from coworkgym.cli.view import view
from coworkgym.errors import CoworkError
from coworkgym.evals.viewer.app import HEADERS, bind, make_app
from coworkgym.evals.viewer.episode import entries
from coworkgym.evals.viewer.index import Index
from coworkgym.frozen import FrozenDict, FrozenList
from coworkgym.rollouts import Ended, Store, StoreError


def client_of(folder):
    return TestClient(make_app(Index(folder)), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def client(mixed):
    return client_of(mixed)


def ids(client):
    return {row["id"] for row in client.get("/api/run").json()["episodes"]}


# What the server answers


def test_the_list_says_what_became_of_every_episode(client, episodes):
    run = client.get("/api/run").json()
    marks = {row["id"]: row["marks"] for row in run["episodes"]}
    told = {name: marks[rollout.id] for name, rollout in episodes.items()}
    assert told["solved"] == told["staged"] == told["chinese"] == ["solved"]
    assert told["failed"] == ["failed"]
    assert told["breach"] == told["odd"] == ["breach", "failed"]
    assert told["truncated"] == ["failed", "truncated"]
    assert told["ungraded"] == ["ungraded"]
    assert marks[made_runs.identity(seed=30)] == ["void"]
    assert (run["asked"], run["pending"]) == (len(episodes) + 2, 1)


def test_an_ungraded_and_a_void_episode_have_no_score(client, episodes):
    scores = {row["id"]: row["score"] for row in client.get("/api/run").json()["episodes"]}
    assert scores[episodes["ungraded"].id] is None
    assert scores[made_runs.identity(seed=30)] is None
    assert scores[episodes["solved"].id] == 1


def test_an_episode_has_its_score_sheet_and_facts(client, episodes):
    rollout = episodes["solved"]
    page = client.get(f"/api/episode/{rollout.id}").json()
    assert page["score"] == rollout.score.as_dict()
    assert page["facts"]["task"]["digest"] == rollout.task.digest
    assert page["row"]["seed"] == rollout.item.seed


@pytest.mark.parametrize("name", ["solved", "breach", "staged", "chinese", "long"])
def test_every_change_stands_with_the_call_that_made_it(episodes, name):
    rollout = episodes[name]
    shown = [deed for entry in entries(rollout) for deed in entry.get("calls", [entry])]
    by_step = {deed["step"]: deed for deed in shown if "step" in deed}
    agent = [deed for deed in rollout.deeds if deed.actor == "agent"]
    assert sorted(by_step) == [deed.step for deed in agent]
    for deed in agent:
        told = [(one["table"], one["id"]) for one in by_step[deed.step]["changes"]]
        assert told == [tuple(change[:2]) for change in json.loads(deed.changes)]


def test_changes_of_the_system_stand_between_the_stages(episodes):
    kinds = [entry["kind"] for entry in entries(episodes["staged"])]
    place = kinds.index("world")
    assert kinds[place - 1] == "assistant"
    assert kinds[place + 1] == "user"


def test_a_diff_has_the_fields_that_changed(episodes):
    rollout = episodes["solved"]
    changes = [change for deed in rollout.deeds for change in json.loads(deed.changes)]
    shown = [c for e in entries(rollout) for d in e.get("calls", ()) for c in d["changes"]]
    assert len(shown) == len(changes) > 0
    for told, (_, _, before, after) in zip(shown, changes, strict=True):
        old, new = before or {}, after or {}
        changed = {name for name in old | new if old.get(name, ...) != new.get(name, ...)}
        assert {name for name, _, _ in told["fields"]} == changed


def test_a_call_that_was_not_run_takes_no_step(episodes):
    rollout = episodes["solved"]
    calls = FrozenList([
        FrozenDict(id="a", name="reply", arguments=FrozenDict(text="done")),
        FrozenDict(id="b", name="gmail_send_message", arguments=FrozenDict()),
    ])  # fmt: skip
    refusal = '{"error":"not_run","message":"A reply before this call ended the stage."}'
    told = FrozenList([
        *rollout.transcript[:2],
        FrozenDict(role="assistant", content="", tool_calls=calls),
        FrozenDict(role="tool", tool_call_id="a", content="{}"),
        FrozenDict(role="tool", tool_call_id="b", content=refusal),
    ])  # fmt: skip
    both = list(entries(rollout._replace(transcript=told, deeds=rollout.deeds[-1:])))[-1]["calls"]
    assert "step" in both[0]
    assert both[1]["error"] == "not_run"
    assert "step" not in both[1]


def test_reasoning_stands_with_its_message(episodes):
    reasons = [entry.get("reasoning") for entry in entries(episodes["odd"])]
    assert reasons[-1] == INJECTIONS[1]
    assert set(reasons[:-1]) == {None}


def test_text_is_found_in_messages_and_calls_in_whatever_case(client, episodes):
    found = client.get("/api/search", params={"text": "WINDOW.HACKED"}).json()["ids"]
    assert found == [episodes["odd"].id]
    assert client.get("/api/search", params={"text": "no such words"}).json()["ids"] == []


def test_a_void_episode_says_why(client):
    page = client.get(f"/api/episode/{made_runs.identity(seed=30)}").json()
    assert (page["void"]["reason"], page["void"]["error"]) == ("errored", "no answer")


def test_an_unknown_episode_is_not_found(client):
    answer = client.get("/api/episode/escalation-v0/train/easy/en/999999/0")
    assert answer.status_code == 404
    assert answer.json() == {"error": "no such episode"}


def test_every_answer_forbids_foreign_scripts(client):
    for path in ("/", "/api/run", "/static/main.js", "/nowhere"):
        headers = client.get(path).headers
        assert {name: headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", "192.168.0.7", ""])
def test_another_host_is_refused(client, host):
    assert client.get("/api/run", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"]
)
def test_nothing_beside_the_static_files_is_served(client, path):
    assert client.get(path).status_code == 404


def test_nothing_can_be_sent(client):
    assert client.post("/api/run").status_code == 405


def test_the_server_listens_on_this_machine_only():
    with bind(0) as bound:
        assert bound.getsockname()[0] == "127.0.0.1"
        with pytest.raises(CoworkError, match="cannot be had"):
            bind(bound.getsockname()[1])


def test_half_a_surrogate_pair_is_answered(copy, episodes):
    file = copy / "episodes.jsonl"
    lines = file.read_text("utf-8").splitlines()
    broken = [line.replace("Please", "\\ud800", 1) for line in lines]
    file.write_text("\n".join(broken) + "\n", "utf-8")
    answer = client_of(copy).get(f"/api/episode/{episodes['solved'].id}")
    assert answer.status_code == 200


def test_a_long_episode_is_sent_once_and_small(client, episodes):
    rollout = episodes["long"]
    sent = len(client.get(f"/api/episode/{rollout.id}").content)
    assert sent < 2 * len(json.dumps(rollout.as_dict()))


# A run that grows, is compressed, or is broken


def test_a_run_that_grows_is_read_again(copy, episodes):
    client = client_of(copy)
    before = ids(client)
    new = made_runs.rollout(seed=77)
    with Store(copy, Index(copy).run.settings) as store:
        store.add(Ended(new, 0.1, 1))
    assert ids(client) - before == {new.id}
    assert client.get(f"/api/episode/{new.id}").status_code == 200


def test_a_line_that_is_being_written_is_left_out(copy):
    with (copy / "episodes.jsonl").open("ab") as file:
        file.write(b'{"run": "half a li')
    client = client_of(copy)
    known = ids(client)
    assert client.get("/api/search", params={"text": "window"}).status_code == 200
    assert known == ids(client)


def test_a_run_that_was_played_anew_is_read_anew(copy, tmp_path):
    client = client_of(copy)
    ids(client)
    shutil.rmtree(copy)
    made_runs.run(copy, [made_runs.rollout(seed=1)])
    assert ids(client) == {made_runs.identity(seed=1)}


def test_a_compressed_run_is_shown(tmp_path, episodes):
    pytest.importorskip("zstandard")
    from coworkgym.rollouts import Settings

    with Store(tmp_path / "z", Settings(policy="reference"), compress=True) as store:
        store.ask(rollout.id for rollout in episodes.values())
        for rollout in episodes.values():
            store.add(Ended(rollout, 0.1, 1))
    client = client_of(tmp_path / "z")
    assert ids(client) == {rollout.id for rollout in episodes.values()}
    page = client.get(f"/api/episode/{episodes['breach'].id}").json()
    assert page["facts"]["steps"] == episodes["breach"].steps


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"not JSON\n", "not JSON"),
        (b"[1]\n", "not a JSON object"),
        (b'{"run": "another"}\n', "other settings"),
        (b"{}\n", "not a rollout"),
    ],
)
def test_a_broken_line_is_named(copy, episodes, line, why):
    with (copy / "episodes.jsonl").open("ab") as file:
        file.write(line)
    answer = client_of(copy).get("/api/run")
    assert answer.status_code == 500
    assert f"episodes.jsonl:{len(episodes) + 1}" in answer.json()["error"]
    assert why in answer.json()["error"]
    with pytest.raises(StoreError, match=f"episodes.jsonl:{len(episodes) + 1}"):
        view(copy, 0, True)


def test_the_command_prints_the_address_and_ends_with_ctrl_c(mixed):
    code = "import sys; from pathlib import Path; from coworkgym.cli.view import view; "
    code += "view(Path(sys.argv[1]), 0, True)"
    process = subprocess.Popen([sys.executable, "-c", code, str(mixed)], stdout=subprocess.PIPE)
    try:
        address = process.stdout.readline().split()[0].decode()
        answer = httpx.get(f"{address}api/run", trust_env=False)
        assert answer.json()["name"] == "mixed"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.communicate()


def test_no_run_is_refused(tmp_path):
    with pytest.raises(StoreError, match="is no run"):
        view(tmp_path / "nowhere", 0, True)


def test_without_the_extra_the_command_says_what_to_install(mixed, monkeypatch):
    monkeypatch.delitem(sys.modules, "coworkgym.evals.viewer.app", raising=False)
    monkeypatch.delattr("coworkgym.evals.viewer.app", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(CoworkError, match=r"pip install 'coworkgym\[eval\]'"):
        view(mixed, 0, True)


def test_a_port_that_is_taken_is_refused(mixed):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(CoworkError, match="cannot be had"):
            view(mixed, taken.getsockname()[1], True)
