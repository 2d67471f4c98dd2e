"""Calendar: days are the office's days, and series are shown date by date."""

import pytest
from diaries import BERLIN, DAILY, WEEKLY, at


def listed(desk, name: str = "calendar_list_events", **arguments: object) -> list[str]:
    """Id and UTC start of what is listed."""
    rows = desk.ok(name, **arguments)["events"]
    return [f"{row['event_id']} {row['start_time'][:16]}" for row in rows]


def event(desk, event_id: str = "EV-1"):
    return desk.record("calendar.events", event_id)


# Lists -------------------------------------------------------------------------------------------


def test_today_is_the_day_of_the_office(make_diary) -> None:
    """A-today-utc: in the evening of 5 March in Los Angeles it is 6 March in UTC."""
    events = [
        at("2031-03-05T07:59", "2031-03-05T08:30"),  # 4 March 23:59
        at("2031-03-05T08:00", "2031-03-05T08:30"),  # 5 March 00:00
        at("2031-03-06T07:59", "2031-03-06T09:00"),  # 5 March 23:59, into the next day
        at("2031-03-06T08:00", "2031-03-06T09:00"),  # 6 March 00:00
    ]
    desk = make_diary(*events, zone="America/Los_Angeles", now="2031-03-06T04:20")
    today = ["EV-2 2031-03-05T08:00", "EV-3 2031-03-06T07:59"]
    assert listed(desk) == listed(desk, date="2031-03-05") == today
    assert listed(desk, date="2031-03-06") == ["EV-4 2031-03-06T08:00"]
    assert listed(desk, date="2031-03-04", days=2) == ["EV-1 2031-03-05T07:59", *today]
    user = {"name": "calendar_get_user_events", "user": "kim@orga.test"}
    assert listed(desk, **user) == today


def test_a_row_says_when_it_is_in_utc_and_by_the_clock_of_the_office(diary) -> None:
    """A-mixed-tz"""
    answer = diary.ok("calendar_list_events", date="2026-03-25")
    single, cancelled, call = answer.pop("events")
    assert answer == {"total": 3, "returned": 3, "has_more": False}
    assert single == {
        "event_id": "EV-1",
        "title": "Sync",
        "start_time": "2026-03-25T09:00:00Z (2026-03-25 10:00 Europe/Berlin)",
        "end_time": "2026-03-25T10:00:00Z (2026-03-25 11:00 Europe/Berlin)",
        "attendees": ["bo@orga.test"],
        "location": "Room 1",
        "status": "confirmed",
        "recurring": False,
    }
    assert cancelled["status"] == "cancelled"
    assert call["recurring"]
    # 09:00 in Chicago, where the clocks have gone forward already.
    assert call["start_time"] == "2026-03-25T14:00:00Z (2026-03-25 15:00 Europe/Berlin)"
    assert call["end_time"] == "2026-03-25T15:00:00Z (2026-03-25 16:00 Europe/Berlin)"


def test_a_weekly_meeting_is_at_the_same_time_after_the_clock_change(make_diary) -> None:
    """A-dst-recurring"""
    desk = make_diary({**at("2026-03-18T09:30", "2026-03-18T10:00"), "recurrence": WEEKLY})
    rows = desk.ok("calendar_list_events", date="2026-03-16", days=21)["events"]
    assert [row["start_time"] for row in rows] == [
        "2026-03-18T09:30:00Z (2026-03-18 10:30 Europe/Berlin)",
        "2026-03-25T09:30:00Z (2026-03-25 10:30 Europe/Berlin)",
        "2026-04-01T08:30:00Z (2026-04-01 10:30 Europe/Berlin)",
    ]


@pytest.mark.parametrize(
    ("now", "today", "after"),
    [
        ("2026-01-31T23:30", "2026-02-01", "2026-02-02"),
        ("2028-02-28T12:00", "2028-02-28", "2028-02-29"),
        ("2028-02-29T12:00", "2028-02-29", "2028-03-01"),
        ("2026-12-31T12:00", "2026-12-31", "2027-01-01"),
    ],
)
def test_days_go_on_over_the_end_of_a_month(make_diary, now: str, today: str, after: str) -> None:
    """A-month-end"""
    series = {**at("2026-01-01T09:00", "2026-01-01T10:00"), "recurrence": DAILY}
    desk = make_diary(series, now=now)
    assert listed(desk) == [f"EV-1 {today}T09:00"]
    assert listed(desk, days=2) == [f"EV-1 {today}T09:00", f"EV-1 {after}T09:00"]


