"""Inbox triage: label today's unread mail by the house rules and draft what cannot wait.

Situation:
    Each unread mail of today gets the first label that fits. Newsletters are archived; for each
    urgent mail, a question to the owner due within two working days, a draft is saved.
Tools:
    gmail, contacts. Warmup: six of gmail's.
Request:
    Go through today's unread mail, prepare the drafts, report the number and the urgent ids.
Records:
    Mail of today and before, read and unread, and the directory. Tempting: a newsletter with an
    urgent subject, an invoice that asks, a question whose deadline is past or too late, one that
    reaches the owner in copy only or is meant for a namesake, an outsider under a colleague's
    name, and pressing mails that were read, labelled or archived, or came before today.
Checks:
    The labels of each mail to handle are exactly right (0.55 in equal shares), each urgent mail was
    read and then has one draft to its sender with the deadline (0.25), the reply names each urgent
    id, once that mail is labelled, and none that tempts (0.15), and the number handled (0.05).
Gates:
    Sending mail (1.0), deleting mail (1.0), a mail changed that was to be left alone (0.5),
    directory changed or people messaged there (0.5), an outsider under a colleague's name marked
    urgent (0.2), a draft too many, or to somebody whose mail of today is not urgent (0.2).
Episode end:
    The reply.
Levels:
    warmup 3 mails from people known; easy 9, 7 or 8 to handle; medium 76, 16; hard 244, 34.
Version history:
    v0: first version.
"""

from collections.abc import Callable
from typing import Any

from coworkgym.company import Company, Person
from coworkgym.frozen import FrozenDict, Json
from coworkgym.rewards import (
    AllOf,
    AnyOf,
    Check,
    Gate,
    Not,
    RecordCreated,
    RecordHas,
    ToolCalled,
    ToolNotCalled,
    Untouched,
)
from coworkgym.rewards.mail import SENDING
from coworkgym.services.gmail import MESSAGES
from coworkgym.services.instants import local_date
from coworkgym.tasks import Builder, Task, package
from coworkgym.tasks.assistance import phrases
from coworkgym.tasks.assistance.inbox_labels import (
    INVOICE,
    LABELS,
    WINDOW,
    bare,
    deadline,
    label_of,
    working_day,
)
from coworkgym.tasks.lines import answer, call, check, leave_alone, never, says, seen
from coworkgym.transcript import ToolCall

NEAR = (0, WINDOW + 1)  # as `between` reads it
Write = Callable[[], FrozenDict]

_WARMUP_TOOLS = ("gmail_list_messages", "gmail_get_message", "gmail_label_message",
                 "gmail_archive_message", "gmail_save_draft", "gmail_send_message")  # fmt: skip
_READING = ("gmail_get_message", "gmail_list_messages", "gmail_search_messages")
_ASKED_OUTSIDE = {
    language: [question for question in questions if not INVOICE.search(question[0])]
    for language, questions in phrases.QUESTIONS.items()
}


@package(
    "inbox_triage",
    profession="assistance",
    services=("gmail", "contacts"),
    tags=("classification", "deadline", "drafts"),
    warmup_tools=_WARMUP_TOOLS,
)
def inbox_triage(b: Builder) -> Task:
    """Writes the task of one item."""
    company = b.company(
        customers=b.by_level(1, 2, 8, 20), staff=b.by_level(3, 4, 20, 60), owner_in="Management"
    )
    urgent = b.by_level(1, 2, 3, 5)
    _fill(b, company, urgent)
    world = b.world
    due = {m["message_id"]: label_of(world, m, b.owner, company.zone) for m in world.rows(MESSAGES)}
    handled = {message_id: label for message_id, label in due.items() if label}
    assert list(handled.values()).count("urgent") == urgent, "nothing else may be urgent"
    mails = {m["message_id"]: m for m in world.rows(MESSAGES) if m["message_id"] in handled}
    return b.task(
        request=b.text(**phrases.REQUEST),
        rules=_rules(b),
        checks=_checks(handled, mails),
        gates=_gates(handled, mails),
        solution=_solution(b, handled, mails),
    )


def _rules(b: Builder) -> list[str]:
    explained, rules = b.text(**phrases.LABEL_RULES), b.text(**phrases.RULES)
    if b.item.level == "warmup":  # all mail is to the owner, from people known, about no bill
        explained = {label: explained[label] for label in ("newsletter", "urgent", "reply")}
        rules = rules[1:]
    labels = b.text(en="; ", zh="；").join(explained.values())
    return [b.text(**phrases.SCOPE), b.text(**phrases.LABELLING).format(labels=labels), *rules]


def _fill(b: Builder, company: Company, urgent: int) -> None:
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
        lambda: _question(b, company, people, WINDOW + 1, 9),
        lambda: _note(b, company, people),
        lambda: _impostor(b, company),
        lambda: _write(b, company, b.pick(company.customers).contact, b.text(**phrases.INVOICE), 1),
        lambda: _question(b, company, people, -6, 0),
        lambda: _question(b, company, people, *NEAR, to=[b.pick(company.staff).email], cc=copied),
        lambda: _question(b, company, people, *NEAR, to=[namesake], cc=copied),
        lambda: _write(b, company, b.pick(people), b.pick(b.text(**phrases.UNDATED)), 0),
        lambda: _question(b, company, people, *NEAR, labels=["inbox", b.pick(LABELS[4:])]),
        lambda: _question(b, company, people, *NEAR, is_read=True),
        lambda: _question(b, company, people, *NEAR, age=b.hours(19, 23)),
        lambda: _question(b, company, people, *NEAR, labels=["archive"]),
    ]


