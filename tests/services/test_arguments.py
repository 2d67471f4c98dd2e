"""Arguments of tool calls: converted without loss or refused precisely; never a crash."""

import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from coworkgym.envs.actions import read_call
from coworkgym.errors import ToolError
from coworkgym.services import Office, Tool, services
from coworkgym.services.arguments import Amount, Day, Recipients

TOOLS = {tool.name: tool for service in services() for tool in service.tools.values()}
SEND = {"to": "bo@orga.test", "subject": "Plan", "body": "See you."}


@Tool
def probe(
    office: Office,
    text: str = "",
    count: int = 0,
    ratio: float = 0.0,
    flag: bool = False,
    names: list[str] | None = None,
    counts: list[int] | None = None,
    amount: Amount | None = None,
    day: Day | None = None,
    to: Recipients | None = None,
) -> object:
    """Takes one argument of every type."""
    return {"ran": True}


@pytest.fixture
def bench(make_desk):
    """A desk with the tool `probe`."""
    return make_desk(tools=[probe])


def received(bench, **arguments: object) -> object:
    """What the tool was given for the only argument."""
    bench.ok("probe", **arguments)
    (name,) = arguments
    return probe.validate(arguments)[name]


# Conversion ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sent", "value"),
    [
        ("count", "20", 20),
        ("count", 20.0, 20),
        ("count", "-3", -3),
        ("ratio", "0.5", 0.5),
        ("ratio", 2, 2.0),
        ("flag", "false", False),
        ("flag", "True", True),
        ("counts", ["1", 2.0], [1, 2]),
        ("counts", "[1, 2]", [1, 2]),
        ("names", '["a"]', ["a"]),
    ],
)
def test_what_loses_nothing_is_converted(bench, name: str, sent: object, value: object) -> None:
    """A-number-string"""
    got = received(bench, **{name: sent})
    assert got == value
    assert type(got) is type(value)


def test_the_tool_gets_the_number_and_the_log_keeps_the_text(desk) -> None:
    """A-number-string"""
    assert desk.ok("helpdesk_list_tickets", limit="1")["returned"] == 1
    event = desk.office.log[-1]
    assert event.arguments["limit"] == 1
    assert event.raw == {"limit": "1"}


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("count", "abc"),
        ("count", ""),
        ("count", 2.5),
        ("count", "2.5"),
        ("count", True),
        ("count", "true"),
        ("count", [1]),
        ("ratio", True),
        ("ratio", "many"),
        ("ratio", float("nan")),
        ("ratio", float("inf")),
        ("flag", 1),
        ("flag", 0.0),
        ("flag", "yes"),
        ("flag", "1"),
        ("counts", [True]),
        ("counts", [1.5]),
        ("amount", True),
        ("amount", "1,250.00"),
        ("amount", "NaN"),
        ("amount", "Infinity"),
        ("amount", {}),
        ("day", "25.03.2026"),
        ("day", "2026-3-5"),
        ("day", "2026-02-30"),
        ("day", "today"),
        ("day", 20260325),
        ("to", ""),
        ("to", []),
        ("to", [1]),
        ("to", 5),
    ],
)
def test_what_would_lose_something_is_refused_by_name(bench, name: str, sent: object) -> None:
    """A-number-string: true is not 1, and 1 is not true."""
    code, message = bench.refused("probe", **{name: sent})
    assert code == "invalid_argument"
    assert f"'{name}" in message


def test_a_number_is_never_the_text_of_another_record(make_desk) -> None:
    """A-number-for-string"""
    desk = make_desk({"contacts.contacts": [{"contact_id": "00123"}, {"contact_id": "123"}]})
    code, message = desk.refused("contacts_get", contact_id=123)
    assert code == "invalid_argument"
    assert "'contact_id' must be text, got 123" in message
    assert desk.ok("contacts_get", contact_id="00123")["contact_id"] == "00123"
    assert desk.refused("contacts_get", contact_id=1.0)[0] == "invalid_argument"


# No arguments -------------------------------------------------------------------------------------