def test_a_series_is_paged_date_by_date(make_diary) -> None:
    desk = make_diary({"recurrence": DAILY}, at("2026-03-27T08:00", "2026-03-27T08:30"))
    whole = listed(desk, days=12, date="2026-03-25")
    seen, cursor = [], None
    for number in (5, 5, 3):
        page = desk.ok("calendar_list_events", days=12, limit=5, cursor=cursor)
        seen += [f"{row['event_id']} {row['start_time'][:16]}" for row in page["events"]]
        assert (page["total"], page["returned"]) == (13, number)
        cursor = page.get("next", cursor)
    assert not page["has_more"]
    assert seen == whole
    assert len(set(seen)) == 13
    assert desk.refused("calendar_list_events", days=11, cursor=cursor)[0] == "stale_cursor"
    user = {"user": "kim@orga.test", "days": 12, "cursor": cursor}
    assert desk.refused("calendar_get_user_events", **user)[0] == "stale_cursor"


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        ({"days": 0}, "invalid_argument", "'days' must be from 1 to 366, got 0"),
        ({"days": 367}, "invalid_argument", "got 367"),
        ({"limit": 0}, "invalid_argument", "'limit' must be from 1 to 100"),
        ({"date": "2026-3-1"}, "invalid_argument", "must be a day such as"),
        ({"date": "2026-02-30"}, "invalid_argument", "must be a day such as"),
        ({"date": "1969-12-31"}, "invalid_time", "from 1970 to 2099, got 1969-12-31"),
        ({"date": "9999-12-31"}, "invalid_time", "from 1970 to 2099"),
    ],
)
def test_what_is_no_span_of_days_is_refused(diary, arguments, code: str, part: str) -> None:
    for name, more in (("list_events", {}), ("get_user_events", {"user": "bo@orga.test"})):
        given_code, message = diary.refused(f"calendar_{name}", **arguments, **more)
        assert given_code == code
        assert part in message


def test_a_list_reaches_to_the_end_of_the_calendar(diary) -> None:
    assert listed(diary, date="2099-12-30") == ["EV-2 2099-12-30T15:00"]
    assert listed(diary, date="1970-01-01", days=366) == []
    assert diary.ok("calendar_list_events", date="2099-12-31", days=366)["total"] == 52


# A person's events -------------------------------------------------------------------------------


def test_a_person_has_what_they_organise_and_are_invited_to(diary) -> None:
    """A-case-display-name"""
    both = ["EV-1 2026-03-25T09:00", "EV-2 2026-03-25T14:00"]
    for user in ("bo@orga.test", "Bo Lind", "bo lind", "Bo <BO@ORGA.TEST>"):
        answer = diary.ok("calendar_get_user_events", user=user, date="2026-03-25")
        assert [row["event_id"] for row in answer["events"]] == ["EV-1", "EV-2"]
        assert (answer["user"], answer["total"]) == ("bo@orga.test", 2)
    find = {"name": "calendar_get_user_events", "date": "2026-03-25"}
    assert listed(diary, user="bo@orga.test", **find) == both
    assert listed(diary, user="ana@orga.test", **find) == both[1:]
    assert listed(diary, user="lee@orga.test", **find) == []
    assert len(listed(diary, user="bo@orga.test", days=8, **find)) == 3


def test_part_of_a_name_or_address_is_nobody_and_two_of_a_name_are_told_apart(diary) -> None:
    """A-substring-name, A-ambiguous-name"""
    for user in ("Bo", "Lind", "kim", "orga.test"):
        assert diary.refused("calendar_get_user_events", user=user)[0] == "invalid_recipient"
    code, message = diary.refused("calendar_get_user_events", user="Ana Roe")
    assert code == "ambiguous_recipient"
    assert "CT-1 <ana@orga.test>, CT-3 <ana.roe@orga.test>" in message
    assert listed(diary, "calendar_get_user_events", user="o@orga.test") == []


