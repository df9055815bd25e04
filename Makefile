# Every target makes what it needs: a virtual environment in .venv with the project and that target's tools.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Tests start many processes: byte code is kept, whatever the caller's environment says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test matrix lowest soak fuzz bench docs lint clean

demo: $(VENV)/.base
	$(BIN)/sixd demo

# TESTS are arguments of pytest, such as TESTS=tests/lie or TESTS="--shuffle 7"; WORKERS are the processes that run tests.
export TESTS ?=
WORKERS ?= 2

test: lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(TESTS)

# The tests on every Python from 3.11 on that is on this machine; and with the lowest versions that pyproject.toml allows.

matrix:
	$(PYTHON) tools/matrix.py --tests "$$TESTS"

lowest:
	$(PYTHON) tools/matrix.py --lowest --tests "$$TESTS"

# Long tests, then the tests of what machine code computes on the code that users run.
soak: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow
	$(BIN)/python -m pytest -n 2 --dist worksteal --level 2 tests/backends tests/compiler

# SECONDS for each target; SEED makes other attacks.
SECONDS ?= 60
SEED ?= 0

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --seed $(SEED)

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) $(VENV)-* docs/_build .mypy_cache .ruff_cache .pytest_cache

$(VENV)/.base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

# One environment, one set of tools per target: the dependency group of the same name.
$(VENV)/.%: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --group $*
	@touch $@
