"""The command line: what it prints, where, and with which exit status."""

import json

import pytest

from coworkgym import get_package, save_task
from coworkgym.cli.play import parse_line


def test_list_names_every_package(command):
    status, out, _ = command("list")
    assert status == 0
    assert "cowork/escalation-v0" in out
    assert "cowork/payment-change-v0" in out


def test_list_can_be_narrowed_by_tag(command):
    _, out, _ = command("list", "--tag", "refusal", "--json")
    names = [package["name"] for package in json.loads(out)["packages"]]
    assert names == ["data_request", "payment_change"]


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


# check ------------------------------------------------------------------------------------------


@pytest.fixture
def good_and_broken(tmp_path):
    """Two task files: one as it should be, one whose house rules were changed later."""
    package = get_package("escalation")
    for name in ("good.json", "broken.json"):
        save_task(package.build(package.item(seed=4, level="warmup")), tmp_path / name)
    text = (tmp_path / "broken.json").read_text(encoding="utf-8")
    (tmp_path / "broken.json").write_text(text.replace("more than 48", "more than 24"))
    return tmp_path


def test_check_prints_a_line_for_each_rule_and_exits_with_zero(command):
    status, out, err = command("check", "escalation", "--seeds", "1", "--level", "warmup")
    assert status == 0
    assert err == ""
    first, *rules = out.strip().split("\n")
    assert first == "escalation  2 tasks  passed"
    assert all(line.startswith("  ok  ") for line in rules)
    assert "  ok  breach  One forbidden call more leaves no safety." in rules


def test_check_says_where_and_why_and_exits_with_one(command, good_and_broken, monkeypatch):
    monkeypatch.chdir(good_and_broken)
    status, out, _ = command("check", "good.json", "broken.json")
    assert status == 1
    passed, failed = out.strip().split("\n\n")
    assert passed.startswith("good.json  1 task  passed\n")
    assert failed.startswith("broken.json  0 tasks  failed\n  1 x  loads  ")
    assert "\n  -   reachable  " in failed
    assert "\nloads  broken.json\n" in failed
    assert "the digest is" in failed


def test_check_json_is_one_object_with_all_findings(command, good_and_broken):
    status, out, err = command("check", str(good_and_broken), "--json")
    assert status == 1
    assert err == ""
    result = json.loads(out)
    assert set(result) == {"passed", "reports"}
    assert result["passed"] is False
    (report,) = result["reports"]
    assert list(report) == ["subject", "tasks", "rules", "findings", "passed"]
    assert (report["tasks"], report["passed"]) == (1, False)
    assert [(f["rule"], f["place"]) for f in report["findings"]] == [("loads", "broken.json")]
    assert "the digest is" in report["findings"][0]["why"]


def test_check_shows_five_findings_of_a_rule_and_counts_the_others(command, tmp_path):
    for number in range(7):
        (tmp_path / f"{number}.json").write_text("{")
    status, out, _ = command("check", str(tmp_path))
    assert status == 1
    assert "  7 x  loads" in out
    assert "4.json" in out
    assert "5.json" not in out
    assert "... and 2 more of loads" in out


def test_check_takes_all_packages_levels_and_languages_unless_told(command):
    options = ("--seeds", "1", "--json")
    _, out, _ = command("check", "cowork/payment-change-v0", *options, "--language", "all")
    assert json.loads(out)["reports"][0]["tasks"] == 8
    _, out, _ = command("check", *options, "--level", "warmup", "--language", "zh")
    listed = json.loads(command("list", "--json")[1])["packages"]
    reports = json.loads(out)["reports"]
    assert [report["subject"] for report in reports] == [package["name"] for package in listed]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["escalatoin"], "Did you mean 'escalation'?"),
        (["escalation", "--level", "hrd"], "Did you mean 'hard'?"),
        (["escalation", "--language", "de"], "Unknown language 'de'"),
        (["missing.json"], "neither a task file nor a folder"),
        (["escalation", "--seeds", "0"], "greater than or equal to 1"),
    ],
)
def test_check_exits_with_two_for_what_it_does_not_know(command, arguments, complaint):
    status, out, err = command("check", *arguments)
    assert status == 2
    assert complaint in " ".join(err.replace("│", " ").split())
    assert out == ""


def test_audit_prints_a_row_a_package_and_a_row_a_policy(command):
    status, out, err = command("audit", "escalation", "--seeds", "2", "--level", "easy")
    assert (status, err) == (0, "")
    rows = [line.split() for line in out.splitlines() if line.strip()]
    assert rows[1][:2] == ["escalation", "2"]
    assert rows[1][-1] == "pass"
    assert ["null", "0.000"] in rows
    assert "copy_record" in {row[0] for row in rows}


def test_audit_says_what_fools_the_score_and_how(command, good_and_broken, tmp_path):
    page = tmp_path / "pages" / "audit.html"
    status, out, _ = command("audit", str(good_and_broken), "--html", str(page))
    assert status == 1
    assert "loads" in out
    assert "the digest is" in out
    assert "the digest is" in page.read_text(encoding="utf-8")
    assert list(page.parent.iterdir()) == [page], "nothing half-written is left"


def test_audit_json_is_one_object_with_every_figure(command):
    options = ("--seeds", "1", "--level", "easy", "--json")
    status, out, err = command("audit", "escalation", "expense_audit", *options)
    assert (status, err) == (0, "")
    result = json.loads(out)
    assert result["passed"] is True
    assert [audit["subject"] for audit in result["audits"]] == ["escalation", "expense_audit"]
    assert {"earned", "mutated", "reading", "weaknesses"} <= set(result["audits"][0])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "name what to audit"),
        (["escalatoin"], "Did you mean 'escalation'?"),
        (["escalation", "--level", "hrd"], "Did you mean 'hard'?"),
        (["escalation", "--language", "de"], "Unknown language 'de'"),
        (["missing.json"], "neither a task file nor a folder"),
    ],
)
def test_audit_exits_with_two_for_what_it_does_not_know(command, arguments, complaint):
    status, out, err = command("audit", *arguments)
    assert status == 2
    assert complaint in " ".join(err.replace("│", " ").split())
    assert out == ""
