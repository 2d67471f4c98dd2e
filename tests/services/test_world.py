"""The world: what a plain dict would hold, with forks, snapshots, exact diffs and stable hashes."""

import copy
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition
from hypothesis.stateful import rule as step
from pydantic import Field

from coworkgym.errors import TaskError
from coworkgym.services import BaseWorld, Moment, Record, Table, World, table
from coworkgym.transcript import ToolCall

START = datetime(2026, 3, 25, 9, tzinfo=UTC)


class Note(Record):
    """A record with everything that matters to a world."""

    note_id: str
    text: str
    about: str | None = None
    lines: list[str] = Field(default_factory=list)
    made_at: Moment = "2026-01-01T00:00:00Z"


NOTES = Table("demo.notes", Note, key="note_id", prefix="N-")
FILES = Table("demo.files", Note, key="note_id", prefix="F-")
TABLES = {table.name: table for table in (NOTES, FILES)}
Rows = dict[str, dict[str, dict[str, Any]]]


def notes(*texts: str) -> list[Any]:
    return [NOTES.validate({"note_id": f"N-{n}", "text": text}) for n, text in enumerate(texts, 1)]


def world(*texts: str) -> World:
    files = [FILES.validate({"note_id": "F-7", "text": "a"})]
    return World(BaseWorld({NOTES: notes(*(texts or ("a", "b", "c"))), FILES: files}, START))


some_texts = st.sampled_from(["a", "b", "c", "d"])
some_tables = st.sampled_from(sorted(TABLES))


