"""Read-only JSON: equal to dict and list, closed to every change, open to whatever comes in."""

import copy
import json
import pickle
from collections import OrderedDict
from datetime import UTC, datetime
from decimal import Decimal
from enum import IntEnum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coworkgym.frozen import (
    FrozenDict,
    FrozenList,
    JsonText,
    admit,
    clean_text,
    freeze,
    json_text,
    thaw,
)

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)


def is_read_only(value: object) -> bool:
    if isinstance(value, dict):
        return type(value) is FrozenDict and all(map(is_read_only, value.values()))
    if isinstance(value, list):
        return type(value) is FrozenList and all(map(is_read_only, value))
    return type(value) in (str, int, float, bool, type(None))


@given(json_values)
@settings(max_examples=60)
def test_a_frozen_value_is_the_same_value(value: object) -> None:
    frozen = freeze(value)
    assert is_read_only(frozen)
    assert frozen == value
    assert json.dumps(frozen) == json.dumps(value)
    assert freeze(frozen) == frozen


@given(json_values)
@settings(max_examples=60)
def test_copies_and_pickles_are_equal_and_read_only(value: object) -> None:
    frozen = freeze(value)
    for twin in (copy.copy(frozen), copy.deepcopy(frozen), pickle.loads(pickle.dumps(frozen))):
        assert twin == frozen
        assert is_read_only(twin)


@given(json_values)
@settings(max_examples=60)
def test_thawing_gives_a_plain_copy_that_can_be_changed(value: object) -> None:
    frozen = freeze({"value": value, "more": [{}]})
    plain = thaw(frozen)
    plain["more"][0]["x"] = 1
    plain["new"] = 2
    assert type(plain["more"]) is list
    assert frozen == {"value": value, "more": [{}]}


def test_frozen_values_are_shared_not_copied() -> None:
    inner = freeze({"a": [1]})
    assert freeze({"inner": inner})["inner"] is inner
    assert copy.deepcopy(inner) is inner


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.__setitem__("a", 1),
        lambda d: d.__delitem__("a"),
        lambda d: d.clear(),
        lambda d: d.pop("a"),
        lambda d: d.popitem(),
        lambda d: d.setdefault("b", 1),
        lambda d: d.update(b=1),
        lambda d: d.__ior__({"b": 1}),
        lambda d: d.__setattr__("b", 1),
    ],
)
def test_a_frozen_dict_refuses_every_change(change) -> None:
    frozen = freeze({"a": {"b": 1}})
    for target in (frozen, frozen["a"]):
        before = dict(target)
        with pytest.raises((TypeError, AttributeError)):
            change(target)
        assert target == before


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.__setitem__(0, 9),
        lambda x: x.__setitem__(slice(0, 1), []),
        lambda x: x.__delitem__(0),
        lambda x: x.__iadd__([3]),
        lambda x: x.__imul__(2),
        lambda x: x.append(3),
        lambda x: x.extend([3]),
        lambda x: x.insert(0, 3),
        lambda x: x.pop(),
        lambda x: x.remove(2),
        lambda x: x.clear(),
        lambda x: x.sort(),
        lambda x: x.reverse(),
        lambda x: x.__setattr__("b", 1),
    ],
)
def test_a_frozen_list_refuses_every_change(change) -> None:
    frozen = freeze([2, 1])
    with pytest.raises((TypeError, AttributeError)):
        change(frozen)
    assert frozen == [2, 1]


def test_the_refusal_names_the_container() -> None:
    with pytest.raises(TypeError, match="FrozenDict is read-only"):
        freeze({})["a"] = 1


class Level(IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (np.int64(1), "int64"),
        (np.float64(1), "float64"),
        (np.array([1]), "ndarray"),
        (datetime(2026, 1, 1, tzinfo=UTC), "datetime"),
        ({"a"}, "set"),
        (b"a", "bytes"),
        (Decimal(1), "Decimal"),
        (Level.LOW, "Level"),
        ({1: "a"}, "int"),
        ({None: "a"}, "NoneType"),
    ],
)
def test_what_is_no_json_is_refused_by_its_type(value: object, kind: str) -> None:
    for wrapped in (value, [value], {"a": {"b": value}}):
        with pytest.raises(TypeError, match=kind):
            freeze(wrapped)


def test_other_mappings_and_tuples_are_frozen_too() -> None:
    assert is_read_only(freeze(OrderedDict(a=(1, [2]))))


# Admitting what an agent sent ---------------------------------------------------------------------


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


def in_itself() -> list[object]:
    value: list[object] = []
    value.append({"again": value})
    return value


class Silent:
    def __repr__(self) -> str:
        raise LookupError("no name")


class Shelf:
    def item(self, number: int) -> int:
        return number


