"""Accounts payable: invoices, suppliers and their bank details."""
