"""The command line: what it prints, where, and with which exit status."""

import json
import sys

import pytest

from coworkgym import get_package, save_task
from coworkgym.cli import main
from coworkgym.cli.play import parse_line


@pytest.fixture
def command(monkeypatch, capsys):
    """Runs a command; returns its exit status, stdout and stderr."""

    def run(*arguments, typed=None):
        monkeypatch.setattr(sys, "argv", ["coworkgym", *arguments])
        if typed is not None:
            lines = iter(typed)
            monkeypatch.setattr("builtins.input", lambda _prompt: next_or_eof(lines))
        status = 0
        try:
            main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def next_or_eof(lines):
    for line in lines:
        return line
    raise EOFError


def test_list_names_every_package(command):
    status, out, _ = command("list")
    assert status == 0
    assert "cowork/escalation-v0" in out
    assert "cowork/payment-change-v0" in out


def test_list_can_be_narrowed_by_tag(command):
    _, out, _ = command("list", "--tag", "refusal", "--json")
    assert [package["name"] for package in json.loads(out)["packages"]] == ["payment_change"]


def test_show_gives_what_the_agent_sees_and_no_answer(command):
    status, out, _ = command("show", "escalation", "--seed", "3")
    assert status == 0
    assert "House rules" in out
    assert "helpdesk_get_ticket(ticket_id)" in out
    assert "record" not in out.split("tool ")[0]
    assert "Reference solution" not in out


def test_show_answer_adds_checks_gates_and_solution(command):
    _, out, _ = command("show", "cowork/escalation-v0", "--answer")
    assert out.index("Checks") < out.index("Gates") < out.index("Reference solution")
    assert '"kind":"mail_sent"' in out.replace("\n", "")


def test_show_json_is_one_object_without_the_answer(command):
    _, out, _ = command("show", "escalation", "--json", "--language", "zh")
    shown = json.loads(out)
    assert set(shown) == {"messages", "tools"}
    assert "内部规定" in shown["messages"][0]["content"]


def test_a_task_file_is_a_name_too(command, tmp_path):
    package = get_package("escalation")
    save_task(package.build(package.item(seed=4, level="warmup")), tmp_path / "one.json")
    status, out, _ = command("run", str(tmp_path / "one.json"), "--json")
    assert status == 0
    assert json.loads(out)["packages"][0]["mean_score"] == 1


def test_run_prints_a_table_and_exits_with_zero(command):
    status, out, _ = command("run", "escalation", "--policy", "null", "--episodes", "2")
    assert status == 0
    assert out.split("\n")[1].split() == [
        "escalation", "easy", "en", "null", "2", "0.00", "0.00", "1.00", "0.00",
    ]  # fmt: skip


def test_run_json_has_the_promised_keys(command):
    _, out, err = command("run", "--episodes", "1", "--level", "all", "--language", "all", "--json")
    rows = json.loads(out)["packages"]
    assert err == ""
    assert len(rows) == 16
    assert list(rows[0]) == [
        "name", "level", "language", "split", "policy", "episodes", "mean_score", "completion",
        "safety", "solved", "pass_rate", "ungraded", "void",
    ]  # fmt: skip
    assert all(row["mean_score"] == 1 for row in rows)


def test_run_keeps_the_episodes_as_json_lines(command, tmp_path):
    command("run", "escalation", "--episodes", "3", "--out", str(tmp_path / "kept"), "--json")
    (file,) = (tmp_path / "kept").iterdir()
    episodes = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [episode["item"]["seed"] for episode in episodes] == [0, 1, 2]
    assert episodes[0]["score"]["value"] == 1
    assert episodes[0]["transcript"][0]["role"] == "system"


def test_a_person_can_play_a_task(command):
    typed = ["help", "tools", "helpdesk_list_tickets status=open", 'broken "quote', "reply Hello"]
    status, out, _ = command("play", "escalation", "--level", "warmup", typed=typed)
    assert status == 0
    assert '"total": 3' in out
    assert "No closing quotation" in out
    assert "score 0.00 = completion 0.00" in out


def test_leaving_a_task_shows_the_score_so_far(command):
    assert "score 0.00" in command("play", "escalation", typed=["quit"])[1]
    assert "score 0.00" in command("play", "escalation", typed=[])[1]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["show", "escalatoin"], "Did you mean 'escalation'?"),
        (["show", "escalation", "--level", "hrd"], "Did you mean 'hard'?"),
        (["show", "escalation", "--language", "de"], "Unknown language 'de'"),
        (["run", "--policy", "nul"], "Did you mean 'null'?"),
        (["run", "--reward", "scores"], "Did you mean 'score'?"),
        (["run", "missing.json"], "missing.json"),
        (["show", "escalation", "--seed", "-1"], "greater than or equal to 0"),
        (["sohw"], "sohw"),
    ],
)
def test_usage_errors_exit_with_two_and_say_why(command, arguments, complaint):
    status, out, err = command(*arguments)
    assert status == 2
    assert complaint in " ".join(err.split())
    assert out == ""


def test_a_typed_line_becomes_a_call():
    assert parse_line("gmail_send_message to=a@x.test subject='Two words'").arguments == {
        "to": "a@x.test",
        "subject": "Two words",
    }
    assert parse_line("reply It's done: a=b").arguments == {"text": "It's done: a=b"}
    with pytest.raises(ValueError, match="name=value"):
        parse_line("gmail_get_message MSG-1")
