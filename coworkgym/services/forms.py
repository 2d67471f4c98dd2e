"""Forms: requests that are filled in, and decided by somebody else."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.addresses import canonical
from coworkgym.services.arguments import Values
from coworkgym.services.fields import Fields, StoredValues, TypedField, check_fields
from coworkgym.services.money import to_decimal_text
from coworkgym.services.office import Office
from coworkgym.services.service import Service
from coworkgym.services.table import Minor, Moment, Record

FORMS = Service("forms")

SubmissionStatus = Literal["draft", "pending", "approved", "rejected", "withdrawn"]
Address = Annotated[str, AfterValidator(canonical)]


def _addresses(people: list[str]) -> list[str]:
    return list(map(canonical, people))


class FormField(TypedField):
    """Something that a form asks for."""

    required: bool = True


class ApprovalLimit(Record):
    """Up to what amount an approver decides."""

    approver: Address
    up_to: Minor
    currency: str


class Form(Record):
    """A form: what it asks for, and who decides: without approvers anyone but the author."""

    form_id: str
    title: str
    description: str = ""
    fields: list[FormField] = Field(min_length=1)
    currency: str | None = None
    amount_field: str | None = None  # the field that the limits are about
    approvers: Annotated[list[str], AfterValidator(_addresses)] = Field(default_factory=list)
    limits: list[ApprovalLimit] = Field(default_factory=list)  # of approvers who have one

    @model_validator(mode="after")
    def _fits(self) -> "Form":
        check_fields(self.fields, self.currency)
        amounts = {field.name: field.required for field in self.fields if field.type == "money"}
        if self.amount_field is not None and self.amount_field not in amounts:
            raise ValueError(f"amount_field must be one of {list(amounts)}")
        if self.limits and not amounts.get(self.amount_field or ""):
            raise ValueError("limits need an amount_field that is required")
        for limit in self.limits:
            if limit.approver not in self.approvers or limit.currency != self.currency:
                raise ValueError(f"the limit of {limit.approver} needs an approver and currency")
        return self


class Submission(Record):
    """A form as somebody filled it in."""

    submission_id: str
    form_id: str
    submitted_by: Address
    submitted_at: Moment | None = None
    values: StoredValues
    amount: Minor | None = None
    currency: str | None = None
    status: SubmissionStatus = "pending"
    decided_by: Address | None = None
    decided_at: Moment | None = None
    comment: str | None = None
    reason: str | None = None


FORM_TABLE = FORMS.table("forms", Form, key="form_id", prefix="FORM-")
SUBMISSIONS = FORMS.table("submissions", Submission, key="submission_id", prefix="SUB-")

_COLUMNS = ("form_id", "title", "description")
_SUBMISSION_COLUMNS = (
    "submission_id", "form_id", "submitted_by", "submitted_at", "status", "amount", "currency",
)  # fmt: skip


@FORMS.tool
def forms_list(
    office: Office, title: str | None = None, limit: int = 20, cursor: str | None = None
) -> Json:
    """List forms that can be filled in.

    Args:
        title: Part of the title.
        cursor: next of the page before.
    """
    part = (title or "").casefold()
    rows = [row for row in office.world.rows(FORM_TABLE) if part in row["title"].casefold()]
    return office.listing(FORM_TABLE, rows, _COLUMNS, limit=limit, cursor=cursor, scope=part)


@FORMS.tool
def forms_get_form(office: Office, form_id: str) -> Json:
    """Read what a form asks for, and who decides."""
    return office.read(FORM_TABLE, form_id)


@FORMS.tool
def forms_list_submissions(
    office: Office,
    form_id: str | None = None,
    status: SubmissionStatus | None = None,
    submitted_by: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Json:
    """List submitted forms.

    Args:
        submitted_by: Part of the author's address.
        cursor: next of the page before.
    """
    if form_id is not None:
        office.record(FORM_TABLE, form_id)
    part = (submitted_by or "").casefold()
    rows = [
        row
        for row in office.world.rows(SUBMISSIONS)
        if form_id in (None, row["form_id"])
        and status in (None, row["status"])
        and part in row["submitted_by"]
    ]
    return office.listing(
        SUBMISSIONS, rows, _SUBMISSION_COLUMNS, limit=limit, cursor=cursor,
        scope=[form_id, status, part],
    )  # fmt: skip


@FORMS.tool
def forms_get_submission(office: Office, submission_id: str) -> Json:
    """Read one submitted form in full."""
    return _shown(office, office.record(SUBMISSIONS, submission_id))


@FORMS.tool(writes=True)
def forms_submit(office: Office, form_id: str, values: Values) -> Json:
    """Fill in a form and send it off for a decision.

    Args:
        values: By field; days as YYYY-MM-DD, amounts like 1250.00.
    """
    form = office.record(FORM_TABLE, form_id)
    stored = Fields.of("field", form).store_all(values)
    given = {name: value for name, value in stored.items() if value is not None}
    missing = [f["name"] for f in form["fields"] if f["required"] and f["name"] not in given]
    if missing:
        raise ToolError("invalid_value", f"Form {form_id!r} needs {', '.join(map(repr, missing))}.")
    amount = given.get(form["amount_field"])
    submission = office.world.insert(
        SUBMISSIONS, form_id=form_id, submitted_by=office.owner.email,
        submitted_at=office.world.now_text, values=given, amount=amount,
        currency=None if amount is None else form["currency"],
    )  # fmt: skip
    return {"status": "submitted", "submission": _shown(office, submission)}


@FORMS.tool(writes=True)
def forms_approve_submission(
    office: Office, submission_id: str, comment: str | None = None
) -> Json:
    """Approve a pending submission of somebody else."""
    submission = _to_decide(office, submission_id)
    _check_limit(office, submission)
    return _decide(office, submission, "approved", comment=comment)


@FORMS.tool(writes=True)
def forms_reject_submission(office: Office, submission_id: str, reason: str) -> Json:
    """Reject a pending submission of somebody else.

    Args:
        reason: Why, in a sentence.
    """
    if not reason.strip():
        raise ToolError("invalid_value", "'reason' must not be empty.")
    return _decide(office, _to_decide(office, submission_id), "rejected", reason=reason)


@FORMS.tool(writes=True)
def forms_withdraw_submission(office: Office, submission_id: str) -> Json:
    """Withdraw a submission of one's own that is not decided yet."""
    submission = _in_status(office, submission_id, "pending", "draft")
    if submission["submitted_by"] != _own(office):
        raise ToolError(
            "not_allowed",
            f"Submission {submission_id!r} can only be withdrawn by {submission['submitted_by']}.",
        )
    withdrawn = office.world.update(SUBMISSIONS, submission_id, status="withdrawn")
    return {"status": "withdrawn", "submission": _shown(office, withdrawn)}