@pytest.mark.parametrize("sent", [None, "", " \n", "{}", {}, "null", '""', {"limit": None}])
def test_no_arguments_in_any_form_are_the_same(desk, sent: object) -> None:
    """A-empty-args"""
    assert desk.call("helpdesk_list_tickets", sent) == desk.call("helpdesk_list_tickets", {})
    result = desk.call("gmail_send_message", sent if sent != {"limit": None} else {"to": None})
    assert result.error == "missing_argument"
    message = json.loads(result.content)["message"]
    assert "'to', 'subject', 'body'" in message


@pytest.mark.parametrize("sent", ["[]", [], "12", 12, True, '"text"', "[[]]", 0, False])
def test_arguments_must_be_an_object(desk, sent: object) -> None:
    """A-empty-args"""
    result = desk.call("helpdesk_list_tickets", sent)
    assert result.error == "invalid_argument"
    assert "must be an object" in result.content


# Cut-off and broken JSON --------------------------------------------------------------------------

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)


def json_over(texts: st.SearchStrategy) -> st.SearchStrategy:
    """JSON values whose texts are drawn from `texts`."""
    return st.recursive(
        scalars | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    )


objects = st.dictionaries(st.text(), json_over(st.text()), min_size=1, max_size=3)
cuts = st.integers(min_value=0, max_value=10**6)


