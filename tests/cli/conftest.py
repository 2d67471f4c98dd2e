"""Commands of the command line, run in this process."""

import sys

import pytest

from coworkgym.cli import main


@pytest.fixture
def command(monkeypatch, capsys):
    """Runs a command; returns its exit status, stdout and stderr."""

    def run(*arguments, typed=None):
        monkeypatch.setattr(sys, "argv", ["coworkgym", *arguments])
        if typed is not None:
            lines = iter(typed)
            monkeypatch.setattr("builtins.input", lambda _prompt: next_or_eof(lines))
        status = 0
        try:
            main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def next_or_eof(lines):
    for line in lines:
        return line
    raise EOFError