def _own(office: Office) -> str:
    return canonical(office.owner.email)


def _shown(office: Office, submission: FrozenDict) -> dict[str, Json]:
    fields = Fields.of("field", office.record(FORM_TABLE, submission["form_id"]))
    shown = office.show(SUBMISSIONS, submission)
    return shown | {"values": fields.show_all(submission["values"])}


def _in_status(office: Office, submission_id: str, *allowed: str) -> FrozenDict:
    submission = office.record(SUBMISSIONS, submission_id)
    if submission["status"] not in allowed:
        raise ToolError(
            "conflict",
            f"Submission {submission_id!r} is {submission['status']}, not {' or '.join(allowed)}.",
        )
    return submission


def _to_decide(office: Office, submission_id: str) -> FrozenDict:
    """The submission, if it waits for a decision that the owner of the office may take."""
    submission, own = _in_status(office, submission_id, "pending"), _own(office)
    approvers = office.record(FORM_TABLE, submission["form_id"])["approvers"]
    if submission["submitted_by"] == own:
        raise ToolError(
            "not_allowed", f"Submission {submission_id!r} is by {own}: another one must decide."
        )
    if approvers and own not in approvers:
        raise ToolError(
            "not_allowed",
            f"{own} cannot decide on {submission_id!r}, only {', '.join(approvers)}.",
        )
    return submission


def _check_limit(office: Office, submission: FrozenDict) -> None:
    """Refuses an amount above what the owner of the office may approve."""
    own, amount, currency = _own(office), submission["amount"], submission["currency"]
    limits = office.record(FORM_TABLE, submission["form_id"])["limits"]
    limit = next((limit for limit in limits if limit["approver"] == own), None)
    if limit is None:
        return
    most, unit = limit["up_to"], limit["currency"]
    if amount is None or currency != unit or amount > most:
        asked = "no amount" if amount is None else f"{to_decimal_text(amount, currency)} {currency}"
        raise ToolError(
            "not_allowed",
            f"{own} approves up to {to_decimal_text(most, unit)} {unit}; "
            f"{submission['submission_id']!r} is about {asked}.",
        )


def _decide(office: Office, submission: FrozenDict, status: str, **why: Json) -> Json:
    decided = office.world.update(
        SUBMISSIONS, submission["submission_id"], status=status, decided_by=_own(office),
        decided_at=office.world.now_text, **why,
    )  # fmt: skip
    return {"status": status, "submission": _shown(office, decided)}