# One event ---------------------------------------------------------------------------------------


def test_a_series_is_read_with_its_first_times_its_zone_and_how_it_is_repeated(diary) -> None:
    read = diary.ok("calendar_get_event", event_id="EV-2")
    assert read["start_time"] == "2026-03-04T15:00:00Z (2026-03-04 16:00 Europe/Berlin)"
    assert read["recurrence"] == {"frequency": "weekly", "interval": 1}
    assert (read["zone"], read["organiser"]) == ("America/Chicago", "bo@orga.test")
    assert "recurrence" not in diary.ok("calendar_get_event", event_id="EV-1")
    code, message = diary.refused("calendar_get_event", event_id="EV-9")
    assert (code, message) == ("not_found", "There is no event 'EV-9'.")


def create(desk, start: str = "2026-03-26T10:00", end: str = "2026-03-26T11:00", **fields: object):
    fields = {"title": "New", "start_time": start, "end_time": end, **fields}
    return desk.ok("calendar_create_event", **fields)


def test_a_new_event_is_the_owners_and_in_the_zone_of_the_office(diary) -> None:
    answer = create(diary, attendees=["Bo Lind", "X@y.test", "bo@orga.test"], location="Hall")
    assert answer["status"] == "created"
    assert answer["event"]["start_time"] == "2026-03-26T09:00:00Z (2026-03-26 10:00 Europe/Berlin)"
    assert answer["event"]["event_id"] == "EV-4"
    assert answer["event"]["recurring"] is False
    assert event(diary, "EV-4") == {
        "event_id": "EV-4",
        "title": "New",
        "start_time": "2026-03-26T09:00:00Z",
        "end_time": "2026-03-26T10:00:00Z",
        "zone": BERLIN,
        "organiser": "kim@orga.test",
        "attendees": ["bo@orga.test", "x@y.test"],
        "location": "Hall",
        "notes": "",
        "status": "confirmed",
        "recurrence": None,
        "excluded": [],
        "responses": [],
    }
    assert listed(diary, date="2026-03-26") == ["EV-4 2026-03-26T09:00"]


def test_local_and_absolute_times_make_the_same_event(make_diary) -> None:
    """A-mixed-tz: 15:00Z is 09:00-06:00 is 16:00 in Berlin."""
    made = []
    for start in ("2026-01-15T15:00Z", "2026-01-15T09:00-06:00", "2026-01-15T16:00"):
        desk = make_diary()
        create(desk, start, "2026-01-15 17:00")
        made.append((event(desk), desk.office.world.changes_digest()))
    assert made[0] == made[1] == made[2]


@pytest.mark.parametrize("attendees", [None, [], "", "[]"])
def test_an_event_may_be_without_attendees(make_diary, attendees: object) -> None:
    desk = make_diary()
    create(desk, attendees=attendees, weekdays=[])
    assert event(desk)["attendees"] == []
    assert listed(desk, "calendar_get_user_events", user="kim@orga.test", date="2026-03-26")


def test_attendees_are_text_or_a_list_and_each_is_invited_once(make_diary) -> None:
    written = ["bo@orga.test; BO@orga.test, a@b.test", ["Bo <bo@orga.test>", "a@b.test"]]
    for attendees in written:
        desk = make_diary()
        create(desk, attendees=attendees)
        assert event(desk)["attendees"] == ["bo@orga.test", "a@b.test"]