def is_clean_json(value: object) -> bool:
    """Whether it is read-only JSON that every encoder and every JSON reader takes."""
    text = json_text(value)
    json.loads(text)
    json.dumps(value, ensure_ascii=False).encode()
    return is_read_only(value) and text.encode().decode() == text


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(in_itself(), id="in itself"),
        pytest.param(nested(100), id="a hundred deep"),
        pytest.param(nested(300), id="three hundred deep"),
        pytest.param(nested(100_000), id="a hundred thousand deep"),
        pytest.param(np.array([1, 2]), id="array"),
        pytest.param(np.array([[["x"]]]), id="array of one text"),
        pytest.param({"a": {1, 2}}, id="set"),
        pytest.param(object(), id="object"),
        pytest.param(Silent(), id="object whose repr fails"),
        pytest.param(Shelf(), id="object with another item method"),
        pytest.param(b"\xff", id="bytes"),
        pytest.param({1: 2, None: 3, ("a",): 4}, id="keys that are no text"),
        pytest.param("\ud800", id="lone surrogate"),
        pytest.param({"\udc00": ["\ud83d"]}, id="lone surrogates within"),
        pytest.param(FrozenDict(a=FrozenList(["\ud800"])), id="frozen, with a lone surrogate"),
        pytest.param(10**5000, id="five thousand digits"),
        pytest.param([float("nan"), float("inf")], id="nan and infinity"),
        pytest.param(datetime(2026, 1, 1, tzinfo=UTC), id="datetime"),
        pytest.param(Decimal("NaN"), id="decimal nan"),
        pytest.param(JsonText('{"a": 1}'), id="rendered text"),
        pytest.param(Level.LOW, id="enum"),
        pytest.param(lambda: 1, id="function"),
    ],
)
def test_whatever_comes_in_becomes_clean_json(value: object) -> None:
    """A-surrogates"""
    assert is_clean_json(admit(value))


_pieces = st.sampled_from(["a", "é", "🚀", "\ud83d", "\ude80", "\ud800", "\udfff", "\x00"])
rough_text = st.lists(_pieces, max_size=6).map("".join)
rough_values = st.recursive(
    rough_text
    | scalars
    | st.floats()
    | st.sampled_from([np.int8(3), np.float32(0.5), np.bool_(True), np.str_("\ud800"), b"x"]),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner)
        | st.dictionaries(rough_text | st.integers(), inner).map(OrderedDict)
    ),
    max_leaves=12,
)


@given(rough_values)
@settings(max_examples=60)
def test_admitting_is_total_and_settled_by_one_pass(value: object) -> None:
    """A-surrogates"""
    admitted = admit(value)
    assert is_clean_json(admitted)
    assert json_text(admit(admitted)) == json_text(admitted)


@given(json_values)
@settings(max_examples=60)
def test_clean_json_is_admitted_as_it_is(value: object) -> None:
    assert admit(value) == freeze(value)


@pytest.mark.parametrize(
    ("scalar", "number"), [(np.int64(7), 7), (np.float32(0.5), 0.5), (np.bool_(True), True)]
)
def test_numpy_scalars_become_numbers(scalar: object, number: object) -> None:
    admitted = admit({"n": scalar})["n"]
    assert admitted == number
    assert type(admitted) is type(number)


def test_surrogate_pairs_are_joined_and_lone_halves_replaced() -> None:
    """A-surrogates"""
    assert clean_text("\ud83d\ude80 plan") == "🚀 plan"
    assert clean_text("a\ud800b") == "a\ufffdb"
    assert admit({"\ud83d\ude80": "\ud83d\ude80"}) == {"🚀": "🚀"}


@given(rough_text)
@settings(max_examples=60)
def test_clean_text_can_be_encoded_and_stays_clean(text: str) -> None:
    """A-surrogates"""
    cleaned = clean_text(text)
    assert cleaned.encode().decode() == cleaned == clean_text(cleaned)
    assert cleaned == text or not text.isascii()


# Text ---------------------------------------------------------------------------------------------


@given(json_values)
@settings(max_examples=60)
def test_json_text_is_read_back_as_the_same_value(value: object) -> None:
    assert json.loads(json_text(freeze(value))) == value


def test_json_text_is_compact_in_given_order_and_not_escaped() -> None:
    assert (
        json_text({"b": [1, 2.5, None, True], "a": "李 🚀"})
        == '{"b":[1,2.5,null,true],"a":"李 🚀"}'
    )


def test_text_that_is_rendered_already_is_passed_on() -> None:
    text = JsonText('{"a":1}')
    assert json_text(text) is text.text
    assert json_text(str(text)) == '"{\\"a\\":1}"'
