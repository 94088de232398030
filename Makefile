# What there is to do with memcli. Needs Python 3.11 or newer with pip, git and make.

# A new environment is made with the first of these that is new enough;
# `make test PYTHON=python3.13` names another.
PYTHON = python3 python3.14 python3.13 python3.12 python3.11 python
VENV = .venv
RUN = $(VENV)/bin/python

help:  ## List these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

venv: $(VENV)/tools.stamp  ## Make the environment in .venv, with the development tools

test: $(VENV)/tools.stamp  ## Run the checks and most tests (STEP="types tests" runs only these)
	@$(RUN) tests/check.py $(STEP)

test-slow: $(VENV)/tools.stamp  ## Run what takes long: kills, crowds, full disks, servers, a browser, the wheel
	@$(RUN) tests/check.py slow wheel

test-all: $(VENV)/tools.stamp  ## Run both, with every kill, the whole crowd, more examples: a quarter of an hour
	@$(RUN) tests/check.py all

demo: $(VENV)/memcli.stamp  ## Two days in a repository, through the hooks, in a temporary folder
	@$(RUN) tests/demo.py

bench: $(VENV)/tools.stamp  ## Run the benchmarks (ARGS="locomo --data FILE")
	@$(RUN) -m tests.benchmarks $(ARGS)

e2e: $(VENV)/tools.stamp  ## Run memcli in the real clients, npm and 2 GB needed (ARGS="codex gemini")
	@$(RUN) -m tests.e2e $(ARGS)

docs: $(VENV)/tools.stamp  ## Write the rules of mining anew
	@$(RUN) -m cogapp -r docs/reference/mining-rules.md

clean:  ## Remove the environment and everything that was built
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis \
	    .import_linter_cache
	@find memcli tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The demo needs no development tools, so they are a second step.
$(VENV)/memcli.stamp: pyproject.toml
	@for python in $(PYTHON); do \
	    if "$$python" -c 'import sys, venv, ensurepip; \
	sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        echo "Making $(VENV) with `$$python --version`, and what memcli needs ..."; \
	        "$$python" tests/check.py environment $(VENV) && touch $@; \
	        exit; \
	    fi; \
	done; \
	echo 'make: of these none is Python 3.11 or newer with venv and pip: $(PYTHON)' >&2; \
	echo 'hint: name one, as in: make $(MAKECMDGOALS) PYTHON=/path/to/python3' >&2; \
	exit 1

$(VENV)/tools.stamp: $(VENV)/memcli.stamp
	@echo 'Installing memcli and the development tools ...'
	@$(RUN) tests/check.py install && touch $@

.PHONY: help venv test test-slow test-all demo bench e2e docs clean
