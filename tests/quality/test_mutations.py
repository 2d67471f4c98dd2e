"""Mutants of the reference solution: each kind by example, and weak tasks that they find out."""

from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.quality.mutations import MUTATIONS, Mutant, mutants, rewrites, wrong_side
from coworkgym.quality.mutations.course import Course, spread
from coworkgym.rewards import (
    Gate,
    GateResult,
    MailSent,
    RecordHas,
    Score,
    ToolCalled,
    Untouched,
    Verdict,
)
from coworkgym.services import Tool
from coworkgym.tasks import get_package
from coworkgym.tasks.lines import answer, call, check, never

ALL = 10_000  # sites


class Unchanged(Untouched):
    """Says that tickets are in the end what they were, whatever happened between."""

    def verdict(self, evidence):
        tickets = evidence.initial.schema["helpdesk.tickets"]
        now = {row["ticket_id"]: row["priority"] for row in evidence.final.rows(tickets)}
        rows = evidence.initial.tables["helpdesk.tickets"].values()
        same = all(now[row["ticket_id"]] == row["priority"] for row in rows)
        return Verdict(float(same), "as at the start" if same else "changed")


def of_kind(task, kind):
    return [mutant for mutant in mutants(Course(task), ALL) if mutant.kind == kind]


def whole(task, mutant):
    """All calls of a mutant."""
    return [*task.solution[: mutant.kept], *mutant.calls]


def wrongs(task, *kinds):
    """What is on the wrong side, as (kind, place), of these kinds."""
    course = Course(task)
    return [
        (mutant.kind, mutant.place)
        for mutant in mutants(course, ALL)
        if mutant.kind in kinds
        and wrong_side(mutant, course.branch(mutant.kept, mutant.calls).score())
    ]


def step(task, name):
    return next(n for n, made in enumerate(task.solution) if made.name == name)


def weakened(task, statement):
    """The task with one check, and a gate that no mutant touches."""
    gate = never("crm_export_report")
    return replace(task, checks=(check("all", 1, statement),), gates=(gate,))


def escalated(task):
    ticket_id = task.solution[step(task, "helpdesk_escalate_ticket")].arguments["ticket_id"]
    return RecordHas(table="helpdesk.tickets", id=ticket_id, fields={"status": "escalated"})


@pytest.fixture(scope="module")
def task(build):
    """A task whose agent has many tools."""
    return build(seed=1, level="easy")


@pytest.fixture
def two_days(build):
    return build("month_close", level="easy")


@pytest.fixture
def meeting(build):
    return build("meeting_scheduling")


# A sound task -----------------------------------------------------------------------------------


def test_every_mutant_of_a_sound_task_is_on_the_right_side(task):
    assert wrongs(task, *MUTATIONS) == []
    assert {mutant.kind for mutant in mutants(Course(task))} == set(MUTATIONS[:12])
    assert {mutant.kind for mutant in rewrites(Course(task))} == set(MUTATIONS[12:])


def test_a_task_without_a_solution_has_no_mutant_of_a_call(task):
    kinds = {mutant.kind for mutant in mutants(Course(replace(task, solution=())))}
    assert kinds <= {"forbidden", "undone", "stray", "beside"}


# Calls left out, made twice, stopped ------------------------------------------------------------


def test_a_dropped_write_must_cost_and_a_dropped_read_may(task):
    dropped = of_kind(task, "drop")
    assert [mutant.kept for mutant in dropped] == list(range(len(task.solution) - 1))
    for mutant in dropped:
        left_out = task.solution[mutant.kept]
        assert mutant.calls == task.solution[mutant.kept + 1 :]
        assert mutant.must == ("lower" if task.tools[left_out.name].writes else "not_more")
        assert mutant.place == f"solution[{mutant.kept}] {left_out.name}"


def test_a_reply_before_the_last_may_be_dropped(meeting):
    first = of_kind(meeting, "drop")[0]
    assert (meeting.solution[0].name, first.must) == ("reply", "not_more")