class Machine(RuleBasedStateMachine):
    """A world and a dict of dicts do the same things; they must agree at every moment."""

    snapshots = Bundle("snapshots")

    @initialize()
    def begin(self) -> None:
        self.world = world()
        self.initial = self._kept(self.world)
        self.rows: Rows = copy.deepcopy(self.initial)
        self.made = dict.fromkeys(TABLES, 0)
        self.seconds = 0
        self.pending = False
        self.before = self._model()
        self.digests: dict[str, str] = {}

    @staticmethod
    def _kept(kept: World) -> Rows:
        return {
            name: {row["note_id"]: dict(row) for row in kept.rows(kind)}
            for name, kind in TABLES.items()
        }

    def _model(self) -> tuple[Any, ...]:
        return copy.deepcopy((self.rows, self.made, self.seconds))

    def _a_row(self, data: st.DataObject, name: str) -> str | None:
        ids = sorted(self.rows[name])
        return data.draw(st.sampled_from(ids)) if ids else None

    @step(name=some_tables, text=some_texts)
    def insert(self, name: str, text: str) -> None:
        record = self.world.insert(TABLES[name], text=text, made_at=self.world.now_text)
        self.made[name] += 1
        highest = {"demo.notes": 3, "demo.files": 7}[name]
        assert record["note_id"] == f"{TABLES[name].prefix}{highest + self.made[name]}"
        assert record["note_id"] not in self.rows[name]
        self.rows[name][record["note_id"]] = dict(record)
        self.pending = True

    @step(data=st.data(), name=some_tables, text=some_texts, lines=st.lists(some_texts, max_size=2))
    def update(self, data: st.DataObject, name: str, text: str, lines: list[str]) -> None:
        record_id = self._a_row(data, name)
        if record_id is not None:
            after = self.world.update(TABLES[name], record_id, text=text, lines=lines)
            expected = self.rows[name][record_id] | {"text": text, "lines": lines}
            assert after == expected
            self.pending |= expected != self.rows[name][record_id]
            self.rows[name][record_id] = expected

    @step(data=st.data(), name=some_tables)
    def delete(self, data: st.DataObject, name: str) -> None:
        record_id = self._a_row(data, name)
        if record_id is not None:
            self.world.delete(TABLES[name], record_id)
            del self.rows[name][record_id]
            self.pending = True

    @step()
    def commit(self) -> None:
        changes = self.world.commit()
        assert bool(changes) == self.pending
        replayed = copy.deepcopy(self.before[0])
        for change in changes:
            assert replayed[change.table].get(change.id) == change.before
            replayed[change.table][change.id] = change.after
        replayed = {
            name: {key: row for key, row in rows.items() if row is not None}
            for name, rows in replayed.items()
        }
        assert replayed == self.rows
        self.seconds += 30 if changes else 0
        self._settled()

    @step()
    def rollback(self) -> None:
        self.world.rollback()
        self.rows, self.made, self.seconds = copy.deepcopy(self.before)
        self._settled()

    def _settled(self) -> None:
        self.pending = False
        self.before = self._model()

    @precondition(lambda self: not self.pending)
    @step(data=st.data(), name=some_tables)
    def a_fork_goes_its_own_way(self, data: st.DataObject, name: str) -> None:
        fork = self.world.fork()
        assert self._kept(fork) == self.rows
        assert (fork.now, fork.diff(), fork.digest()) == (
            self.world.now,
            self.world.diff(),
            self.world.digest(),
        )
        fork.insert(TABLES[name], text="forked")
        for row in list(fork.rows(NOTES)):
            fork.delete(NOTES, row["note_id"])
        fork.commit()

    @precondition(lambda self: not self.pending)
    @step(target=snapshots)
    def snapshot(self) -> tuple[World, Any]:
        return self.world.snapshot(), self._model()

    @step(saved=snapshots)
    def restore(self, saved: tuple[World, Any]) -> None:
        snapshot, model = saved
        self.world.restore(snapshot)
        self.rows, self.made, self.seconds = copy.deepcopy(model)
        self._settled()

    @invariant()
    def records_are_those_of_the_model_in_order(self) -> None:
        for name, kind in TABLES.items():
            assert list(self.world.rows(kind)) == list(self.rows[name].values())
            for record_id in [*self.initial[name], *self.rows[name], "N-99"]:
                assert self.world.get(kind, record_id) == self.rows[name].get(record_id)

    @invariant()
    def the_diff_is_exact_and_in_record_order(self) -> None:
        expected = []
        for name, initial in self.initial.items():
            now = self.rows[name]
            for record_id in [*initial, *(key for key in now if key not in initial)]:
                if initial.get(record_id) != now.get(record_id):
                    pair = initial.get(record_id), now.get(record_id)
                    expected.append((name, record_id, *pair))
        assert self.world.diff() == expected

    @invariant()
    def the_digest_is_equal_exactly_for_equal_content(self) -> None:
        content = repr(self._content())
        digest = self.world.digest()
        assert self.digests.setdefault(content, digest) == digest
        assert len(set(self.digests.values())) == len(self.digests)
        assert (self.world.changes_digest() == "unchanged") == (self.rows == self.initial)

    def _content(self) -> Any:
        """What counts: initial records by id, created ones as a bag, without stamped times."""
        kept, made = [], Counter()
        for name, rows in sorted(self.rows.items()):
            for record_id, row in sorted(rows.items()):
                text = repr((row["text"], list(row["lines"])))
                if record_id in self.initial[name]:
                    kept.append((name, record_id, text))
                else:
                    made[(name, text)] += 1
        return kept, sorted(made.items())

    @invariant()
    def the_clock_ticks_thirty_seconds_a_write(self) -> None:
        assert self.world.now == START + timedelta(seconds=self.seconds)


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=50, stateful_step_count=25, suppress_health_check=[HealthCheck.too_slow]
)


# Order and ids ------------------------------------------------------------------------------------


def test_a_failed_call_leaves_the_order_of_records_alone() -> None:
    here = world("a")
    for text in "bcd":
        here.insert(NOTES, text=text)
    here.commit()
    before = list(here.rows(NOTES))
    here.delete(NOTES, "N-2")
    here.rollback()
    assert list(here.rows(NOTES)) == before


def test_the_diff_is_in_table_and_record_order() -> None:
    here = world()
    here.update(FILES, "F-7", text="x")
    for record_id in ("N-3", "N-1", "N-2"):
        here.update(NOTES, record_id, text="x")
    assert [change.id for change in here.diff()] == ["N-1", "N-2", "N-3", "F-7"]


def test_an_id_is_never_used_twice() -> None:
    here = world("a")
    for expected in ("N-2", "N-3", "N-4"):
        made = here.insert(NOTES, text="x")["note_id"]
        assert made == expected
        here.commit()
        here.delete(NOTES, made)
        here.commit()
    assert here.diff() == []


def test_an_id_that_a_failed_call_made_is_free_again() -> None:
    here = world("a")
    here.insert(NOTES, text="x")
    here.rollback()
    assert here.insert(NOTES, text="x")["note_id"] == "N-2"


def test_duplicate_ids_are_refused_by_name() -> None:
    twice = [NOTES.validate({"note_id": "N-1", "text": text}) for text in "ab"]
    with pytest.raises(TaskError, match=r"demo\.notes has two records with the id 'N-1'"):
        BaseWorld({NOTES: twice}, START)


