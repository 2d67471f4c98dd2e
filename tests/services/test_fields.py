"""Fields: values by name are taken in every lossless form, kept exactly, and refused precisely."""

import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coworkgym.envs import sample_call
from coworkgym.errors import ToolError
from coworkgym.services import Office, Tool, tool
from coworkgym.services.arguments import Value, Values
from coworkgym.services.fields import Fields, decimal_text

FIELDS = Fields(
    "column", {"Item": "text", "Pieces": "number", "Cost": "money", "Day": "date"}, "EUR"
)


@Tool
def probe(office: Office, values: Values | None = None, value: Value = "") -> object:
    """Takes values by name, and one value."""
    return {"ran": True}


@pytest.fixture
def bench(make_desk):
    """A desk with the tool `probe`."""
    return make_desk(tools=[probe])


# Arguments ----------------------------------------------------------------------------------------


def test_the_schemas_are_an_object_and_a_text() -> None:
    properties = probe.schema["parameters"]["properties"]
    assert properties == {"values": {"type": "object"}, "value": {"type": "string", "default": ""}}


@pytest.mark.parametrize("values", [{}, {"Item": "Ink"}, {"Pieces": 2, "Cost": 1.5, "Day": None}])
def test_an_object_and_its_json_text_are_the_same(values: dict) -> None:
    assert probe.validate({"values": values})["values"] == values
    assert probe.validate({"values": json.dumps(values)})["values"] == values


@pytest.mark.parametrize(
    ("sent", "part"),
    [
        ("Item=Ink", "must be an object"),
        ("", "must be an object"),
        ('{"Item": "Ink"', "text that is no JSON"),
        ([["Item", "Ink"]], "must be an object"),
        (5, "must be an object"),
        ({"Item": ["Ink"]}, 'must be text or a number, got ["Ink"] under "Item"'),
        ({"Item": {"a": "b"}}, "must be text or a number"),
        ({"Item": True}, "must be text or a number, got true"),
        ({"Item": "a\x00"}, "control character"),
        ({"a\x00": "Ink"}, "control character"),
        ("{" * 100_000, "text that is no JSON"),
    ],
)
def test_what_is_no_object_of_values_is_refused_by_name(bench, sent: object, part: str) -> None:
    code, message = bench.refused("probe", values=sent)
    assert code == "invalid_argument"
    assert "'values'" in message
    assert part in message
    assert len(message) < 300


@pytest.mark.parametrize("sent", [True, ["a"], {"a": "b"}, "a\x00"])
def test_one_value_is_text_or_a_number(bench, sent: object) -> None:
    assert bench.refused("probe", value=sent)[0] == "invalid_argument"
    assert probe.validate({"value": 1.5})["value"] == 1.5
    assert probe.validate({"value": "1.50"})["value"] == "1.50"


def test_a_drawn_call_reaches_a_tool_that_takes_an_object() -> None:
    rng = np.random.default_rng(1)
    for name in ("sheets_append_row", "sheets_read_rows", "forms_submit"):
        for _ in range(20):
            tool(name).validate(sample_call(rng, [tool(name).schema])["arguments"])


# Values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given_", "stored"),
    [
        ("Item", " Ink ", " Ink "),
        ("Item", "007", "007"),
        ("Pieces", 2, "2"),
        ("Pieces", 2.0, "2"),
        ("Pieces", "2.50", "2.5"),
        ("Pieces", "-0", "0"),
        ("Pieces", 0.1, "0.1"),
        ("Pieces", 1e-7, "0.0000001"),
        ("Pieces", "100", "100"),
        ("Cost", "1250.00", 125_000),
        ("Cost", 19.99, 1999),
        ("Cost", "1250.00 EUR", 125_000),
        ("Day", "2026-02-28", "2026-02-28"),
        ("Item", "", None),
        ("Pieces", " ", None),
        ("Cost", None, None),
    ],
)
def test_a_value_is_kept_by_its_type(name: str, given_: object, stored: object) -> None:
    got = FIELDS.store(name, given_)
    assert got == stored
    assert type(got) is type(stored)


@pytest.mark.parametrize(
    ("name", "given_"),
    [
        ("Item", 7),
        ("Pieces", "many"),
        ("Pieces", "1,5"),
        ("Pieces", "1e3"),
        ("Pieces", 0.1 + 0.2),
        ("Pieces", 1e300),
        ("Pieces", float("nan")),
        ("Pieces", float("inf")),
        ("Pieces", "9" * 16),
        ("Pieces", "٣"),
        ("Cost", "1.005"),
        ("Cost", "1,250.00"),
        ("Cost", "5 USD"),
        ("Cost", float("inf")),
        ("Day", "25.03.2026"),
        ("Day", "2026-02-30"),
        ("Day", 20260325),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_field(name: str, given_: object) -> None:
    with pytest.raises(ToolError, match=f"^Column '{name}': ") as error:
        FIELDS.store(name, given_)
    assert error.value.code == "invalid_value"
    assert str(given_)[:20] in error.value.message


def test_names_are_found_in_any_case_and_otherwise_refused_with_the_nearest() -> None:
    assert FIELDS.store_all({"ITEM": "Ink", " cost ": 1}) == {"Item": "Ink", "Cost": 100}
    with pytest.raises(ToolError, match=r"no column 'Peices'\. Did you mean 'Pieces'"):
        FIELDS.store_all({"Peices": 1})
    with pytest.raises(ToolError, match="'Item' is given twice"):
        FIELDS.store_all({"Item": "a", "item": "b"})


@given(st.decimals(-(10**14), 10**14, allow_nan=False, places=9))
def test_a_number_is_exact_and_has_one_text(number: Decimal) -> None:
    stored = FIELDS.store("Pieces", f"{number:f}")
    assert Decimal(stored) == number
    assert FIELDS.store("Pieces", stored) == stored == decimal_text(number)


@given(st.integers(-(10**20), 10**20))
def test_money_is_shown_as_it_was_given(minor: int) -> None:
    shown = FIELDS.show("Cost", minor)
    assert FIELDS.store("Cost", shown) == minor


@given(st.none() | st.text() | st.integers() | st.floats(), st.sampled_from(list(FIELDS.types)))
def test_what_is_kept_is_kept_the_same_when_it_is_given_again(value, name: str) -> None:
    try:
        stored = FIELDS.store(name, value)
    except ToolError as refusal:
        assert refusal.code == "invalid_value"
        return
    if stored is not None:
        assert FIELDS.store(name, FIELDS.show(name, stored)) == stored
