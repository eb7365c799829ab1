# Everything a contributor runs. `make help` lists the targets.
#
#   PYTHON=python3.12   the interpreter for a new virtual environment
#   VENV=.venv-312      another folder for it
#   ARGS="-k name"      more words for pytest, in `make test` and `make soak`
#   WORKERS=0           how many processes share those tests: one a core and four at most, if nothing is said; 0 for none

VENV ?= .venv
PY := $(VENV)/bin/python
ARGS ?=
export PYTHON

# pytest's closing line is what says what ran; coverage is read later by scripts/coverage_gate.py.
PYTEST := $(PY) -m pytest
# A test file stays whole, so that what its tests share is made once. The first worker that dies, of a test that hangs,
# ends the run.
WORKERS ?= auto
SHARED := -n $(WORKERS) --maxprocesses=4 --dist=loadfile --max-worker-restart=0
COVERED := $(PY) -m coverage run -m pytest $(SHARED)
PURE := tests/errors tests/values tests/framing tests/kernel tests/text tests/codec tests/plan tests/projections
PURE_HERE = $(wildcard $(PURE) tests/test_errors.py)
PURE_SRC = $(wildcard $(addprefix src/treadle/,errors.py values framing kernel text codec plan projections))
LINTED = $(wildcard src tests scripts examples)
SOAK_SEED := $(or $(TREADLE_SOAK_SEED),$(shell date +%s))

.DEFAULT_GOAL := help
.PHONY: help setup demo test check rest quick format lint imports types docs tidy changelog coverage soak bench golden \
	api fix lock build smoke clean bench-http

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-10s %s\n", $$1, $$2 }'

# ---------------------------------------------------------------- the environment

setup: $(VENV)/.dev $(VENV)/.local  ## virtual environment, locked dependencies, git hook that runs `make quick`
	@sh scripts/setup.sh $(VENV) hook

$(VENV)/.dev: requirements/dev.txt pyproject.toml
	@sh scripts/setup.sh $(VENV) dev
	@touch $(VENV)/.runtime

$(VENV)/.runtime: requirements/runtime.txt requirements/build.txt pyproject.toml
	@sh scripts/setup.sh $(VENV) runtime

$(VENV)/.bench: requirements/bench.txt
	@sh scripts/setup.sh $(VENV) bench

$(VENV)/.local: requirements/local.txt
	@sh scripts/setup.sh $(VENV) local

# ---------------------------------------------------------------- what it does, and whether it does it

demo: $(VENV)/.runtime $(VENV)/.local  ## a language model answers with a real tool, on this machine, without key or network
	@$(VENV)/bin/treadle demo

test: $(VENV)/.dev $(VENV)/.local  ## all tests but the soaks
	@rm -f .coverage .coverage.*
	$(COVERED) $(ARGS)
	@$(PY) -m coverage combine --quiet

check: test  ## all tests, then format, lint, imports, types, coverage, changelog, the wheel: what CI runs
	@$(MAKE) --no-print-directory rest

rest: format lint imports types coverage changelog smoke

quick: $(VENV)/.dev  ## format, lint, imports, types and tests of the pure packages, in seconds
	@$(PY) -m ruff format --quiet --check $(LINTED)
	@$(PY) -m ruff check --quiet $(LINTED)
	@$(VENV)/bin/lint-imports >$(VENV)/imports.txt || { cat $(VENV)/imports.txt; exit 1; }
	@$(PY) -m mypy --no-error-summary $(PURE_SRC)
	@TREADLE_HYPOTHESIS=quick $(PYTEST) -q -m "not slow and not soak and not real_model" $(PURE_HERE)

format: $(VENV)/.dev
	$(PY) -m ruff format --check $(LINTED)

lint: $(VENV)/.dev
	$(PY) -m ruff check $(LINTED)

imports: $(VENV)/.dev
	$(VENV)/bin/lint-imports

types: $(VENV)/.dev
	$(PY) -m mypy

docs: $(VENV)/.dev
	$(PYTEST) tests/docs

tidy: $(VENV)/.dev
	$(PYTEST) tests/repo

changelog: $(VENV)/.dev
	$(PY) scripts/changelog.py check

coverage: $(VENV)/.dev
	$(PY) scripts/coverage_gate.py

soak: $(VENV)/.dev $(VENV)/.local  ## long runs of the soaks and of every property (TREADLE_SOAK_SEED, TREADLE_SOAK_EXAMPLES)
	@echo "soak: TREADLE_SOAK_SEED=$(SOAK_SEED)"
	TREADLE_HYPOTHESIS=soak TREADLE_SOAK_SEED=$(SOAK_SEED) $(PYTEST) $(SHARED) -m "soak or hypothesis" \
		--hypothesis-seed=$(SOAK_SEED) -o faulthandler_timeout=900 $(ARGS)

bench: $(VENV)/.dev  ## named workloads against the stored baseline
	$(PY) bench/gate.py

bench-http: $(VENV)/.dev $(VENV)/.bench  ## delivery over HTTP beside raw ASGI; minutes, and a quiet machine
	$(PY) bench/http_gate.py

# ---------------------------------------------------------------- what is written by a program

golden: $(VENV)/.dev  ## rewrite the golden files; read the diff
	TREADLE_GOLDEN=write $(PYTEST) -q tests

api: $(VENV)/.dev  ## rewrite the snapshot of the public names
	$(PY) scripts/public_api.py write

fix: $(VENV)/.dev  ## format, sort imports, safe lint fixes
	$(PY) -m ruff check --fix $(LINTED) || true
	$(PY) -m ruff format $(LINTED)

lock: $(VENV)/.dev  ## write requirements/ anew (ARGS=--upgrade for newer releases)
	@$(PY) -m pip install --quiet --require-hashes -r requirements/lock.txt
	bash scripts/lock.sh $(VENV)/bin/uv $(ARGS)

build: $(VENV)/.dev  ## the wheel, in dist/
	@rm -rf dist
	$(PY) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

smoke: build  ## the wheel in an empty environment
	$(PY) scripts/smoke.py dist/*.whl

clean:  ## remove what the other targets made
	rm -rf dist .build .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache $(VENV)
