# Each target creates what it needs in .venv, once; a change of pyproject.toml installs again.
# Another Python: make test PYTHON=python3.13
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test check fuzz bench docs clean
.DELETE_ON_ERROR:

demo: $(VENV)/installed
	$(BIN)/python examples/01_relations.py

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto --dist loadfile

check: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict src
	$(BIN)/python -m pytest -n auto --dist loadfile

fuzz: $(VENV)/installed-dev
	$(BIN)/python tests/fuzz/fuzz.py --inputs $(or $(INPUTS),1000000) --seed $(or $(SEED),1)

bench: $(VENV)/installed-bench
	@set -e; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python "$$script"; done

docs: $(VENV)/installed-dev
	$(BIN)/python -m pytest tests/docs

clean:
	rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist

$(VENV)/installed: pyproject.toml | $(VENV)/created
	$(PIP) --editable .
	@touch $@

$(VENV)/installed-%: pyproject.toml | $(VENV)/created
	$(PIP) --editable '.[$*]'
	@touch $(VENV)/installed $@

$(VENV)/created:
	@command -v $(PYTHON) >/dev/null || \
	  { echo "matchwise needs Python 3.11 or newer, but there is no $(PYTHON); write make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "matchwise needs Python 3.11 or newer, but $(PYTHON) is %d.%d; write make PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@
