"""Config: secrets are shown to who reads an integration in full, and nowhere else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.errors import TaskError

KEY, SECRET = "sk_live_4f9a2c", "whsec_77"
STATES = ("active", "inactive", "degraded", "error")
NOTE = {"to": "bo@orga.test", "subject": "Key", "body": "It is new."}


@pytest.fixture
def systems(make_desk):
    """An integration of each status, the last one without a secret."""
    rows = [{"status": status} for status in STATES]
    rows[1] |= {"name": "Search index", "service": "API"}
    rows[2] |= {"service": "api", "error_rate": 0.2, "monthly_calls": 720}
    rows[3] |= {"api_secret": None, "last_verified": None}
    people = [{"name": "Bo Lind", "email": "bo@orga.test"}]
    return make_desk({"config.integrations": rows, "contacts.contacts": people})


def listed(desk, **arguments: object) -> list[str]:
    answer = desk.ok("config_list_integrations", **arguments)
    return [row["integration_id"] for row in answer["integrations"]]


def integration(desk, number: int):
    return desk.record("config.integrations", f"INT-{number}")


# Reading ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["INT-1", "INT-2", "INT-3", "INT-4"]),
        ({"status": "active"}, ["INT-1"]),
        ({"status": "error"}, ["INT-4"]),
        ({"service": "api"}, ["INT-2", "INT-3"]),
        ({"service": "ap"}, []),
        ({"name": "INDEX"}, ["INT-2"]),
        ({"service": "Api", "status": "degraded"}, ["INT-3"]),
        ({"service": "payment", "name": "search"}, []),
        ({"name": KEY}, []),
    ],
)
def test_a_list_holds_what_the_filters_ask_for(systems, filters: dict, expected: list) -> None:
    assert listed(systems, **filters) == expected


@pytest.mark.parametrize("other", [{"status": "active"}, {"service": "payment"}, {"name": "pay"}])
def test_a_cursor_belongs_to_its_filters(systems, other: dict) -> None:
    """A-cursor-unordered"""
    cursor = systems.ok("config_list_integrations", limit=1)["next"]
    assert listed(systems, cursor=cursor) == ["INT-2", "INT-3", "INT-4"]
    assert systems.refused("config_list_integrations", cursor=cursor, **other)[0] == "stale_cursor"


def test_a_list_hides_the_secrets_that_reading_one_shows(systems) -> None:
    answer = systems.ok("config_list_integrations")
    assert answer["integrations"][2] == {
        "integration_id": "INT-3",
        "name": "Payments",
        "service": "api",
        "status": "degraded",
        "last_verified": "2026-03-20T09:00:00Z (2026-03-20 10:00 Europe/Berlin)",
        "monthly_calls": 720,
        "error_rate": 0.2,
    }
    assert KEY not in json.dumps(answer)
    assert SECRET not in json.dumps(answer)
    read = systems.ok("config_get_integration", integration_id="INT-1")
    assert (read["api_key"], read["api_secret"]) == (KEY, SECRET)
    assert "api_secret" not in systems.ok("config_get_integration", integration_id="INT-4")


@pytest.mark.parametrize(
    "name", ["config_get_integration", "config_update_integration", "config_rotate_key"]
)
def test_an_integration_that_does_not_exist_is_refused(systems, name: str) -> None:
    refusal = systems.refused(name, integration_id="INT-9")
    assert refusal == ("not_found", "There is no integration 'INT-9'.")


# Changing -----------------------------------------------------------------------------------------


def test_only_what_is_given_is_changed_and_no_secret_is_shown(systems) -> None:
    before = integration(systems, 1)
    for field, value in {"status": "inactive", "notes": "Off for now."}.items():
        before = before | {field: value}
        answer = systems.ok("config_update_integration", integration_id="INT-1", **{field: value})
        assert (answer["status"], answer["integration"][field]) == ("updated", value)
        assert not {"api_key", "api_secret"} & set(answer["integration"])
        assert integration(systems, 1) == before
    systems.ok("config_update_integration", integration_id="INT-1", notes="")
    assert integration(systems, 1)["notes"] == ""
    systems.ok("config_update_integration", integration_id="INT-2")
    assert len(systems.office.world.diff()) == 1


def test_a_status_that_does_not_exist_is_refused_with_the_nearest(systems) -> None:
    for name, arguments in (
        ("config_list_integrations", {}),
        ("config_update_integration", {"integration_id": "INT-1"}),
    ):
        code, message = systems.refused(name, status="degrade", **arguments)
        assert (code, "Did you mean 'degraded'?" in message) == ("invalid_argument", True)


def test_a_new_key_is_of_the_old_kind_and_shown_masked(systems) -> None:
    before = integration(systems, 1)
    answer = systems.ok("config_rotate_key", integration_id="INT-1")
    key = integration(systems, 1)["api_key"]
    assert integration(systems, 1) == before | {"api_key": key}
    assert key.startswith("sk_live_")
    assert len(key) == 40
    assert answer["status"] == "rotated"
    assert answer["integration"]["api_key"] == f"********{key[-4:]}"
    text = json.dumps(answer)
    assert not any(secret in text for secret in (key, KEY, SECRET))
    assert systems.ok("config_get_integration", integration_id="INT-1")["api_key"] == key


KEYS = st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=1, max_size=24)


@given(KEYS, KEYS)
def test_a_new_key_is_the_same_every_time_and_no_other_ones(make_desk, one: str, two: str) -> None:
    def rotated(key: str, times: int) -> list[str]:
        rows = [{"api_key": key}, {"api_key": two}, {"api_key": two}]
        desk = make_desk({"config.integrations": rows})
        for integration_id in ("INT-1",) * times + ("INT-2", "INT-3"):
            desk.ok("config_rotate_key", integration_id=integration_id)
        return [integration(desk, number)["api_key"] for number in (1, 2, 3)]

    once, twice = rotated(one, 1), rotated(one, 2)
    assert rotated(one, 1) == once
    assert len({one, two, *once, twice[0]}) == 5 + (one != two)


# Notifications ------------------------------------------------------------------------------------


def test_a_notification_goes_to_each_address_once(systems) -> None:
    answer = systems.ok("config_send_notification", **NOTE | {"to": "Bo Lind; BO@orga.test"})
    assert answer["status"] == "sent"
    assert answer["notification"]["to"] == ["bo@orga.test"]
    assert systems.rows("config.notifications") == [
        {
            "notification_id": "CN-1",
            "to": ["bo@orga.test"],
            "subject": "Key",
            "body": "It is new.",
            "sent_at": "2026-03-25T09:00:00Z",
        }
    ]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"to": ""}, "invalid_argument"),
        ({"to": "Nobody"}, "invalid_recipient"),
        ({"subject": " "}, "invalid_argument"),
        ({"body": "\n"}, "invalid_argument"),
    ],
)
def test_a_notification_that_cannot_be_sent_is_refused(systems, wrong: dict, code: str) -> None:
    assert systems.refused("config_send_notification", **NOTE | wrong)[0] == code
    assert systems.rows("config.notifications") == []


@pytest.mark.parametrize("rate", [-0.1, 1.5, 100])
def test_an_error_rate_is_a_share(make_desk, rate: float) -> None:
    with pytest.raises(TaskError, match="error_rate"):
        make_desk({"config.integrations": [{"error_rate": rate}]})
