"""Task files: what is saved is what is loaded, and nothing else is accepted."""

import copy
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from coworkgym import Episode, Task, load_task, save_task
from coworkgym.errors import TaskError
from coworkgym.frozen import json_text
from coworkgym.tasks import LEVELS, folder_package, packages

VARIANTS = [
    pytest.param(package.name, level, language, id=f"{package.name}-{level}-{language}")
    for package in packages()
    for level in LEVELS
    for language in package.languages
]
Build = Callable[..., Task]
Content = dict[str, Any]


@pytest.fixture(scope="session")
def small(build: Build) -> Task:
    """A small task, a genuine change of an account."""
    tasks = (build("payment_change", seed=seed) for seed in range(30))
    return next(task for task in tasks if any(c.statement.kind == "record" for c in task.checks))


@pytest.fixture
def saved(small: Task, tmp_path: Path) -> Path:
    save_task(small, tmp_path / "one.json")
    return tmp_path / "one.json"


def of_kind(content: Content, kind: str) -> Content:
    """The first statement of a kind."""
    lines = (*content["checks"], *content["gates"])
    return next(line["statement"] for line in lines if line["statement"]["kind"] == kind)


def edit(path: Path, change: Callable[[Content], object]) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def refusal(path: Path) -> str:
    """The error of loading the file, which must name it."""
    with pytest.raises(TaskError) as caught:
        load_task(path)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value)


# Round trip -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "level", "language"), VARIANTS)
def test_a_saved_task_is_loaded_as_the_same_task(
    name: str, level: str, language: str, build: Build, tmp_path: Path
) -> None:
    task = build(name, level=level, language=language, seed=6)
    save_task(task, tmp_path / "one.json")
    loaded = load_task(tmp_path / "one.json")
    assert loaded == task
    assert loaded is not task
    assert loaded.digest == task.digest
    assert loaded.opening == task.opening
    assert loaded.tool_schemas == task.tool_schemas
    assert loaded.base.digest == task.base.digest
    save_task(loaded, tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


@pytest.mark.parametrize("name", [package.name for package in packages()])
def test_a_loaded_task_is_played_and_scored_as_the_saved_one(
    name: str, build: Build, tmp_path: Path
) -> None:
    for seed in range(5):
        task = build(name, seed=seed)
        save_task(task, tmp_path / "one.json")
        first, second = Episode(task), Episode(load_task(tmp_path / "one.json"))
        for call in task.solution:
            assert first.act(call) == second.act(call)
        assert first.score() == second.score()
        assert first.anchor() == second.anchor()


def test_stages_and_their_changes_are_kept(two_stages: Task, tmp_path: Path) -> None:
    save_task(two_stages, tmp_path / "one.json")
    loaded = load_task(tmp_path / "one.json")
    assert loaded == two_stages
    assert loaded.stages == two_stages.stages


def test_texts_are_written_as_they_are(small: Task, tmp_path: Path) -> None:
    text = 'Zoë – 你好 🚀\t"quoted" \\ \u2028 end\r\n'
    save_task(replace(small, rules=(text,)), tmp_path / "one.json")
    assert load_task(tmp_path / "one.json").rules == (text,)
    assert "你好 🚀" in (tmp_path / "one.json").read_text(encoding="utf-8")


def test_unequal_tasks_are_unequal(small: Task, build: Build) -> None:
    others = [
        replace(small, max_steps=small.max_steps + 1),
        replace(small, rules=()),
        replace(small, tags=("other",)),
        build("payment_change", seed=small.item.seed + 1),
    ]
    for other in others:
        assert other != small
    assert replace(small) == small
    assert hash(replace(small)) == hash(small)
    assert small != small.digest


# Changed files ----------------------------------------------------------------------------------


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
def test_one_changed_byte_is_refused(place: float, byte: int, small: Task, tmp_path: Path) -> None:
    """A-fixture-mismatch"""
    path = tmp_path / "one.json"
    save_task(small, path)
    content = bytearray(path.read_bytes())
    position = int(place * len(content))
    before, content[position] = content[position], byte
    path.write_bytes(bytes(content))
    try:
        loaded = load_task(path)
    except TaskError as error:
        assert str(error).startswith(f"{path}: ")
        assert byte != before
    else:  # white space, or the same number in other words
        assert loaded.data() == small.data()


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["records"]["finance.payees"][0].update(notes="Call-back: confirmed."),
        lambda c: c["records"]["gmail.messages"].pop(),
        lambda c: c["records"]["gmail.messages"].reverse(),
        lambda c: of_kind(c, "record").update(fields={"account": "DE00"}),
        lambda c: c["gates"][-1].update(severity=0.15),
        lambda c: c["solution"].pop(),
        lambda c: c["owner"].update(email="kim@outside.test"),
        lambda c: c["item"].update(seed=c["item"]["seed"] + 1),
        lambda c: c.update(max_steps=c["max_steps"] + 1),
        lambda c: c.update(rules=[*c["rules"], "Anything goes."]),
        lambda c: c.update(digest="0" * 24),
        lambda c: c.update(now="2026-01-05T09:00:00Z"),
    ],
)
def test_changed_content_is_refused_with_both_digests(
    change: Callable[[Content], object], saved: Path, small: Task
) -> None:
    """A-fixture-mismatch"""
    digest = json.loads(saved.read_text(encoding="utf-8"))["digest"]
    assert digest == small.digest
    edit(saved, change)
    message = refusal(saved)
    assert "digest" in message
    assert "changed after it was released" in message


