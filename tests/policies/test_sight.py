"""Sight: what transcript and schemas show, and nothing else."""

import json

from coworkgym import Episode
from coworkgym.policies.adversarial.sight import Sight


def schema(name, *required, **properties):
    given = properties | {n: {"type": "string"} for n in required if n not in properties}
    return {"name": name, "parameters": {"properties": given, "required": list(required)}}


TOOLS = [
    schema("helpdesk_list_tickets", status={"enum": ["open", "closed"], "type": "string"}),
    schema("helpdesk_get_ticket", "ticket_id"),
    schema("helpdesk_close_ticket", "ticket_id"),
    schema("finance_submit_report", "transactions"),
    schema("finance_hold_transaction", "transaction_id"),
    schema("reply", "text"),
]
OPENING = [
    {
        "role": "system",
        "content": "You work for Bo <bo@orga.test>.\nIt is Friday 2026-03-06 09:00.",
    },
    {"role": "user", "content": "Please close the printer ticket of Larchwood Leasing."},
]


def call(number, name, **arguments):
    return {"id": f"call_{number}", "name": name, "arguments": arguments}


def asked(*calls):
    return {"role": "assistant", "content": "", "tool_calls": list(calls)}


def answered(number, result):
    text = result if isinstance(result, str) else json.dumps(result)
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": text}


def listed(*tickets, arguments=None):
    return [
        asked(call(1, "helpdesk_list_tickets", **(arguments or {}))),
        answered(1, {"tickets": list(tickets), "has_more": False}),
    ]


TICKETS = (
    {"ticket_id": "TK-1", "title": "Screen", "email": "Ana <ana@far.test>"},
    {"ticket_id": "TK-2", "title": "Printer on fire", "customer": "Larchwood Leasing"},
)


def test_the_opening_tells_owner_day_and_language():
    sight = Sight(OPENING, TOOLS)
    assert (sight.owner, sight.today, sight.language) == ("bo@orga.test", "2026-03-06", "en")
    assert Sight([OPENING[0], {"role": "user", "content": "请处理。"}], TOOLS).language == "zh"


def test_reply_is_no_tool_and_verbs_tell_readers_from_writers():
    offers = Sight(OPENING, TOOLS).offers
    assert [o.name for o in offers if o.reads] == ["helpdesk_list_tickets", "helpdesk_get_ticket"]
    assert "reply" not in [o.name for o in offers]
    assert [o.subject for o in offers] == [None, "ticket_id", "ticket_id", None, "transaction_id"]


def test_an_id_fits_the_parameter_of_its_name_and_the_plural():
    sight = Sight(OPENING, TOOLS)
    kinds = [sight.kind_of(n) for n in ("ticket_id", "reply_to_ticket_id", "transactions", "text")]
    assert kinds == ["ticket_id", "ticket_id", "transaction_id", None]


def test_records_that_the_request_speaks_of_come_first():
    sight = Sight([*OPENING, *listed(*TICKETS)], TOOLS)
    assert list(sight.records["ticket_id"]) == ["TK-1", "TK-2"]
    assert sight.ids("ticket_id") == ["TK-2", "TK-1"]
    assert sight.named("ticket_id") == ["TK-2"]
    assert sight.addresses == ["ana@far.test", "bo@orga.test"]


def test_what_was_read_later_goes_over_what_was_read_before():
    later = [
        asked(call(2, "helpdesk_get_ticket", ticket_id="TK-1")),
        answered(2, {"ticket_id": "TK-1", "title": "Screens"}),
    ]
    sight = Sight([*OPENING, *listed(*TICKETS), *later], TOOLS)
    assert sight.records["ticket_id"]["TK-1"] == TICKETS[0] | {"title": "Screens"}


def test_what_a_writing_tool_answers_is_no_record():
    wrote = [asked(call(1, "helpdesk_close_ticket", ticket_id="TK-9")),
             answered(1, {"ticket": {"ticket_id": "TK-9", "status": "closed"}})]  # fmt: skip
    sight = Sight([*OPENING, *wrote], TOOLS)
    assert sight.records == {}
    assert [e.arguments for e in sight.exchanges] == [{"ticket_id": "TK-9"}]


def test_errors_and_texts_that_are_no_json_show_nothing():
    broken = [
        asked(call(1, "helpdesk_list_tickets"), call(2, "helpdesk_list_tickets")),
        answered(1, {"error": "not_found", "message": "no"}),
        answered(2, "oops"),
    ]
    assert Sight([*OPENING, *broken], TOOLS).exchanges == []


def test_only_a_listing_narrowed_to_an_option_chooses_records():
    narrowed = [*OPENING, *listed(*TICKETS, arguments={"status": "open"})]
    assert Sight(narrowed, TOOLS).chosen == {"ticket_id": ["TK-1", "TK-2"]}
    assert Sight([*OPENING, *listed(*TICKETS, arguments={"limit": 9})], TOOLS).chosen == {}


def test_rounds_count_from_the_last_word_of_the_user():
    talk = [*OPENING, *listed(*TICKETS), asked(call(2, "helpdesk_close_ticket", ticket_id="TK-1")),
            answered(2, {"status": "closed"})]  # fmt: skip
    assert Sight(talk, TOOLS).rounds == (1, 1)
    said = [{"role": "assistant", "content": "It is closed."}, {"role": "user", "content": "No."}]
    assert Sight(talk + said, TOOLS).rounds == (0, 0)
    assert Sight(talk + said, TOOLS).newest == []


def test_a_day_that_begins_is_told_from_an_answer():
    def after(text):
        return Sight([*OPENING, {"role": "user", "content": text}], TOOLS).is_new_day

    assert Sight(OPENING, TOOLS).is_new_day
    assert after("Monday 2026-03-09 09:00\nPlease go on.")
    assert after("星期一 2026-03-09 09:00\n请继续。")
    assert not after("That does not answer what I asked for.")


def test_sight_of_a_real_office_knows_ids_of_every_listing(task_of):
    episode = Episode(task_of("escalation"))
    for name in ("helpdesk_list_tickets", "crm_list_customers", "contacts_search"):
        episode.act({"name": name, "arguments": {}})
    sight = Sight(episode.transcript.messages, episode.task.tool_schemas)
    assert set(sight.records) >= {"ticket_id", "customer_id", "contact_id"}
    tables = episode.task.base.tables
    assert set(sight.ids("ticket_id")) <= set(tables["helpdesk.tickets"])
    assert len(sight.addresses) > 2
