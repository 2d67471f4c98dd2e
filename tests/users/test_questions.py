"""Questions: what a reply asks, apart from politeness and from wishes for agreement."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.users.questions import asks_leave, questions, reports


@pytest.mark.parametrize(
    "text",
    [
        "Please tell me:\n- Attendees\n- Date\n- Duration",
        "Sure. Please provide:\n\n1. Attendees\n2. Date, e.g. 3 May\n3. Duration\n\nThanks.",
        "I need to know the attendees, the date and the duration.",
        "I need the following:\nAttendees, date, duration",
        "I'd like to know the attendees, date and duration.",
        "Let me know the attendees, the date and the duration.",
    ],
)
def test_whatever_is_needed_is_asked_for_with_the_lines_below(text: str) -> None:
    (question,) = questions(text)
    for wanted in ("attendees", "date", "duration"):
        assert wanted in question.lower()
    assert "Thanks" not in question


@pytest.mark.parametrize(
    "text",
    [
        "请告诉我：\n1. 参会人\n2. 日期\n3. 时长",
        "请告诉我：1. 参会人 2. 日期 3. 时长",
        "好的。请提供以下信息：\n\n- 参会人\n- 日期\n- 时长\n\n谢谢。",
        "我需要知道参会人、日期和时长。",
        "还需要您提供参会人、日期、时长",
    ],
)
def test_what_is_needed_is_asked_for_in_chinese_too(text: str) -> None:
    (question,) = questions(text)
    for wanted in ("参会人", "日期", "时长"):
        assert wanted in question
    assert "谢谢" not in question


@pytest.mark.parametrize(
    "text", ["参会人有哪些", "什么时间", "多少分钟。", "邀请哪几位？", "会议多久"]
)
def test_a_question_needs_no_question_mark(text: str) -> None:
    assert questions(text)


@pytest.mark.parametrize(
    "text",
    [
        "Please let me know if you would like any changes.",
        "Let me know if you need anything else.",
        "If you need anything, please let me know.",
        "Would you like me to change anything?",
        "Do you need any adjustments?",
        "Please feel free to tell me your wishes.",
        "如需调整，请告诉我。",
        "如果需要修改请联系我。",
        "如有其他需要，请随时告诉我。",
        "还需要调整吗？",
        "需要我做其他调整吗？",
        "不需要确认。",
        "Please let me know if I can help.",
        "I need no further details.",
    ],
)
def test_a_courtesy_asks_nothing(text: str) -> None:
    assert not questions(text)


@pytest.mark.parametrize(
    "text",
    [
        "Please let me know if I should book it.",
        "If you are free, please let me know the attendees.",
        "如您方便，请告诉我与会人员。",
        "需要我修改会议吗？",
    ],
)
def test_leave_and_details_behind_a_condition_are_asked_for(text: str) -> None:
    assert questions(text)


@pytest.mark.parametrize(
    "question",
    [
        "Does that work for you?",
        "Is this okay?",
        "Is everything fine with you?",
        "Please confirm.",
        "OK?",
        "Sounds good?",
        "请确认。",
        "这样可以吗？",
        "您看合适吗？",
        "是否合适？",
    ],
)
def test_a_result_with_a_wish_for_agreement_is_a_report(question: str) -> None:
    assert asks_leave(question)
    assert not reports(question)
    assert reports(f"The meeting is on Monday at 15:00. {question}")
    assert reports(f"会议定在15:00。{question}")


def test_a_wish_for_agreement_may_follow_a_comma() -> None:
    assert reports("The meeting is at 15:00, is that okay?")
    assert reports("会议定在15:00，这样可以吗？")


@pytest.mark.parametrize(
    "text",
    [
        "Monday at 15:00 is free. Shall I book it?",
        "Monday is free. Would you like me to book it?",
        "Monday is free. Is it okay if I book it?",
        "Monday is free. Is it fine to go ahead?",
        "I can book Monday. Does that work for you?",
        "I will book Monday. Please confirm.",
        "周一有空。需要我现在预订吗？",
        "我可以订周一。这样可以吗？",
    ],
)
def test_whoever_asks_for_leave_to_act_reports_nothing(text: str) -> None:
    """A-stop-on-confirm"""
    assert not reports(text)
    assert any(map(asks_leave, questions(text)))


@pytest.mark.parametrize(
    "question",
    [
        "What time works for you?",
        "Which room is okay?",
        "When does it work for you?",
        "Does Friday work?",
        "编号是多少？",
    ],
)
def test_an_open_question_is_no_request_for_leave(question: str) -> None:
    assert not asks_leave(question)
    assert not reports(f"It is booked. {question}")


@pytest.mark.parametrize("text", ["Booked at 3 p.m. on Monday.", "It is 15:00. Bye.", "", "15:00"])
def test_times_and_full_stops_of_a_report_ask_nothing(text: str) -> None:
    assert reports(text)


@given(
    st.lists(
        st.sampled_from("ok? 1. please tell me:\n - \n 吗 ？ if 如 。 a , ".split(" ")), max_size=20
    )
)
def test_a_reply_asks_something_unless_it_reports(pieces: list[str]) -> None:
    text = " ".join(pieces)
    assert questions(text) or reports(text)


@pytest.mark.parametrize(
    "piece",
    ["if ", "please let me know if ", "如", "is that ", "any ", ", is that", "1. ", "- a\n", "？",
     "Please tell me:\n- a\n", "需要", "谁？", ". ", "i need ", "如说", " "],
)  # fmt: skip
def test_long_junk_is_read_in_time_that_grows_with_its_length(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    before = time.process_time()
    reports(text)
    assert time.process_time() - before < 1
