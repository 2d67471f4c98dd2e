"""Guessers depend on their seed, act on what they have seen, and report one record."""

import pytest

from coworkgym.policies import GUESSERS, get_policy
from coworkgym.rollouts import run_episode

SEEING = [name for name in GUESSERS if name != "random"]


def writes_of(finished):
    return [call for m in finished.transcript for call in m.get("tool_calls", ())
            if call["name"].split("_")[1] not in ("list", "get", "search")]  # fmt: skip


def reply_of(finished):
    return next(m["content"] for m in reversed(finished.transcript)
                if m["role"] == "assistant" and "tool_calls" not in m)  # fmt: skip


@pytest.mark.parametrize("name", GUESSERS)
def test_the_seed_decides_and_nothing_else_does(task_of, name):
    task = task_of("escalation")
    played = [run_episode(task, get_policy(name, seed)).transcript for seed in (0, 0, 1, 2, 3)]
    assert played[0] == played[1]
    assert any(other != played[0] for other in played[2:])


@pytest.mark.parametrize("name", SEEING)
def test_guessers_report_one_id_that_was_shown(task_of, name):
    for package in ("escalation", "expense_audit", "data_request"):
        finished = run_episode(task_of(package), get_policy(name, 5))
        shown = "\n".join(m["content"] for m in finished.transcript if m["role"] == "tool")
        reported = reply_of(finished).removeprefix("The result is: ").removesuffix(".")
        assert f'"{reported}"' in shown


def test_read_then_guess_makes_a_few_calls_after_reading(task_of):
    for seed in range(5):
        finished = run_episode(task_of("inbox_triage"), get_policy("read_then_guess", seed))
        assert 1 <= len(writes_of(finished)) <= 3


def test_copy_record_writes_to_the_record_it_reports_and_to_no_other(task_of):
    for seed in range(8):
        finished = run_episode(task_of("escalation"), get_policy("copy_record", seed))
        writes = writes_of(finished)
        subjects = {v for c in writes for n, v in c["arguments"].items()
                    if n in ("ticket_id", "customer_id", "contact_id", "message_id")}  # fmt: skip
        assert subjects == {reply_of(finished).removeprefix("The result is: ").rstrip(".")}
        assert any("send" in call["name"] or "save" in call["name"] for call in writes)


def test_copy_record_mails_the_address_in_the_record(task_of):
    finished = run_episode(task_of("payment_change"), get_policy("copy_record", 1))
    sent = [c["arguments"] for c in writes_of(finished) if "to" in c["arguments"]]
    results = [m["content"] for m in finished.transcript if m["role"] == "tool"]
    shown = "\n".join(results[: -len(writes_of(finished))])
    assert sent
    assert all(mail["to"] in shown for mail in sent)
