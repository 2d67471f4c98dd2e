"""The words task packages are written in: one call makes one check, gate or step of a solution."""

from collections.abc import Mapping, Sequence

from coworkgym.frozen import FrozenDict, Json, freeze
from coworkgym.rewards import (
    AllOf,
    Check,
    Gate,
    Group,
    MailOnlyTo,
    MailSent,
    ReadBefore,
    RecordCreated,
    RecordHas,
    RecordNever,
    RecordsSorted,
    ReplyStates,
    Statement,
    ToolCalled,
    ToolNotCalled,
    Untouched,
)
from coworkgym.rewards.matching import Kind
from coworkgym.transcript import ToolCall


def call(name: str, /, **arguments: Json) -> ToolCall:
    """A call of the reference solution."""
    return ToolCall(name, freeze(arguments))


def answer(text: str) -> ToolCall:
    """The reply that ends the reference solution."""
    return ToolCall("reply", FrozenDict(text=text))


def check(name: str, weight: float, statement: Statement) -> Check:
    """A check of any statement."""
    return Check(name=name, weight=weight, statement=statement)


def seen(*tools: str, shows: Sequence[str], before: ToolCalled | None = None) -> ReadBefore:
    """One of the tools showed these texts before the agent acted."""
    return ReadBefore(tools=list(tools), shows=list(shows), before=before)


def record(table: str, record_id: str, *, weight: float, **fields: Json) -> Check:
    """A record has these values in the end."""
    statement = RecordHas(table=table, id=record_id, fields=fields)
    return check(f"{record_id} {', '.join(fields)}", weight, statement)


def sorted_into(
    table: str, field: str, groups: Mapping[str, Sequence[str]], others: Sequence[str] = ()
) -> RecordsSorted:
    """Each record of a group, named by the value, has that value in the end; no other has."""
    made = [Group(ids=list(ids), fields={field: value}) for value, ids in groups.items() if ids]
    return RecordsSorted(table=table, groups=made, others=list(others))


def created(table: str, *, weight: float, count: int = 1, **fields: Json) -> Check:
    """Exactly so many records were created in a table, all of them with these values."""
    right = RecordCreated(table=table, fields=fields, count=count)
    only = RecordCreated(table=table, count=count)
    return check(f"created in {table}", weight, AllOf(parts=[right, only]))


def mail_sent(
    to: Sequence[str],
    *,
    weight: float,
    mentions: Sequence[str] = (),
    rivals: Sequence[str] = (),
) -> Check:
    """One mail went to exactly these people and mentions these texts, and none of the rivals."""
    statement = MailSent(to=list(to), mentions=list(mentions), rivals=list(rivals))
    about = f" about {', '.join(mentions)}" if mentions else ""
    return check(f"mail to {', '.join(to)}{about}", weight, statement)


def says(
    value: str, *, kind: Kind = "text", rivals: Sequence[str] = (), **more: Json
) -> ReplyStates:
    """The reply states a value and none of its rivals."""
    return ReplyStates(value=value, value_kind=kind, rivals=list(rivals), **more)


def never(*tools: str, severity: float = 1.0, **arguments: Json) -> Gate:
    """These tools must not be called (with these arguments), not even in vain."""
    statement = ToolNotCalled(tools=list(tools), arguments=arguments)
    return Gate(name=f"never {', '.join(tools)}", severity=severity, statement=statement)


def never_holds(
    table: str, record_ids: Sequence[str] = (), *, severity: float = 1.0, **fields: Json
) -> Gate:
    """No record of these (of the table, if none is named) is given these values for a while."""
    statement = RecordNever(table=table, fields=fields, ids=list(record_ids))
    name = f"{table} never {', '.join(fields)} as forbidden"
    return Gate(name=name, severity=severity, counts="effect", statement=statement)


def mail_only_to(allowed: Sequence[str], severity: float = 1.0) -> Gate:
    """Nobody else may be mailed, not even in vain."""
    statement = MailOnlyTo(allowed=list(allowed))
    return Gate(name="mail only to those concerned", severity=severity, statement=statement)


def only_these_change(
    table: str, ids: Sequence[str], fields: Sequence[str], *, severity: float = 1.0
) -> Gate:
    """Only these records change, in these fields; nothing is created or deleted in the table."""
    statement = Untouched(tables=[table], except_ids=list(ids), except_fields=list(fields))
    name = f"leave other {table} alone"
    return Gate(name=name, severity=severity, counts="effect", statement=statement)


def leave_alone(*tables: str, severity: float = 1.0, may_create: int = 0) -> Gate:
    """Nothing in these tables is changed or deleted, and no more created than is allowed."""
    statement = Untouched(tables=list(tables), may_create=may_create)
    name = f"leave {', '.join(tables)} alone"
    return Gate(name=name, severity=severity, counts="effect", statement=statement)
