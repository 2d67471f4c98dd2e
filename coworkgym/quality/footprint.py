"""Footprint: what the reference solution changes; every other change is unaccounted for."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from coworkgym.frozen import Json
from coworkgym.rewards import Evidence, Gate, Untouched
from coworkgym.services import Change


class Footprint(NamedTuple):
    """What an episode changed, and what gates leave open by name.

    Attributes:
        fields: The fields of each initial record, by (table, id).
        created: How many records were created in each table.
    """

    fields: dict[tuple[str, str], frozenset[str]]
    created: Counter[str]

    @classmethod
    def of(cls, evidence: Evidence, gates: Iterable[Gate]) -> "Footprint":
        """Returns the footprint of an episode."""
        changes = evidence.changes.values()
        fields = {(c.table, c.id): _fields(c, evidence) for c in changes if c.before is not None}
        for statement in (gate.statement for gate in gates):
            if isinstance(statement, Untouched) and statement.except_fields:
                for key in product(statement.tables, statement.except_ids):
                    fields[key] = fields.get(key, frozenset()) | {*statement.except_fields}
        return cls(fields, Counter(c.table for c in changes if c.before is None))

    def beyond(self, evidence: Evidence) -> Iterator[Change]:
        """Yields the changes of another episode that the reference does not make."""
        created: Counter[str] = Counter()
        for change in evidence.changes.values():
            if change.before is None:
                created[change.table] += 1
                if created[change.table] > self.created[change.table]:
                    yield change
            elif not _fields(change, evidence) <= self.fields.get((change.table, change.id), set()):
                yield change


def _fields(change: Change, evidence: Evidence) -> frozenset[str]:
    """The fields that differ, without stamped times; all of a deleted record and one more."""
    before: Mapping[str, Json] = change.before or {}
    after = change.after
    if after is None:
        return frozenset(before) | {"deleted"}
    differing = {name for name in after if after[name] != before.get(name)}
    return frozenset(differing) - evidence.initial.schema[change.table].volatile
