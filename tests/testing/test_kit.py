"""The kit finds planted faults, each by the property or invariant that should, and no others."""

import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from coworkgym import Episode, Task, get_package
from coworkgym.errors import ToolError
from coworkgym.frozen import FrozenDict
from coworkgym.rewards import (
    Check,
    Gate,
    ReplyStates,
    Statement,
    ToolCalled,
    ToolNotCalled,
    Verdict,
)
from coworkgym.services import BaseWorld, Office, Tool, World
from coworkgym.services.faults import Faults
from coworkgym.services.helpdesk import TICKETS
from coworkgym.tasks import Item, TaskPackage, add_package, packages, remove_package
from coworkgym.testing import (
    PROPERTIES,
    assert_package,
    episode_machine,
    golden_digests,
    released_as,
    variants,
)
from coworkgym.testing.properties import (
    answers_can_be_found,
    gates_trip,
    idling_earns_nothing,
    is_deterministic,
    no_check_is_constant,
    nothing_is_leaked,
    other_seeds_differ,
    records_validate,
    reference_earns_all,
    scoring_is_pure,
)
from coworkgym.transcript import Transcript

Change = Callable[[Task], Task]
CLOSE, ESCALATE = "helpdesk_close_ticket", "helpdesk_escalate_ticket"


def copy(change: Change, name: str = "escalation") -> TaskPackage:
    """A copy of a real package whose tasks are changed after they were written."""
    real = get_package(name)
    return replace(real, write=lambda item: change(real.write(item)))


def with_check(statement: Statement) -> Change:
    """Half of the weight goes to one check more."""

    def change(task: Task) -> Task:
        halved = [c.model_copy(update={"weight": c.weight / 2}) for c in task.checks]
        more = Check(name="one more", weight=0.5, statement=statement)
        return replace(task, checks=(*halved, more))

    return change


def with_tool(made: Tool) -> Change:
    """One tool does something else."""

    def change(task: Task) -> Task:
        twin = replace(task)
        twin.__dict__["tools"] = {**task.tools, made.name: made}
        return twin

    return change


def fails(holds: Any, broken: TaskPackage, why: str) -> None:
    """The property fails for the copy, and holds for the real package."""
    with pytest.raises(AssertionError, match=why):
        holds(broken, "warmup", "en", 3)
    holds(get_package(broken.name), "warmup", "en", 3)


def run(task: Task, start: Callable[[Task], Episode] = Episode, examples: int = 40) -> None:
    run_state_machine_as_test(
        episode_machine(task, start),
        settings=settings(
            max_examples=examples,
            stateful_step_count=12,
            phases=[Phase.generate],
            report_multiple_bugs=False,
            database=None,
        ),
    )


def item(level: str = "warmup", **parts: Any) -> Item:
    return get_package("escalation").item(level=level, **parts)