def test_a_mail_cut_at_half_is_not_sent(desk) -> None:
    """A-truncated-args"""
    text = json.dumps(SEND)
    result = desk.call("gmail_send_message", text[: len(text) // 2])
    assert result.error == "incomplete_json"
    assert "end too early" in result.content
    assert desk.office.step == 1
    assert desk.office.log[-1].raw == text[: len(text) // 2]
    assert desk.ok("gmail_send_message", **SEND)["status"] == "sent"


@given(objects, cuts, st.booleans())
@settings(max_examples=60)
def test_the_beginning_of_valid_json_never_runs(
    make_desk, drawn: dict, cut: int, plain: bool
) -> None:
    """A-truncated-args"""
    text = json.dumps(SEND | drawn, ensure_ascii=plain)
    desk = make_desk({})
    assert desk.call("gmail_send_message", text[: 1 + cut % (len(text) - 1)]).error in (
        "incomplete_json",
        "invalid_json",
    )


CUT = ['{"a": tru', '{"a": n', '{"a": -', '{"a": 1.', '{"a": 1e', '{"a": "\\', '{"a": "\\u12']


@pytest.mark.parametrize("text", ["{", '{"a', '{"a"', '{"a":', '{"a": [1', '{"a": {"b": 1}', *CUT])
def test_any_cut_is_called_a_cut(desk, text: str) -> None:
    """A-truncated-args, A-misleading-error"""
    assert desk.call("helpdesk_list_tickets", text).error == "incomplete_json"


@pytest.mark.parametrize("text", ["{'a': 1}", '{"a": 1,}', '{"a" 1}', "a=1", '{"a": True}', "{}}"])
def test_what_is_wrong_inside_is_not_called_a_cut(desk, text: str) -> None:
    """A-misleading-error"""
    assert desk.call("helpdesk_list_tickets", text).error == "invalid_json"


def test_four_bad_calls_have_four_codes_and_texts(desk) -> None:
    """A-misleading-error"""
    bad = [
        ("gmail_send_mesage", json.dumps(SEND)),
        ("gmail_send_message", '{"to": "bo@orga.test"}'),
        ("gmail_send_message", "{'to': 'bo@orga.test'}"),
        ("gmail_send_message", json.dumps(SEND)[:-9]),
    ]
    results = [desk.call(*call) for call in bad]
    codes = [result.error for result in results]
    assert codes == ["unknown_tool", "missing_argument", "invalid_json", "incomplete_json"]
    messages = [json.loads(result.content)["message"] for result in results]
    assert "Did you mean 'gmail_send_message'?" in messages[0]
    assert "gmail_send_message needs 'subject', 'body'." in messages[1]
    assert "not JSON: Expecting property name" in messages[2]
    assert "end too early" in messages[3]


@given(objects.filter(lambda drawn: drawn), st.sampled_from(sorted(TOOLS)))
@settings(max_examples=60)
def test_a_mapping_and_its_json_text_are_the_same_call(make_desk, drawn: dict, name: str) -> None:
    desk = make_desk()
    drawn = dict(zip(TOOLS[name].parameters, drawn.values(), strict=False))
    twin = desk.office.fork()
    assert desk.call(name, drawn) == twin.call((name, json.dumps(drawn)))
    assert desk.office.world.digest() == twin.world.digest()


# Text ---------------------------------------------------------------------------------------------


def test_a_surrogate_pair_is_one_character(desk) -> None:
    """A-surrogates"""
    text = '{"to": "bo@orga.test", "subject": "\\ud83d\\ude80 plan", "body": ""}'
    assert desk.call("gmail_send_message", text).error is None
    assert desk.rows("gmail.messages")[-1]["subject"] == "🚀 plan"


HALF = "\ud800"


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": HALF},
        {"count": HALF},
        {"ratio": HALF},
        {"flag": HALF},
        {"names": [HALF]},
        {"names": f'["{HALF}'},
        {"counts": [HALF]},
        {"amount": HALF},
        {"day": HALF},
        {"to": [1, HALF]},
        {HALF: 1},
        {"text": {HALF: HALF}},
        {"text": "a", HALF: None},
    ],
    ids=ascii,
)
def test_half_a_surrogate_pair_is_replaced_or_refused(bench, arguments: dict) -> None:
    """A-surrogates"""
    escaped, unescaped = (json.dumps(arguments, ensure_ascii=plain) for plain in (True, False))
    for sent in (arguments, escaped, unescaped):
        result = bench.call("probe", sent)
        assert result.error in (None, "invalid_argument", "unknown_argument")
        result.content.encode()
        json.dumps(bench.office.log[-1].arguments, ensure_ascii=False).encode()


def test_a_broken_escape_is_an_error_not_an_empty_search(desk) -> None:
    """A-nul-fragment"""
    for name in ("query", "department"):
        code, message = desk.refused("contacts_search", **{name: "Ume\x00e5"})
        assert code == "invalid_argument"
        assert "control character" in message
    assert desk.call("contacts_search", '{"query": "Ume\\u0000e5"}').error == "invalid_argument"


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x7f", "\x08"])
def test_control_characters_are_refused_in_every_text(bench, character: str) -> None:
    """A-nul-fragment"""
    value = f"bo{character}@orga.test"
    for arguments in ({"text": value}, {"names": ["a", value]}, {"day": value}):
        assert bench.refused("probe", **arguments)[0] == "invalid_argument"
    for to in (value, [value], f"Bo{character} <bo@orga.test>, ana@orga.test"):
        code, _ = bench.refused("gmail_send_message", to=to, subject="", body="")
        assert code in ("invalid_recipient", "invalid_argument")


def test_a_table_with_line_breaks_is_kept_byte_for_byte(desk) -> None:
    """A-list-as-string"""
    text = "| a | b |\n|---|---|\n\t| 1 | 李 🚀 |\r\n\u2028end\xa0"
    desk.ok("reply", text=text)
    assert desk.office.log[-1].arguments["text"] == text
    desk.ok("gmail_send_message", to="bo@orga.test", subject="t", body=text)
    assert desk.rows("gmail.messages")[-1]["body"] == text


# Wrong shapes and names ---------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [{"email": "bo@orga.test"}, [{"email": "bo@orga.test"}], [["x"]]])
def test_a_mapping_is_no_recipient(desk, shape: object) -> None:
    """A-dict-for-scalar"""
    code, message = desk.refused("gmail_send_message", to=shape, subject="", body="")
    assert code == "invalid_argument"
    assert f"got {json.dumps(shape)}" in message


@pytest.mark.parametrize("shape", [{"id": "TK-1"}, ["TK-1"], 1, True, []])
def test_another_shape_is_no_text(desk, shape: object) -> None:
    """A-dict-for-scalar"""
    code, message = desk.refused("helpdesk_get_ticket", ticket_id=shape)
    assert code == "invalid_argument"
    assert f"'ticket_id' must be text, got {json.dumps(shape)}." in message


def test_a_list_as_text_is_read_with_its_line_breaks(desk) -> None:
    """A-list-as-string"""
    desk.ok("helpdesk_update_ticket", ticket_id="TK-1", tags='["a",\n"b\nc"]')
    assert desk.record("helpdesk.tickets", "TK-1")["tags"] == ["a", "b\nc"]


@pytest.mark.parametrize("text", ["a, b", '["a"', "[a]", '{"a": 1}', "[1]", "[" * 100_000])
def test_text_that_is_no_list_is_refused_by_name(desk, text: str) -> None:
    """A-list-as-string"""
    code, message = desk.refused("helpdesk_update_ticket", ticket_id="TK-1", tags=text)
    assert code == "invalid_argument"
    assert "'tags" in message
    assert len(message) < 300


def test_an_unknown_argument_gets_the_nearest_and_the_allowed_ones(desk) -> None:
    """A-misleading-error"""
    code, message = desk.refused("helpdesk_get_ticket", ticket_id="TK-1", tiket_id="TK-1")
    assert code == "unknown_argument"
    assert "no argument 'tiket_id'. Did you mean 'ticket_id'? It takes 'ticket_id'." in message
    assert desk.refused("helpdesk_list_tickets", state=None)[0] == "unknown_argument"


def test_a_missing_argument_is_named_before_any_other_fault(desk) -> None:
    """A-misleading-error"""
    code, message = desk.refused("helpdesk_close_ticket", ticket_id=5)
    assert (code, message) == ("missing_argument", "helpdesk_close_ticket needs 'resolution'.")


def test_a_misspelt_choice_gets_the_nearest_and_the_allowed_ones(desk) -> None:
    """A-misleading-error"""
    code, message = desk.refused("helpdesk_list_tickets", status="pendng")
    assert code == "invalid_argument"
    assert "'status' must be one of 'open', 'pending', 'escalated', 'closed', 'all'" in message
    assert "Did you mean 'pending'?" in message


def test_a_long_value_is_shortened_in_the_message(desk) -> None:
    _, message = desk.refused("helpdesk_list_tickets", limit="9" * 2000 + "x")
    assert len(message) < 200


@pytest.mark.parametrize(
    "to",
    [
        ["bo@orga.test", "ana@orga.test"],
        "bo@orga.test, ana@orga.test",
        "ana@orga.test;bo@orga.test",
        '["bo@orga.test", "ana@orga.test"]',
        'Bo Lind <BO@Orga.test>, "Roe, Ana" <ana@orga.test>, bo@orga.test',
        ["Bo Lind", "Ana Roe"],
        ["Bo Lind", "bo@orga.test", "Ana Roe <ANA@orga.test>"],
    ],
)
def test_recipients_in_all_shapes_are_one_set(desk, to: object) -> None:
    desk.ok("gmail_send_message", to=to, cc=to, subject="", body="")
    sent = desk.rows("gmail.messages")[-1]
    assert sorted(sent["to"]) == sorted(sent["cc"]) == ["ana@orga.test", "bo@orga.test"]


# Everything an agent can send is answered ---------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param('{"limit": ' + "9" * 5000 + "}", id="text with five thousand digits"),
        pytest.param({"limit": -(10**5000)}, id="five thousand digits for a number"),
        pytest.param({"status": 10**5000}, id="five thousand digits for a choice"),
        pytest.param({"customer_id": 10**5000}, id="five thousand digits for text"),
        pytest.param({"customer_id": "9" * 100_000}, id="long text"),
        pytest.param('{"limit": 1e999}', id="infinity"),
        pytest.param('{"limit": NaN}', id="nan"),
        pytest.param("[" * 100_000, id="deep text"),
        pytest.param('{"limit": ' + "[" * 100_000 + "]" * 100_000 + "}", id="deep value as text"),
        pytest.param({"limit": json.loads("[" * 400 + "]" * 400)}, id="deep value"),
        pytest.param({"cursor": "[" * 100_000}, id="deep cursor"),
        pytest.param({1: 2}, id="key that is no text"),
        pytest.param("\ufeff{}", id="byte order mark"),
        pytest.param(json.loads("[" * 400 + "]" * 400), id="deep list for the object"),
    ],
)
def test_hostile_arguments_are_answered(desk, arguments: object) -> None:
    for sent in (arguments, read_call({"name": "x", "arguments": arguments}).arguments):
        result = desk.call("helpdesk_list_tickets", sent)
        assert json.loads(result.content)
        assert desk.office.log[-1].result == result.content
    desk.ok("helpdesk_list_tickets")


