"""Mail: who gets it, what is found, and what the mailbox holds afterwards."""

import pytest

MAIL = {"subject": "Plan", "body": "See you."}


@pytest.fixture
def people(make_desk):
    """Two people called Ana Roe, and Lee beside Ashlee."""
    contacts = [
        {"name": "Ana Roe", "email": "ana@orga.test"},
        {"name": "Ana Roe", "email": "ana.roe@orga.test"},
        {"name": "Ashlee Kim", "email": "ashlee@orga.test"},
        {"name": "Lee", "email": "Lee@Orga.test"},
    ]
    return make_desk({"contacts.contacts": contacts})


def sent(desk) -> list:
    """The mails that went out, as kept."""
    return [row for row in desk.rows("gmail.messages") if "sent" in row["labels"]]


def ids(answer) -> list[str]:
    return [row["message_id"] for row in answer["messages"]]


# People and addresses -----------------------------------------------------------------------------


def test_case_and_display_name_are_the_same_mailbox(desk) -> None:
    """A-case-display-name"""
    desk.ok("gmail_send_message", to="Bo Lind <BO@Orga.test>", **MAIL)
    assert sent(desk)[-1]["to"] == ["bo@orga.test"]
    desk.ok("gmail_send_message", to="bo@0rga.test", **MAIL)
    assert sent(desk)[-1]["to"] == ["bo@0rga.test"]


def test_a_plus_address_stays_another_address(desk) -> None:
    """A-plus-address"""
    desk.ok("gmail_send_message", to="Bo+HR@orga.test", **MAIL)
    assert sent(desk)[-1]["to"] == ["bo+hr@orga.test"]


def test_an_ambiguous_name_is_refused_with_the_choices(people) -> None:
    """A-ambiguous-name"""
    code, message = people.refused("gmail_send_message", to="lee@orga.test, Ana Roe", **MAIL)
    assert code == "ambiguous_recipient"
    assert "CT-1 <ana@orga.test>, CT-2 <ana.roe@orga.test>" in message
    assert sent(people) == []


def test_a_name_is_the_whole_name(people) -> None:
    """A-substring-name"""
    people.ok("gmail_send_message", to="lee", **MAIL)
    assert sent(people)[-1]["to"] == ["lee@orga.test"]
    assert people.refused("gmail_send_message", to="Ashlee", **MAIL)[0] == "invalid_recipient"


@pytest.mark.parametrize("wrong", ["ct_0042", "CT-3", "Nobody", "bo@orga", "@", "all", "kim"])
@pytest.mark.parametrize("where", ["to", "cc"])
def test_what_is_no_recipient_stops_the_mail_to_everybody(people, where: str, wrong: str) -> None:
    """A-non-address-recipient"""
    recipients = {"to": ["lee@orga.test"], "cc": ["bo@orga.test"]}
    recipients[where] = [*recipients[where], wrong]
    code, message = people.refused("gmail_send_message", **recipients, **MAIL)
    assert code == "invalid_recipient"
    assert repr(wrong) in message
    assert sent(people) == []
    for name in ("gmail_save_draft", "gmail_forward_message"):
        rest = {"message_id": "MSG-1"} if name == "gmail_forward_message" else MAIL
        assert people.refused(name, to=[wrong], **rest)[0] in ("invalid_recipient", "not_found")


def test_a_contact_without_a_usable_address_is_an_error_of_the_call(desk) -> None:
    """A-non-address-recipient"""
    desk.ok("contacts_update", contact_id="CT-1", email="to be given")
    assert desk.refused("gmail_send_message", to="Ana Roe", **MAIL)[0] == "invalid_recipient"
    assert sent(desk) == []


def test_one_person_by_name_and_address_gets_one_copy(desk) -> None:
    desk.ok("gmail_send_message", to=["Bo Lind", "bo@orga.test"], cc="Ana Roe", **MAIL)
    assert (sent(desk)[-1]["to"], sent(desk)[-1]["cc"]) == (["bo@orga.test"], ["ana@orga.test"])