@pytest.mark.parametrize(
    ("fields", "code", "part"),
    [
        ({"start_time": "tomorrow at 10"}, "invalid_time", "'start_time' must be like"),
        ({"end_time": "11:00"}, "invalid_time", "'end_time' must be like"),
        ({"end_time": "2026-03-26T10:00"}, "invalid_time", "must be after"),
        ({"end_time": "2026-03-26T09:30"}, "invalid_time", "must be after"),
        ({"start_time": "2026-03-29T02:30"}, "invalid_time", "Did you mean 2026-03-29T03:30?"),
        ({"start_time": "2100-01-01T10:00"}, "invalid_time", "from 1970 to 2099"),
        ({"attendees": ["CT-1"]}, "invalid_recipient", "'CT-1' is no address"),
        ({"attendees": ["bo@orga.test", "Ana Roe"]}, "ambiguous_recipient", "CT-3"),
        ({"attendees": 7}, "invalid_argument", "must be text or a list of texts, got 7"),
        ({"count": 3}, "invalid_time", "'count' needs 'frequency' too"),
        ({"frequency": "yearly"}, "invalid_argument", "must be one of"),
        ({"frequency": "daily", "interval": 0}, "invalid_time", "at least 1, got 0"),
        ({"frequency": "daily", "weekdays": "mon"}, "invalid_time", "is for weekly events"),
        ({"frequency": "weekly", "weekdays": "mon"}, "invalid_time", "starts on a thu"),
        ({"frequency": "weekly", "weekdays": "thu,xy"}, "invalid_time", "sun, got 'xy'"),
        ({"frequency": "daily", "count": 2, "until": "2026-05-01"}, "invalid_time", "one of them"),
        ({"frequency": "daily", "until": "2026-03-25"}, "invalid_time", "before the first day"),
    ],
)
def test_what_is_no_event_is_refused_and_nothing_is_kept(diary, fields, code, part) -> None:
    times = {"start_time": "2026-03-26T10:00", "end_time": "2026-03-26T11:00"}
    given_code, message = diary.refused(
        "calendar_create_event", **{"title": "x", **times, **fields}
    )
    assert given_code == code
    assert part in message
    assert len(diary.rows("calendar.events")) == 3


def test_a_series_is_made_with_simple_fields(make_diary) -> None:
    desk = make_diary()
    answer = create(
        desk, frequency="weekly", interval="2", count=3, weekdays="Friday, thu"
    )  # fmt: skip
    assert answer["event"]["recurring"] is True
    assert event(desk)["recurrence"] == {
        "frequency": "weekly", "interval": 2, "count": 3, "weekdays": ["thu", "fri"],
    }  # fmt: skip
    assert listed(desk, date="2026-03-26", days=30) == [
        "EV-1 2026-03-26T09:00", "EV-1 2026-03-27T09:00", "EV-1 2026-04-09T08:00",
    ]  # fmt: skip


def test_a_monthly_series_on_the_last_day_skips_shorter_months(make_diary) -> None:
    """A-month-end"""
    desk = make_diary(now="2026-01-31T12:00")
    create(desk, "2026-01-31T10:00", "2026-01-31T11:00", frequency="monthly", until="2026-06-30")
    found = listed(desk, days=366)
    assert [row[5:15] for row in found] == ["2026-01-31", "2026-03-31", "2026-05-31"]


# Changes -----------------------------------------------------------------------------------------


def test_only_what_is_given_is_changed(diary) -> None:
    before = event(diary)
    answer = diary.ok("calendar_update_event", event_id="EV-1", title="Plan", notes="Bring tea.")
    assert (answer["status"], answer["event"]["title"]) == ("updated", "Plan")
    assert event(diary) == before | {"title": "Plan", "notes": "Bring tea."}
    diary.ok(
        "calendar_update_event", event_id="EV-1", attendees=[], location="", status="tentative"
    )  # fmt: skip
    changed = {"attendees": [], "location": "", "status": "tentative"}
    assert event(diary) == before | {"title": "Plan", "notes": "Bring tea."} | changed
    assert diary.refused("calendar_update_event", event_id="EV-9", title="x")[0] == "not_found"


def test_a_moved_event_lasts_as_long_as_before_unless_the_end_is_given(diary) -> None:
    def times(**fields: str):
        diary.ok("calendar_update_event", event_id="EV-1", **fields)
        return event(diary)["start_time"][11:16], event(diary)["end_time"][11:16]

    assert times(start_time="2026-03-25T15:00") == ("14:00", "15:00")
    assert times(end_time="2026-03-25T15:30Z") == ("14:00", "15:30")
    assert times(start_time="2026-03-25T10:00", end_time="2026-03-25T10:30") == ("09:00", "09:30")
    assert event(diary)["zone"] == BERLIN


