"""Statements about records: what one says in the end, what was created, what was left alone."""

from collections.abc import Iterable

from pydantic import Field

from coworkgym.errors import GraderError
from coworkgym.frozen import Json
from coworkgym.rewards.evidence import Evidence, as_record, matches, value_matches
from coworkgym.rewards.statement import Statement, Verdict
from coworkgym.services import Change, Table, table


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


class Untouched(Statement, kind="untouched"):
    """The agent changed, created and deleted nothing in these tables, apart from what is allowed.

    What the system changed does not count.

    Attributes:
        tables: Such as helpdesk.tickets; "*" stands for all.
        except_ids: Records that may change.
        except_fields: When given, the records in `except_ids` may change in these fields only.
        may_create: Whether new records are allowed.
    """

    tables: list[str] = Field(min_length=1)
    except_ids: list[str] = []
    except_fields: list[str] | None = None
    may_create: bool = False

    def names(self) -> Iterable[tuple[str, str]]:
        """Yields the tables and the fields."""
        for name in self.tables:
            if name != "*":
                yield "table", name
                yield from (("field", f"{name}.{field}") for field in self.except_fields or ())

    def verdict(self, evidence: Evidence) -> Verdict:
        """1 when nothing else was touched, else 0."""
        evidence.require_whole_log()
        for change in evidence.changes.values():
            if ("*" in self.tables or change.table in self.tables) and not self._allows(
                change, evidence
            ):
                return Verdict(0.0, f"{_verb(change)} {change.table} {change.id}")
        return Verdict(1.0, f"nothing else changed in {', '.join(self.tables)}")

    def _allows(self, change: Change, evidence: Evidence) -> bool:
        if change.before is None:
            return self.may_create
        if change.id not in self.except_ids or change.after is None:
            return False
        if self.except_fields is None:
            return True
        volatile = evidence.initial.schema[change.table].volatile
        changed = {f for f in change.after if change.after[f] != change.before.get(f)}
        return changed - volatile <= set(self.except_fields)


def _verb(change: Change) -> str:
    if change.before is None:
        return "created"
    return "deleted" if change.after is None else "changed"


def _table(name: str, evidence: Evidence) -> Table:
    if name not in evidence.initial.schema:
        raise GraderError(f"this office keeps no table {name!r}")
    return table(name)