@pytest.mark.parametrize("name", ["", None, 5, ["x"], {"a": 1}, "\ud800", "x" * 10_000, "reply "])
def test_any_name_is_answered(desk, name: object) -> None:
    result = desk.call(name, {})
    assert result.error in ("malformed_call", "unknown_tool")
    assert len(result.content) < 300


words = ["TK-1", "TK-2", "MSG-1", "CT-1", "CUS-1", "TXN-1", "TXN-3", "PAY-1", "bo@orga.test"]
words += ["Ana Roe", "2026-03-25", "2026-13-01", "open", "low", "held", "1.00", "a\nb", "\xa0", ""]
plain_text = st.sampled_from(words) | st.text(string.printable) | st.text()
json_values = json_over(plain_text)


@st.composite
def any_call(draw: st.DrawFn) -> tuple[str, dict]:
    """A tool, and any JSON for some of its arguments and now and then for another."""
    name = draw(st.sampled_from(sorted(TOOLS)))
    fields = st.sampled_from(sorted(TOOLS[name].parameters)) | st.sampled_from(["id", "to"])
    return name, draw(st.dictionaries(fields, st.sampled_from(words) | json_values, max_size=5))


@given(st.lists(any_call(), max_size=12))
@settings(max_examples=60)
def test_any_json_for_any_tool_is_answered_and_logged(make_desk, calls: list) -> None:
    desk = make_desk()
    for step, (name, arguments) in enumerate(calls, start=1):
        result = desk.call(name, arguments)  # also holds a refused call to changing nothing
        assert isinstance(json.loads(result.content), dict)
        event = desk.office.log[-1]
        assert (event.step, event.name, event.error) == (step, name, result.error)
        assert not (event.changes and result.error)
    assert len(desk.office.log) == len(calls)


