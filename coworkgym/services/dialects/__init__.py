"""Dialects: how offices other than ours are spoken to, as thin layers over the same world."""

from coworkgym.services.dialects.dialect import Dialect, ToolOverride, dialect

__all__ = ["Dialect", "ToolOverride", "dialect"]
