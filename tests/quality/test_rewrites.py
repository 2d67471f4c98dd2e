"""Rewrites of the reference solution: other orders, other words, the same effect."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.quality.mutations import rewrites, wrong_side
from coworkgym.quality.mutations.course import Course
from coworkgym.quality.mutations.wording import FORMS, reworded
from coworkgym.rewards import RecordCreated, ReplyStates
from coworkgym.tasks import get_package
from coworkgym.tasks.lines import answer, call, check, never

ALL = 10_000  # sites


def of_kind(task, kind):
    return [mutant for mutant in rewrites(Course(task), ALL) if mutant.kind == kind]


def whole(task, mutant):
    return [*task.solution[: mutant.kept], *mutant.calls]


def wrongs(task):
    course = Course(task)
    made = rewrites(course, ALL)
    scored = ((m, course.branch(m.kept, m.calls).score()) for m in made)
    return [(m.kind, m.place) for m, score in scored if wrong_side(m, score)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_rewrite_of_a_sound_task_earns_all(build, language):
    for level in ("warmup", "medium"):
        assert wrongs(build(seed=3, level=level, language=language)) == []


def test_neighbouring_reads_are_swapped_and_nothing_else(task):
    for mutant in of_kind(task, "reordered"):
        calls = whole(task, mutant)
        moved = [n for n, made in enumerate(calls) if made != task.solution[n]]
        assert moved == [mutant.kept, mutant.kept + 1]
        assert not any(task.tools[calls[n].name].writes for n in moved)
        assert [calls[n] for n in moved] == [task.solution[n] for n in reversed(moved)]
    assert [mutant.kept for mutant in of_kind(task, "reordered")] == [0, 1]


def test_equal_reads_are_not_swapped(task):
    first = task.solution[0]
    assert of_kind(replace(task, solution=(first, first, task.solution[-1])), "reordered") == []


def test_a_read_more_comes_at_the_start_in_the_middle_and_before_the_last_reply(task):
    extra = of_kind(task, "extra_read")
    last = len(task.solution) - 1
    assert {mutant.kept for mutant in extra} == {0, last // 2, last}
    for mutant in extra:
        assert not task.tools[mutant.calls[0].name].writes
        assert mutant.calls[1:] == task.solution[mutant.kept :]


def test_no_read_more_is_made_where_it_would_be_cut_off(task):
    tight = replace(task, max_steps=len(task.solution))
    assert of_kind(tight, "extra_read") == []
    assert len(of_kind(tight, "wording")) > 0


# Wording ----------------------------------------------------------------------------------------

REPORT = {
    "en": "On hold: TK-1, TK-2, TK-3. All others are open.",
    "zh": "已暂缓：TK-1, TK-2, TK-3。其余未动。",
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_report_is_said_in_many_ways(language):
    said = dict(reworded(REPORT[language], language))
    assert len(said) >= 11
    assert len(set(said.values())) == len(said)


@pytest.mark.parametrize(
    ("language", "form", "expected"),
    [
        ("en", "bullets", "On hold:\n- TK-1\n- TK-2\n- TK-3\nAll others are open."),
        ("zh", "bullets", "已暂缓：\n- TK-1\n- TK-2\n- TK-3\n其余未动。"),
        ("en", "numbers", "On hold:\n1. TK-1\n2. TK-2\n3. TK-3\nAll others are open."),
        ("en", "table", "On hold:\n| TK-1 |\n| TK-2 |\n| TK-3 |\nAll others are open."),
        ("en", "backwards", "On hold: TK-3, TK-2, TK-1. All others are open."),
        ("zh", "enumeration", "已暂缓：TK-1、TK-2、TK-3。其余未动。"),
        ("en", "and", "On hold: TK-1, TK-2 and TK-3. All others are open."),
        ("zh", "and", "已暂缓：TK-1, TK-2和TK-3。其余未动。"),
        ("en", "bold", "On hold: **TK-1**, **TK-2**, **TK-3**. All others are open."),
        ("zh", "quotes", "已暂缓：“TK-1”, “TK-2”, “TK-3”。其余未动。"),
        ("en", "line breaks", "On hold:\nTK-1, TK-2, TK-3.\nAll others are open."),
        ("zh", "summary", "总结如下：已暂缓：TK-1, TK-2, TK-3。其余未动。"),
    ],
)
def test_forms_say_the_same(language, form, expected):
    assert FORMS[language][form](REPORT[language]) == expected


def test_a_phone_number_and_an_address_are_quoted_whole():
    quoted = FORMS["en"]["quotes"]("Call +86 138 0000 3571 or bo@orga.test at 10:30.")
    assert quoted == 'Call "+86 138 0000 3571" or "bo@orga.test" at "10:30".'


VALUES = st.from_regex(r"[A-Z]{2,4}-[1-9][0-9]{1,4}|20[0-9]{2}-0[1-9]-1[0-9]", fullmatch=True)


@given(st.lists(VALUES, min_size=1, max_size=5, unique=True), st.sampled_from(["en", "zh"]))
def test_a_reworded_text_states_the_same_values_and_asks_nothing(values, language):
    text = {"en": "On hold: {}. Rest open.", "zh": "已暂缓：{}。其余未动。"}[language]
    for name, other in reworded(text.format(", ".join(values)), language):
        stated = re.findall(r"[A-Z]{2,4}-\d+|\d{4}-\d\d-\d\d", other)
        assert stated == (values[::-1] if name == "backwards" else values)
        assert not set(other) & set("?？")


def test_questions_keep_their_words(build):
    meeting = build("meeting_scheduling")
    assert meeting.solution[0].name == "reply" and "?" in meeting.solution[0].arguments["text"]
    assert all(mutant.kept > 0 for mutant in of_kind(meeting, "wording"))


def test_reasons_and_titles_are_worded_quite_otherwise(task, build):
    reasons = [m.calls[0].arguments["reason"] for m in of_kind(task, "wording")
               if m.place.partition(": ")[2].startswith("reason")]  # fmt: skip
    assert len(reasons) == 2
    titles = [m for m in of_kind(build("month_close"), "wording")
              if m.calls[0].name == "finance_submit_report"]  # fmt: skip
    assert len(titles) == 2


@given(st.sampled_from(["escalation", "data_request", "month_close"]), st.integers(0, 20))
def test_rewrites_write_what_the_solution_writes(name, seed):
    package = get_package(name)
    task = package.build(package.item(level="easy", seed=seed))

    def writes(calls):
        wording = ("text", "body", "reason", "resolution", "title")
        made = [c for c in calls if task.tools[c.name].writes]
        return [(c.name, {k: v for k, v in c.arguments.items() if k not in wording}) for c in made]

    for mutant in rewrites(Course(task)):
        assert mutant.must == "equal"
        assert writes(whole(task, mutant)) == writes(task.solution)


def test_a_title_that_is_the_purpose_of_the_call_keeps_its_words(task, build):
    large = build(level="easy")
    contact_id = next(iter(large.base.tables["contacts.contacts"]))
    promoting = call("contacts_update", contact_id=contact_id, title="Head of Sales")
    promoted = replace(large, solution=(promoting, answer("Promoted.")))
    assert {mutant.calls[0].name for mutant in of_kind(promoted, "wording")} == {"reply"}


# Brittle tasks ----------------------------------------------------------------------------------


def brittle(task, statement):
    return replace(
        task,
        checks=(check("brittle", 1, statement),),
        gates=(never("crm_export_report"),),
        solution=(*task.solution[:-1], answer("Escalated: TK-1 and TK-2.")),
    )


def test_a_check_of_the_very_words_of_a_mail_is_found_out(task):
    mail = next(made for made in task.solution if made.name == "gmail_send_message")
    wanted = RecordCreated(table="gmail.messages", fields={"body": mail.arguments["body"]})
    weak = brittle(task, wanted)
    assert {kind for kind, _ in wrongs(weak)} == {"wording"}


def test_a_check_of_the_very_words_of_a_reply_is_found_out(task):
    wanted = ReplyStates(value="Escalated: TK-1 and TK-2", grounded=False)
    places = [place for _, place in wrongs(brittle(task, wanted))]
    assert any("bold" in place or "quotes" in place for place in places)