# Wrong files ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"not json", b"\xff\xfe", b"[" * 100_000, b'{"format": 1} {}', b"\xef\xbb\xbf{}"],
)
def test_what_is_no_json_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(content)
    refusal(path)


@pytest.mark.parametrize("content", [None, 5, "task", [], {}, [{}], {"format": 1}])
def test_json_that_is_no_task_is_refused(content: Any, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(content))
    refusal(path)


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    assert "No such file" in refusal(tmp_path / "missing.json")
    assert "directory" in refusal(tmp_path)


KEYS = [
    "format", "digest", "item", "organisation", "owner", "zone", "now", "rules", "stages",
    "records", "tools", "checks", "gates", "solution", "max_steps", "tags",
]  # fmt: skip


def test_the_keys_of_a_file_are_these(saved: Path) -> None:
    assert list(json.loads(saved.read_text(encoding="utf-8"))) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_named(key: str, saved: Path) -> None:
    edit(saved, lambda content: content.pop(key))
    assert f"{key}: Field required" in refusal(saved)


@pytest.mark.parametrize(
    ("place", "wrong", "right"),
    [
        ((), "rulez", "rules"),
        (("item",), "sed", "seed"),
        (("owner",), "mail", "email"),
        (("stages", 0), "reqest", "request"),
        (("solution", 0), "argument", "arguments"),
        (("checks", 0), "wieght", "weight"),
        (("gates", 0), "sevrity", "severity"),
        (("gates", 0, "statement"), "alowed", "allowed"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest(
    place: tuple[str | int, ...], wrong: str, right: str, saved: Path
) -> None:
    def change(content: Content) -> None:
        target: Any = content
        for step in place:
            target = target[step]
        target[wrong] = 1

    edit(saved, change)
    message = refusal(saved)
    assert wrong in message
    assert f"Did you mean {right!r}?" in message


def rename(mapping: Content, old: str, new: str) -> None:
    mapping[new] = mapping.pop(old)


WRONG: dict[str, tuple[Callable[[Content], object], str]] = {
    "service": (
        lambda c: rename(c["records"], "gmail.messages", "gmial.messages"),
        "Unknown service 'gmial'. Did you mean 'gmail'?",
    ),
    "table": (
        lambda c: rename(c["records"], "gmail.messages", "gmail.mesages"),
        "Unknown table 'gmail.mesages'. Did you mean 'gmail.messages'?",
    ),
    "tool": (
        lambda c: c["tools"].append("gmail_lst_messages"),
        "Unknown tool 'gmail_lst_messages'. Did you mean 'gmail_list_messages'?",
    ),
    "statement kind": (
        lambda c: of_kind(c, "record").update(kind="recrod"),
        "Unknown statement kind 'recrod'. Did you mean 'record'?",
    ),
    "statement without kind": (
        lambda c: of_kind(c, "record").pop("kind"),
        "a statement needs a 'kind'",
    ),
    "statement kind that is no text": (
        lambda c: of_kind(c, "record").update(kind=["record"]),
        "statement kind",
    ),
    "statement field": (
        lambda c: of_kind(c, "record").update(fileds={}),
        "Did you mean 'fields'?",
    ),
    "tool of a statement": (
        lambda c: of_kind(c, "all_of")["parts"][0].update(tools=["gmail_gt_message"]),
        "Unknown tool 'gmail_gt_message'. Did you mean 'gmail_get_message'?",
    ),
    "table of a statement": (
        lambda c: of_kind(c, "record").update(table="finance.payee"),
        "Unknown table 'finance.payee'. Did you mean 'finance.payees'?",
    ),
    "field of a statement": (
        lambda c: of_kind(c, "record").update(fields={"acount": "x"}),
        "Unknown field of finance.payees 'acount'. Did you mean 'account'?",
    ),
    "field of a record": (
        lambda c: c["records"]["finance.payees"][0].update(acount="x"),
        "finance.payees 'PAY-",
    ),
    "missing field of a record": (
        lambda c: c["records"]["gmail.messages"][0].pop("subject"),
        "subject: Field required",
    ),
    "duplicate id": (
        lambda c: c["records"]["gmail.messages"].append(c["records"]["gmail.messages"][0]),
        "gmail.messages has two records with the id 'MSG-",
    ),
    "weights": (
        lambda c: c["checks"][0].update(weight=0.2),
        "the weights of the checks must sum to 1, not 0.9",
    ),
    "weight out of range": (lambda c: c["checks"][0].update(weight=0), "checks.0.weight"),
    "no check": (lambda c: c.update(checks=[]), "at least one check"),
    "names": (
        lambda c: c["checks"][0].update(name=c["checks"][1]["name"]),
        "two checks or gates are named",
    ),
    "no gate": (lambda c: c.update(gates=[]), "at least one gate of severity 1"),
    "level": (lambda c: c["item"].update(level="eazy"), "Did you mean 'easy'?"),
    "split": (lambda c: c["item"].update(split="tset"), "Did you mean 'test'?"),
    "language": (lambda c: c["item"].update(language="eng"), "Did you mean 'en'?"),
    "seed": (lambda c: c["item"].update(seed=-1), "a seed must be an integer from 0 up, got -1"),
    "zone": (lambda c: c.update(zone="Europe/Berlln"), "Unknown time zone 'Europe/Berlln'"),
    "now": (lambda c: c.update(now="2026-03-25 09:00"), "now: not an instant"),
    "day that does not exist": (lambda c: c.update(now="2026-02-30T09:00:00Z"), "now: "),
    "request": (lambda c: c["stages"][0].update(request=" "), "each with a request"),
    "no stage": (lambda c: c.update(stages=[]), "at least one stage"),
    "steps": (lambda c: c.update(max_steps=1), "max_steps 1 is less than"),
    "format": (lambda c: c.update(format=2), "format 2 is not 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_refused_with_what_is_wrong(name: str, saved: Path) -> None:
    change, complaint = WRONG[name]
    edit(saved, change)
    assert complaint in refusal(saved)


def test_half_a_surrogate_pair_is_refused(saved: Path) -> None:
    """A-surrogates"""
    content = json.loads(saved.read_text(encoding="utf-8"))
    content["rules"] = ["\ud800"]
    saved.write_text(json.dumps(content), encoding="utf-8")
    refusal(saved)


def seal(content: Content) -> None:
    """Gives changed content the digest that fits it."""
    rest = {key: value for key, value in content.items() if key not in ("format", "digest")}
    content["digest"] = hashlib.sha256(json_text(rest).encode()).hexdigest()[:24]


def add_stage(content: Content, table: str, fields: Any) -> None:
    existing = content["records"]["gmail.messages"][0]["message_id"]
    change = {"table": table, "id": existing if "subjct" in fields else "MSG-1", "fields": fields}
    content["stages"].append({"request": "And now?", "changes": [change]})


UNPLAYABLE: dict[str, tuple[Callable[[Content], object], str]] = {
    "unknown table of a change": (
        lambda c: add_stage(c, "gmail.mesages", {}),
        "Unknown table 'gmail.mesages'",
    ),
    "unknown field of a change": (
        lambda c: add_stage(c, "gmail.messages", {"subjct": "x"}),
        "subjct",
    ),
    "incomplete new record": (
        lambda c: add_stage(c, "gmail.messages", {"subject": "x"}),
        "Field required",
    ),
    "unknown tool of the solution": (
        lambda c: c["solution"].insert(0, {"name": "gmail_gt_message", "arguments": {}}),
        "'gmail_gt_message'",
    ),
    "tools without their table": (
        lambda c: c["records"].pop("finance.payees"),
        "finance.payees",
    ),
}


def test_sealed_content_is_accepted(saved: Path, small: Task) -> None:
    edit(saved, seal)
    assert load_task(saved) == small
    edit(saved, lambda content: (content.update(rules=[]), seal(content)))
    assert load_task(saved).rules == ()


@pytest.mark.parametrize("name", UNPLAYABLE)
def test_what_would_fail_in_the_middle_of_an_episode_is_refused(name: str, saved: Path) -> None:
    """A-gold-raises"""
    change, complaint = UNPLAYABLE[name]
    edit(saved, lambda content: (change(content), seal(content)))
    assert complaint in refusal(saved)


def paths(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values inside a JSON value."""
    if isinstance(value, list):
        value = dict(enumerate(value))
    for key, item in value.items() if isinstance(value, dict) else ():
        yield (*before, key)
        yield from paths(item, (*before, key))


ODD = [
    None, True, 0, -1, 1.5, 10**30, float("nan"), "", "x", [], {}, ["x"], [[]], {"kind": "x"},
    {"kind": ["x"]}, "2026-02-30T09:00:00Z", "\ud800",
]  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), value=st.sampled_from(ODD))
@example(place=0.9, value={"kind": ["x"]})
def test_any_value_in_any_place_is_refused_or_changes_nothing(
    place: float, value: Any, small: Task, tmp_path: Path
) -> None:
    save_task(small, tmp_path / "one.json")
    content = json.loads((tmp_path / "one.json").read_text(encoding="utf-8"))
    places = list(paths(content))
    *before, last = places[int(place * len(places))]
    changed = copy.deepcopy(content)
    target: Any = changed
    for step in before:
        target = target[step]
    target[last] = value
    (tmp_path / "one.json").write_text(json.dumps(changed))
    try:
        loaded = load_task(tmp_path / "one.json")
    except TaskError as error:
        assert str(error).startswith(f"{tmp_path / 'one.json'}: ")
    else:
        assert loaded == small


# Writing ----------------------------------------------------------------------------------------


def test_a_half_written_file_never_appears(
    small: Task, build: Build, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved.read_bytes()
    write = Path.write_text

    def fail(path: Path, data: str, *args: Any, **keywords: Any) -> int:
        write(path, data[: len(data) // 2], *args, **keywords)
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "write_text", fail)
    for name in ("one.json", "new.json"):
        with pytest.raises(OSError, match="no space left"):
            save_task(build("payment_change", seed=6), saved.parent / name)
    monkeypatch.undo()
    assert saved.read_bytes() == before
    assert not (saved.parent / "new.json").exists()
    assert len(list(saved.parent.glob("*.json"))) == 1
    package = folder_package(saved.parent)
    assert package.build(package.item(level="warmup")) == small


def test_a_saved_file_replaces_the_old_one(build: Build, saved: Path) -> None:
    other = build("payment_change", seed=6)
    save_task(other, saved)
    assert load_task(saved) == other
    assert [path.name for path in saved.parent.iterdir()] == ["one.json"]
