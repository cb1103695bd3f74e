# Needs Python 3.11 to 3.13 and make; everything else is installed in .venv.

PYTHON ?= python3
# More arguments for pip: where else to look for packages, say for a build of torch without CUDA.
PIP_ARGS ?=
# Two workers; a file's tests stay together, so that what they share is made once.
PYTEST_ARGS ?= -n 2 --dist loadfile

# What checking needs: every part that can be left out of an installation.
EXTRAS := cluster,dev,docs,parquet,postgresql
VENV := .venv
BIN := $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check --no-input
STAMP := $(VENV)/.made
CHECKED := src tests $(wildcard tools)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test docs screenshots lint format mistakes cohort constraints clean

help:  ## Say what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP)  ## Make .venv, or bring it up to date; every command below does this first

demo: $(STAMP)  ## Grade the sample cohort in a fresh directory and show who diverged where
	$(BIN)/python tools/demo.py

test: lint  ## Check style and types, then run the tests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

docs: $(STAMP)  ## Build the documentation into build/site; a link that leads nowhere ends it
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

screenshots: $(STAMP)  ## Take the documents' screenshots again, by the browser tests (needs Chromium)
	STAGEGRADE_REQUIRE_BROWSER=1 $(BIN)/python -m pytest tests/browser -n 0
	$(BIN)/python tools/screenshots.py

lint: $(STAMP)  ## Check style and types only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict $(CHECKED)

format: $(STAMP)  ## Sort imports, mend what can be mended, and lay the code out
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

mistakes: $(STAMP)  ## Write docs/mistakes.md, the catalogue of mistakes, again
	$(BIN)/python tools/mistakes_table.py

cohort: $(STAMP)  ## Generate release/, submitted/, autograded/, gradebook.db and the picture of it again
	$(BIN)/python tools/cohort.py
	$(BIN)/python tools/picture.py

# The build backend is installed first and used where it lies, so that it too is the pinned one.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
	    echo "stagegrade needs Python 3.11 to 3.13: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet -c constraints.txt $(PIP_ARGS) hatchling
	$(PIP) install --quiet -c constraints.txt $(PIP_ARGS) --no-build-isolation --editable '.[$(EXTRAS)]'
	@touch $@

constraints:  ## Write constraints.txt again, with the newest releases of what it does not hold
	rm -rf build/constraints
	$(PYTHON) -m venv build/constraints
	sed '/^# Everything else/,$$d' constraints.txt > build/constraints/held.txt
	build/constraints/bin/pip install --quiet -c build/constraints/held.txt $(PIP_ARGS) '.[$(EXTRAS)]'
	build/constraints/bin/pip freeze --all --exclude pip --exclude stagegrade \
	    | sed -e 's/^\(torch==[^+]*\)+.*/\1/' -e '/^nvidia-/d' -e '/^cuda-/d' -e '/^triton==/d' \
	    | grep -vxFf build/constraints/held.txt > build/constraints/rest.txt
	{ cat build/constraints/held.txt; echo '# Everything else:'; cat build/constraints/rest.txt; } > constraints.txt

clean:  ## Remove what was built and cached; .venv stays
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests $(wildcard tools) -name __pycache__ -type d -prune -exec rm -rf {} +
