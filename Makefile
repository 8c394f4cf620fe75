# Everything here works in a fresh clone: each target sets up .venv first, once.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PY := .venv/bin/python
READY := .venv/.ready
TESTS := $(PY) -m pytest -m "not fault and not browser" -n auto --maxprocesses 4 --dist loadfile
ACCEPTED := python3.13 python3.12 python3.11 python3 python

.PHONY: help setup exact_opening certificate rank tournament play smoke smoke-cluster bench test test-faults test-browser check format lock data clean

help: ## Explain every target
	@awk -F ':.*## ' '/^[a-z_-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  Any experiment: .venv/bin/python -m pipeline +experiment=NAME (see conf/experiment/)"

setup: $(READY) ## Create .venv and install the pinned dependencies and the package (the others do this too)

# The first interpreter of ACCEPTED that really is Python 3.11 to 3.13, unless PYTHON=... names one.
$(READY): requirements.lock pyproject.toml
	@for python in $(or $(PYTHON),$(ACCEPTED)); do \
	  if "$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then echo "make: needs Python 3.11, 3.12 or 3.13; none of these is: $(or $(PYTHON),$(ACCEPTED))" >&2; exit 1; fi; \
	echo "Setting up .venv with $$("$$found" --version) ..."; \
	"$$found" -m venv --clear .venv || { echo "make: $$found cannot make virtual environments (on Debian: apt-get install python3-venv)" >&2; exit 1; }
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

exact_opening: $(READY) ## Prove the best opener of the original Wordle
	$(PY) -m pipeline +experiment=exact_opening

certificate: $(READY) ## Prove the original Wordle, write its certificate and check all of it with the independent checker
	$(PY) -m pipeline +experiment=exact_opening verify=none
	$(PY) pipeline/checker.py outputs/exact_opening/certificate

rank: $(READY) ## Rank every guess of the original Wordle by every heuristic
	$(PY) -m pipeline +experiment=rank_openers

tournament: $(READY) ## Let every strategy play against every answer
	$(PY) -m pipeline +experiment=tournament

play: $(READY) ## Play along at the terminal: it proposes, you type the responses
	$(PY) -m pipeline.play game

smoke: $(READY) ## Run the whole pipeline on a toy game, in seconds
	$(PY) -m pipeline +experiment=smoke

# `ray job submit` needs the extra `cluster`, whose pins are in deploy/requirements.lock: an environment of its own.
smoke-cluster: .venv-cluster/.ready ## Prove it on three nodes in network namespaces, and kill, cut off and add nodes (needs root)
	PY=$(CURDIR)/.venv-cluster/bin/python deploy/smoke.sh

.venv-cluster/.ready: $(READY) deploy/requirements.lock
	$(PY) -m venv --clear .venv-cluster
	.venv-cluster/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r deploy/requirements.lock
	.venv-cluster/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

bench: $(READY) ## Measure the search kernel in CPU time; writes benchmarks/README.md
	$(PY) -m benchmarks

test: $(READY) ## Run the tests
	$(TESTS)

test-faults: $(READY) ## Run the tests that stop, kill and corrupt runs
	$(PY) -m pytest -m fault

test-browser: $(READY) ## Play through the explorer in a real browser (installs chromium with apt-get where it is missing)
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver; } || \
	  { echo "make: install chromium and chromedriver first" >&2; exit 1; }
	$(PY) -m pytest -m browser

check: $(READY) ## Format check, lint, types and tests
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(TESTS)

format: $(READY) ## Format the code and fix what lint can fix
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

lock: $(READY) ## Pin the newest allowed dependencies anew, here and for deploy/
	$(PY) -m pip install --quiet uv
	$(PY) -m uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --extra dev pyproject.toml --upgrade -o requirements.lock
	$(PY) -m uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --extra cluster --constraint requirements.lock pyproject.toml -o deploy/requirements.lock

data: $(READY) ## Derive data/*.txt from the packages that carry the word lists (data/SOURCES.md)
	$(PY) data/derive.py

clean: ## Remove the environment and every cache, keep outputs/
	rm -rf .venv .venv-cluster .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
