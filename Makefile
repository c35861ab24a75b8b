# Two commands: `make demo` (first numbers) and `make test` (everything we promise). Needs Python >= 3.11 and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LANGUAGES := en,de,fr,es,it,ja,ru,zh,ar,th

.PHONY: demo test check format docs perf bench bench-check bench-record clean

demo: $(VENV)/.base
	$(BIN)/crossgauge run emoji --model conse --languages $(LANGUAGES)

test: $(VENV)/.dev
	@scripts/test

check: $(VENV)/.dev
	@scripts/check

format: $(VENV)/.dev
	$(BIN)/ruff format src tests perf scripts examples
	$(BIN)/ruff check --fix src tests perf scripts examples

docs: $(VENV)/.dev
	@$(BIN)/python scripts/build_reference.py

perf: $(VENV)/.dev
	@scripts/perf

bench: $(VENV)/.bench
	@env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE $(BIN)/python perf/bench.py --json perf/performance.json
	@$(BIN)/python scripts/build_performance.py

bench-check: $(VENV)/.dev
	@scripts/bench-check

bench-record: $(VENV)/.dev
	@env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE $(BIN)/python perf/bench.py --quick --record

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; say which: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 4; }
	$(PYTHON) -m venv $(VENV)

NATIVE := hatch_build.py src/crossgauge/ranking/_native/ranks.c# compiled on install, where there is a compiler

$(VENV)/.base: pyproject.toml $(NATIVE) $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml $(NATIVE) $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.base

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	@touch $@

clean:
	rm -rf $(VENV) .cache artifacts .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