def test_names_are_only_resolved_where_there_is_a_directory(desk) -> None:
    tables = desk.office.world.base.tables
    del tables["contacts.contacts"]
    assert desk.office.call(("gmail_send_message", {"to": "Bo Lind", **MAIL})).error == (
        "invalid_recipient"
    )


# Sending ------------------------------------------------------------------------------------------


def test_a_sent_mail_is_kept_under_sent(desk) -> None:
    answer = desk.ok("gmail_send_message", to="bo@orga.test", cc="ana@orga.test", **MAIL)
    assert answer == {
        "status": "sent",
        "message": {
            "message_id": "MSG-3",
            "to": ["bo@orga.test"],
            "cc": ["ana@orga.test"],
            "subject": "Plan",
            "date": "2026-03-25T09:00:00Z (2026-03-25 10:00 Europe/Berlin)",
        },
    }
    kept = desk.record("gmail.messages", "MSG-3")
    assert (kept["from"], kept["body"], kept["labels"]) == ("kim@orga.test", "See you.", ["sent"])
    assert ids(desk.ok("gmail_list_messages", label="sent")) == ["MSG-3"]
    assert "MSG-3" not in ids(desk.ok("gmail_list_messages"))


def test_a_mail_to_oneself_also_arrives(desk) -> None:
    desk.ok("gmail_send_message", to="bo@orga.test", cc="Kim <KIM@orga.test>", **MAIL)
    assert ids(desk.ok("gmail_list_messages"))[0] == "MSG-3"
    assert ids(desk.ok("gmail_list_messages", label="sent")) == ["MSG-3"]


def test_an_answer_goes_to_the_sender_in_the_same_thread(desk) -> None:
    desk.ok("gmail_reply_message", message_id="MSG-1", body="Yes.")
    answer = sent(desk)[-1]
    assert (answer["to"], answer["cc"]) == (["bo@orga.test"], [])
    assert (answer["subject"], answer["body"]) == ("Re: Plan", "Yes.")
    assert answer["thread_id"] == desk.record("gmail.messages", "MSG-1")["thread_id"]
    desk.ok("gmail_reply_message", message_id="MSG-2", body="Yes.")
    assert sent(desk)[-1]["subject"] == "Re: Lunch"
    assert desk.refused("gmail_reply_message", message_id="MSG-9", body="")[0] == "not_found"


def test_a_forwarded_mail_carries_the_original(desk) -> None:
    desk.ok("gmail_forward_message", message_id="MSG-1", to="ana@orga.test", body="For you.")
    mail = sent(desk)[-1]
    assert (mail["to"], mail["subject"]) == (["ana@orga.test"], "Fwd: Plan")
    assert mail["body"].startswith("For you.\n\n--- Bo Lind <bo@orga.test>, Plan ---\nSee you.")
    desk.ok("gmail_forward_message", message_id="MSG-1", to="ana@orga.test")
    assert sent(desk)[-1]["body"].startswith("---")


def test_a_draft_is_not_sent(desk) -> None:
    answer = desk.ok("gmail_save_draft", to="bo@orga.test", reply_to_message_id="MSG-1", **MAIL)
    assert answer["status"] == "draft_saved"
    draft = desk.record("gmail.messages", answer["draft"]["message_id"])
    assert (draft["labels"], draft["thread_id"]) == (["draft"], "TH-1")
    assert sent(desk) == []
    assert ids(desk.ok("gmail_list_messages", label="draft")) == [draft["message_id"]]
    refusal = desk.refused(
        "gmail_save_draft", to="bo@orga.test", reply_to_message_id="MSG-9", **MAIL
    )
    assert refusal[0] == "not_found"


# Finding ------------------------------------------------------------------------------------------


@pytest.fixture
def inbox(make_desk):
    """Five mails, not in order of their dates."""
    mails = [
        {"subject": "Old", "date": "2026-03-10T09:00:00Z"},
        {"subject": "Noon", "date": "2026-03-24T12:00:00Z", "body": "Invoice 7"},
        {"subject": "Invoice", "date": "2026-03-24T08:00:00Z", "labels": ["archive"]},
        {"subject": "Same moment", "date": "2026-03-24T12:00:00Z", "cc": ["ana@orga.test"]},
        {"subject": "Edge", "date": "2026-03-18T09:00:00Z", "from": "Ana <ana@orga.test>"},
    ]
    return make_desk({"gmail.messages": mails})


