"""Company: one consistent cast of people and firms that all services of a task are filled from."""

from datetime import date
from itertools import accumulate, count
from random import Random

from coworkgym.company.accounts import banks_in
from coworkgym.company.domains import near_miss
from coworkgym.company.lexicon import City, FirmName, Role, lexicon, pick
from coworkgym.company.records import Firm, Person, Supplier
from coworkgym.errors import TaskError, unknown

TIERS = ("enterprise", "business", "standard")

_CUMULATIVE_SHARES = tuple(accumulate((0.20, 0.35, 0.45)))
# Sales of a year from .. below, in hundreds of thousands of minor units: the tiers don't overlap.
_REVENUES = {"enterprise": (60_000, 900_000), "business": (5_000, 60_000), "standard": (300, 5_000)}
_MOST_MANAGERS = 12
_FIRST_DAY = date(2012, 1, 1).toordinal()
_DAYS = date(2024, 1, 1).toordinal() - _FIRST_DAY
_DRAWS = 1_000  # draws without a free name after which those of a split count as used up


class Company:
    """The organisation that the agent works for: its own people, its customers, its suppliers.

    Names, mail addresses, ids, domains and IBANs are unique within a company, those drawn later
    included; names, domains, IBANs and postal addresses are disjoint between splits. All firms sit
    in the company's currency area. Tiers are drawn as 20 % enterprise, 35 % business, 45 %
    standard; among three customers or more each tier has at least one, anywhere in the list.

    Args:
        rng: The only source of randomness; every draw advances it.
        split: One of `SPLITS`.
        language: One of `LANGUAGES`.
        customers: Number of customers.
        suppliers: Number of suppliers.
        staff: Number of own people; by default one a department, and the account managers.

    Attributes:
        name: The company's name.
        domain: Its mail domain.
        city: Where it sits.
        zone: IANA zone of that city.
        currency: ISO code of the currency that all amounts are in.
        staff: Its own people, by contact id.
        managers: The account managers among them, one for about three customers, at most twelve.
        customers: The customers, by customer id.
        suppliers: The suppliers, by payee id.

    Raises:
        UnknownNameError: Unknown split or language.
        TaskError: A negative number, no staff, or more names asked for than the split has.
    """

    def __init__(
        self,
        rng: Random,
        *,
        split: str,
        language: str,
        customers: int,
        suppliers: int = 0,
        staff: int | None = None,
    ) -> None:
        """Draws the whole cast."""
        self._rng, self._random = rng, rng.random
        self._lexicon = lexicon(language, split)
        managers = max(1, min((customers + 1) // 3, _MOST_MANAGERS))
        if staff is None:
            staff = len(self._lexicon.offices) + managers
        if customers < 0 or suppliers < 0 or staff < 1:
            raise TaskError(f"no company has {staff=}, {customers=}, {suppliers=}")
        self._taken: set[str] = set()
        self._places: dict[str, City] = {}
        self._contact_ids = count(100 + int(rng.random() * 800))
        self._customer_ids = count(1000 + int(rng.random() * 8000))
        self._payee_ids = count(200 + int(rng.random() * 700))
        home = pick(self._random, self._lexicon.cities)
        self._home, self.city, self.zone, self.currency = home, home.name, home.zone, home.currency
        self._cities = self._lexicon.regions[home.currency]
        self.name, self.domain, _ = self._found(home)
        self.staff = self._hire(staff, min(managers, (staff + 1) // 2))
        self.managers = [one for one in self.staff if one.title == self._lexicon.manager.title]
        self.customers = self._win(customers)
        self.suppliers = [self.new_supplier() for _ in range(suppliers)]

    def firms(self, tier: str) -> list[Firm]:
        """Returns the customers of a tier.

        Raises:
            UnknownNameError: The tier is not in `TIERS`.
        """
        _require_tier(tier)
        return [firm for firm in self.customers if firm.tier == tier]

    def new_person(
        self, department: str | None = None, title: str | None = None, domain: str | None = None
    ) -> Person:
        """Draws one more person, who is not added to `staff`.

        Args:
            department: By its own or by its English name; by default the one that the title
                belongs to, or any.
            title: By default one of the department.
            domain: Of the person's mail address, and so the firm; by default the company's own.

        Raises:
            UnknownNameError: No such department.
        """
        domain = domain or self.domain
        place = self._places.get(domain)
        if place is None:
            place = self._places[domain] = pick(self._random, self._cities)
        return self._person(self._role(department, title), domain, place)

    def new_firm(self, tier: str | None = None) -> Firm:
        """Draws one more customer, who is not added to `customers`.

        Raises:
            UnknownNameError: The tier is not in `TIERS`.
        """
        tier = self._tiers(1)[0] if tier is None else _require_tier(tier)
        return self._firm(tier, pick(self._random, self.managers))

    def new_supplier(self) -> Supplier:
        """Draws one more supplier, who is not added to `suppliers`."""
        place = pick(self._random, self._cities)
        name, domain, _ = self._found(place)
        bank, iban = self._account(place.country)
        payee_id = f"PAY-{next(self._payee_ids)}"
        return Supplier(
            payee_id, name, domain, self._contact(domain, place), iban, bank, self.currency
        )

    def new_iban(self, country: str | None = None) -> str:
        """Draws one more IBAN, of a firm in `country` (ISO code; by default the company's own).

        Raises:
            UnknownNameError: No bank serves that country.
        """
        return self._account(country or self._home.country)[1]

    def lookalike(self, domain: str) -> str:
        """Draws a domain that is easily taken for `domain` and is nobody's in this cast.

        Raises:
            TaskError: All of them have been drawn.
        """
        for _ in range(_DRAWS):
            near = near_miss(self._random, domain)
            if near not in self._taken:
                self._taken.add(near)
                return near
        raise TaskError(f"no look-alike of {domain} is left")

    def _hire(self, number: int, managers: int) -> list[Person]:
        """Draws the staff: account managers, and the departments in turn; in random order."""
        random, offices = self._random, self._lexicon.offices
        first = int(random() * len(offices))
        roles = [self._lexicon.manager] * managers
        for index in range(first, first + number - managers):
            roles.append(pick(random, offices[index % len(offices)]))
        self._rng.shuffle(roles)
        return [self._person(role, self.domain, self._home) for role in roles]

    def _win(self, number: int) -> list[Firm]:
        """Draws the customers, shared out evenly between the account managers."""
        sure = TIERS if number >= len(TIERS) else ()
        tiers = [*sure, *self._tiers(number - len(sure))]
        managers = [self.managers[index % len(self.managers)] for index in range(number)]
        self._rng.shuffle(tiers)
        self._rng.shuffle(managers)
        return [self._firm(tier, manager) for tier, manager in zip(tiers, managers, strict=True)]

    def _tiers(self, number: int) -> list[str]:
        return self._rng.choices(TIERS, cum_weights=_CUMULATIVE_SHARES, k=number)

    def _firm(self, tier: str, manager: Person) -> Firm:
        random = self._random
        place = pick(random, self._cities)
        name, domain, industry = self._found(place)
        low, high = _REVENUES[tier]
        return Firm(
            customer_id=f"CUS-{next(self._customer_ids)}",
            name=name,
            domain=domain,
            industry=industry,
            tier=tier,
            status="active",
            contact=self._contact(domain, place),
            manager=manager,
            annual_revenue=(low + int(random() * (high - low))) * 100_000,
            currency=self.currency,
            iban=self._account(place.country)[1],
            city=place.name,
            address=self._lexicon.address(random, place),
            since=date.fromordinal(_FIRST_DAY + int(random() * _DAYS)).isoformat(),
        )

    def _found(self, place: City) -> FirmName:
        """Draws a firm's name that is still free, and settles it in a city."""
        for _ in range(_DRAWS):
            firm = self._lexicon.firm(self._random)
            if firm.domain not in self._taken:
                self._taken.add(firm.domain)
                self._places[firm.domain] = place
                return firm
        raise TaskError(f"after {len(self._places)} firms no name of this split is left")

    def _contact(self, domain: str, place: City) -> Person:
        """Draws somebody at another firm."""
        return self._person(pick(self._random, self._lexicon.roles), domain, place)

    def _role(self, department: str | None, title: str | None) -> Role:
        """Draws a role that has what is given."""
        words = self._lexicon
        if department is not None and department not in words.by_name:
            raise unknown("department", department, words.by_name)
        roles = words.roles if department is None else words.by_name[department]
        if title is not None:
            known = roles if department is not None else (*roles, words.manager)
            fitting = tuple(role for role in known if role.title == title)
            roles = fitting or tuple(Role(role.department, title) for role in roles)
        return pick(self._random, roles)

    def _person(self, role: Role, domain: str, place: City) -> Person:
        name, mailbox = self._name()
        number = next(self._contact_ids)
        # Steps of 37 visit all thousand lines of a city before one comes again.
        phone = f"{place.dial} {number * 37 % 1000:03d}{self._lexicon.number(number) % 10}"
        email = f"{mailbox}@{domain}"
        return Person(f"CT-{number}", name, email, phone, role.title, role.department, place.name)

    def _name(self) -> tuple[str, str]:
        """Draws a person's name that is still free, and its mailbox."""
        for _ in range(_DRAWS):
            name, mailbox = self._lexicon.person(self._random)
            if mailbox not in self._taken:
                self._taken.add(mailbox)
                return name, mailbox
        raise TaskError(f"after {len(self._taken)} names no person's name of this split is left")

    def _account(self, country: str) -> tuple[str, str]:
        """Draws an account that is still free: the bank's name and the IBAN."""
        bank = pick(self._random, banks_in(country))
        while True:
            iban = bank.iban(self._lexicon.number(int(self._random() * 10**bank.width)))
            if iban not in self._taken:
                self._taken.add(iban)
                return bank.name, iban


def _require_tier(tier: str) -> str:
    if tier not in TIERS:
        raise unknown("tier", tier, TIERS)
    return tier
