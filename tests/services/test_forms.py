"""Forms: what is submitted is complete and typed, and somebody else decides on it, once."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coworkgym.errors import TaskError

STATES = ("draft", "pending", "approved", "rejected", "withdrawn")
KIM = "kim@orga.test"
DECISIONS = {
    "forms_approve_submission": {},
    "forms_reject_submission": {"reason": "Too much."},
}


@pytest.fixture
def tray(make_desk):
    """A submission of Bo's in each state, in order, then a pending one of Kim's; another form."""
    rows = [{"status": status} for status in STATES]
    rows += [{"submitted_by": KIM}, {"form_id": "FORM-2", "submitted_by": "ana@orga.test"}]
    forms = [{}, {"title": "Training", "approvers": ["Ana Roe <ANA@orga.test>"]}]
    return make_desk({"forms.forms": forms, "forms.submissions": rows})


def listed(desk, **arguments: object) -> list[str]:
    answer = desk.ok("forms_list_submissions", **arguments)
    return [row["submission_id"] for row in answer["submissions"]]


def submission(desk, number: int):
    return desk.record("forms.submissions", f"SUB-{number}")


# Reading ------------------------------------------------------------------------------------------


def test_a_form_is_found_by_part_of_its_title_and_read_in_full(tray) -> None:
    (row,) = tray.ok("forms_list", title="TRAIN")["forms"]
    assert row == {"form_id": "FORM-2", "title": "Training", "description": ""}
    form = tray.ok("forms_get_form", form_id="FORM-2")
    assert form["approvers"] == ["ana@orga.test"]
    assert form["fields"][2] == {"name": "Day", "type": "date", "required": False}
    assert tray.refused("forms_get_form", form_id="FORM-9")[0] == "not_found"
    cursor = tray.ok("forms_list", limit=1)["next"]
    assert tray.refused("forms_list", title="t", cursor=cursor)[0] == "stale_cursor"


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"status": "pending"}, ["SUB-2", "SUB-6", "SUB-7"]),
        ({"status": "draft"}, ["SUB-1"]),
        ({"form_id": "FORM-2"}, ["SUB-7"]),
        ({"submitted_by": "KIM"}, ["SUB-6"]),
        ({"submitted_by": "@orga.test", "status": "approved"}, ["SUB-3"]),
        ({"form_id": "FORM-2", "submitted_by": "bo"}, []),
    ],
)
def test_a_list_holds_what_the_filters_ask_for(tray, filters: dict, expected: list) -> None:
    assert listed(tray, **filters) == expected


@pytest.mark.parametrize(
    "other", [{"form_id": "FORM-1"}, {"status": "pending"}, {"submitted_by": "bo"}]
)
def test_a_cursor_belongs_to_its_filters(tray, other: dict) -> None:
    """A-cursor-unordered"""
    cursor = tray.ok("forms_list_submissions", limit=1)["next"]
    assert listed(tray, cursor=cursor)[0] == "SUB-2"
    assert tray.refused("forms_list_submissions", cursor=cursor, **other)[0] == "stale_cursor"


def test_a_form_that_does_not_exist_has_no_list(tray) -> None:
    for name, arguments in (("forms_list_submissions", {}), ("forms_submit", {"values": {}})):
        refusal = tray.refused(name, form_id="FORM-9", **arguments)
        assert refusal == ("not_found", "There is no form 'FORM-9'.")


def test_a_row_has_the_amount_and_the_submission_its_values(tray) -> None:
    row = tray.ok("forms_list_submissions", status="approved")["submissions"][0]
    assert row == {
        "submission_id": "SUB-3",
        "form_id": "FORM-1",
        "submitted_by": "bo@orga.test",
        "submitted_at": "2026-03-24T09:00:00Z (2026-03-24 10:00 Europe/Berlin)",
        "status": "approved",
        "amount": "199.00",
        "currency": "EUR",
    }
    read = tray.ok("forms_get_submission", submission_id="SUB-3")
    assert read["values"] == {"Purpose": "Fair", "Cost": "199.00"}


@pytest.mark.parametrize(
    "name", ["forms_get_submission", "forms_withdraw_submission", *sorted(DECISIONS)]
)
def test_a_submission_that_does_not_exist_is_refused(tray, name: str) -> None:
    refusal = tray.refused(name, submission_id="SUB-99", **DECISIONS.get(name, {}))
    assert refusal == ("not_found", "There is no submission 'SUB-99'.")


# Submitting ---------------------------------------------------------------------------------------


def test_what_is_submitted_is_pending_under_the_own_name_with_its_amount(tray) -> None:
    values = {"purpose": "Fair", "Cost": "1250.50", "Day": ""}
    answer = tray.ok("forms_submit", form_id="FORM-1", values=values)
    assert answer["status"] == "submitted"
    assert answer["submission"]["values"] == {"Purpose": "Fair", "Cost": "1250.50"}
    assert answer["submission"]["amount"] == "1250.50"
    assert submission(tray, 8) == {
        "submission_id": "SUB-8",
        "form_id": "FORM-1",
        "submitted_by": KIM,
        "submitted_at": "2026-03-25T09:00:00Z",
        "values": {"Purpose": "Fair", "Cost": 125_050},
        "amount": 125_050,
        "currency": "EUR",
        "status": "pending",
        "decided_by": None,
        "decided_at": None,
        "comment": None,
        "reason": None,
    }


def test_a_form_without_an_amount_makes_submissions_without_one(make_desk) -> None:
    form = {"fields": [{"name": "Key", "type": "number"}], "currency": None, "amount_field": None}
    desk = make_desk({"forms.forms": [form]})
    made = desk.ok("forms_submit", form_id="FORM-1", values={"Key": 12})["submission"]
    assert made["values"] == {"Key": "12"}
    assert not {"amount", "currency"} & set(made)


@pytest.mark.parametrize(
    ("values", "code", "part"),
    [
        ({"Purpose": "Fair"}, "invalid_value", "needs 'Cost'"),
        ({}, "invalid_value", "needs 'Purpose', 'Cost'"),
        ({"Purpose": " ", "Cost": 1}, "invalid_value", "needs 'Purpose'"),
        ({"Purpose": "Fair", "Cost": None}, "invalid_value", "needs 'Cost'"),
        ({"Purpose": "Fair", "Cost": 1, "Place": "Rome"}, "not_found", "no field 'Place'"),
        ({"Purpose": "Fair", "Cost": "cheap"}, "invalid_value", "Field 'Cost': 'cheap'"),
        ({"Purpose": "Fair", "Cost": 1, "Day": "soon"}, "invalid_value", "got 'soon'"),
        ({"Purpose": 5, "Cost": 1}, "invalid_value", "must be text, got 5"),
        ("Purpose: Fair", "invalid_argument", "must be an object"),
    ],
)
def test_a_wrong_submission_is_refused_by_field(tray, values, code: str, part: str) -> None:
    refusal = tray.refused("forms_submit", form_id="FORM-1", values=values)
    assert refusal[0] == code
    assert part in refusal[1]


# Deciding -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "changed"),
    [
        ("forms_approve_submission", {}, {"status": "approved"}),
        (
            "forms_approve_submission",
            {"comment": "Enjoy."},
            {"status": "approved", "comment": "Enjoy."},
        ),
        (
            "forms_reject_submission",
            {"reason": "Too much."},
            {"status": "rejected", "reason": "Too much."},
        ),
    ],
)
def test_a_decision_is_kept_with_who_took_it_when_and_why(
    tray, name: str, arguments: dict, changed: dict
) -> None:
    before = submission(tray, 2)
    answer = tray.ok(name, submission_id="SUB-2", **arguments)
    assert answer["status"] == answer["submission"]["status"] == changed["status"]
    stamped = {"decided_by": KIM, "decided_at": "2026-03-25T09:00:00Z"}
    assert submission(tray, 2) == before | stamped | changed
    assert [change.id for change in tray.office.log[-1].changes] == ["SUB-2"]


@pytest.mark.parametrize("status", [status for status in STATES if status != "pending"])
def test_only_what_is_pending_can_be_decided(tray, status: str) -> None:
    number = STATES.index(status) + 1
    for name, arguments in DECISIONS.items():
        code, message = tray.refused(name, submission_id=f"SUB-{number}", **arguments)
        assert code == "conflict"
        assert f"is {status}, not pending" in message


@given(st.lists(st.sampled_from([*DECISIONS, "forms_withdraw_submission"]), min_size=2, max_size=5))
def test_what_is_decided_stays_decided(make_desk, calls: list) -> None:
    desk = make_desk({"forms.forms": [{}], "forms.submissions": [{}]})
    decided = None
    for name in calls:
        arguments = {"submission_id": "SUB-1"} | DECISIONS.get(name, {})
        result = desk.call(name, arguments)
        if decided is None and name in DECISIONS:
            assert result.error is None
            decided = submission(desk, 1)
        else:
            assert result.error in ("conflict", "not_allowed")
        assert decided is None or submission(desk, 1) == decided


def test_nobody_decides_on_what_is_their_own(tray) -> None:
    for name, arguments in DECISIONS.items():
        code, message = tray.refused(name, submission_id="SUB-6", **arguments)
        assert code == "not_allowed"
        assert KIM in message


def test_only_the_approvers_of_the_form_decide(tray) -> None:
    tray.ok("forms_withdraw_submission", submission_id="SUB-6")
    for name, arguments in DECISIONS.items():
        code, message = tray.refused(name, submission_id="SUB-7", **arguments)
        assert code == "not_allowed"
        assert "only ana@orga.test" in message


def test_a_rejection_says_why(tray) -> None:
    wrong = {"submission_id": "SUB-2", "reason": " "}
    assert tray.refused("forms_reject_submission", **wrong)[0] == "invalid_value"
    assert tray.refused("forms_reject_submission", submission_id="SUB-2")[0] == "missing_argument"


LIMITS = {
    "approvers": [KIM, "ana@orga.test"],
    "limits": [{"approver": KIM, "up_to": 50_000, "currency": "EUR"}],
}


@given(st.integers(-1, 100_000))
@example(50_000)
@example(50_001)
def test_an_amount_is_approved_up_to_the_limit(make_desk, amount: int) -> None:
    desk = make_desk({"forms.forms": [LIMITS], "forms.submissions": [{"amount": amount}]})
    if amount <= 50_000:
        assert desk.ok("forms_approve_submission", submission_id="SUB-1")["status"] == "approved"
    else:
        code, message = desk.refused("forms_approve_submission", submission_id="SUB-1")
        assert code == "not_allowed"
        assert f"up to 500.00 EUR; 'SUB-1' is about {amount // 100}." in message


@pytest.mark.parametrize("wrong", [{"amount": None, "currency": None}, {"currency": "USD"}])
def test_what_cannot_be_held_against_the_limit_is_not_approved(make_desk, wrong: dict) -> None:
    desk = make_desk({"forms.forms": [LIMITS], "forms.submissions": [wrong]})
    assert desk.refused("forms_approve_submission", submission_id="SUB-1")[0] == "not_allowed"


def test_a_limit_binds_its_approver_only_and_no_rejection(make_desk) -> None:
    other = {"limits": [{"approver": "ana@orga.test", "up_to": 1, "currency": "EUR"}]}
    rows = [{}, {"amount": 50_001, "form_id": "FORM-2"}]
    desk = make_desk({"forms.forms": [LIMITS | other, LIMITS], "forms.submissions": rows})
    desk.ok("forms_approve_submission", submission_id="SUB-1")
    desk.ok("forms_reject_submission", submission_id="SUB-2", reason="Too much.")


def test_a_limit_is_shown_as_a_decimal(make_desk) -> None:
    form = make_desk({"forms.forms": [LIMITS]}).ok("forms_get_form", form_id="FORM-1")
    assert form["limits"] == [{"approver": KIM, "up_to": "500.00", "currency": "EUR"}]


# Withdrawing --------------------------------------------------------------------------------------


def test_the_author_withdraws_what_is_not_decided(make_desk) -> None:
    rows = [{"submitted_by": "Kim <KIM@orga.test>", "status": status} for status in STATES]
    desk = make_desk({"forms.forms": [{}], "forms.submissions": rows})
    for number, status in enumerate(STATES, start=1):
        arguments = {"submission_id": f"SUB-{number}"}
        if status in ("draft", "pending"):
            before = submission(desk, number)
            assert desk.ok("forms_withdraw_submission", **arguments)["status"] == "withdrawn"
            assert submission(desk, number) == before | {"status": "withdrawn"}
        else:
            code, message = desk.refused("forms_withdraw_submission", **arguments)
            assert code == "conflict"
            assert f"is {status}, not pending or draft" in message


def test_nobody_withdraws_what_is_somebody_elses(tray) -> None:
    code, message = tray.refused("forms_withdraw_submission", submission_id="SUB-2")
    assert code == "not_allowed"
    assert "bo@orga.test" in message


@pytest.mark.parametrize(
    "wrong",
    [
        {"fields": []},
        {"fields": [{"name": "A"}, {"name": "a"}]},
        {"currency": None},
        {"amount_field": "Purpose"},
        {"amount_field": "Sum"},
        LIMITS | {"amount_field": None},
        LIMITS | {"fields": [{"name": "Cost", "type": "money", "required": False}]},
        LIMITS | {"approvers": ["ana@orga.test"]},
        LIMITS | {"currency": "USD"},
        {"approvers": ["Ana"]},
    ],
)
def test_a_form_that_could_not_be_used_is_no_form(make_desk, wrong: dict) -> None:
    with pytest.raises(TaskError, match=r"forms\.forms"):
        make_desk({"forms.forms": [wrong]})
