"""Quality: what is wrong with a task or a package, with the reason and the place."""

from coworkgym.quality.check import PACKAGE_RULES, TASK_RULES
from coworkgym.quality.forbidden import forbidden_call, replay
from coworkgym.quality.report import Finding, Report, check_package, check_path, check_task

__all__ = [
    "PACKAGE_RULES",
    "TASK_RULES",
    "Finding",
    "Report",
    "check_package",
    "check_path",
    "check_task",
    "forbidden_call",
    "replay",
]
