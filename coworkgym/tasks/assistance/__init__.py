"""Assistance: another person's inbox, calendar and errands."""