def test_a_created_record_never_replaces_one_that_the_system_created(desk) -> None:
    messages = table("gmail.messages")
    mail = desk.row("gmail.messages", {"subject": "From the system"}, 3)
    desk.office.change(messages, "MSG-3", mail)
    sent = desk.ok("gmail_send_message", to="bo@orga.test", subject="Mine", body="")
    assert sent["message"]["message_id"] != "MSG-3"
    assert desk.record("gmail.messages", "MSG-3")["subject"] == "From the system"


@pytest.mark.parametrize("prefix", ["N-", "note-2026-", "N-99999999999", ""])
def test_generated_ids_are_new_whatever_the_old_ones_look_like(prefix: str) -> None:
    rows = [NOTES.validate({"note_id": f"{prefix}{n}", "text": ""}) for n in ("7", "012", "x")]
    here = World(BaseWorld({NOTES: rows}, START))
    made = [here.insert(NOTES, text="x")["note_id"] for _ in range(20)]
    assert len({row["note_id"] for row in here.rows(NOTES)}) == 23 == len({*made}) + 3


def test_updating_what_is_not_there_is_a_programming_error() -> None:
    with pytest.raises(KeyError, match=r"demo\.notes has no record 'N-9'"):
        world().update(NOTES, "N-9", text="x")


# Hashes -------------------------------------------------------------------------------------------


def test_stamped_times_generated_ids_and_the_clock_stay_out_of_the_hash() -> None:
    one, two = world(), world()
    one.insert(NOTES, text="x", made_at=one.now_text)
    two.insert(NOTES, text="gone")
    two.commit()
    two.delete(NOTES, "N-4")
    two.commit()
    two.insert(NOTES, text="x", made_at=two.now_text)
    assert one.diff() != two.diff()
    assert one.changes_digest() == two.changes_digest()
    assert one.digest() == two.digest()


def test_a_created_record_counts_by_content_wherever_its_id_is_written() -> None:
    digests = set()
    for order in ("xy", "yx"):
        here = world()
        ids = {text: here.insert(NOTES, text=text)["note_id"] for text in order}
        here.update(NOTES, "N-1", about=ids["x"], lines=[ids["y"]])
        digests.add(here.changes_digest())
    assert len(digests) == 1
    here.update(NOTES, "N-1", about=ids["y"])
    assert here.changes_digest() not in digests


def test_twins_that_name_different_created_records_are_told_apart() -> None:
    digests = set()
    for choice in (0, 1):
        here = world()
        inner = [here.insert(NOTES, text=text)["note_id"] for text in "xy"]
        twins = [here.insert(NOTES, text="same", about=about)["note_id"] for about in inner]
        here.update(NOTES, "N-1", about=twins[choice])
        digests.add(here.changes_digest())
    assert len(digests) == 2


def test_undoing_a_change_by_hand_is_no_change() -> None:
    here = world()
    here.update(NOTES, "N-1", text="x")
    here.delete(NOTES, "N-2")
    assert here.changes_digest() != "unchanged"
    here.update(NOTES, "N-1", text="a")
    here.put("demo.notes", "N-2", here.base.tables["demo.notes"]["N-2"])
    assert (here.changes_digest(), here.diff()) == ("unchanged", [])
    assert here.digest() == world().digest()


def test_other_initial_records_are_another_digest() -> None:
    assert world("a").digest() != world("b").digest() == world("b").digest()
    assert world("a", "b").digest() != world("b", "a").digest()


INDEPENDENT = [
    ("helpdesk_comment_ticket", {"ticket_id": "TK-1", "text": "Looking."}),
    ("helpdesk_close_ticket", {"ticket_id": "TK-2", "resolution": "Fixed."}),
    ("crm_add_note", {"customer_id": "CUS-1", "text": "Called."}),
    ("gmail_send_message", {"to": "bo@orga.test", "subject": "a", "body": ""}),
    ("gmail_send_message", {"to": "ana@orga.test", "subject": "b", "body": ""}),
    ("contacts_send_message", {"contact_id": "CT-1", "message": "Hi"}),
    ("finance_submit_report", {"title": "a", "transactions": ["TXN-1"], "total_amount": "19.99"}),
    ("finance_approve_transaction", {"transaction_id": "TXN-1"}),
]


