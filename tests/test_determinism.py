"""Determinism: the same seed gives the same bytes in every process, and nothing reads a clock."""

import ast
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import coworkgym

ROOT = Path(__file__).parents[1]
SOURCES = sorted(Path(coworkgym.__file__).parent.rglob("*.py"))

# Moves every clock of the process before anything of the library is imported.
ANOTHER_DATE = """
import datetime, time
SHIFT = 400 * 86_400 + 12_345
true_time, true_ns, true_datetime, true_date = (
    time.time, time.time_ns, datetime.datetime, datetime.date)
time.time = lambda: true_time() + SHIFT
time.time_ns = lambda: true_ns() + SHIFT * 10**9
class Kind(type):
    def __instancecheck__(cls, value): return isinstance(value, cls.__mro__[1])
    def __subclasscheck__(cls, kind): return issubclass(kind, cls.__mro__[1])
class datetime_(true_datetime, metaclass=Kind):
    @classmethod
    def now(cls, tz=None): return true_datetime.now(tz) + datetime.timedelta(seconds=SHIFT)
    @classmethod
    def utcnow(cls): return true_datetime.utcnow() + datetime.timedelta(seconds=SHIFT)
    today = now
class date_(true_date, metaclass=Kind):
    @classmethod
    def today(cls): return true_date.today() + datetime.timedelta(seconds=SHIFT)
datetime.datetime, datetime.date = datetime_, date_
"""

# Plays each package with sampled calls, junk and the reference solution; prints all there is.
PROGRAM = """
import json, random, sys
import gymnasium as gym
import numpy as np
import coworkgym
random.seed(int(sys.argv[1])), np.random.seed(int(sys.argv[1]))
def show(*parts): print(json.dumps(parts, ensure_ascii=True))
for package in coworkgym.packages():
    for keywords in ({}, {"level": "medium", "split": "test", "language": "zh"}):
        env = gym.make(package.env_id, reward="dense", anchors=True, render_mode="ansi", **keywords)
        show(*env.reset(seed=7))
        env.action_space.seed(7)
        sampled = [env.action_space.sample() for _ in range(12)]
        actions = [a for a in sampled if a["name"] != "reply"]
        actions += [{"name": "helpdesk_gt_ticket"}, {"name": "reply", "arguments": "{"}]
        for action in actions + [call._asdict() for call in env.unwrapped.task.solution]:
            obs, *rest = env.step(action)
            show(obs[-2:], rest)
        show(obs, env.unwrapped.render(), env.unwrapped.episode.office.world.digest())
        show(env.unwrapped.task.digest, env.unwrapped.score().as_dict(), env.reset()[0])
"""

SETS = """
import json, coworkgym
env = coworkgym.CoworkEnv("escalation", level="warmup")
env.reset(seed=7)
names = {"open", "closed", "pending", "escalated", "all"}
print(json.dumps(env.step({"name": "helpdesk_list_tickets", "arguments": {"status": names}})[0]))
print(json.dumps(env.step(names)[0]))
print(json.dumps(env.step(object())[0]))
"""


def play(program: str, *, preamble: str = "", state: int = 0, **variables: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", preamble + program, str(state)],
        cwd=ROOT, env=os.environ | variables, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stderr.decode() == ""
    return done.stdout


@cache
def usual() -> bytes:
    return play(PROGRAM, PYTHONHASHSEED="0", TZ="UTC")


def test_the_played_episodes_are_worth_comparing() -> None:
    lines = usual().splitlines()
    assert len(lines) > 60
    assert len({hashlib.sha256(line).digest() for line in lines}) == len(lines)


@pytest.mark.parametrize("hash_seed", ["1", "random"])
def test_the_hash_seed_changes_nothing(hash_seed: str) -> None:
    """A-hash-order"""
    assert play(PROGRAM, PYTHONHASHSEED=hash_seed) == usual()


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/St_Johns"])
def test_the_time_zone_of_the_machine_changes_nothing(zone: str) -> None:
    """A-wall-clock"""
    assert play(PROGRAM, TZ=zone, LC_ALL="C") == usual()


def test_the_date_of_the_machine_changes_nothing() -> None:
    """A-wall-clock"""
    moved = "import datetime, time; print(time.time() // 86_400, datetime.date.today())"
    assert play(moved) != play(moved, preamble=ANOTHER_DATE)
    assert play(PROGRAM, preamble=ANOTHER_DATE) == usual()


def test_global_random_state_changes_nothing() -> None:
    """A-hash-order"""
    assert play(PROGRAM, state=12_345) == usual()


def test_what_is_no_json_is_written_alike_in_every_process() -> None:
    """A-hash-order"""
    assert play(SETS, PYTHONHASHSEED="1") == play(SETS, PYTHONHASHSEED="2")


# The source -------------------------------------------------------------------------------------

CLOCKS = {
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today",
    "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today",
    "datetime.date.today", "time.time", "time.time_ns", "time.localtime", "time.gmtime",
    "time.ctime", "time.strftime",
}  # fmt: skip
CHANCE = {"os.urandom", "uuid.uuid1", "uuid.uuid4", "random.SystemRandom", "random.seed"}
ALLOWED = {"random.Random", "random.getstate", "np.random.Generator", "np.random.SeedSequence"}


def dotted(node: ast.expr) -> str:
    """`np.random.choice` of the expression, or nothing for what is no plain name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def suspicious(tree: ast.AST) -> Iterator[str]:
    """Every name that reads a clock or the global random state, and imports of such functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("random", "time", "numpy.random"):
            names = {alias.name for alias in node.names}
            yield from (f"{node.module}.{name}" for name in names - {"Random", "Generator"})
        name = dotted(node) if isinstance(node, ast.Attribute) else ""
        module = name.rpartition(".")[0]
        seeded = name in ALLOWED or name.endswith(".default_rng")
        if name in CLOCKS | CHANCE or (
            module in ("random", "np.random", "numpy.random", "secrets") and not seeded
        ):
            yield name
        if isinstance(node, ast.Call) and dotted(node.func).endswith("default_rng"):
            if not (node.args or node.keywords):
                yield "default_rng without a seed"


def test_no_source_reads_a_clock_or_the_global_random_state() -> None:
    """A-wall-clock"""
    assert len(SOURCES) > 50
    found = {
        str(path.relative_to(ROOT)): sorted(names)
        for path in SOURCES
        if (names := list(suspicious(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "from datetime import datetime\nnow = datetime.now(UTC)",
        "import datetime\nnow = datetime.datetime.now()",
        "from datetime import date\nkey = date.today",
        "import time\nstart = time.time()",
        "from time import time",
        "import random\nrandom.shuffle(rows)",
        "from random import choice",
        "import numpy as np\nnp.random.seed(0)",
        "import numpy as np\nrng = np.random.default_rng()",
        "import secrets\nsecrets.token_hex()",
        "import uuid\nuuid.uuid4()",
    ],
)
def test_the_scan_of_the_source_sees(source: str) -> None:
    assert list(suspicious(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        "import random\nrng = random.Random(7)\nrng.shuffle(rows)",
        "from random import Random\nRandom(7).random()",
        "import numpy as np\nrng = np.random.default_rng(7)\nrng.integers(3)",
        "def draw(rng: np.random.Generator): return rng.random()",
        "moment = datetime.fromisoformat(text)",
        "import time\nstart = time.perf_counter()",
    ],
)
def test_the_scan_of_the_source_lets_pass(source: str) -> None:
    assert not list(suspicious(ast.parse(source)))
