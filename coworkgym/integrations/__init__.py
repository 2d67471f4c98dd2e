"""Adapters to other libraries: one file each, imported by nobody but their users."""