def test_a_mail_sent_twice_must_cost_and_a_refused_or_empty_second_call_must_not(task):
    doubled = {mutant.place: mutant for mutant in of_kind(task, "duplicate")}
    assert len(doubled) == len(task.solution) - 1
    for mutant in doubled.values():
        assert mutant.calls[0] == task.solution[mutant.kept - 1]
        mail = mutant.calls[0].name == "gmail_send_message"
        assert mutant.must == ("lower" if mail else "equal")


def test_a_task_that_takes_a_mail_twice_is_found_out(task):
    weak = weakened(task, ToolCalled(tool="gmail_send_message"))
    mails = [n for n, c in enumerate(task.solution) if c.name == "gmail_send_message"]
    expected = [("duplicate", f"solution[{number}] gmail_send_message") for number in mails]
    assert wrongs(weak, "duplicate") == expected


def test_what_has_the_same_effect_inside_a_record_twice_must_cost(task):
    ticket_id = escalated(task).id
    comment = call("helpdesk_comment_ticket", ticket_id=ticket_id, text="Looked at.")
    commenting = replace(task, solution=(comment, task.solution[-1]))
    assert of_kind(commenting, "duplicate")[0].must == "lower"


def test_the_solution_is_stopped_after_every_call_with_and_without_a_word(task):
    stopped = of_kind(task, "stop")
    ok = (answer("OK."),)
    expected = [(n, calls) for n in range(len(task.solution)) for calls in (ok, ())]
    assert [(mutant.kept, mutant.calls) for mutant in stopped] == expected
    assert {mutant.must for mutant in stopped} == {"lower"}


def test_a_task_that_wants_no_report_is_found_out(task):
    places = {place for _, place in wrongs(weakened(task, escalated(task)), "stop")}
    last = len(task.solution) - 1
    assert {f"after {last} calls, OK.", f"after {last} calls"} <= places


# Other arguments --------------------------------------------------------------------------------


def test_ids_and_recipients_are_aimed_at_others_of_their_kind(task):
    aimed = of_kind(task, "retarget")
    assert {mutant.must for mutant in aimed} == {"lower"}
    tickets, people = set(), set()
    for mutant in aimed:
        arguments = mutant.calls[0].arguments
        tickets |= {arguments.get("ticket_id")} - {None}
        people |= {arguments.get("to")} - {None}
    assert tickets and tickets <= set(task.base.tables["helpdesk.tickets"]) - {escalated(task).id}
    assert people and task.solution[step(task, "gmail_send_message")].arguments["to"] not in people


def test_an_item_of_a_list_of_ids_is_replaced_left_out_and_added(two_days):
    number = step(two_days, "finance_submit_report")
    right = set(two_days.solution[number].arguments["transactions"])
    lists = [
        set(mutant.calls[0].arguments["transactions"])
        for kind in ("retarget", "argument")
        for mutant in of_kind(two_days, kind)
        if mutant.kept == number and mutant.place.endswith(": transactions")
    ]
    sizes = {len(ids) - len(right) for ids in lists}
    assert sizes == {-1, 0, 1}
    assert right not in lists
    assert all(ids <= set(two_days.base.tables["finance.transactions"]) for ids in lists)


def test_names_of_people_are_replaced_too(meeting):
    number = step(meeting, "calendar_create_event")
    given_names = [m.calls[0].arguments["attendees"] for m in of_kind(meeting, "retarget")
                   if m.kept == number]  # fmt: skip
    known = {person["name"] for person in meeting.base.tables["contacts.contacts"].values()}
    assert given_names and set().union(*given_names) <= known


def changed_arguments(task, tool, **arguments):
    """The argument mutants of one call: which argument, and its other value."""
    weak = replace(task, solution=(call(tool, **arguments), task.solution[-1]))
    return [
        (name, value)
        for mutant in of_kind(weak, "argument")
        for name, value in mutant.calls[0].arguments.items()
        if arguments[name] != value
    ]


