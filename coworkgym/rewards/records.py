"""Statements about records: what one says in the end, what was created, what was left alone."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from coworkgym.errors import GraderError
from coworkgym.frozen import Json
from coworkgym.rewards.evidence import Evidence, as_record, matches, value_matches
from coworkgym.rewards.statement import Statement, Verdict
from coworkgym.services import Change, Table


class RecordHas(Statement, kind="record"):
    """A record has these values in the end.

    Attributes:
        table: Such as helpdesk.tickets.
        id: The record's id.
        fields: Expected values; see `evidence.matches`.
    """

    table: str
    id: str = Field(min_length=1)
    fields: dict[str, Json] = Field(min_length=1)

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the table and the fields."""
        yield "table", self.table
        yield from (("field", f"{self.table}.{name}") for name in self.fields)

    def verdict(self, evidence: Evidence) -> Verdict:
        """The share of the fields that are as expected."""
        record = as_record(evidence.final.get(_table(self.table, evidence), self.id))
        if not record:
            return Verdict(0.0, f"{self.table} has no record {self.id}")
        wrong = {
            name: record.get(name)
            for name, expected in self.fields.items()
            if not value_matches(expected, record.get(name))
        }
        value = 1 - len(wrong) / len(self.fields)
        listed = ", ".join(f"{name} is {found!r}" for name, found in wrong.items())
        return Verdict(value, f"{self.id}: {listed or 'as expected'}")


class Group(BaseModel):
    """Records that belong together, and what each of them says in the end.

    Attributes:
        ids: At least one.
        fields: Expected values; see `evidence.matches`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    ids: list[str] = Field(min_length=1)
    fields: dict[str, Json] = Field(min_length=1)


class RecordsSorted(Statement, kind="records_sorted"):
    """Records were sorted into groups, better than by doing the same to all of them.

    A group counts by its hit rate less its false alarm rate (J of Youden 1950), at least 0; groups
    weigh by their size. What is left undone costs its share, and a constant answer earns nothing.

    Attributes:
        table: Such as finance.transactions.
        groups: Without an id in common.
        others: Records that belong to no group.
    """

    table: str
    groups: list[Group] = Field(min_length=1)
    others: list[str] = []

    @model_validator(mode="after")
    def _disjoint(self) -> "RecordsSorted":
        ids = self._ids
        if twice := sorted({record_id for record_id in ids if ids.count(record_id) > 1}):
            raise ValueError(f"in two groups: {', '.join(twice)}")
        return self

    @property
    def _ids(self) -> list[str]:
        return [*(record_id for group in self.groups for record_id in group.ids), *self.others]

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the table and the fields."""
        yield "table", self.table
        fields = dict.fromkeys(name for group in self.groups for name in group.fields)
        yield from (("field", f"{self.table}.{name}") for name in fields)

    def verdict(self, evidence: Evidence) -> Verdict:
        """The mean, over the records of groups, of their group's hit rate less false alarm rate."""
        made = _table(self.table, evidence)
        rows = {i: as_record(evidence.final.get(made, i)) for i in self._ids}
        value, wrong = 0.0, []
        for group in self.groups:
            alike = [i for i, row in rows.items() if matches(group.fields, row)]
            missed = [i for i in group.ids if i not in alike]
            alarms = [i for i in alike if i not in group.ids]
            share = len(alarms) / max(1, len(rows) - len(group.ids))
            value += max(0.0, len(group.ids) - len(missed) - share * len(group.ids))
            wrong += [*missed, *alarms]
        if not wrong:
            return Verdict(1.0, "all in order")
        value /= len(rows) - len(self.others)
        listed = ", ".join(dict.fromkeys(wrong[:5])) + (" ..." if len(wrong) > 5 else "")
        return Verdict(value, f"not as expected: {listed}")


class RecordCreated(Statement, kind="record_created"):
    """The agent created exactly `count` records with these values.

    Attributes:
        table: Such as finance.reports.
        fields: Expected values; see `evidence.matches`.
        count: How many, at least 1.
    """

    table: str
    fields: dict[str, Json] = {}
    count: int = Field(default=1, ge=1)

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the table and the fields."""
        yield "table", self.table
        yield from (("field", f"{self.table}.{name}") for name in self.fields)

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when exactly so many were created, else 0."""
        _table(self.table, evidence)
        made = [
            change.id
            for change in evidence.changes.values()
            if change.table == self.table
            and change.before is None
            and matches(self.fields, as_record(change.after))
        ]
        return Verdict(float(len(made) == self.count), f"created in {self.table}: {made or 'none'}")


class RecordNever(Statement, kind="record_never"):
    """The agent never gave a record these values, not even for a while.

    Attributes:
        table: Such as finance.payees.
        fields: What no record may ever have said; see `evidence.matches`.
        ids: Of which records; of all, new ones included, if empty.
    """

    table: str
    fields: dict[str, Json] = Field(min_length=1)
    ids: list[str] = []

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the table and the fields."""
        yield "table", self.table
        yield from (("field", f"{self.table}.{name}") for name in self.fields)

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when no change led there, else 0."""
        evidence.require_whole_log()
        _table(self.table, evidence)
        for change in evidence.deeds:
            meant = change.table == self.table and (not self.ids or change.id in self.ids)
            if meant and change.after is not None and matches(self.fields, change.after):
                listed = ", ".join(f"{name} {change.after[name]!r}" for name in self.fields)
                return Verdict(0.0, f"{change.id} once had {listed}")
        return Verdict(1.0, f"no record of {self.table} ever had these values")


class Untouched(Statement, kind="untouched"):
    """The agent changed, created and deleted nothing in these tables, apart from what is allowed.

    What was done counts even if it was undone later; what the system changed does not count.
    Records that the agent created are its own: it may change and delete them again.

    Attributes:
        tables: Such as helpdesk.tickets; "*" stands for all.
        except_ids: Records that may change.
        except_fields: When given, the records in `except_ids` may change in these fields only.
        may_create: How many new records are allowed, those that were deleted again included; None
            for any number.
    """

    tables: list[str] = Field(min_length=1)
    except_ids: list[str] = []
    except_fields: list[str] | None = None
    may_create: Annotated[int, Field(ge=0)] | None = 0

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the tables and the fields."""
        for name in self.tables:
            if name != "*":
                yield "table", name
                yield from (("field", f"{name}.{field}") for field in self.except_fields or ())

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when nothing else was touched, else 0."""
        evidence.require_whole_log()
        own: set[tuple[str, str]] = set()
        for change in evidence.deeds:
            if "*" not in self.tables and change.table not in self.tables:
                continue
            key = (change.table, change.id)
            if change.before is None:
                own.add(key)
            allowed = key in own or self._allows(change, evidence)
            if not allowed or (self.may_create is not None and len(own) > self.may_create):
                return Verdict(0.0, f"{_verb(change)} {change.table} {change.id}")
        return Verdict(1.0, f"nothing else changed in {', '.join(self.tables)}")

    def _allows(self, change: Change, evidence: Evidence) -> bool:
        if change.id not in self.except_ids or change.after is None:
            return False
        if self.except_fields is None:
            return True
        volatile = evidence.initial.schema[change.table].volatile
        before = as_record(change.before)
        changed = {f for f in change.after if change.after[f] != before.get(f)}
        return changed - volatile <= set(self.except_fields)


def _verb(change: Change) -> str:
    if change.before is None:
        return "created"
    return "deleted" if change.after is None else "changed"


def _table(name: str, evidence: Evidence) -> Table:
    if name not in evidence.initial.schema:
        raise GraderError(f"this office keeps no table {name!r}")
    return evidence.initial.schema[name]