@st.composite
def text_call(draw: st.DrawFn) -> tuple[str, dict]:
    """A tool, and text for its arguments."""
    name = draw(st.sampled_from(sorted(TOOLS)))
    required = {
        n: draw(plain_text) for n, p in TOOLS[name].parameters.items() if p.default is p.empty
    }
    others = st.dictionaries(
        st.sampled_from([*TOOLS[name].parameters, "id"]), plain_text, max_size=3
    )
    return name, required | draw(others)


def by_model(tool: Tool, arguments: dict) -> dict | None:
    """The converted arguments by the pydantic model, None where it refuses."""
    try:
        return tool._model.model_validate(arguments).__dict__
    except ValidationError:
        return None


def by_tool(tool: Tool, arguments: dict) -> dict | None:
    """The converted arguments by the tool, which spares itself the model where it can."""
    try:
        return dict(tool.validate(arguments))
    except ToolError:
        return None


@given(text_call())
@settings(max_examples=60)
def test_the_short_way_for_texts_agrees_with_the_model(call: tuple[str, dict]) -> None:
    tool, arguments = TOOLS[call[0]], call[1]
    assert by_tool(tool, arguments) == by_model(tool, arguments)


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_the_short_way_agrees_for_each_argument(name: str) -> None:
    parameters = TOOLS[name].parameters
    required = {n: "x@y.test" for n, p in parameters.items() if p.default is p.empty}
    for argument in parameters:
        for value in ("2026-13-01", "yesterday", "a\x00", "a\nb", ""):
            arguments = required | {argument: value}
            assert by_model(TOOLS[name], arguments) == by_tool(TOOLS[name], arguments), arguments
