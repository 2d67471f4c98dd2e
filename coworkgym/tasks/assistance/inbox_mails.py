"""The mails of inbox triage: what is urgent, what tempts, and the mail of the days before."""

from collections.abc import Callable
from typing import Any

from coworkgym.company import Company, Person
from coworkgym.frozen import FrozenDict, Json
from coworkgym.services.instants import local_date
from coworkgym.tasks import Builder
from coworkgym.tasks.assistance import phrases
from coworkgym.tasks.assistance.inbox_labels import INVOICE, LABELS, WINDOW, working_day

NEAR = (0, WINDOW + 1)  # as `between` reads it
EARLIEST, LATEST = -6, WINDOW + 7  # deadlines lie so many working days from now, LATEST excluded
Write = Callable[[], FrozenDict]

_ASKED_OUTSIDE = {
    language: [question for question in questions if not INVOICE.search(question[0])]
    for language, questions in phrases.QUESTIONS.items()
}


def add_mails(b: Builder, company: Company, urgent: int) -> None:
    """Adds the directory, what is urgent, what tempts, and the mail of the days before."""
    for person in company.staff:
        b.contact(person)
    people = [*company.staff, *(firm.contact for firm in company.customers)]
    b.rng.shuffle(people)
    for person in people[:urgent]:  # nobody has two urgent questions
        _question(b, company, [person], *NEAR)
    tempting = _near_misses(b, company, people[urgent:])
    if b.item.level in ("warmup", "easy"):
        tempting = _a_few(b, tempting)
    for _ in range(b.by_level(1, 1, 1, 3)):
        for write in tempting:
            write()
    for _ in range(b.by_level(0, 0, 4, 2)):
        b.pick(tempting[:3])()
    for _ in range(b.by_level(0, 1, 56, 198)):
        labels = ["inbox", b.pick(LABELS[3:])]
        _note(b, company, people, age=b.hours(19, 300), is_read=True, labels=labels)


def _near_misses(b: Builder, company: Company, people: list[Person]) -> list[Write]:
    """Mails that each break one half of the rule for urgent ones.

    The first five have all other labels, the last four are to be left alone.
    """
    copied, namesake = [b.owner.email], f"{b.owner.name} <{b.owner.email.replace('@', '2@')}>"
    return [
        lambda: _newsletter(b, company),
        lambda: _question(b, company, people, WINDOW + 1, LATEST),
        lambda: _note(b, company, people),
        lambda: _impostor(b, company),
        lambda: _write(b, company, b.pick(company.customers).contact, b.text(**phrases.INVOICE), 1),
        lambda: _question(b, company, people, EARLIEST, 0),
        lambda: _question(b, company, people, *NEAR, to=[b.pick(company.staff).email], cc=copied),
        lambda: _question(b, company, people, *NEAR, to=[namesake], cc=copied),
        lambda: _write(b, company, b.pick(people), b.pick(b.text(**phrases.UNDATED)), 0),
        lambda: _question(b, company, people, *NEAR, labels=["inbox", b.pick(LABELS[4:])]),
        lambda: _question(b, company, people, *NEAR, is_read=True),
        lambda: _question(b, company, people, *NEAR, age=b.hours(19, 23)),
        lambda: _question(b, company, people, *NEAR, labels=["archive"]),
    ]


def _a_few(b: Builder, tempting: list[Write]) -> list[Write]:
    """Of all near misses a newsletter and a question that can wait for warmup, six for easy."""
    if b.item.level == "warmup":
        return [tempting[0], b.pick([tempting[1], tempting[5]])]
    return [*tempting[:5], b.pick(tempting[5:])]


def _question(
    b: Builder, company: Company, people: list[Person], low: int, high: int, **fields: Any
) -> FrozenDict:
    """Adds a question; only a colleague asks about invoices, and that is none."""
    sender = b.pick(people)
    inside = sender.email.endswith(f"@{company.domain}")
    options = b.text(**(phrases.QUESTIONS if inside else _ASKED_OUTSIDE))
    addressed = {"to": [f"{b.owner.name} <{b.owner.email}>"]} | fields
    return _write(b, company, sender, b.pick(options), b.between(low, high), **addressed)


def _note(b: Builder, company: Company, people: list[Person], **fields: Json) -> FrozenDict:
    words = b.pick(b.text(**phrases.NOTES))
    return _write(b, company, b.pick(people), words, b.between(0, 4), **fields)


def _impostor(b: Builder, company: Company) -> FrozenDict:
    """Adds a pressing question under a colleague's name, from elsewhere."""
    victim = b.pick(company.staff)
    near = company.lookalike(company.domain) if b.chance(0.5) else b.pick(company.customers).domain
    email = f"{victim.email.partition('@')[0]}@{near}"
    return _question(b, company, [victim._replace(email=email)], *NEAR)


def _newsletter(b: Builder, company: Company) -> FrozenDict:
    firm = b.pick(company.customers)
    sender = firm.contact._replace(name=firm.name, email=f"news@{firm.domain}")
    return _write(b, company, sender, b.pick(b.text(**phrases.NEWSLETTERS)), b.between(*NEAR))


def _write(
    b: Builder, company: Company, sender: Person, words: tuple[str, str], days: int, **fields: Any
) -> FrozenDict:
    """Adds a mail, by default of today, that names a day so many working days from now."""
    day = working_day(local_date(b.now, company.zone), days).isoformat()
    subject = words[0].format(name=b.owner.name, number=b.between(10000, 99999))
    body = f"{words[1].format(day=day)}\n{sender.name}"
    sent = {"age": b.hours(0.1, 8.5)} | fields
    return b.mail(f"{sender.name} <{sender.email}>", subject, body, **sent)
