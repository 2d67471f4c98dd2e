"""Clock times: 3 pm is 15:00, 3:00 is not, and UTC is another clock."""

from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from forms import language_of, pairs
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.rewards.matching import states
from coworkgym.rewards.matching.clock_times import times

Key = tuple[str, tuple[str, ...]]

# The value, its rivals: replies.
STATED = {
    ("15:00", ("14:00",)): [
        "3 pm",
        "3:00 p.m.",
        "15:00",
        "3pm",
        "3 PM",
        "15:00h",
        "下午3点",
        "15点",
        "下午三点",
        "下午三点整",
        "15点整",
        "十五点",
        "15时",
        "下午3:00",
        "3 o'clock in the afternoon",
        "three in the afternoon",
        "three pm",
        "15:00 Berlin time",
        "2026-03-25 15:00",
        "2026-03-25T15:00",
        "The meeting was moved from 14:00 to 15:00.",
        "15:00-16:00",
        "3-4 pm",
        "from 15:00 to 16:00",
        "15:00:00",
        "The slot starts at 3 p.m. (not at 2 p.m.).",
        "15:00，不是14:00",
        "午后三点",
        "3 P.M.",
        "２０２６ 15：00",
    ],
    ("15:30", ()): [
        "3:30 pm",
        "下午三点半",
        "15点30分",
        "下午3点半",
        "15:30",
        "half past three in the afternoon",
        "下午三点三十分",
    ],
    ("09:15", ()): [
        "9:15",
        "09:15",
        "9:15 am",
        "quarter past nine in the morning",
        "a quarter past nine am",
        "上午9点15分",
        "九点一刻",
        "上午九点一刻",
    ],
    ("12:00", ()): ["noon", "12:00", "12 pm", "at noon", "正午", "中午12点", "中午十二点"],
    ("00:00", ()): ["midnight", "00:00", "12 am", "0:00", "零点", "午夜"],
    ("10:30", ("09:30",)): [
        "10:30",
        "10:30 am",
        "half past ten in the morning",
        "上午10点半",
        "上午十点半",
        "10点30分",
        "十点半",
        "from 10:30 until 11",
        "at 10:30",
        "It starts at 10:30 (was 09:30).",
        "10:30–11:30",
        "10:30 local time",
        "早上十点三十",
        "2026-09-21T10:30:00",
        "not at 9:30 but at 10:30",
        "10:30而不是9:30",
        "改到10:30",
    ],
    ("10:30Z", ()): [
        "10:30 UTC",
        "2026-09-21T10:30:00Z",
        "12:30+02:00",
        "10:30 GMT",
        "2026-09-21T12:30:00+02:00",
        "10:30Z",
    ],
    ("18:45", ()): [
        "quarter to seven in the evening",
        "6:45 pm",
        "18:45",
        "晚上6点45分",
        "傍晚六点三刻",
        "18时45分",
        "6:45 p.m.",
        "晚上六点四十五分",
    ],
    ("08:00", ()): [
        "8 am",
        "eight o'clock",
        "8 o'clock in the morning",
        "早上八点",
        "上午8:00",
        "8:00",
        "08:00",
        "eight in the morning",
        "8-9 am",
        "早上八点整",
    ],
    ("13:45", ()): [
        "1:45 pm",
        "13:45",
        "下午1点45分",
        "quarter to two in the afternoon",
        "13:45h",
        "下午一点四十五分",
        "下午一点三刻",
        "1:45pm",
        "13:45-14:15",
        "at 13:45 sharp",
        "13：45",
        "13时45分",
        "我会在13:45到场",
    ],
    ("09:05", ()): ["9:05", "9:05 am", "九点零五", "上午九点零五分", "9点05分"],
    ("21:00", ()): [
        "9 pm",
        "21:00",
        "晚上九点",
        "晚上9点",
        "21点",
        "nine in the evening",
        "nine pm",
        "9:00 PM",
        "二十一点",
        "9 o'clock at night",
        "夜里九点",
        "9-10 pm",
    ],
}
NOT_STATED = {
    ("15:00", ("14:00",)): [
        "3 am",
        "3:00",
        "03:00",
        "15:30",
        "3:15 pm",
        "14:00",
        "上午3点",
        "下午三点半",
        "下午3点15分",
        "凌晨三点",
        "15:001",
        "115:00",
        "at 15",
        "three",
        "3",
        "not at 3 pm",
        "3 pm?",
        "3 pm or 2 pm",
        "14:00 rather than 15:00",
        "2026-03-25T15:00:00Z",
        "15:00 UTC",
        "TK-15:00",
        "version 15.00.1",
        "三点一刻",
        "15:00 GMT",
        "15:00+02:00",
    ],
    ("10:30", ("09:30",)): [
        "10:30 pm",
        "22:30",
        "晚上十点半",
        "10:03",
        "10",
        "half past eleven",
        "10:30Z",
        "10:30 UTC",
        "08:30+02:00",
        "10:35",
        "10:30?",
        "10:30 or 9:30",
        "9:30, not 10:30",
        "was 10:30, now 9:30",
    ],
    ("10:30Z", ()): ["10:30", "12:30", "10:30+02:00"],
    ("13:45", ()): [
        "1:45",
        "1:45 am",
        "14:45",
        "13:54",
        "quarter past two",
        "3:45 pm",
        "13:45 or 14:45",
        "not 13:45",
        "13:45?",
        "113:45",
        "13:45Z",
        "凌晨1点45分",
        "一点四十五",
    ],
    ("09:05", ()): ["9:50", "九点五分钟后", "九点五十分", "下午九点零五", "九点零五十分"],
    ("21:00", ()): [
        "9 am",
        "9:00",
        "早上九点",
        "nine",
        "21",
        "晚上九点半",
        "9 o'clock",
        "half past nine pm",
        "上午9点",
    ],
}