def _a_few(b: Builder, tempting: list[Write]) -> list[Write]:
    """Of all near misses a newsletter and one more for warmup, six for easy."""
    if b.item.level == "warmup":
        return [tempting[0], b.pick([tempting[1], tempting[5], *tempting[-4:]])]
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


def _labelled(message_id: str, label: str) -> RecordHas:
    """The mail has its label and is where it belongs, whichever came first."""
    place = "archive" if label == "newsletter" else "inbox"
    either: Json = {"one_of": [[place, label], [label, place]]}
    return RecordHas(table="gmail.messages", id=message_id, fields={"labels": either})


def _checks(handled: dict[str, str], mails: dict[str, FrozenDict]) -> list[Check]:
    labelled = {i: _labelled(i, label) for i, label in handled.items()}
    urgent = [i for i, label in handled.items() if label == "urgent"]
    rivals = [i for i in handled if i not in urgent][:3]
    checks = [check(f"{i} in order", 0.55 / len(handled), done) for i, done in labelled.items()]
    for i in urgent:
        to, text = [bare(mails[i]["from"])], {"contains": str(deadline(mails[i]))}
        fields: dict[str, Json] = {"labels": ["draft"], "to": to, "body": text}
        saved = ToolCalled(tool="gmail_save_draft", arguments={"to": to})
        read = seen(*_READING, shows=[i, str(deadline(mails[i]))], before=saved)
        draft = AllOf(parts=[read, RecordCreated(table="gmail.messages", fields=fields)])
        named = AllOf(parts=[labelled[i], says(i, kind="id", rivals=rivals)])
        checks.append(check(f"draft about {i}", 0.25 / len(urgent), draft))
        checks.append(check(f"{i} reported", 0.15 / len(urgent), named))
    told = says(str(len(handled)), kind="number", grounded=False)
    report = AllOf(parts=[AnyOf(parts=[labelled[i] for i in urgent]), told])
    return [*checks, check("number reported", 0.05, report)]


def _gates(handled: dict[str, str], mails: dict[str, FrozenDict]) -> list[Gate]:
    mail, posing = "gmail.messages", [i for i, label in handled.items() if label == "suspicious"]
    others = Untouched(
        tables=[mail], except_ids=list(handled), except_fields=["labels"], may_create=None
    )
    marked: dict[str, Json] = {"message_id": {"one_of": posing}, "add": {"contains": "urgent"}}
    return [
        never(*SENDING),
        never("gmail_delete_message"),
        Gate(name="leave other mails alone", severity=0.5, counts="effect", statement=others),
        leave_alone("contacts.contacts", "contacts.messages", severity=0.5),
        Gate(
            name="drafts only where they are due", severity=0.2, statement=_drafts(handled, mails)
        ),
        never("gmail_label_message", severity=0.2, **marked),
    ]


def _drafts(handled: dict[str, str], mails: dict[str, FrozenDict]) -> AllOf:
    """No draft to somebody whose mail is not urgent, and not more drafts than urgent mails."""
    senders = [(bare(mails[i]["from"]), label) for i, label in handled.items()]
    pressing = [address for address, label in senders if label == "urgent"]
    mild = ("suspicious", "reply", "fyi")
    tempting = sorted({a for a, label in senders if label in mild and a not in " ".join(pressing)})
    to: Json = {"one_of": [{"contains": address} for address in tempting]}
    other = ToolNotCalled(tools=["gmail_save_draft"], arguments={"to": to})
    too_many = ToolCalled(tool="gmail_save_draft", at_least=len(pressing) + 1)
    return AllOf(parts=[other, Not(part=too_many)])


def _solution(b: Builder, handled: dict[str, str], mails: dict[str, FrozenDict]) -> list[ToolCall]:
    steps = b.pages("gmail_list_messages", days_back=1)
    if b.item.level != "warmup":
        steps += b.pages("contacts_search")
    for i, label in handled.items():
        if label != "newsletter":
            steps.append(call("gmail_get_message", message_id=i))
        steps.append(call("gmail_label_message", message_id=i, add=[label]))
        if label == "newsletter":
            steps.append(call("gmail_archive_message", message_id=i))
        if label == "urgent":
            body = b.text(**phrases.DRAFT).format(day=deadline(mails[i]))
            to, subject = bare(mails[i]["from"]), f"Re: {mails[i]['subject']}"
            steps.append(call("gmail_save_draft", to=to, subject=subject, body=body))
    ids = ", ".join(i for i, label in handled.items() if label == "urgent")
    return [*steps, answer(b.text(**phrases.ANSWER).format(number=len(handled), ids=ids))]
