"""Compliance: who may be given what, and what has to be refused."""
