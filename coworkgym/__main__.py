"""`python -m coworkgym`: the command line."""

from coworkgym.cli import main

main()