def test_mails_are_listed_newest_first(inbox) -> None:
    assert ids(inbox.ok("gmail_list_messages", days_back=30)) == [
        "MSG-2", "MSG-4", "MSG-5", "MSG-1",
    ]  # fmt: skip
    assert ids(inbox.ok("gmail_list_messages", label="all")) == ["MSG-2", "MSG-4", "MSG-3", "MSG-5"]


def test_days_back_counts_from_the_office_clock(inbox) -> None:
    assert ids(inbox.ok("gmail_list_messages")) == ["MSG-2", "MSG-4", "MSG-5"]
    assert ids(inbox.ok("gmail_list_messages", days_back=1)) == ["MSG-2", "MSG-4"]
    assert ids(inbox.ok("gmail_list_messages", days_back=0)) == []
    for wrong in (-1, 10**9):
        code, message = inbox.refused("gmail_list_messages", days_back=wrong)
        assert code == "invalid_argument"
        assert "'days_back'" in message


def test_all_words_must_occur_somewhere(inbox) -> None:
    assert ids(inbox.ok("gmail_search_messages", query="INVOICE")) == ["MSG-2", "MSG-3"]
    assert ids(inbox.ok("gmail_search_messages", query="invoice 7")) == ["MSG-2"]
    assert ids(inbox.ok("gmail_search_messages", query="ana@orga.test")) == ["MSG-4", "MSG-5"]
    assert inbox.ok("gmail_search_messages", query="nothing like it")["total"] == 0


def test_reading_a_mail_does_not_mark_it_as_read(inbox) -> None:
    mail = inbox.ok("gmail_get_message", message_id="MSG-2")
    assert (mail["body"], mail["is_read"]) == ("Invoice 7", False)
    assert inbox.office.world.diff() == []
    code, message = inbox.refused("gmail_get_message", message_id="MSG-9")
    assert (code, message) == ("not_found", "There is no message 'MSG-9'.")


# Labels -------------------------------------------------------------------------------------------


def test_labels_are_added_once_and_removed(desk) -> None:
    answer = desk.ok("gmail_label_message", message_id="MSG-1", add=["later", "later", "inbox"])
    assert answer["labels"] == ["inbox", "later"]
    answer = desk.ok("gmail_label_message", message_id="MSG-1", remove=["inbox", "other"])
    assert answer["labels"] == ["later"] == desk.record("gmail.messages", "MSG-1")["labels"]
    assert desk.refused("gmail_label_message", message_id="MSG-9", add=["x"])[0] == "not_found"


@pytest.mark.parametrize("label", ["later", "Later", "发票"])
def test_a_label_that_was_given_finds_the_mail(desk, label: str) -> None:
    desk.ok("gmail_label_message", message_id="MSG-1", add=[label])
    assert ids(desk.ok("gmail_list_messages", label=label)) == ["MSG-1"]


def test_an_archived_mail_leaves_the_inbox(desk) -> None:
    desk.ok("gmail_label_message", message_id="MSG-1", add=["later"])
    for _ in range(2):
        desk.ok("gmail_archive_message", message_id="MSG-1")
        assert desk.record("gmail.messages", "MSG-1")["labels"] == ["later", "archive"]
    assert ids(desk.ok("gmail_list_messages")) == ["MSG-2"]
    assert desk.refused("gmail_archive_message", message_id="MSG-9")[0] == "not_found"


def test_a_deleted_mail_is_gone(desk) -> None:
    desk.ok("gmail_delete_message", message_id="MSG-1")
    assert desk.record("gmail.messages", "MSG-1") is None
    for name in ("gmail_delete_message", "gmail_get_message"):
        assert desk.refused(name, message_id="MSG-1")[0] == "not_found"
