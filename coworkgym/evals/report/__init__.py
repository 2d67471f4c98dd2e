"""Reports: runs as one page that needs no network and no script. Needs the extra `[eval]`."""

from coworkgym.evals.report.page import report_page

__all__ = ["report_page"]