def machine_finds(change: Change, why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        run(copy(change).write(item()))


# Planted faults -----------------------------------------------------------------------------------


class _Moody(Statement):
    """Holds every other time it is asked."""

    def verdict(self, evidence: Any) -> Verdict:
        MOODS.append(1)
        return Verdict(len(MOODS) % 2, f"asked {len(MOODS)} times")


MOODS: list[int] = []


def test_scoring_that_is_not_pure() -> None:
    fails(scoring_is_pure, copy(with_check(_Moody())), "scored twice, it differs")
    machine_finds(with_check(_Moody()), "differs")


def test_a_seed_that_is_not_constant() -> None:
    def change(task: Task) -> Task:
        return replace(task, rules=(*task.rules, f"Case {random.random()}."))

    fails(is_deterministic, copy(change), "the global random generator was used")


def test_a_seed_that_does_not_matter() -> None:
    real = get_package("escalation")
    constant = replace(real, write=lambda item: real.write(item._replace(seed=7, split="train")))
    fails(other_seeds_differ, constant, "it is the task of seed 0")


class _LiveTranscript(Transcript):
    """Hands out the very list that it goes on writing to."""

    @property
    def messages(self) -> Any:
        return self._messages


def test_an_aliased_observation(task: Task) -> None:
    def start(task: Task) -> Episode:
        episode = Episode(task)
        episode.transcript = _LiveTranscript(episode.transcript.messages)
        return episode

    with pytest.raises(AssertionError, match="an earlier observation differs"):
        run(task, start)


def helpdesk_close_ticket(office: Office, ticket_id: str, resolution: str) -> Any:
    """Close a ticket, and say that it failed."""
    ticket = office.record(TICKETS, ticket_id)
    closed = type(ticket)({**ticket, "status": "closed"})
    office.world._overlay.setdefault(TICKETS.name, {})[ticket_id] = closed
    raise ToolError("conflict", "It cannot be closed.")


def test_a_failed_call_that_writes() -> None:
    leaky = Tool(helpdesk_close_ticket, writes=True)
    machine_finds(with_tool(leaky), f"after {CLOSE}, which failed with conflict, differs")


def helpdesk_list_tickets(office: Office, status: str = "open", limit: int = 20) -> Any:
    """List tickets, and tag the first."""
    first = next(iter(office.world.rows(TICKETS)))
    office.edit(TICKETS, first["ticket_id"], tags=["seen"])
    return {"tickets": []}


def test_a_reading_call_that_writes() -> None:
    machine_finds(with_tool(Tool(helpdesk_list_tickets)), "is said to read only")


def test_a_gate_whose_breach_raises_the_score() -> None:
    def change(task: Task) -> Task:
        forbidden = Gate(name="closed", severity=0.2, statement=ToolNotCalled(tools=[CLOSE]))
        return replace(with_check(ToolCalled(tool=CLOSE))(task), gates=(*task.gates, forbidden))

    fails(gates_trip, copy(change), f"{CLOSE}.* breaches 'closed' and raises the score")
    machine_finds(change, f"{CLOSE} breached .'closed'.* and raised the score from 0")


def test_a_check_that_holds_at_the_start() -> None:
    change = with_check(ToolNotCalled(tools=["gmail_send_message"]))
    fails(idling_earns_nothing, copy(change), "'one more': it holds to 1.0 before anything")


def test_a_check_that_nothing_fails() -> None:
    change = with_check(ToolNotCalled(tools=[CLOSE]))
    fails(no_check_is_constant, copy(change), "'one more': it holds whatever the solution leaves")


def test_a_literal_that_cannot_be_reached() -> None:
    change = with_check(ReplyStates(value="INV-777-42", value_kind="id"))
    fails(answers_can_be_found, copy(change), "wants 'INV-777-42', which neither the rules nor")


def test_a_hash_that_depends_on_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    digest, fresh = World.changes_digest, get_package("escalation").write
    monkeypatch.setattr(World, "changes_digest", lambda w: f"{digest(w)}{len(w.base.rendered)}")
    with pytest.raises(AssertionError, match="changed nothing, differs"):
        run(fresh(item()), start=lambda task: Episode(fresh(task.item)))


def helpdesk_escalate_ticket(office: Office, ticket_id: str, reason: str) -> Any:
    """Escalate a ticket, and keep of the reason what is ASCII."""
    plain = reason.encode("ascii", "ignore").decode()
    office.edit(TICKETS, ticket_id, status="escalated", escalation_reason=plain)
    return {"status": "escalated"}


def test_lost_unicode() -> None:
    ascii_only = Tool(helpdesk_escalate_ticket, writes=True)
    machine_finds(with_tool(ascii_only), f"{ESCALATE} lost its reason")


def _numbered(office: Office, ticket_id: str, resolution: str) -> Any:
    """Close a ticket, and note which call it was.

    Args:
        resolution: What solved it.
    """
    office.edit(TICKETS, ticket_id, status="closed", resolution=f"call {office.step}")
    return {"status": "closed"}


def test_a_write_that_depends_on_the_order() -> None:
    _numbered.__name__ = CLOSE
    machine_finds(with_tool(Tool(_numbered, writes=True)), "in another order differs")


def test_a_reference_that_fails_at_one_level() -> None:
    def change(task: Task) -> Task:
        short = task.solution[:-2] + task.solution[-1:]
        return replace(task, solution=short) if task.item.level == "medium" else task

    with pytest.raises(AssertionError) as failure:
        assert_package(copy(change), seeds=1, properties=[reference_earns_all])
    lines = str(failure.value).splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "escalation-medium-en-reference_earns_all",
        "escalation-medium-zh-reference_earns_all",
    ]
    assert "'mail to" in lines[0]