def said(case: Key, reply: str) -> bool:
    value, rivals = case
    return states(reply, "time", value, rivals=rivals, language=language_of(reply)).holds


@pytest.mark.parametrize(("case", "reply"), pairs(STATED))
def test_a_time_is_known_in_every_form(case: Key, reply: str) -> None:
    """A-rigid-words, A-mixed-tz"""
    assert said(case, reply)


@pytest.mark.parametrize(("case", "reply"), pairs(NOT_STATED))
def test_another_time_a_denial_or_another_clock_is_not_the_time(case: Key, reply: str) -> None:
    """A-rigid-words, A-mixed-tz"""
    assert not said(case, reply)


clock = st.times().map(lambda moment: moment.replace(second=0, microsecond=0))


@given(clock, st.sampled_from(["%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M%p", "%H点%M分", "%H时%M分"]))
def test_every_written_time_is_that_time_alone(moment: time, form: str) -> None:
    """A-rigid-words"""
    (mention,) = times(f"It starts at {moment.strftime(form)}.")
    assert mention.value == moment


@given(clock, st.integers(-12, 14))
def test_an_offset_gives_the_same_instant_in_utc(moment: time, hours: int) -> None:
    """A-mixed-tz: 15:00Z is 09:00-06:00."""
    local = datetime.combine(date(2031, 3, 5), moment, timezone(timedelta(hours=hours)))
    in_utc = local.astimezone(UTC)
    for reply in (local.isoformat(), f"{in_utc:%H:%M} UTC"):
        assert states(reply, "time", f"{in_utc:%H:%M}Z").holds
        assert not states(reply, "time", f"{moment:%H:%M}").holds


@pytest.mark.parametrize("value", ["3 pm", "15", "24:00", "15:60", "15:00:00", "", "15:00+01:00"])
def test_a_time_is_expected_on_a_clock_of_24_hours(value: str) -> None:
    """A-empty-expected"""
    with pytest.raises(ValueError, match=r"canonical value of kind 'time'|must be in"):
        states("15:00", "time", value)


def test_suggestions_counted_with_the_sign_of_hours_are_no_times() -> None:
    assert times("我有3点建议") == []
    assert [mention.value for mention in times("会议3点开始")] == [time(3)]
