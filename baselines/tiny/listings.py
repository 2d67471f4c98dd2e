"""What drills list, ask about, and do: tables of the offices' tools and the words for them."""

from typing import Any, NamedTuple


class Action(NamedTuple):
    """Something to do with one record.

    Attributes:
        tool: The tool's name.
        asked: How a person asks for it; `{id}` is the record, `{value}` what is drawn.
        arguments: Arguments of the call, with the same places.
        values: What `{value}` is drawn from.
    """

    tool: str
    asked: str
    arguments: dict[str, Any]
    values: tuple[str, ...] = ("",)


class Listing(NamedTuple):
    """A list of records that a drill is about.

    Attributes:
        noun: What one record is called.
        table: Where the records are.
        packages: Whose worlds have such records.
        tool: Lists them.
        calls: Ways to list them: how a person asks, and the arguments.
        key: Of the list in the result.
        id: The field that names a record.
        get: The tool that reads one in full.
        fields: What the list shows and a question may be about, and what it is called.
        more: The same for what only the full record shows.
        actions: What may be done with one.
    """

    noun: str
    table: str
    packages: tuple[str, ...]
    tool: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    key: str
    id: str
    get: str
    fields: dict[str, str]
    more: dict[str, str]
    actions: tuple[Action, ...]


_WORDS = (
    "late delivery", "wrong total", "asked twice", "a second look", "new address", "no answer yet",
    "moved to Monday", "sent in error", "agreed by phone", "waits for parts", "paper copy lost",
    "checked by hand", "open question", "see the notes", "half the price", "not yet signed",
)  # fmt: skip

