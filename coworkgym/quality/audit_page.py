"""Audit page: audits as one HTML page, with the shortest episode behind each weakness."""

from collections.abc import Iterable, Sequence
from html import escape

from coworkgym.frozen import json_text
from coworkgym.quality.audit import Audit
from coworkgym.quality.ledger import Earned, Mutated, Weakness

RULES = {
    "exploit": "A policy that does not do the work earns too much.",
    "reading": "An episode that changes nothing earns too much, although acting is right.",
    "mutant": "The reference with one thing changed is scored on the wrong side.",
    "unaccounted": "An episode passes although it changed what no check or gate looks at.",
    "dead_check": "A check has the same value in every episode.",
    "dead_gate": "No episode breaches a gate.",
    "reference": "The reference solution does not earn everything.",
    "grades": "An episode could not be scored.",
    "loads": "A task could not be read or built.",
}
"""Every rule of an audit, in words."""

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --bad: #c33; --good: #2a7; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0 2rem; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
th { font-weight: 600; vertical-align: bottom; }
.scroll { overflow-x: auto; }
.bad { color: var(--bad); font-weight: 600; }
.good { color: var(--good); }
.quiet { opacity: .65; }
details { margin: .6rem 0; border-left: 3px solid var(--bad); padding-left: .8rem; }
summary { cursor: pointer; }
ol { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
"""


def audit_page(audits: Sequence[Audit]) -> str:
    """Returns one self-contained HTML page: summary, policies, mutations, weaknesses."""
    passed = sum(audit.passed for audit in audits)
    body = [
        "<h1>Audit of checks and gates</h1>",
        f"<p>{passed} of {len(audits)} passed, {sum(audit.tasks for audit in audits)} tasks.</p>",
        _table(_SUMMARY, [_summary(audit) for audit in audits]),
        "<h2>Weaknesses</h2>",
        *(_weaknesses(audit) for audit in audits if audit.weaknesses),
        *([] if passed < len(audits) else ["<p class=good>None was found.</p>"]),
        "<h2>Policies that do not do the work</h2>",
        "<p>Mean and largest score; deterministic adversaries first, then guessers.</p>",
        _by_name(audits, "policy", [dict(map(_earned, audit.earned)) for audit in audits]),
        "<h2>Mutants of the reference</h2>",
        "<p>How many were played and, where there are any, how many were on the wrong side.</p>",
        _by_name(audits, "mutation", [dict(map(_mutated, audit.mutated)) for audit in audits]),
    ]
    head = f"<meta charset=utf-8><title>Audit</title><style>{_STYLE}</style>"
    return "\n".join(["<!doctype html>", "<html lang=en>", head, *body, "</html>", ""])


_SUMMARY = ("package", "tasks", "best adversary, mean", "best guesser, mean", "best reading only",
            "mutants", "wrong side", "unaccounted", "dead checks", "dead gates", "")  # fmt: skip


def _summary(audit: Audit) -> list[str]:
    verdict = "<span class=good>passed</span>" if audit.passed else "<span class=bad>failed</span>"
    return [
        escape(audit.subject),
        str(audit.tasks),
        f"{audit.most(guesses=False):.3f}",
        f"{audit.most(guesses=True):.3f}",
        f"{audit.reading:.2f}",
        str(sum(row.mutants for row in audit.mutated)),
        str(sum(row.wrong for row in audit.mutated)),
        *(str(audit.count(rule)) for rule in ("unaccounted", "dead_check", "dead_gate")),
        verdict,
    ]


def _earned(row: Earned) -> tuple[str, str]:
    return row.policy, f"{row.mean:.3f} <span class=quiet>{row.most:.2f}</span>"


def _mutated(row: Mutated) -> tuple[str, str]:
    wrong = f" <span class=bad>{row.wrong} wrong</span>" if row.wrong else ""
    return row.kind, f"{row.mutants}{wrong}"


def _by_name(audits: Sequence[Audit], what: str, columns: Sequence[dict[str, str]]) -> str:
    """A table with a row a name and a column an audit."""
    names = dict.fromkeys(name for column in columns for name in column)
    rows = [[escape(name), *(c.get(name, "") for c in columns)] for name in names]
    return _table([what, *(audit.subject for audit in audits)], rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells are HTML already, the head is text."""
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    lines = ("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div class=scroll><table><tr>{titles}</tr>\n" + "\n".join(lines) + "</table></div>"


def _weaknesses(audit: Audit) -> str:
    return f"<h3>{escape(audit.subject)}</h3>\n" + "\n".join(map(_weakness, audit.weaknesses))


def _weakness(weakness: Weakness) -> str:
    calls = "\n".join(
        f"<li>{escape(str(call.name))} {escape(json_text(call.arguments)[:2000])}</li>"
        for call in weakness.calls
    )
    shown = f"<p class=quiet>{escape(weakness.task)}</p><ol>{calls}</ol>" if calls else ""
    return (
        f"<details><summary><b class=bad>{escape(weakness.rule)}</b> {escape(weakness.about)}: "
        f"{escape(weakness.why)} <span class=quiet>({weakness.episodes} x)</span></summary>"
        f"<p>{escape(RULES[weakness.rule])}</p>{shown}</details>"
    )
