"""Free slots: free time is really free, for all who are asked."""

from datetime import UTC, datetime, timedelta

import pytest
from diaries import BERLIN, at
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkgym.services.instants import format_instant, parse_instant
from coworkgym.services.recurrence import utc


def slots(desk, **arguments: object) -> list[str]:
    """Local start and end of the free slots."""
    rows = desk.ok("calendar_find_free_slots", **arguments)["slots"]
    return [f"{row['start_time'][33:38]}-{row['end_time'][33:38]}" for row in rows]


def test_slots_are_where_all_are_free(diary) -> None:
    """Kim and Bo meet from 10 to 11 and from 15 to 16; what is cancelled at 13 blocks nobody."""
    both = {"attendees": "Bo Lind, kim@orga.test", "date": "2026-03-25"}
    assert slots(diary, **both) == ["09:00-10:00", "11:00-15:00", "16:00-18:00"]
    assert slots(diary, duration_minutes=61, **both) == ["11:00-15:00", "16:00-18:00"]
    assert slots(diary, from_hour=10, to_hour=11, **both) == []
    assert slots(diary, from_hour=0, to_hour=24, **both)[-1] == "16:00-00:00"
    only = {"date": "2026-03-25", "attendees": "ana@orga.test"}
    assert slots(diary, **only) == ["09:00-15:00", "16:00-18:00"]
    assert slots(diary, attendees=["lee@orga.test"], days=2, date="2026-03-28") == [
        "09:00-18:00", "09:00-18:00",
    ]  # fmt: skip


def test_a_slot_is_shown_in_utc_and_by_the_clock_of_the_office(diary) -> None:
    """A-mixed-tz"""
    answer = diary.ok("calendar_find_free_slots", attendees="Lee", date="2026-03-30", limit=1)
    assert answer["slots"] == [
        {
            "start_time": "2026-03-30T07:00:00Z (2026-03-30 09:00 Europe/Berlin)",
            "end_time": "2026-03-30T16:00:00Z (2026-03-30 18:00 Europe/Berlin)",
        }
    ]


def test_who_declines_is_free_and_who_answers_otherwise_is_not(diary) -> None:
    kim = {"attendees": "kim@orga.test", "date": "2026-04-01"}
    assert slots(diary, **kim) == ["09:00-16:00", "17:00-18:00"]
    diary.ok("calendar_respond_event", event_id="EV-2", answer="tentative")
    assert slots(diary, **kim) == ["09:00-16:00", "17:00-18:00"]
    diary.ok("calendar_respond_event", event_id="EV-2", answer="declined")
    assert slots(diary, **kim) == ["09:00-18:00"]
    assert slots(diary, attendees="bo@orga.test", date="2026-04-01") != ["09:00-18:00"]


def test_what_is_over_is_not_offered(make_diary) -> None:
    desk = make_diary(now="2026-03-25T13:10")
    assert slots(desk, attendees="bo@orga.test") == ["14:30-18:00"]
    assert slots(desk, attendees="bo@orga.test", date="2026-03-24", days=3) == [
        "14:30-18:00", "09:00-18:00",
    ]  # fmt: skip


def test_an_event_that_began_the_day_before_blocks(make_diary) -> None:
    desk = make_diary({**at("2026-03-24T20:00", "2026-03-26T09:15"), "status": "tentative"})
    assert slots(desk, attendees="kim@orga.test", days=2) == ["10:30-18:00"]


def test_slots_are_paged(make_diary) -> None:
    desk = make_diary()
    first = desk.ok("calendar_find_free_slots", attendees="bo@orga.test", days=25)
    assert (first["total"], first["returned"]) == (25, 20)
    rest = desk.ok(
        "calendar_find_free_slots", attendees="bo@orga.test", days=25, cursor=first["next"]
    )
    assert rest["returned"] == 5
    assert len({row["start_time"] for row in first["slots"] + rest["slots"]}) == 25
    code, _ = desk.refused(
        "calendar_find_free_slots", attendees="a@orga.test", days=25, cursor=first["next"]
    )
    assert code == "stale_cursor"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"from_hour": 18, "to_hour": 18}, "invalid_time"),
        ({"to_hour": 25}, "invalid_time"),
        ({"from_hour": -1}, "invalid_time"),
        ({"duration_minutes": 0}, "invalid_time"),
        ({"attendees": []}, "invalid_argument"),
        ({"attendees": "Bo"}, "invalid_recipient"),
        ({"attendees": "Ana Roe"}, "ambiguous_recipient"),
        ({"days": 0}, "invalid_argument"),
    ],
)
def test_what_no_slot_can_be_is_refused(diary, arguments: dict, code: str) -> None:
    asked = {"attendees": "bo@orga.test", **arguments}
    assert diary.refused("calendar_find_free_slots", **asked)[0] == code


PEOPLE = ["kim@orga.test", "bo@orga.test", "ana@orga.test"]
blocks = st.tuples(
    st.sampled_from(PEOPLE),
    st.integers(0, 3 * 24 * 4),
    st.integers(1, 40),
    st.sampled_from(["confirmed", "tentative", "cancelled"]),
)


@given(
    st.lists(blocks, max_size=8),
    st.sets(st.sampled_from(PEOPLE), min_size=1),
    st.integers(15, 120),
    st.sampled_from([BERLIN, "Asia/Kathmandu", "America/Chicago"]),
)
@settings(max_examples=40, deadline=None)
def test_a_meeting_put_into_a_slot_meets_nothing_else(make_diary, made, who, minutes, zone) -> None:
    """Slots overlap nothing that blocks, and every half hour at which it fits is in one."""
    base, length = datetime(2026, 3, 28, tzinfo=UTC), timedelta(minutes=minutes)
    events = [
        {"organiser": person, "status": status,
         "start_time": format_instant(base + timedelta(minutes=15 * start)),
         "end_time": format_instant(base + timedelta(minutes=15 * (start + quarters)))}
        for person, start, quarters, status in made
    ]  # fmt: skip
    desk = make_diary(*events, zone=zone)
    asked = {"attendees": sorted(who), "date": "2026-03-28", "days": 3}
    rows = desk.ok("calendar_find_free_slots", **asked, duration_minutes=minutes, limit=100)
    found = [
        (parse_instant(row["start_time"][:20]), parse_instant(row["end_time"][:20]))
        for row in rows["slots"]
    ]
    taken = [
        (parse_instant(row["start_time"]), parse_instant(row["end_time"]))
        for row in events
        if row["organiser"] in who and row["status"] != "cancelled"
    ]

    def is_free(start: datetime, end: datetime) -> bool:
        return not any(start < until and since < end for since, until in taken)

    assert all(is_free(*slot) for slot in found)
    for day in (28, 29, 30):
        for step in range(18):
            wall = f"2026-03-{day}T{9 + step // 2:02d}:{step % 2 * 30:02d}"
            start = utc(datetime.fromisoformat(wall), zone)
            evening = utc(datetime.fromisoformat(f"2026-03-{day}T18:00"), zone)
            fits = start + length <= evening and is_free(start, start + length)
            inside = [slot for slot in found if slot[0] <= start and start + length <= slot[1]]
            assert len(inside) == fits
    assert found == sorted(found)
