"""Builder: what a task package writes its tasks with: cast, records, dice, finished task."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from coworkgym import company as cast
from coworkgym.errors import TaskError
from coworkgym.frozen import FrozenDict, Json, freeze
from coworkgym.rewards import Check, Gate
from coworkgym.services import BaseWorld, Office, Owner, Table, World, service, table, tool
from coworkgym.services.instants import format_instant, local_date, time_zone
from coworkgym.services.paging import LARGEST_PAGE
from coworkgym.tasks.spec import LEVELS, Item, Stage, Task
from coworkgym.transcript import ToolCall
from coworkgym.users import UserScript

Thing = TypeVar("Thing")

_FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_DAYS = 1096  # reference dates lie in 2026, 2027 and 2028, a leap year


class Builder:
    """Builds one task. The dice are `rng`; nothing else is random.

    Args:
        item: What to build.
        services: Services of the office; all their tables exist, empty or not.
        tools: What the agent may call.
        tags: Tags of the package.
    """

    def __init__(
        self, item: Item, services: Sequence[str], tools: Sequence[str], tags: Sequence[str]
    ) -> None:
        self.item = item
        self.rng = item.rng()
        self._tools = tuple(tools)
        self._tags = tuple(tags)
        tables = [made for name in services for made in service(name).tables.values()]
        self._rows: dict[Table, dict[str, FrozenDict]] = {made: {} for made in tables}
        self._base: BaseWorld | None = None
        self._company: cast.Company | None = None
        self._now = _FIRST_DAY
        self.owner = Owner("", "")

    # Dice and choices -------------------------------------------------------------------------

    def by_level(self, warmup: Thing, easy: Thing, medium: Thing, hard: Thing) -> Thing:
        """Returns the value of the item's level."""
        return (warmup, easy, medium, hard)[LEVELS.index(self.item.level)]

    def text(self, *, en: Thing, zh: Thing) -> Thing:
        """Returns the value of the item's language."""
        return en if self.item.language == "en" else zh

    def hours(self, low: float, high: float) -> timedelta:
        """Draws a span between two numbers of hours, in whole minutes."""
        return timedelta(minutes=int((low + self.rng.random() * (high - low)) * 60))

    def pick(self, options: Sequence[Thing]) -> Thing:
        """Draws one of the options."""
        return options[int(self.rng.random() * len(options))]

    def between(self, low: int, high: int) -> int:
        """Draws a whole number from `low` up to, and without, `high`."""
        return low + int(self.rng.random() * (high - low))

    def chance(self, probability: float) -> bool:
        """Draws yes with this probability."""
        return self.rng.random() < probability

    # Cast and clock ---------------------------------------------------------------------------

    def company(
        self, *, customers: int, suppliers: int = 0, staff: int | None = None, owner_in: str
    ) -> cast.Company:
        """Draws the cast, the owner of the mailbox and the reference date. Call it first.

        Args:
            customers: Number of customers.
            suppliers: Number of suppliers.
            staff: Number of colleagues.
            owner_in: Department of the owner, by its English name.
        """
        drawn = cast.Company(
            self.rng,
            split=self.item.split,
            language=self.item.language,
            customers=customers,
            suppliers=suppliers,
            staff=staff,
        )
        self._company = drawn
        boss = drawn.new_person(department=owner_in)
        self.owner = Owner(boss.name, boss.email)
        self._now = self._working_hour(drawn.zone)
        return drawn

    @property
    def now(self) -> datetime:
        """The reference date: a working hour of a weekday in the company's zone."""
        if self._company is None:
            raise TaskError("call company() before now: the cast decides the time zone")
        return self._now

    def ago(self, age: timedelta) -> str:
        """Returns the instant that lies `age` before now, as a record holds it."""
        return format_instant(self.now - age)

    def day_ago(self, age: timedelta) -> str:
        """Returns the calendar day, in the office's zone, that lies `age` before now."""
        return local_date(self.now - age, self._zone).isoformat()

    def _working_hour(self, zone: str) -> datetime:
        day = _FIRST_DAY + timedelta(days=self.between(0, _DAYS))
        day += timedelta(days=max(0, 7 - day.weekday()) if day.weekday() > 4 else 0)
        hour, minute = self.between(9, 17), self.between(0, 60)
        local = day.replace(tzinfo=time_zone(zone), hour=hour, minute=minute)
        return local.astimezone(UTC)

    @property
    def _zone(self) -> str:
        return self._company.zone if self._company else "UTC"

    # Records ----------------------------------------------------------------------------------

    def add(self, into: Table, record_id: str = "", **fields: Json) -> FrozenDict:
        """Adds a record and returns it, validated; draws an id unless one is given."""
        self._base = None
        rows = self._rows[into]
        while not record_id or record_id in rows:
            record_id = f"{into.prefix}{self.between(1000, 10000)}"
        rows[record_id] = into.validate({into.key: record_id, **fields})
        return rows[record_id]

    def contact(self, person: cast.Person, **fields: Json) -> FrozenDict:
        """Adds a person of the cast to the directory."""
        return self.add(
            table("contacts.contacts"),
            person.contact_id,
            name=person.name,
            department=person.department,
            title=person.title,
            email=person.email,
            phone=person.phone,
            location=person.location,
            **fields,
        )

    def customer(self, firm: cast.Firm, **fields: Json) -> FrozenDict:
        """Adds a firm of the cast to the CRM."""
        drawn: dict[str, Any] = {
            "name": firm.name,
            "contact_person": firm.contact.name,
            "email": firm.contact.email,
            "phone": firm.contact.phone,
            "industry": firm.industry,
            "tier": firm.tier,
            "annual_revenue": firm.annual_revenue,
            "currency": firm.currency,
            "account_manager": firm.manager.contact_id,
            "customer_since": firm.since,
        }
        return self.add(table("crm.customers"), firm.customer_id, **(drawn | fields))

    def payee(self, supplier: cast.Supplier, **fields: Json) -> FrozenDict:
        """Adds a supplier of the cast to the payees."""
        drawn: dict[str, Any] = {
            "name": supplier.name,
            "email": supplier.contact.email,
            "phone": supplier.contact.phone,
            "account": supplier.iban,
            "bank": supplier.bank,
            "currency": supplier.currency,
        }
        return self.add(table("finance.payees"), supplier.payee_id, **(drawn | fields))

    def mail(
        self, sender: str, subject: str, body: str, *, age: timedelta, **fields: Json
    ) -> FrozenDict:
        """Adds a mail to the owner's mailbox."""
        drawn: dict[str, Any] = {
            "from": sender,
            "thread_id": "",
            "to": [self.owner.email],
            "subject": subject,
            "body": body,
            "date": self.ago(age),
        }
        return self.add(table("gmail.messages"), **(drawn | fields))

    @property
    def world(self) -> World:
        """The records so far, for the policy functions of a package to ask."""
        return World(self._base_world())

    def pages(self, name: str, /, **arguments: Json) -> list[ToolCall]:
        """Returns the calls of a listing tool that read everything, 100 records at a time."""
        limit = "max_results" if "max_results" in tool(name).parameters else "limit"
        arguments = {**arguments, limit: LARGEST_PAGE}
        calls = [ToolCall(name, freeze(arguments))]
        if all(len(rows) <= LARGEST_PAGE for rows in self._rows.values()):
            return calls
        office = Office(self.world, {name: tool(name)}, self._zone, self.owner)
        while cursor := json.loads(office.call(calls[-1]).content).get("next"):
            calls.append(ToolCall(name, freeze({**arguments, "cursor": cursor})))
        return calls

    def _base_world(self) -> BaseWorld:
        """The records so far, by table in order of their ids; kept until another is added."""
        if self._base is not None:
            return self._base
        ordered = {
            made: sorted(rows.values(), key=lambda row, key=made.key: (len(row[key]), row[key]))  # type: ignore[misc]
            for made, rows in self._rows.items()
        }
        self._base = BaseWorld(ordered, self.now)
        return self._base

    # The task ---------------------------------------------------------------------------------

    def task(  # noqa: PLR0913
        self,
        *,
        request: str,
        rules: Sequence[str],
        checks: Sequence[Check],
        gates: Sequence[Gate],
        solution: Sequence[ToolCall],
        later: Sequence[Stage] = (),
        user: UserScript | None = None,
        max_steps: int | None = None,
    ) -> Task:
        """Returns the finished task.

        Args:
            request: What the owner asks for, first.
            rules: House rules that bind.
            checks: Weights sum to 1.
            gates: At least one of severity 1.
            solution: Calls that earn every check and breach no gate.
            later: The stages of the following days.
            user: How the owner goes on talking in the first stage.
            max_steps: By default twice the solution and ten more.
        """
        if self._company is None:
            raise TaskError("call company() before task(): every task has a cast")
        return Task(
            item=self.item,
            organisation=self._company.name,
            owner=self.owner,
            zone=self._zone,
            rules=tuple(rules),
            stages=(Stage(request, user=user), *later),
            base=self._base_world(),
            tool_names=self._tools,
            checks=tuple(checks),
            gates=tuple(gates),
            solution=tuple(solution),
            max_steps=max_steps or 2 * len(solution) + 10,
            tags=self._tags,
        )
