"""Registration: ids of packages, folders of task files, plugins, and ids with a module before."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from coworkgym import Task, packages, register_package, save_task
from coworkgym.envs import registration
from coworkgym.errors import TaskError
from coworkgym.tasks import add_package, get_package, remove_package

ROOT = Path(__file__).parents[2]
Build = Callable[..., Task]


@pytest.fixture
def suite() -> Iterator[None]:
    """Takes out again whatever a test registers."""
    names, ids = {package.name for package in packages()}, set(gym.registry)
    yield
    for package in list(packages()):
        if package.name not in names:
            remove_package(package.name)
    for env_id in set(gym.registry) - ids:
        del gym.registry[env_id]


def folder(path: Path, tasks: list[Task]) -> Path:
    path.mkdir()
    for number, task in enumerate(tasks):
        save_task(task, path / f"task_{number}.json")
    return path


# Packages ---------------------------------------------------------------------------------------


def test_every_package_is_an_id() -> None:
    assert {package.env_id for package in packages()} <= set(gym.registry)
    assert "cowork/escalation-v0" in gym.registry
    assert "cowork/payment-change-v0" in gym.registry
    for package in packages():
        spec = gym.spec(package.env_id)
        assert spec.max_episode_steps is None  # the task's max_steps truncates
        assert not spec.nondeterministic
        assert gym.make(package.env_id).unwrapped.package is package


def test_the_module_before_the_id_spares_the_import() -> None:
    program = (
        "import gymnasium as gym\n"
        "env = gym.make('coworkgym:cowork/escalation-v0', level='warmup')\n"
        "obs, info = env.reset(seed=7)\n"
        "print(len(obs), len(info['tools']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout == "2 7\n"


# Folders ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("suite")
@pytest.mark.parametrize("name", ["escalation", "payment_change"])
def test_a_folder_of_task_files_is_a_package(name: str, build: Build, tmp_path: Path) -> None:
    tasks = [build(name, level="easy", seed=seed) for seed in (3, 4)]
    env_id = register_package(folder(tmp_path / "my-office", tasks))
    assert env_id == "cowork/my-office-v0"
    assert get_package("my_office").profession == "custom"
    env = gym.make(env_id)
    for seed in range(4):
        obs, info = env.reset(seed=seed)
        assert env.unwrapped.task == tasks[seed % 2]
        assert obs == list(tasks[seed % 2].opening)
        assert [tool["name"] for tool in info["tools"]] == list(env.action_space.tools)
    for action in tasks[1].solution:
        *_, terminated, truncated, info = env.step(action)
    assert (terminated, truncated) == (True, False)
    assert info["score"]["completion"] > 0


@pytest.mark.usefixtures("suite")
def test_a_folder_gives_the_asked_level_split_and_language(build: Build, tmp_path: Path) -> None:
    tasks = [
        build("payment_change", level="easy", seed=1),
        build("payment_change", level="warmup", seed=2, split="test", language="zh"),
    ]
    env_id = register_package(folder(tmp_path / "mixed", tasks))
    env = gym.make(env_id, level="warmup", split="test", language="zh")
    env.reset(seed=0)
    assert env.unwrapped.task == tasks[1]
    with pytest.raises(TaskError, match=r"no task for .*'warmup', 'train', 'en'"):
        gym.make(env_id, level="warmup").reset(seed=0)


@pytest.mark.usefixtures("suite")
def test_a_folder_that_cannot_be_used_registers_nothing(build: Build, tmp_path: Path) -> None:
    before = set(gym.registry), {package.name for package in packages()}
    (tmp_path / "empty").mkdir()
    with pytest.raises(TaskError, match=r"empty holds no task files \(\*\.json\)"):
        register_package(tmp_path / "empty")
    with pytest.raises(TaskError, match="holds no task files"):
        register_package(tmp_path / "missing")
    tasks = [build("payment_change", seed=2)]
    bad = folder(tmp_path / "bad", tasks)
    (bad / "task_1.json").write_text("{}")
    with pytest.raises(TaskError, match=r"task_1\.json"):
        register_package(bad)
    for name, complaint in (("Two Words", "snake_case"), ("escalation", "registered twice")):
        with pytest.raises(TaskError, match=complaint):
            register_package(folder(tmp_path / name, tasks))
    assert (set(gym.registry), {package.name for package in packages()}) == before


# Plugins ----------------------------------------------------------------------------------------


class Point:
    """An entry point whose loading does what it is told."""

    value = "office_plugin:PACKAGES"

    def __init__(self, load: Callable[[], Any]) -> None:
        self.load = load


def raises(error: BaseException) -> Callable[[], Any]:
    def load() -> Any:
        raise error

    return load


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Registers everything afresh, as on import, with the given entry points installed."""

    def register(*points: Point) -> None:
        def installed(group: str) -> list[Point]:
            assert group == "coworkgym.packages"
            return list(points)

        monkeypatch.setattr(registration, "entry_points", installed)
        for package in packages():
            monkeypatch.delitem(gym.registry, package.env_id, raising=False)
        registration.register_all()

    return register


