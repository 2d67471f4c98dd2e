"""The examples run and show what they promise."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_reinforce_learns():
    printed = run("reinforce.py", "--episodes", "480")
    means = [float(mean) for mean in re.findall(r"mean return (-?[\d.]+)", printed)]
    assert len(means) == 10
    assert max(means[:2]) < 0.2 < 0.25 < min(means[-2:])


@pytest.mark.skipif(
    importlib.util.find_spec("nbclient") is None, reason="nbclient is not installed"
)
def test_the_quickstart_notebook_runs_and_prints_what_it_shows(tmp_path):
    kept = json.loads((EXAMPLES / "quickstart.ipynb").read_text(encoding="utf-8"))
    code = (
        "import nbclient, nbformat, sys\n"
        "book = nbformat.read(sys.argv[1], 4)\n"
        "nbclient.NotebookClient(book, timeout=120, kernel_name='python3').execute()\n"
        "nbformat.write(book, sys.argv[2])\n"
    )
    ran = tmp_path / "ran.ipynb"
    command = [sys.executable, "-c", code, str(EXAMPLES / "quickstart.ipynb"), str(ran)]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    printed = [printed_by(book["cells"]) for book in (kept, json.loads(ran.read_text("utf-8")))]
    assert printed[0] == printed[1]


def printed_by(cells):
    """What each cell prints; a kernel may send it in several pieces."""
    return [
        "".join(
            text
            for output in cell.get("outputs", ())
            if output.get("name") == "stdout"
            for text in output["text"]
        )
        for cell in cells
    ]
