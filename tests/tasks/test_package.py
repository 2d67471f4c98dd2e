"""Packages: registered by name, built from items, and disjoint between splits."""

import dataclasses
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from coworkgym.errors import TaskError, UnknownNameError
from coworkgym.tasks import (
    LANGUAGES,
    LEVELS,
    SPLITS,
    Item,
    Task,
    TaskPackage,
    add_package,
    get_package,
    package,
    packages,
    remove_package,
)
from coworkgym.tasks.package import _build

PACKAGES = list(packages())

every_package = pytest.mark.parametrize("one", PACKAGES, ids=lambda one: one.name)
Build = Callable[..., Task]


@pytest.fixture
def register() -> Iterator[Callable[..., TaskPackage]]:
    """Registers a package that writes the tasks of another one, for the length of a test."""
    names = {one.name for one in packages()}

    def decorate(name: str, **changes: Any) -> TaskPackage:
        keywords: dict[str, Any] = {
            "profession": "customer_support",
            "services": ("helpdesk", "crm", "contacts", "gmail"),
            "warmup_tools": ("helpdesk_list_tickets", "gmail_send_message"),
            "tags": ("copied",),
        }
        return package(name, **(keywords | changes))(get_package("escalation").write)

    yield decorate
    for one in list(packages()):
        if one.name not in names:
            remove_package(one.name)


# The suite --------------------------------------------------------------------------------------


def test_the_suite_is_in_order_of_the_names() -> None:
    names = [one.name for one in packages()]
    assert names == sorted(names)
    assert {"escalation", "payment_change"} <= set(names)


def test_the_suite_is_filtered_by_tag_and_profession() -> None:
    assert [one.name for one in packages(tag="twins")] == ["data_request", "payment_change"]
    assert "escalation" in [one.name for one in packages(profession="customer_support")]
    assert list(packages(tag="twins", profession="customer_support")) == []


@pytest.mark.parametrize(
    "name", ["payment_change", "cowork/payment-change-v0", "payment-change", "payment-change-v0"]
)
def test_a_package_is_found_by_its_name_and_its_id(name: str) -> None:
    assert get_package(name).name == "payment_change"


@pytest.mark.parametrize("name", ["payment_chnage", "cowork/payment-chang-v0", "payment", ""])
def test_a_misspelt_package_is_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Unknown task package '{name}'.*payment_change"):
        get_package(name)


def test_an_id_of_another_version_is_not_found() -> None:
    with pytest.raises(UnknownNameError, match="v7"):
        get_package("cowork/escalation-v7")


@every_package
def test_a_package_says_what_it_is(one: TaskPackage) -> None:
    assert one.env_id == f"cowork/{one.name.replace('_', '-')}-v{one.version}"
    assert one.summary
    assert list(one.tools) == list(LEVELS)
    assert list(one.tool_map("easy"))[-1] == "reply"
    assert set(one.tools["warmup"]) <= set(one.tools["easy"])
    assert len(one.tools["warmup"]) <= 6


# The decorator ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["Escalation", "two words", "with-hyphen", "_x", "x__y", "1st", ""]
)
def test_a_name_that_is_not_in_snake_case_is_refused(
    name: str, register: Callable[..., TaskPackage]
) -> None:
    with pytest.raises(TaskError, match="snake_case"):
        register(name)


def test_a_name_that_is_taken_is_refused(register: Callable[..., TaskPackage]) -> None:
    with pytest.raises(TaskError, match="'escalation' is registered twice"):
        register("escalation")
    made = register("copied_escalation")
    assert get_package("copied_escalation") is made
    with pytest.raises(TaskError, match="registered twice"):
        add_package(made)
    remove_package("copied_escalation")
    with pytest.raises(UnknownNameError):
        get_package("copied_escalation")
    remove_package("copied_escalation")


def test_more_than_six_warmup_tools_are_refused(register: Callable[..., TaskPackage]) -> None:
    with pytest.raises(TaskError, match="at most six warmup tools, got 7"):
        register("many_tools", warmup_tools=["gmail_send_message"] * 7)


def test_an_unknown_service_or_tool_is_refused_with_the_nearest(
    register: Callable[..., TaskPackage],
) -> None:
    with pytest.raises(UnknownNameError, match=r"service 'gmial'\. Did you mean 'gmail'\?"):
        register("odd", services=("gmial",))
    with pytest.raises(UnknownNameError, match=r"Did you mean 'gmail_send_message'\?"):
        register("odd", warmup_tools=("gmail_snd_message",))
    with pytest.raises(UnknownNameError):
        get_package("odd")


def test_a_warmup_tool_of_a_service_that_the_package_lacks_is_refused(
    register: Callable[..., TaskPackage],
) -> None:
    with pytest.raises((TaskError, UnknownNameError), match="crm_get_customer"):
        register("odd", services=("gmail",), warmup_tools=("crm_get_customer",))


