"""Claw-Eval: tasks of a checkout, run in process, call for call the same or without the faults."""

from coworkgym.integrations.claw_eval.conformance import Conformance, conformance
from coworkgym.integrations.claw_eval.env import make_env
from coworkgym.integrations.claw_eval.fooled import Fooled, fooled
from coworkgym.integrations.claw_eval.graders import TheirScore, grade_theirs
from coworkgym.integrations.claw_eval.importer import MODES, Imported, load_claw_task
from coworkgym.integrations.claw_eval.judging import ChatJudge, StubJudge
from coworkgym.integrations.claw_eval.lint import lint_checkout
from coworkgym.integrations.claw_eval.roster import Entry, roster, runnable

__all__ = [
    "MODES",
    "ChatJudge",
    "Conformance",
    "Entry",
    "Fooled",
    "Imported",
    "StubJudge",
    "TheirScore",
    "conformance",
    "fooled",
    "grade_theirs",
    "lint_checkout",
    "load_claw_task",
    "make_env",
    "roster",
    "runnable",
]