_TICKETS = Listing(
    noun="ticket", table="helpdesk.tickets", packages=("escalation", "data_request"),
    tool="helpdesk_list_tickets",
    calls=(("open tickets", {"status": "open"}),
           ("open tickets, up to 100", {"status": "open", "limit": 100})),
    key="tickets", id="ticket_id", get="helpdesk_get_ticket",
    fields={"title": "title", "reporter": "reporter", "customer_id": "customer",
            "priority": "priority", "created_at": "creation"},
    more={"category": "category", "description": "description"},
    actions=(
        Action("helpdesk_close_ticket", "Close {id}: {value}.",
               {"ticket_id": "{id}", "resolution": "{value}"}, _WORDS),
        Action("helpdesk_escalate_ticket", "Escalate {id}: {value}.",
               {"ticket_id": "{id}", "reason": "{value}"}, _WORDS),
        Action("helpdesk_comment_ticket", "Comment on {id}: {value}.",
               {"ticket_id": "{id}", "text": "{value}"}, _WORDS),
        Action("helpdesk_update_ticket", "Set the priority of {id} to {value}.",
               {"ticket_id": "{id}", "priority": "{value}"}, ("low", "medium", "high", "critical")),
    ),
)  # fmt: skip
_CUSTOMERS = Listing(
    noun="customer", table="crm.customers", packages=("escalation", "data_request"),
    tool="crm_list_customers", calls=(("customers", {}), ("customers, up to 100", {"limit": 100})),
    key="customers", id="customer_id", get="crm_get_customer",
    fields={"name": "name", "contact_person": "contact person", "tier": "tier",
            "industry": "industry", "annual_revenue": "annual revenue"},
    more={"email": "email", "phone": "phone", "account_manager": "account manager",
          "customer_since": "start"},
    actions=(
        Action("crm_add_note", "Note on {id}: {value}.",
               {"customer_id": "{id}", "text": "{value}"}, _WORDS),
        Action("crm_update_customer", "Set the tier of {id} to {value}.",
               {"customer_id": "{id}", "tier": "{value}"}, ("enterprise", "business", "standard")),
    ),
)  # fmt: skip
_CONTACTS = Listing(
    noun="person", table="contacts.contacts",
    packages=("escalation", "data_request", "inbox_triage", "meeting_scheduling", "payment_change"),
    tool="contacts_search", calls=(("people in the directory", {}),),
    key="contacts", id="contact_id", get="contacts_get",
    fields={"name": "name", "department": "department", "title": "title", "email": "email"},
    more={"phone": "phone", "location": "location"},
    actions=(
        Action("contacts_send_message", "Tell {id}: {value}.",
               {"contact_id": "{id}", "message": "{value}"}, _WORDS),
        Action("contacts_update", "Set the notes of {id} to: {value}.",
               {"contact_id": "{id}", "notes": "{value}"}, _WORDS),
    ),
)  # fmt: skip
_MAILS = Listing(
    noun="mail", table="gmail.messages",
    packages=("inbox_triage", "data_request", "payment_change"), tool="gmail_list_messages",
    calls=(("mails of 90 days", {"days_back": 90}),
           ("mails of 90 days, up to 100", {"days_back": 90, "max_results": 100}),
           ("mails of 30 days", {"days_back": 30}), ("mails of 1 day", {"days_back": 1})),
    key="messages", id="message_id", get="gmail_get_message",
    fields={"from": "sender", "subject": "subject", "date": "date"},
    more={"body": "text"},
    actions=(
        Action("gmail_label_message", "Label {id} as {value}.",
               {"message_id": "{id}", "add": ["{value}"]},
               ("later", "private", "travel", "contract", "press", "paid", "question", "printed",
                "reply", "urgent", "newsletter")),
        Action("gmail_archive_message", "Archive {id}.", {"message_id": "{id}"}),
        Action("gmail_reply_message", "Answer {id}: {value}.",
               {"message_id": "{id}", "body": "{value}"}, _WORDS),
    ),
)  # fmt: skip
_PAYEES = Listing(
    noun="payee", table="finance.payees",
    packages=("payment_change", "expense_audit", "month_close"), tool="finance_list_payees",
    calls=(("payees", {}), ("payees, up to 100", {"limit": 100})),
    key="payees", id="payee_id", get="finance_get_payee",
    fields={"name": "name", "email": "email", "account": "account"},
    more={"bank": "bank", "phone": "phone", "verified_on": "verification"},
    actions=(
        Action("finance_update_payee", "Set the notes of {id} to: {value}.",
               {"payee_id": "{id}", "notes": "{value}"}, _WORDS),
    ),
)  # fmt: skip
_PAYMENTS = Listing(
    noun="payment", table="finance.transactions",
    packages=("expense_audit", "month_close", "payment_change"), tool="finance_list_transactions",
    calls=(("pending payments", {"status": "pending"}),
           ("pending payments, up to 100", {"status": "pending", "limit": 100}),
           ("payments", {}), ("payments, up to 100", {"limit": 100})),
    key="transactions", id="transaction_id", get="finance_get_transaction",
    fields={"date": "date", "amount": "amount", "description": "description",
            "payee_id": "payee"},
    more={"category": "category", "status": "status"},
    actions=(
        Action("finance_hold_transaction", "Put {id} on hold: {value}.",
               {"transaction_id": "{id}", "reason": "{value}"}, _WORDS),
        Action("finance_approve_transaction", "Approve {id}.", {"transaction_id": "{id}"}),
    ),
)  # fmt: skip
_ARTICLES = Listing(
    noun="article", table="kb.articles", packages=("expense_audit",), tool="kb_search",
    calls=(("articles on expenses", {"query": "expenses"}),
           ("articles on policy", {"query": "policy"})),
    key="articles", id="article_id", get="kb_get_article",
    fields={"title": "title", "last_updated": "last update"}, more={"content": "text"}, actions=(),
)  # fmt: skip

LISTINGS = (_TICKETS, _CUSTOMERS, _CONTACTS, _MAILS, _PAYEES, _PAYMENTS, _ARTICLES)
PACKAGES = tuple(dict.fromkeys(name for listing in LISTINGS for name in listing.packages))
"""The packages whose worlds drills are played in."""