def test_hard_arguments_get_another_value_and_wording_does_not(task):
    ticket_id = escalated(task).id
    changed = changed_arguments(
        task, "helpdesk_update_ticket", ticket_id=ticket_id, priority="critical", tags=["late"],
    )  # fmt: skip
    priorities = [value for name, value in changed if name == "priority"]
    assert sorted(priorities) == ["high", "low", "medium"]
    assert ("tags", []) in changed
    assert changed_arguments(
        task, "helpdesk_close_ticket", ticket_id=ticket_id, resolution="Ready-in-2-days"
    ) == []  # fmt: skip


def test_numbers_switches_and_days_get_another_value(meeting, two_days):
    changed = changed_arguments(
        meeting, "calendar_create_event", title="Round", start_time="2030-01-07T09:00",
        end_time="2030-01-07T10:00", frequency="weekly", interval=2, until="2030-12-31",
    )  # fmt: skip
    assert {("interval", 3), ("until", "2031-01-01"), ("frequency", "daily")} <= set(changed)
    document = next(iter(two_days.base.tables["files.documents"].values()))
    changed = changed_arguments(
        two_days, "files_write", path=document["path"], content="New.", overwrite=True
    )
    assert changed == [("overwrite", False)]


def test_dates_times_amounts_and_accounts_get_a_near_value(meeting, two_days, build):
    start = meeting.solution[step(meeting, "calendar_create_event")].arguments["start_time"]
    starts = [m.calls[0].arguments["start_time"] for m in of_kind(meeting, "argument")
              if m.place.endswith("calendar_create_event: start_time")]  # fmt: skip
    assert [text[:11] for text in starts] == [start[:11]]
    assert int(starts[0][11:13]) == int(start[11:13]) + 1
    total = two_days.solution[step(two_days, "finance_submit_report")].arguments["total_amount"]
    totals = [m.calls[0].arguments["total_amount"] for m in of_kind(two_days, "argument")
              if m.place.endswith(": total_amount")]  # fmt: skip
    assert [float(other) - float(total) for other in totals] == [pytest.approx(1)]
    payment = build("payment_change")
    account = payment.solution[step(payment, "finance_update_payee")].arguments["account"]
    (other,) = [m.calls[0].arguments["account"] for m in of_kind(payment, "argument")]
    assert (other[:-1], len(other)) == (account[:-1], len(account))
    assert other != account


def test_another_spelling_of_the_same_effect_is_no_mutant(task, monkeypatch):
    def same(office, ticket_id: str, priority: Literal["low", "high"]):
        return {"status": "unchanged"}

    tool = Tool(same, writes=True)
    monkeypatch.setattr(tool, "name", "helpdesk_update_ticket")
    ticket_id = escalated(task).id
    made = call("helpdesk_update_ticket", ticket_id=ticket_id, priority="low")
    idle = replace(task, solution=(made, task.solution[-1]))
    assert len(of_kind(idle, "argument")) > 0
    tools = dict(idle.tools) | {"helpdesk_update_ticket": tool}
    monkeypatch.setitem(idle.__dict__, "tools", tools)
    assert [m for m in of_kind(idle, "argument") if m.place.endswith("priority")] == []


def test_a_task_that_minds_only_whether_a_mail_was_sent_is_found_out(task):
    to = task.solution[step(task, "gmail_send_message")].arguments["to"]
    weak = weakened(task, ToolCalled(tool="gmail_send_message"))
    place = f"solution[{step(task, 'gmail_send_message')}] gmail_send_message: to"
    assert ("retarget", place) in wrongs(weak, "retarget")
    assert ("argument", place) in wrongs(weak, "argument")
    sound = weakened(task, MailSent(to=[to]))
    assert ("retarget", place) not in wrongs(sound, "retarget")


