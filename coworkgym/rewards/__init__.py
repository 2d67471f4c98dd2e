"""Judging: statements about an episode, checks and gates made of them, scores."""

from coworkgym.rewards.calls import Order, ReadBefore, ToolCalled, ToolNotCalled
from coworkgym.rewards.checklist import Check, CheckResult, Gate, GateResult
from coworkgym.rewards.evidence import Evidence
from coworkgym.rewards.exposure import exposed
from coworkgym.rewards.judged import Judged
from coworkgym.rewards.logic import AllOf, AnyOf, Not
from coworkgym.rewards.mail import MailOnlyTo, MailSent, MailWithout
from coworkgym.rewards.records import (
    Group,
    RecordCreated,
    RecordHas,
    RecordNever,
    RecordsSorted,
    Untouched,
)
from coworkgym.rewards.replies import (
    ReplyHolds,
    ReplyHonest,
    ReplyLength,
    ReplyNames,
    ReplyStates,
)
from coworkgym.rewards.ruling import Ruling
from coworkgym.rewards.score import FORMULAS, PASS_MARK, Score, combine, score
from coworkgym.rewards.statement import KINDS, Statement, Verdict, load_statement

__all__ = [
    "FORMULAS",
    "KINDS",
    "PASS_MARK",
    "AllOf",
    "AnyOf",
    "Check",
    "CheckResult",
    "Evidence",
    "Gate",
    "GateResult",
    "Group",
    "Judged",
    "MailOnlyTo",
    "MailSent",
    "MailWithout",
    "Not",
    "Order",
    "ReadBefore",
    "RecordCreated",
    "RecordHas",
    "RecordNever",
    "RecordsSorted",
    "ReplyHolds",
    "ReplyHonest",
    "ReplyLength",
    "ReplyNames",
    "ReplyStates",
    "Ruling",
    "Score",
    "Statement",
    "ToolCalled",
    "ToolNotCalled",
    "Untouched",
    "Verdict",
    "combine",
    "exposed",
    "load_statement",
    "score",
]
