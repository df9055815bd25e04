# Every target makes what it needs: a virtual environment in .venv with the project and that target's tools.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo test soak fuzz bench docs lint clean

demo: $(VENV)/.base
	$(BIN)/python examples/demo.py

test: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

soak: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 -m slow

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
	$(BIN)/mypy

clean:
	rm -rf $(VENV) docs/_build .mypy_cache .ruff_cache .pytest_cache

$(VENV)/.base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

# One environment, one set of tools per target: the dependency group of the same name.
$(VENV)/.%: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --group $*
	@touch $@