# Stated values ----------------------------------------------------------------------------------


def test_a_value_stated_in_a_mail_is_replaced_in_subject_and_body(task):
    number = step(task, "gmail_send_message")
    (mutant,) = [m for m in of_kind(task, "value") if m.kept == number]
    right, wrong = task.solution[number].arguments, mutant.calls[0].arguments
    assert mutant.must == "lower"
    assert escalated(task).id in right["subject"] and escalated(task).id in right["body"]
    assert escalated(task).id not in wrong["subject"] + wrong["body"]
    assert wrong["to"] == right["to"]


def test_values_of_reasons_and_of_earlier_replies_are_replaced_without_a_demand(task, meeting):
    reason = next(m for m in of_kind(task, "value") if "escalate" in m.place)
    assert (reason.must, reason.calls[0].arguments["reason"]) == (
        "not_more", "Open for more than 49 hours.",
    )  # fmt: skip
    *earlier, day, time = of_kind(meeting, "value")
    assert {mutant.must for mutant in earlier} == {"not_more"}
    assert (day.must, time.must) == ("lower", "lower")


def test_the_report_of_each_day_must_be_right(two_days):
    replies = [m for m in of_kind(two_days, "value") if m.calls[0].name == "reply"]
    assert len({mutant.kept for mutant in replies}) == 2
    assert {mutant.must for mutant in replies} == {"lower"}


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Paid on 2028-12-31.", "Paid on 2029-01-01."),
        ("Starts at 23:30.", "Starts at 00:30."),
        ("1,250.00 in all.", "1,251.00 in all."),
        ("Booked to GB84QTWB99015526285709.", "Booked to GB84QTWB99015526285700."),
        ("共处理16封邮件。", "共处理17封邮件。"),
        ("Handled 3 of 4 mails.", "Handled 3 of 5 mails."),
        ("Handled 3 mails of 2033.", "Handled 4 mails of 2033."),
        ("Call +86 138 0000 3571.", "Call +86 138 0000 3572."),
    ],
)
def test_each_kind_of_value_has_another_one(task, text, other):
    telling = replace(task, solution=(answer(text),))
    assert [m.calls[0].arguments["text"] for m in of_kind(telling, "value")] == [other]


@pytest.mark.parametrize("text", ["It is open.", "Version 1.2.3", "Expenses of 2028", "Q3 results"])
def test_words_and_years_are_no_values(task, text):
    assert of_kind(replace(task, solution=(answer(text),)), "value") == []


def test_a_task_that_takes_any_mail_text_is_found_out(task):
    number = step(task, "gmail_send_message")
    to = task.solution[number].arguments["to"]
    ((_, place),) = wrongs(weakened(task, MailSent(to=[to])), "value")[:1]
    assert place.startswith(f"solution[{number}] gmail_send_message: TK-")


# Order ------------------------------------------------------------------------------------------


def test_acting_without_reading_leaves_out_every_read(task):
    (mutant,) = of_kind(task, "unread")
    expected = [c for c in task.solution if task.tools[c.name].writes or c.name == "reply"]
    assert whole(task, mutant) == expected
    assert mutant.must == "lower"
    assert of_kind(replace(task, solution=task.solution[-1:]), "unread") == []


def test_a_task_that_wants_nothing_read_is_found_out(task):
    weak = weakened(task, escalated(task))
    assert [kind for kind, _ in wrongs(weak, "unread")] == ["unread"]
    assert of_kind(weak, "late")[0].must == "not_more"


def test_late_reads_stay_on_their_day(two_days):
    (mutant,) = of_kind(two_days, "late")
    calls = whole(two_days, mutant)
    assert sorted(map(str, calls)) == sorted(map(str, two_days.solution))
    reads = [c.name != "reply" and not two_days.tools[c.name].writes for c in calls]
    replies = [n for n, made in enumerate(calls) if made.name == "reply"]
    assert replies == [n for n, c in enumerate(two_days.solution) if c.name == "reply"]
    assert reads[replies[0] - 1] and reads[replies[1] - 1]
    assert not reads[0] and not reads[replies[0] + 1]
    assert mutant.must == "lower"