def test_a_moved_series_keeps_its_rule_and_its_zone(diary) -> None:
    """A-mixed-tz: 18:00 in Berlin is 11:00 in Chicago before the clocks change, 12:00 between."""
    diary.ok("calendar_update_event", event_id="EV-2", start_time="2026-03-05T18:00")
    assert listed(diary, date="2026-03-01", days=15) == [
        "EV-2 2026-03-05T17:00", "EV-2 2026-03-12T16:00",
    ]  # fmt: skip
    assert event(diary, "EV-2")["zone"] == "America/Chicago"


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"end_time": "2026-03-25T10:00"}, "must be after"),
        ({"start_time": "soon"}, "'start_time' must be like"),
        ({"start_time": "2099-12-31T23:59Z"}, "from 1970 to 2099"),
        ({"start_time": "2026-03-29T02:00"}, "does not exist"),
        ({"title": "x", "end_time": ""}, "'end_time' must be like"),
    ],
)
def test_a_change_that_does_not_fit_changes_nothing(diary, fields: dict, part: str) -> None:
    code, message = diary.refused("calendar_update_event", event_id="EV-1", **fields)
    assert code == "invalid_time"
    assert part in message


def test_a_series_cannot_be_moved_off_its_weekdays_or_past_its_end(make_diary) -> None:
    days = {**WEEKLY, "weekdays": ["wed", "fri"], "until": "2026-05-01"}
    desk = make_diary({"recurrence": days})
    for start, part in (("2026-03-26T10:00", "starts on a thu"), ("2026-05-06T10:00", "'until'")):
        code, message = desk.refused("calendar_update_event", event_id="EV-1", start_time=start)
        assert code == "invalid_time"
        assert part in message
    desk.ok("calendar_update_event", event_id="EV-1", start_time="2026-03-27T10:00")


def test_an_invitation_is_answered_by_who_is_invited(diary) -> None:
    answer = diary.ok("calendar_respond_event", event_id="EV-2", answer="accepted")
    assert answer["status"] == "accepted"
    diary.ok("calendar_respond_event", event_id="EV-2", answer="declined")
    kept = {"attendee": "kim@orga.test", "answer": "declined", "at": "2026-03-25T07:00:30Z"}
    assert event(diary, "EV-2")["responses"] == [kept]
    diary.ok("calendar_respond_event", event_id="EV-2", answer="declined")
    assert diary.office.log[-1].changes == ()
    code, message = diary.refused("calendar_respond_event", event_id="EV-1", answer="accepted")
    assert (code, message) == ("conflict", "kim@orga.test is not invited to 'EV-1'.")
    assert diary.refused("calendar_respond_event", event_id="EV-9", answer="accepted")[0] == (
        "not_found"
    )
    diary.ok("calendar_update_event", event_id="EV-2", status="cancelled")
    code, message = diary.refused("calendar_respond_event", event_id="EV-2", answer="accepted")
    assert (code, message) == ("conflict", "Event 'EV-2' is cancelled.")


def test_the_moment_of_an_answer_is_no_difference(make_diary) -> None:
    invited = {"attendees": ["kim@orga.test"]}
    one, two = make_diary(invited), make_diary(invited)
    for desk in (one, two):
        desk.ok("calendar_respond_event", event_id="EV-1", answer="declined")
    two.ok("calendar_respond_event", event_id="EV-1", answer="accepted")
    two.ok("calendar_respond_event", event_id="EV-1", answer="declined")
    assert event(one) != event(two)
    assert one.office.world.changes_digest() == two.office.world.changes_digest()


def test_a_whole_event_or_series_is_deleted(diary) -> None:
    answer = diary.ok("calendar_delete_event", event_id="EV-2")
    assert (answer["status"], answer["event"]["title"]) == ("deleted", "Call")
    assert event(diary, "EV-2") is None
    assert diary.refused("calendar_delete_event", event_id="EV-2")[0] == "not_found"
    create(diary)
    assert event(diary, "EV-4")["title"] == "New", "an id is never used again"