@pytest.mark.usefixtures("suite")
@pytest.mark.parametrize(
    "error",
    [
        ImportError("no module named office_plugin"),
        AttributeError("no PACKAGES"),
        TaskError("task package 'escalation' is registered twice"),
        ValueError("service 'gmail' is registered twice"),
        SyntaxError("invalid syntax"),
        KeyError("HOME"),
        RuntimeError("no database"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_broken_plugin_only_warns(error: Exception, plugged: Callable[..., None]) -> None:
    good = Point(lambda: add_twin("good_plugin"))
    with pytest.warns(UserWarning, match="'office_plugin:PACKAGES' cannot be loaded") as caught:
        plugged(Point(raises(error)), good)
    assert len(caught) == 1
    assert "cowork/escalation-v0" in gym.registry
    assert "cowork/good-plugin-v0" in gym.registry


@pytest.mark.usefixtures("suite")
def test_a_working_plugin_is_registered_without_a_word(plugged: Callable[..., None]) -> None:
    plugged(Point(lambda: add_twin("plain_plugin")))
    env = gym.make("cowork/plain-plugin-v0", level="warmup")
    env.reset(seed=1)
    assert env.unwrapped.task.item.package == "plain_plugin"


def add_twin(name: str) -> None:
    """Adds a package that writes the tasks of another one."""
    add_package(replace(get_package("escalation"), name=name))


PLAIN_OFFICE = '''"""Plain office: one mail, one answer."""

from coworkgym.rewards import ToolNotCalled
from coworkgym.rewards import Gate
from coworkgym.tasks import Builder, Task, package
from coworkgym.tasks.lines import answer, call, check, says


@package("plain_office", profession="custom", services=("gmail",),
         warmup_tools=("gmail_list_messages", "gmail_get_message"))
def plain_office(b: Builder) -> Task:
    """Writes the task of one item."""
    company = b.company(customers=1, owner_in="Sales")
    number = str(b.rng.randrange(10_000, 99_999))
    mail = b.mail(company.staff[0].email, "Badge", "Your badge is " + number, age=b.hours(1, 9))
    never = ToolNotCalled(tools=["gmail_send_message"])
    return b.task(
        request="What is the number of my badge?",
        rules=[],
        checks=[check("number told", 1.0, says(number, kind="id"))],
        gates=[Gate(name="no mail", severity=1, statement=never)],
        solution=[call("gmail_get_message", message_id=mail["message_id"]), answer(number)],
    )


from coworkgym.envs import register_env

register_env(plain_office)
'''


@pytest.mark.usefixtures("suite")
def test_a_package_of_any_module_is_made_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain_office_module.py").write_text(PLAIN_OFFICE)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        env = gym.make("plain_office_module:cowork/plain-office-v0", level="warmup")
        for seed in range(3):
            _, info = env.reset(seed=seed)
            assert len(info["tools"]) == 3
            for action in env.unwrapped.task.solution:
                _, reward, terminated, _, _ = env.step(action)
            assert (reward, terminated) == (1.0, True)
        assert get_package("cowork/plain-office-v0").summary == "one mail, one answer."
    finally:
        sys.modules.pop("plain_office_module", None)


def test_what_a_test_registered_is_gone_afterwards() -> None:
    for package in packages():
        assert package.name in ("escalation", "payment_change") or package.profession != "custom"
    assert not [env_id for env_id in gym.registry if "plugin" in env_id or "office" in env_id]
