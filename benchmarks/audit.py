"""Audit: every package, easy to hard, against adversaries and mutants, with the time it takes.

The full run behind the tests' small one. It fails where `coworkgym audit --all` fails, and where a
deterministic adversary earns 0.05 or a guesser 0.10 on average over all tasks of all packages.

    python benchmarks/audit.py     # prints the table, writes results/audit.json and audit.html
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from provenance import provenance
from rich.console import Console
from rich.table import Table

from coworkgym.quality import TOLERANCE, Audit, audit_package, audit_page
from coworkgym.tasks import LANGUAGES, packages

RESULTS = Path(__file__).parent / "results"


def overall(audits: Sequence[Audit]) -> dict[str, dict[str, Any]]:
    """What each policy earned on average over all tasks of all packages, and at most."""
    rows: dict[str, dict[str, Any]] = {}
    for policy in dict.fromkeys(row.policy for audit in audits for row in audit.earned):
        earned = [row for audit in audits for row in audit.earned if row.policy == policy]
        episodes = sum(row.episodes for row in earned)
        rows[policy] = {
            "guesses": earned[0].guesses,
            "episodes": episodes,
            "mean": math.fsum(row.mean * row.episodes for row in earned) / episodes,
            "most": max(row.most for row in earned),
        }
    return rows


def show(audits: Sequence[Audit], seconds: Sequence[float]) -> None:
    """Prints a row a package and a row a policy."""
    table = Table("package", "tasks", "mutants", "wrong", "reading", "weaknesses", "CPU s")
    for audit, spent in zip(audits, seconds, strict=True):
        mutants, wrong = (sum(getattr(m, f) for m in audit.mutated) for f in ("mutants", "wrong"))
        table.add_row(
            audit.subject, str(audit.tasks), str(mutants), str(wrong), f"{audit.reading:.2f}",
            str(len(audit.weaknesses)), f"{spent:.1f}",
        )  # fmt: skip
    Console().print(table)
    policies = Table("policy", "kind", "episodes", "mean", "most")
    for policy, row in overall(audits).items():
        kind = "guesser" if row["guesses"] else "deterministic"
        values = f"{row['mean']:.4f}", f"{row['most']:.2f}"
        policies.add_row(policy, kind, str(row["episodes"]), *values)
    Console().print(policies)


def main() -> None:
    """Runs the audit; exit 1 when something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="tasks of each level and language")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the result files")
    given = parser.parse_args()
    audits, seconds = [], []
    for package in packages():
        for language in LANGUAGES:
            start = time.process_time()
            audit = audit_package(package, seeds=given.seeds, languages=[language])
            seconds.append(time.process_time() - start)
            audits.append(audit._replace(subject=f"{audit.subject} {language}"))
    show(audits, seconds)
    facts = {
        **provenance(("gymnasium", "numpy", "pydantic")),
        "seeds": given.seeds,
        "tolerance": TOLERANCE._asdict(),
        "policies": overall(audits),
        "cpu_seconds": dict(zip((a.subject for a in audits), seconds, strict=True)),
        "audits": [audit.facts() for audit in audits],
    }
    given.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(facts, indent=1, ensure_ascii=False)
    (given.out / "audit.json").write_text(text + "\n", encoding="utf-8")
    (given.out / "audit.html").write_text(audit_page(audits), encoding="utf-8")
    means = [(row["mean"], row["guesses"]) for row in overall(audits).values()]
    high = [m for m, guesses in means if m >= (TOLERANCE.guessing if guesses else TOLERANCE.mean)]
    sys.exit(1 if high or not all(audit.passed for audit in audits) else 0)


if __name__ == "__main__":
    main()
