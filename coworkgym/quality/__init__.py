"""Quality: what is wrong with a task or a package, with the reason and the place."""

from coworkgym.quality.audit import AUDITED, Audit, audit_package, audit_path
from coworkgym.quality.audit_page import audit_page
from coworkgym.quality.check import PACKAGE_RULES, TASK_RULES
from coworkgym.quality.forbidden import Forbidden, forbidden, forbidden_call, replay
from coworkgym.quality.ledger import Weakness
from coworkgym.quality.report import (
    Finding,
    Report,
    check_package,
    check_path,
    check_task,
    lint_path,
)
from coworkgym.quality.tolerance import TOLERANCE, Tolerance

__all__ = [
    "AUDITED",
    "PACKAGE_RULES",
    "TASK_RULES",
    "TOLERANCE",
    "Audit",
    "Finding",
    "Forbidden",
    "Report",
    "Tolerance",
    "Weakness",
    "audit_package",
    "audit_page",
    "audit_path",
    "check_package",
    "check_path",
    "check_task",
    "forbidden",
    "forbidden_call",
    "lint_path",
    "replay",
]
