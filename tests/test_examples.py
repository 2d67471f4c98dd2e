"""The examples run and show what they promise."""

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name, *arguments):
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_research_loop_separates_rules_from_chance():
    means = dict(re.findall(r"(\w+) +mean return (-?[\d.]+)", run("research_loop.py")))
    assert float(means["rules"]) > 0.3 > 0.1 > float(means["random"])


def test_branching_gives_credit_that_adds_up():
    rows = re.findall(
        r"^(\d+) +(\w+) +([\d.]+) +([+-][\d.]+)", run("branching.py", "--k", "8"), re.M
    )
    assert [int(step) for step, *_ in rows] == list(range(1, len(rows) + 1))
    first = float(rows[0][2])
    assert abs(first + sum(float(credit) for *_, credit in rows) - 1) < 0.05