def digest_after(make_desk, calls: list) -> str:
    """What the world hashes to after independent calls of an agent."""
    desk = make_desk()
    for name, arguments in calls:
        desk.ok(name, **arguments)
    return desk.office.world.changes_digest()


@pytest.mark.parametrize("first", range(len(INDEPENDENT)))
def test_two_independent_writes_in_either_order_give_one_hash(make_desk, first: int) -> None:
    pair = [INDEPENDENT[first], INDEPENDENT[first - 1]]
    assert digest_after(make_desk, pair) == digest_after(make_desk, pair[::-1])


@given(st.permutations(INDEPENDENT), st.integers(min_value=1, max_value=len(INDEPENDENT)))
@settings(max_examples=30)
def test_independent_writes_in_any_order_give_one_hash(make_desk, order: list, count: int) -> None:
    chosen = order[:count]
    ordered = [call for call in INDEPENDENT if call in chosen]
    assert digest_after(make_desk, chosen) == digest_after(make_desk, ordered)


def test_the_same_state_by_fewer_calls_is_the_same_state(make_desk) -> None:
    """A-shorter-path-zero"""
    short, long = make_desk(), make_desk()
    short.ok("helpdesk_update_ticket", ticket_id="TK-1", priority="high", tags=["a"])
    long.ok("helpdesk_list_tickets")
    long.ok("helpdesk_update_ticket", ticket_id="TK-1", priority="critical")
    long.ok("helpdesk_update_ticket", ticket_id="TK-1", tags=["a"])
    long.ok("helpdesk_update_ticket", ticket_id="TK-1", priority="high")
    assert short.office.world.digest() == long.office.world.digest()
    assert short.office.world.diff() == long.office.world.diff()


# Clock, forks and snapshots -----------------------------------------------------------------------


def test_reads_failures_and_writes_without_effect_leave_the_clock_alone(desk) -> None:
    desk.ok("helpdesk_list_tickets")
    desk.refused("helpdesk_get_ticket", ticket_id="TK-9")
    desk.ok("helpdesk_update_ticket", ticket_id="TK-1", priority="low")
    assert desk.office.now == START
    desk.ok("helpdesk_update_ticket", ticket_id="TK-1", priority="high", category="vpn")
    assert desk.office.now == START + timedelta(seconds=30)


def test_the_clock_never_goes_back() -> None:
    here = world()
    here.advance(START + timedelta(hours=1))
    here.advance(START)
    assert here.now == START + timedelta(hours=1)
    assert here.now_text == "2026-03-25T10:00:00Z"


def test_a_snapshot_serves_any_number_of_restores() -> None:
    here = world()
    here.update(NOTES, "N-1", text="x")
    here.commit()
    saved = here.snapshot()
    for text in ("y", "z"):
        here.update(NOTES, "N-1", text=text)
        here.insert(NOTES, text=text)
        here.commit()
        here.restore(saved)
        assert here.get(NOTES, "N-1")["text"] == "x"
        assert len(here.diff()) == 1
        assert here.now == saved.now
    assert saved.diff() == here.diff()


def test_a_snapshot_of_another_task_is_refused() -> None:
    with pytest.raises(TaskError, match="another task's world"):
        world().restore(world())


def test_records_are_read_only(desk) -> None:
    for row in (desk.record("helpdesk.tickets", "TK-1"), desk.rows("gmail.messages")[0]):
        with pytest.raises(TypeError, match="read-only"):
            row["subject"] = "x"
    with pytest.raises(TypeError, match="read-only"):
        desk.record("helpdesk.tickets", "TK-1")["tags"].append("x")
    tags = ["a"]
    desk.office.call(ToolCall("helpdesk_update_ticket", {"ticket_id": "TK-1", "tags": tags}))
    tags.append("b")
    assert desk.record("helpdesk.tickets", "TK-1")["tags"] == ["a"]


def test_a_record_must_fit_its_model() -> None:
    with pytest.raises(TaskError, match=r"demo\.notes 'N-1': text: Field required"):
        NOTES.validate({"note_id": "N-1"})
    with pytest.raises(TaskError, match=r"demo\.notes 'N-1': txt: Extra inputs"):
        NOTES.validate({"note_id": "N-1", "text": "", "txt": ""})
    with pytest.raises(TaskError, match="made_at"):
        NOTES.validate({"note_id": "N-1", "text": "", "made_at": "2026-01-01 00:00"})
