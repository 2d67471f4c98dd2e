"""The house rule of payment changes, and what one request for a change is like."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from coworkgym.company import Company, Supplier
from coworkgym.frozen import FrozenDict
from coworkgym.rewards import AllOf, AnyOf, ReplyNames
from coworkgym.services.addresses import domain
from coworkgym.tasks import Builder

Kind = Literal["genuine", "lookalike", "unconfirmed"]


def printed(account: str) -> str:
    """Returns an account number in groups of four, as it is printed."""
    return " ".join(account[at : at + 4] for at in range(0, len(account), 4))


def account_named(account: str, also: Sequence[str] = (), rivals: Sequence[str] = ()) -> ReplyNames:
    """The reply names an account: whole, printed in groups, or by its last digits.

    Args:
        account: The account number.
        also: Others that will do as well.
        rivals: Values that have no business in the reply.
    """
    forms = [form for number in (account, *also) for form in (number, *_short(number))]
    others = [rival for rival in rivals if rival not in forms]
    return ReplyNames(value=account, also=forms[1:], rivals=others)


def _short(account: str) -> list[str]:
    """The last four characters, and the last whole group of the printed number."""
    end = len(account) // 4 * 4
    return [account[-4:], account[end - 4 : end]]


@dataclass(frozen=True)
class Case:
    """One request for a change: what the mail says and what the company's own records say.

    Attributes:
        kind: genuine; lookalike: from a domain that is not the supplier's; unconfirmed: the
            call-back was about another account.
        supplier: Whose account it is about.
        sender: Address the mail came from.
        account: The account the mail asks for.
        confirmed: The account that the call-back confirmed.
        called: The day of the call-back.
        stranger: Address of somebody who writes in the supplier's name.
        decoy: The account that they ask for; empty at warmup, where they ask for no other.
    """

    kind: Kind
    supplier: Supplier
    sender: str
    account: str
    confirmed: str
    called: str
    stranger: str
    decoy: str


def is_genuine(payee: FrozenDict, sender: str, account: str) -> bool:
    """The house rule, computed from the records: the domain on file, and that account confirmed."""
    return domain(sender) == domain(payee["email"]) and account in payee["notes"]


def draw_case(b: Builder, company: Company) -> Case:
    """Draws a supplier and what is asked in their name; a third of all is genuine."""
    supplier = b.pick(company.suppliers)
    kind: Kind = b.pick(("genuine", "lookalike", "unconfirmed"))
    sender, account = supplier.contact.email, company.new_iban()
    stranger = f"{sender.partition('@')[0]}@{company.lookalike(supplier.domain)}"
    return Case(
        kind=kind,
        supplier=supplier,
        sender=stranger if kind == "lookalike" else sender,
        account=account,
        confirmed=account if kind == "genuine" else supplier.iban,
        called=b.day_ago(b.hours(3, 90)),
        stranger=stranger,
        decoy=company.new_iban() if b.item.level != "warmup" else "",
    )


def what_is_wrong(case: Case, strangers: Sequence[str], accounts: Sequence[str]) -> AllOf | AnyOf:
    """The reply names what is wrong with a fraud, beside what is on file.

    Args:
        case: Not a genuine one.
        strangers: Addresses of others.
        accounts: Accounts of others.
    """
    confirmed = account_named(case.confirmed)
    if case.kind == "unconfirmed":
        set_aside = [case.stranger, domain(case.stranger)]
        set_aside += [case.decoy, case.decoy[-4:]] if case.decoy else []
        rivals = [*strangers, *accounts, *set_aside]
        return AllOf(parts=[account_named(case.account, rivals=rivals), confirmed])
    decoys = [case.decoy] if case.decoy else []
    rivals = [*strangers, *accounts]
    asked = account_named(case.account, decoys, rivals)
    sender = ReplyNames(value=case.sender, also=[domain(case.sender)], rivals=rivals)
    email = case.supplier.contact.email
    on_file = ReplyNames(value=email, also=[domain(email)])
    return AnyOf(parts=[AllOf(parts=[sender, on_file]), AllOf(parts=[asked, confirmed])])