# Items ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"level": "eazy"}, r"level 'eazy'\. Did you mean 'easy'\?"),
        ({"split": "valdation"}, r"split 'valdation'\. Did you mean 'validation'\?"),
        ({"language": "zhh"}, r"language 'zhh'\. Did you mean 'zh'\?"),
        ({"seed": -1}, "integer from 0 up, got -1"),
        ({"seed": 1.0}, "integer from 0 up, got 1.0"),
        ({"seed": True}, "integer from 0 up, got True"),
        ({"seed": "1"}, "integer from 0 up, got '1'"),
    ],
)
def test_a_wrong_item_is_refused(wrong: dict[str, Any], complaint: str) -> None:
    with pytest.raises((TaskError, UnknownNameError), match=complaint):
        get_package("escalation").item(**wrong)
    with pytest.raises((TaskError, UnknownNameError), match=complaint):
        Item("escalation", **wrong).validate()


def test_no_two_items_share_their_dice() -> None:
    items = [
        Item(name, version, split, seed, level, language)
        for name, version, split, seed, level, language in product(
            ("escalation", "payment_change"), (0, 1), SPLITS, (0, 1, 2, 10, 11, 2**31), LEVELS,
            LANGUAGES,
        )
    ]  # fmt: skip
    draws = {item.rng().getrandbits(64) for item in items}
    assert len(draws) == len(items)
    assert all(item.rng().random() == item.rng().random() for item in items)


# Building ---------------------------------------------------------------------------------------


@every_package
def test_a_task_is_kept_and_built_equal_again(one: TaskPackage) -> None:
    for level, language in product(LEVELS, LANGUAGES):
        item = one.item(seed=9, level=level, language=language)
        first = one.build(item)
        assert one.build(item) is first
        assert first.item == item
        _build.cache_clear()
        again = one.build(item)
        assert again is not first
        assert again == first
        assert again.data() == first.data()


@every_package
def test_a_task_is_immutable(one: TaskPackage) -> None:
    task = one.build(one.item())
    with pytest.raises(dataclasses.FrozenInstanceError):
        task.max_steps = 1  # type: ignore[misc]
    rows = next(rows for rows in task.base.tables.values() if rows)
    with pytest.raises(TypeError, match="read-only"):
        next(iter(rows.values()))["x"] = 1


# Splits -----------------------------------------------------------------------------------------

NAMED = {
    "crm.customers": ("name", "contact_person", "email"),
    "finance.payees": ("name", "email", "account"),
    "contacts.contacts": ("name", "email"),
}


def entities(task: Task) -> set[str]:
    """Names, addresses and accounts of everybody in a task, and the domains of the addresses."""
    found = {task.organisation, task.owner.name, task.owner.email}
    for table, fields in NAMED.items():
        for row in task.base.tables.get(table, {}).values():
            found |= {row[field] for field in fields}
    for row in task.base.tables.get("gmail.messages", {}).values():
        found.add(row["from"].rpartition("<")[2].rstrip(">"))
    return found | {text.partition("@")[2] for text in found if "@" in text}


@every_package
@pytest.mark.parametrize("language", LANGUAGES)
def test_splits_share_no_name_address_or_account(one: TaskPackage, language: str) -> None:
    """A-template-split"""
    found = {
        split: set[str]().union(
            *(
                entities(one.build(one.item(seed=seed, split=split, language=language)))
                for seed in range(30)
            )
        )
        for split in SPLITS
    }
    for split, other in (("train", "validation"), ("train", "test"), ("validation", "test")):
        assert found[split] & found[other] == set()
    assert min(map(len, found.values())) > 100


@every_package
@pytest.mark.parametrize("level", LEVELS)
def test_one_seed_in_two_splits_shares_no_firm_or_person(
    one: TaskPackage, level: str, build: Build
) -> None:
    """A-template-split"""

    def names(split: str) -> set[tuple[str, str]]:
        task = build(one.name, level=level, seed=3, split=split)
        tables = [task.base.tables.get(name, {}) for name in NAMED]
        return {(key, row["name"]) for rows in tables for key, row in rows.items()}

    sets = [names(split) for split in SPLITS]
    assert all(sets)
    assert sum(map(len, sets)) == len(set().union(*sets))


@every_package
def test_splits_share_no_opening(one: TaskPackage) -> None:
    """A-template-split"""

    def openings(split: str) -> set[str]:
        tasks = (one.build(one.item(seed=seed, split=split)) for seed in range(30))
        return {task.opening[0]["content"] for task in tasks}

    assert openings("train") & (openings("validation") | openings("test")) == set()
