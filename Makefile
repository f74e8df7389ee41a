# `make` alone lists the targets: a line "target: ... ## text" is its own documentation.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime-installed
DEV := $(VENV)/.dev-installed
DOCS := $(VENV)/.docs-installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Tests of clusters and of the page mostly wait, so there is one process more than most machines of CI have cores.
PYTEST := $(BIN)/python -m pytest -n 3
NPM_TOOLS := node_modules/.bin
SCRIPTS := gateway/web/js clients/javascript tests/clients/scenario_client.mjs
PAGE := gateway/web $(SCRIPTS) tests/clients/typed_program.ts
ARGS ?=

# Simulated clusters that `make verify` runs; `make test` runs the default of tests/simulation.
VERIFY_SIMULATIONS ?= 500
# Rounds of fuzzing for each dialect that `make verify` runs; `make test` runs the default of tests/fuzz.
VERIFY_FUZZ_ROUNDS ?= 1000

# Seeds of `make simulate`, and the length of `make soak`.
SEEDS ?= 10000
SECONDS ?= 3600

# Tests of games and dialects over a whole cluster and of the page, which `make verify` repeats on each kind of store.
CORE_TESTS := tests/e2e/test_play_*.py tests/e2e/test_codex_*.py tests/e2e/test_eriantys_*.py tests/e2e/test_snarl_*.py \
  tests/e2e/test_all_dialects.py tests/browser/test_games.py tests/browser/test_any_game.py tests/browser/test_recovery.py

# Compile each module once instead of at every start of a process: tests start hundreds of them.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run unit test verify verify-stores simulate soak format check check-python check-page coverage load bench docs dist clean

help: ## list these targets
	@echo "Usage: make TARGET [ARGS=\"...\"]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(RUNTIME) ## run a whole cluster on an embedded Valkey: http://127.0.0.1:8000
	@echo "==> starting the cluster; Ctrl-C stops it"
	@$(BIN)/tavolata up $(ARGS)

unit: $(DEV) ## run the unit tests (under a minute)
	$(PYTEST) tests/unit -m "not slow" --hypothesis-profile quick $(ARGS)

# Tests of clusters and of the page compete for the cores of a machine that others may share. A test that fails is
# repeated once, alone, and both outcomes are printed: only a test that fails twice fails the run.
test: check ## run everything that must hold for a submission: check, then all tests
	$(PYTEST) $(ARGS) || { echo "!!! repeating the tests that failed, one at a time" >&2; \
	  $(BIN)/python -m pytest -n 0 --last-failed --last-failed-no-failures none; }

verify: check ## run what takes long: hundreds of simulations, thorough fuzzing
	TAVOLATA_SIMULATIONS=$(VERIFY_SIMULATIONS) $(PYTEST) tests/simulation --timeout 7200 $(ARGS)
	TAVOLATA_NETWORK_FAULTS=1 $(PYTEST) tests/network -rs $(ARGS)
	TAVOLATA_FUZZ_ROUNDS=$(VERIFY_FUZZ_ROUNDS) $(PYTEST) tests/fuzz $(ARGS)
	$(PYTEST) tests/unit --hypothesis-profile thorough --timeout 7200 $(ARGS)
	TAVOLATA_TOPOLOGIES=all $(PYTEST) tests/integration/bus $(ARGS)
	$(PYTEST) -m verify --timeout 1200 $(ARGS)
	$(MAKE) verify-stores

verify-stores: $(DEV) ## run the core of the end-to-end tests on stores with Sentinel and on a Cluster
	@for store in sentinel cluster; do echo "==> on a store with topology $$store"; \
	  TEST_STORE=$$store $(PYTEST) -m "verify or not verify" $(CORE_TESTS) --timeout 1200 $(ARGS) || exit 1; done

simulate: $(DEV) ## run SEEDS (10000) simulated clusters, with a progress bar
	$(BIN)/python -m tests.simulation --seeds $(SEEDS) $(ARGS)

soak: $(DEV) ## play everything with all faults for SECONDS (3600); fails on a violation or on growth
	$(BIN)/python -m loadtest.soak --seconds $(SECONDS) $(ARGS)

format: $(DEV) ## format Python, JavaScript and CSS, and fix what the linters can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@if [ -x $(NPM_TOOLS)/prettier ]; then $(NPM_TOOLS)/prettier --write --log-level warn $(PAGE); \
	  else echo "!!! SKIPPED: the page was not formatted, because prettier is missing (npm install)" >&2; fi

check: check-python check-page ## check format, lint, types and import contracts

check-python: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check-page:
	@if [ -x $(NPM_TOOLS)/prettier ] && [ -x $(NPM_TOOLS)/eslint ]; then \
	    $(NPM_TOOLS)/prettier --check --log-level warn $(PAGE) && $(NPM_TOOLS)/eslint $(SCRIPTS); \
	  else echo "!!! SKIPPED: the page's JavaScript was not checked, because prettier or eslint is missing (npm install)" >&2; fi

coverage: $(DEV) ## run all tests and report which lines they reach
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

load: $(RUNTIME) ## put load on a running cluster and check every answer
	$(BIN)/tavolata load $(ARGS)

bench: $(DEV) ## compare with other game servers (about half an hour; needs Node.js)
	$(BIN)/python -m benchmarks.peers run $(ARGS)

# Not with --quiet: mkdocs then drops warnings before --strict can count them.
docs: $(DOCS) ## build the docs site into build/site; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "==> open build/site/index.html"

dist: $(DEV) ## build the wheel and the source archive into dist
	rm -rf dist build/lib
	$(BIN)/python -m build --quiet
	@ls dist

clean: ## remove everything that was installed, built, cached or stored
	rm -rf $(VENV) .tavolata .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* \
	  build dist *.egg-info node_modules

# Stamps for one environment: running a cluster must not wait for linters and a browser driver.
$(RUNTIME): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Tavolata needs Python 3.11 or newer; choose one with: make PYTHON=python3.12" >&2; exit 1; }
	@echo "==> creating the virtual environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@echo "==> installing Tavolata and its dependencies (once; well under a minute)"
	@$(PIP) --no-compile --editable .
	@touch $@

$(DEV): $(RUNTIME)
	@echo "==> installing the tools for development (once)"
	@$(PIP) --editable ".[dev]"
	@touch $@

$(DOCS): $(RUNTIME)
	@echo "==> installing the tools for the docs site (once)"
	@$(PIP) --editable ".[docs]"
	@touch $@