def test_an_answer_that_is_shown() -> None:
    def change(task: Task) -> Task:
        return _Talkative(**{name: getattr(task, name) for name in task.__dataclass_fields__})

    fails(nothing_is_leaked, copy(change), "the answer is shown: .*Check canary")


class _Talkative(Task):
    """Says in its request what is checked."""

    @property
    def opening(self) -> Any:
        told = FrozenDict(role="user", content=f"Check {self.checks[0].name}.")
        return FrozenDict(role="system", content="You work here."), told


def test_records_that_do_not_validate() -> None:
    def change(task: Task) -> Task:
        rows = {made: [*task.base.tables[name].values()] for name, made in task.base.schema.items()}
        rows[TICKETS][0] = FrozenDict({**rows[TICKETS][0], "priority": "extreme"})
        return replace(task, base=BaseWorld(rows, task.base.start))

    fails(records_validate, copy(change), "priority: Input should be")


# What it works on ---------------------------------------------------------------------------------


GREETING = """
from coworkgym.tasks import package
from coworkgym.tasks.lines import answer, call, mail_only_to, mail_sent

@package("greeting", profession="office", services=("contacts", "gmail"),
         warmup_tools=("contacts_search", "gmail_send_message"))
def greeting(b):
    bo, *_ = [b.contact(one) for one in b.company(customers=1, staff=4, owner_in="Support").staff]
    mail = call("gmail_send_message", to=bo["email"], subject="Hi", body="All the best.")
    return b.task(request=f"Please mail {bo['name']} my greetings.", rules=["Mail nobody else."],
                  checks=[mail_sent([bo["email"]], weight=1)], gates=[mail_only_to([bo["email"]])],
                  solution=[call("contacts_search", query=bo["name"]), mail, answer("Sent.")])
"""  # ten lines
ONE_LINE = """
import greeting
from coworkgym.testing import package_test

test_greeting = package_test("greeting", seeds=1)
"""


def test_a_package_of_ten_lines_written_elsewhere_needs_one_line_of_test(tmp_path: Path) -> None:
    (tmp_path / "greeting.py").write_text(GREETING)
    (tmp_path / "test_greeting.py").write_text(ONE_LINE)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "PASSED test_greeting.py::test_greeting[greeting-warmup-en-gates_trip]" in done.stdout
    assert f"{8 * len(PROPERTIES)} passed" in done.stdout
    assert "greeting" not in [package.name for package in packages()]


def test_a_package_added_by_hand_is_checked_like_any_other() -> None:
    real = get_package("payment_change")
    mine = add_package(replace(real, name="my_changes", languages=("en",)))
    try:
        assert_package("my_changes", levels=["warmup"], seeds=2)
        assert [str(variant) for variant in variants("my_changes", levels=["easy"])] == [
            "my_changes-easy-en"
        ]
    finally:
        remove_package(mine.name)


def test_golden_digests_notice_a_change() -> None:
    golden = golden_digests("escalation")
    assert_package("escalation", levels=["warmup"], properties=[released_as(golden)])
    changed = copy(lambda task: replace(task, rules=()))
    with pytest.raises(AssertionError, match="raise the version"):
        assert_package(changed, levels=["warmup"], properties=[released_as(golden)])


def test_every_property_says_what_it_demands() -> None:
    for holds in PROPERTIES:
        assert (holds.__doc__ or "").splitlines()[0].endswith(".")


@pytest.mark.parametrize("level", ["warmup", "easy"])
@pytest.mark.parametrize("name", ["escalation", "payment_change"])
def test_the_machine_finds_nothing_wrong_with_real_packages(name: str, level: str) -> None:
    language = "en" if level == "warmup" else "zh"
    real = get_package(name)
    run(real.build(real.item(level=level, language=language)), examples=8)


def test_the_machine_runs_with_faults_and_several_stages(two_stages: Task) -> None:
    run(two_stages, start=lambda task: Episode(task, faults=Faults(0.3)), examples=8)


def test_the_machine_is_a_test_case(task: Task) -> None:
    case = episode_machine(task).TestCase
    case.settings = settings(max_examples=2, stateful_step_count=5)
    assert case("runTest").run().wasSuccessful()