# Gates ------------------------------------------------------------------------------------------


def test_each_gate_has_a_forbidden_call_before_the_last_reply(task):
    forbidden = of_kind(task, "forbidden")
    assert [mutant.gate for mutant in forbidden] == [gate.name for gate in task.gates]
    for mutant in forbidden:
        assert (mutant.kept, mutant.must) == (len(task.solution) - 1, "unsafe")
        assert mutant.calls[1:] == task.solution[-1:]


def test_what_was_undone_has_the_records_of_before_and_still_breaches(task):
    course = Course(task)
    undone = of_kind(task, "undone")
    assert len(undone) >= 3
    before = course.after[-2].office.world.changes_digest()
    for mutant in undone:
        episode = course.branch(mutant.kept, mutant.calls[:1])
        assert episode.office.world.changes_digest() != before
        episode = course.branch(mutant.kept, mutant.calls)
        assert episode.office.world.changes_digest() == before
        assert mutant.must == "unsafe"


def test_a_gate_that_sees_only_the_outcome_is_found_out(task):
    blind = Gate(
        name="blind", severity=1, counts="effect", statement=Unchanged(tables=["helpdesk.tickets"])
    )
    weak = replace(task, gates=(blind,))
    assert wrongs(weak, "forbidden") == []
    ((kind, place),) = wrongs(weak, "undone")
    assert (kind, place.split(":")[0]) == ("undone", "gate 'blind'")


def test_of_several_forbidden_calls_one_that_can_be_undone_is_undone(task):
    tickets = task.base.tables["helpdesk.tickets"].values()
    taken = {made.arguments.get("ticket_id") for made in task.solution}
    other = next(t for t in tickets if t["status"] == "open" and t["ticket_id"] not in taken)
    stays = RecordHas(table="helpdesk.tickets", id=other["ticket_id"], fields={"status": "open"})
    weak = replace(task, gates=(Gate(name="stays open", severity=1, statement=stays),))
    ((_, place),) = wrongs(weak, "forbidden", "undone")
    close_and_reopen = "helpdesk_close_ticket, helpdesk_reopen_ticket"
    assert place == f"gate 'stays open': {close_and_reopen}"


# Strays -----------------------------------------------------------------------------------------


def test_stray_writes_leave_the_work_alone_and_change_something_else(task):
    course = Course(task)
    strays = of_kind(task, "stray")
    assert len(strays) >= 8
    touched = {change.id for change in course.after[-1].office.world.diff()}
    for mutant in strays:
        event = course.branch(mutant.kept, mutant.calls[:1]).office.log[-1]
        assert event.changes
        assert touched.isdisjoint(change.id for change in event.changes)
        assert task.tools[mutant.calls[0].name].writes
        assert mutant.must == "not_more"


def test_strays_write_files_and_book_meetings(two_days, meeting):
    files = {"files_write", "files_append", "files_move", "files_delete"}
    assert files <= {mutant.place for mutant in of_kind(two_days, "stray")}
    assert "calendar_create_event" in {mutant.place for mutant in of_kind(meeting, "stray")}


def test_there_is_no_stray_where_the_solution_touches_all_records(task):
    notes = [
        call("crm_add_note", customer_id=customer_id, text="Called.")
        for customer_id in task.base.tables["crm.customers"]
    ]
    busy = replace(task, solution=(*notes, task.solution[-1]), max_steps=100)
    assert "crm_add_note" not in {mutant.place for mutant in of_kind(busy, "stray")}


