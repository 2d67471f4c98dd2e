"""Written dates: in figures, in words, from today on; what may be two days names none."""

from datetime import date, timedelta

import pytest
from forms import language_of, pairs
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.rewards.matching import states
from coworkgym.rewards.matching.written_dates import dates

Key = tuple[str, str, tuple[str, ...]]

# The value, today, its rivals: replies.
STATED = {
    ("2026-03-05", "2026-03-25", ()): [
        "二〇二六年三月五日",
        "2026年3月5号",
        "三月五日",
        "March 5",
        "5th March 2026",
        "Thursday, 5 March",
        "the fifth of March",
        "March fifth",
        "2026/3/5",
        "2026.03.05",
        "Thu 5 Mar 2026",
        "Mar 5th",
        "3月5日（周四）",
        "2026年03月05日",
        "05-Mar-2026",
        "on the 5th of March, 2026",
        "March the 5th",
    ],
    ("2026-03-30", "2026-03-25", ()): [
        "next Monday",
        "下周一",
        "Monday, 30 March",
        "coming Monday",
        "this coming Monday",
    ],
    ("2026-03-26", "2026-03-25", ()): ["tomorrow", "明天", "Tomorrow at 3 pm"],
    ("2026-03-25", "2026-03-25", ()): ["today", "今天"],
    ("2026-03-24", "2026-03-25", ()): ["yesterday", "昨天"],
    ("2026-04-05", "2026-03-25", ("2026-04-12",)): [
        "April 5 rather than April 12",
        "not April 12 but April 5",
        "It was moved from April 12 to April 5.",
        "由4月12日改为4月5日",
        "April 12 was the old date; the new one is April 5.",
    ],
    ("2026-09-21", "2026-09-10", ()): [
        "21 September",
        "Sept 21",
        "September twenty-first",
        "the twenty-first of September",
        "九月二十一日",
        "2026年九月二十一日",
        "9月21号",
        "2026-09-21 (Monday)",
        "Mon, Sep 21",
        "21.9.2026",
        "9/21/2026",
        "moved to Sep 21",
        "二〇二六年九月二十一日（星期一）",
    ],
    ("2026-09-14", "2026-09-10", ()): ["next Monday", "下周一", "下星期一"],
    ("2026-09-11", "2026-09-10", ()): [
        "tomorrow",
        "明天下午三点",
        "Tomorrow, Sept 11",
        "this Friday",
        "本周五",
        "这周五",
    ],
    ("2026-09-08", "2026-09-10", ()): ["本周二", "the day before yesterday", "前天"],
    ("2026-09-18", "2026-09-10", ()): ["下周五", "18 Sep"],
    ("2027-01-04", "2026-12-30", ()): [
        "next Monday",
        "January 4",
        "4 Jan 2027",
        "1月4日",
        "2027年1月4日",
        "下周一",
        "the fourth of January",
        "Jan 4th",
        "the 4th of January 2027",
        "一月四日",
    ],
    ("2026-12-31", "2026-12-30", ()): [
        "tomorrow",
        "明天",
        "31 December",
        "Dec. 31st",
        "12月31日",
        "十二月三十一日",
        "New Year's Eve, 31 December",
        "this Thursday",
        "本周四",
        "by the thirty-first of December",
    ],
}
NOT_STATED = {
    ("2026-03-05", "2026-03-25", ()): [
        "三月十五日",
        "二〇二五年三月五日",
        "March 15",
        "the fifth of May",
        "March 2026",
        "not on March 5",
        "2026-03-05-01",
        "三月二十五日",
        "May 3",
    ],
    ("2026-03-30", "2026-03-25", ()): [
        "Mondays",
        "every Monday",
        "last Monday",
        "next Tuesday",
        "上周一",
        "每周一",
        "Monday?",
        "next week",
        "Not Monday.",
        "Monday or Tuesday",
    ],
    ("2026-09-21", "2026-09-10", ()): [
        "September 12",
        "September 1",
        "十一月二十一日",
        "September 2021",
        "21 August",
        "二〇二五年九月二十一日",
        "by Sept 22",
    ],
    ("2026-09-18", "2026-09-10", ()): ["this Friday", "tomorrow", "本周五", "last Friday"],
    ("2027-01-04", "2026-12-30", ()): [
        "4 December",
        "January 14",
        "1月14日",
        "Jan 2027",
        "十一月四日",
        "January 4, 2026",
        "this Monday",
        "last Monday",
    ],
}


def said(case: Key, reply: str) -> bool:
    value, today, rivals = case
    near = date.fromisoformat(today)
    return states(
        reply, "date", value, rivals=rivals, language=language_of(reply), today=near
    ).holds


@pytest.mark.parametrize(("case", "reply"), pairs(STATED))
def test_a_day_is_known_in_every_form(case: Key, reply: str) -> None:
    """A-rigid-words"""
    assert said(case, reply)


@pytest.mark.parametrize(("case", "reply"), pairs(NOT_STATED))
def test_another_day_is_not_the_day(case: Key, reply: str) -> None:
    """A-rigid-words"""
    assert not said(case, reply)


days = st.dates(date(1990, 1, 1), date(2090, 1, 1))


@given(days, st.integers(-3, 3))
def test_days_are_counted_from_today(today: date, days_on: int) -> None:
    """A-month-end: over the end of a month, a leap day and a year."""
    names = {-2: "前天", -1: "yesterday", 0: "今天", 1: "tomorrow", 2: "the day after tomorrow"}
    (mention,) = dates(f"Due {names.get(days_on, 'today')}.", today, 2026)
    assert mention.value == today + timedelta(days_on if days_on in names else 0)


@given(days, st.integers(0, 6))
def test_the_next_weekday_is_named_only_when_both_readings_agree(today: date, day: int) -> None:
    name = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()[day]
    in_next_week = today - timedelta(today.weekday()) + timedelta(7 + day)
    found = [mention.value for mention in dates(f"next {name}", today, 2026)]
    assert found == ([in_next_week] if in_next_week - today <= timedelta(7) else [])
    sign = "一二三四五六日"[day]
    assert [m.value for m in dates(f"下周{sign}", today, 2026)] == [in_next_week]


def test_the_week_after_next_is_not_the_next() -> None:
    assert dates("下下周一", date(2026, 3, 25), 2026) == []
    assert dates("大后天", date(2026, 3, 25), 2026) == []


def test_without_a_today_no_day_is_counted_from_it() -> None:
    assert dates("tomorrow, next Monday, 下周一", None, 2026) == []


def test_a_verb_is_no_month() -> None:
    """A-rigid-words"""
    assert dates("You may first check it. They may third-party it.", None, 2026) == []
    assert [m.value for m in dates("on May first", None, 2026)] == [date(2026, 5, 1)]
