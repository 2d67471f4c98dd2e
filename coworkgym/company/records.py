"""The members of a cast: people, customers, suppliers."""

from typing import NamedTuple


class Person(NamedTuple):
    """Somebody who can be written to.

    Attributes:
        contact_id: Like `CT-103`.
        name: Full name, as written in the language of the cast.
        email: Address at the person's firm, ASCII and lower case.
        phone: Number of a fictional range, with country code.
        title: Job title.
        department: Department, as written in the language of the cast.
        location: City.
    """

    contact_id: str
    name: str
    email: str
    phone: str
    title: str
    department: str
    location: str


class Firm(NamedTuple):
    """A customer.

    Attributes:
        customer_id: Like `CUS-1301`.
        name: Full name, legal form included where the language writes it.
        domain: Mail domain, under a reserved top-level domain.
        industry: Line of business.
        tier: One of `TIERS`.
        status: `active`.
        contact: The person at the firm that we deal with.
        manager: Our account manager, one of the company's own staff.
        annual_revenue: Sales of the firm in a year, in minor units of `currency`.
        currency: ISO code.
        iban: Account, with valid check digits.
        city: Where the firm sits.
        address: Postal address in that city.
        since: ISO date of the first contract.
    """

    customer_id: str
    name: str
    domain: str
    industry: str
    tier: str
    status: str
    contact: Person
    manager: Person
    annual_revenue: int
    currency: str
    iban: str
    city: str
    address: str
    since: str


class Supplier(NamedTuple):
    """A firm that we pay.

    Attributes:
        payee_id: Like `PAY-210`.
        name: Full name, legal form included where the language writes it.
        domain: Mail domain, under a reserved top-level domain.
        contact: The person there that we deal with.
        iban: Account, with valid check digits.
        bank: Name of the bank that holds it.
        currency: ISO code.
    """

    payee_id: str
    name: str
    domain: str
    contact: Person
    iban: str
    bank: str
    currency: str
