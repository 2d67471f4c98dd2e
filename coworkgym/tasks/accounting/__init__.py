"""Accounting: expense claims, reconciliation, closing the books."""