def test_a_tool_that_is_forbidden_by_name_is_no_stray(task):
    barring = replace(task, gates=(*task.gates, never("crm_add_note", "crm_update_customer")))
    names = {mutant.place for mutant in of_kind(barring, "stray")}
    assert {"crm_add_note", "crm_update_customer"}.isdisjoint(names)
    assert "contacts_update" in names


# Sides ------------------------------------------------------------------------------------------


def graded(task, **changes):
    return replace(Course(task).after[-1].score(), **changes)


def test_the_side_is_told_by_value_and_gates(task):
    lower, equal = (Mutant("drop", "here", 0, (), must) for must in ("lower", "equal"))
    assert "earns as much as the reference" in wrong_side(lower, graded(task))
    assert wrong_side(lower, graded(task, completion=0.9)) == ""
    assert wrong_side(lower, graded(task, safety=0.0)) == ""
    assert wrong_side(equal, graded(task)) == ""
    assert "drop at here earns 0.9 instead of 1" in wrong_side(equal, graded(task, completion=0.9))
    gates = (GateResult("shut", 0.5, True, "opened"),)
    assert "gate 'shut': opened" in wrong_side(equal, graded(task, safety=0.5, gates=gates))
    assert wrong_side(Mutant("drop", "here", 0, (), "not_more"), graded(task)) == ""


def test_what_cannot_be_graded_is_always_wrong():
    nan = float("nan")
    ungraded = Score("ungraded", nan, nan, None, (), (), False, nan, nan, "no log")
    for must in ("lower", "equal", "unsafe", "not_more"):
        why = wrong_side(Mutant("stop", "here", 0, (), must), ungraded)
        assert why == "stop at here cannot be graded: no log"


def test_no_mutant_is_longer_than_an_episode(task):
    tight = replace(task, max_steps=len(task.solution))
    lengths = {len(whole(tight, mutant)) for mutant in mutants(Course(tight), ALL)}
    assert max(lengths) == len(task.solution)


# Sites ------------------------------------------------------------------------------------------


@given(st.integers(0, 60), st.integers(1, 12), st.integers(0, 500))
def test_places_are_distinct_in_order_and_covered_by_turns(size, count, turn):
    places = list(range(size))
    chosen = spread(places, count, turn)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(size, count)
    assert set().union(*(spread(places, count, turn + more) for more in range(size))) == set(places)


PACKAGES = ["escalation", "payment_change", "inbox_triage", "meeting_scheduling", "month_close"]


@given(
    st.sampled_from(PACKAGES),
    st.sampled_from(["warmup", "easy", "hard"]),
    st.sampled_from(["en", "zh"]),
    st.integers(0, 30),
)
def test_mutants_are_valid_few_and_the_same_each_time(name, level, language, seed):
    package = get_package(name)
    task = package.build(package.item(level=level, language=language, seed=seed))
    made = [*mutants(Course(task), 3), *rewrites(Course(task), 3)]
    assert made == [*mutants(Course(task), 3), *rewrites(Course(task), 3)]
    counts = {kind: sum(mutant.kind == kind for mutant in made) for kind in MUTATIONS}
    assert sum(counts.values()) == len(made)
    assert max(counts.values()) <= 3
    for mutant in made:
        calls = whole(task, mutant)
        assert len(calls) <= task.max_steps
        assert tuple(calls) != task.solution
        assert all(made.name in task.tools for made in calls)
        assert bool(mutant.gate) == (mutant.must == "unsafe")


def test_writes_beside_the_work_change_the_same_record_in_other_ways(task):
    (overdue,) = (c.arguments["ticket_id"] for c in task.solution if "escalate" in c.name)
    mutants_beside = of_kind(task, "beside")
    assert mutants_beside
    for mutant in mutants_beside:
        assert mutant.place.endswith(overdue)
        course = Course(task)
        (before, after) = (course.after[-1], course.branch(mutant.kept, mutant.calls))
        changed = {change.id for change in after.office.world.diff()}
        assert changed == {change.id for change in before.office.world.diff()}