def test_one_date_of_a_series_is_cancelled_and_the_others_stay(diary) -> None:
    answer = diary.ok("calendar_delete_event", event_id="EV-2", occurrence_date="2026-03-25")
    assert answer["event"]["excluded"] == event(diary, "EV-2")["excluded"] == ["2026-03-25"]
    diary.ok("calendar_delete_event", event_id="EV-2", occurrence_date="2026-03-18")
    assert event(diary, "EV-2")["excluded"] == ["2026-03-18", "2026-03-25"]
    assert listed(diary, date="2026-03-16", days=21)[-1] == "EV-2 2026-04-01T14:00"
    assert "EV-2 2026-03-25T14:00" not in listed(diary)
    for gone in ("2026-03-25", "2026-03-26"):
        code, message = diary.refused(
            "calendar_delete_event", event_id="EV-2", occurrence_date=gone
        )  # fmt: skip
        assert (code, message) == ("not_found", f"Event 'EV-2' is 0 times on {gone}.")
    code, message = diary.refused(
        "calendar_delete_event", event_id="EV-1", occurrence_date="2026-03-25"
    )  # fmt: skip
    assert code == "conflict"
    assert "no series" in message


def test_a_date_is_that_of_the_office_though_it_is_another_day_elsewhere(make_diary) -> None:
    """A-mixed-tz: 20:00 on Monday in Chicago is Tuesday in Berlin."""
    evening = {**at("2026-01-06T02:00", "2026-01-06T03:00"), "zone": "America/Chicago"}
    desk = make_diary({**evening, "recurrence": WEEKLY})
    desk.ok("calendar_delete_event", event_id="EV-1", occurrence_date="2026-01-13")
    assert event(desk)["excluded"] == ["2026-01-12"]
    assert listed(desk, date="2026-01-01", days=20) == [
        "EV-1 2026-01-06T02:00", "EV-1 2026-01-20T02:00",
    ]  # fmt: skip


def test_a_date_that_comes_twice_in_the_office_is_refused(make_diary) -> None:
    """A-dst-recurring: 17:30 in Chicago is 00:30 in Berlin, and 23:30 once the clocks change."""
    evening = {**at("2026-03-01T23:30", "2026-03-01T23:45"), "zone": "America/Chicago"}
    desk = make_diary({**evening, "recurrence": DAILY})
    assert listed(desk, date="2026-03-08") == ["EV-1 2026-03-07T23:30", "EV-1 2026-03-08T22:30"]
    code, message = desk.refused(
        "calendar_delete_event", event_id="EV-1", occurrence_date="2026-03-08"
    )  # fmt: skip
    assert (code, message) == ("conflict", "Event 'EV-1' is 2 times on 2026-03-08.")


# What carries over -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "keys"),
    [
        ("list_events", {"date": "2026-03-25", "days": 1}, {"events", "total"}),
        ("get_event", {"event_id": "EV-1"}, set()),
        (
            "create_event",
            {"title": "a", "start_time": "2026-03-25T10:00:00Z", "end_time": "2026-03-25T11:00:00Z",
             "attendees": ["bo@orga.test"], "location": "b"},
            {"status", "event"},
        ),
        (
            "get_user_events",
            {"user": "bo@orga.test", "date": "2026-03-25"},
            {"events", "total", "user"},
        ),
        ("delete_event", {"event_id": "EV-1"}, {"status", "event"}),
    ],
)  # fmt: skip
def test_names_arguments_and_answers_carry_over_from_claw_eval(diary, name, arguments, keys):
    answer = diary.ok(f"calendar_{name}", **arguments)
    assert keys <= set(answer)
    fields = {"event_id", "title", "start_time", "end_time", "attendees", "location"}
    row = answer["events"][0] if "events" in answer else answer.get("event", answer)
    assert fields <= set(row)
    assert name != "create_event" or (answer["status"], row["recurring"]) == ("created", False)


def test_what_was_unchecked_no_longer_breaks_every_later_list(diary) -> None:
    """A time without an offset, or none at all, once made every later list fail."""
    create(diary, "2026-03-25T16:30", "2026-03-25T17:00")
    diary.refused("calendar_create_event", title="x", start_time="x", end_time="y")
    diary.ok("calendar_delete_event", event_id="EV-1")
    create(diary, "2026-03-25T17:30", "2026-03-25T18:00")
    assert listed(diary)[-2:] == ["EV-4 2026-03-25T15:30", "EV-5 2026-03-25T16:30"]
