PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

.PHONY: run test check load bench clean

run: $(VENV)/.ready
	$(BIN)/tavolata up $(ARGS)

test: check
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

check: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

load: $(VENV)/.ready
	$(BIN)/tavolata load $(ARGS)

bench: $(VENV)/.ready
	$(BIN)/python -m benchmarks.peers run $(ARGS)

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) .tavolata .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
