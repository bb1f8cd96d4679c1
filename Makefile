# Each target creates what it needs in .venv, once; a change of pyproject.toml installs again.
# Another Python: make test PYTHON=python3.13
PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0
BIN := $(VENV)/bin
LIMITS ?=
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(LIMITS)
PYTHONS ?= python3.11 python3.12 python3.13 python3.14 $(wildcard $(HOME)/.pyenv/versions/3.1[1-9]*/bin/python)

.PHONY: demo quick test test-browser test-integrations frameworks platforms test-distributed engines bench-distributed engines-bench test-lowest
.PHONY: test-matrix package check fuzz mutate bench docs clean
.DELETE_ON_ERROR:

demo: $(VENV)/installed-pydantic
	$(BIN)/python examples/demo.py

# The heart of the library in half a minute: the paper's equations, the laws, an oracle for each task, the README.
quick: $(VENV)/installed-dev
	$(BIN)/python -m pytest -q -n auto tests/equations tests/laws tests/oracles 'tests/docs/test_pages.py::test_a_page_shows_what_is_printed[README.md]' \
	  --ignore tests/oracles/test_udeval_enhancements.py --ignore tests/oracles/test_gamma.py

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n auto --dist loadfile

# The lowest versions that pyproject.toml allows.
test-lowest:
	@mkdir -p build
	$(PYTHON) release/lowest.py > build/lowest.txt
	$(MAKE) test VENV=.venv-lowest LIMITS='--constraint build/lowest.txt'

# Every Python that is installed here, each in an environment of its own, with the newest versions; then the lowest.
test-matrix:
	@set -e; seen=; for python in $(PYTHONS); do \
	  version=$$("$$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue; \
	  case " $$seen " in *" $$version "*) continue;; esac; seen="$$seen $$version"; \
	  echo "== Python $$version ($$python)"; $(MAKE) test PYTHON="$$python" VENV=".venv-$$version"; \
	done; test -n "$$seen" || { echo "found no Python 3.11 or newer; write make test-matrix PYTHONS=..." >&2; exit 1; }
	$(MAKE) test-lowest

# Wheel and source archive: their files, their description, and an installation of each in a fresh environment.
package: $(VENV)/installed-dev
	$(BIN)/python -m pytest release

# The report in Chromium: no message, no request, nothing of the data is markup.
test-browser: $(VENV)/installed-dev
	$(BIN)/python -m pytest tests/browser

# In environments of their own: some frameworks bring pytest plugins, these two sets want other versions of the same packages, and
# some leave event loops open, of which Python warns at the end.
test-integrations:
	$(MAKE) frameworks VENV=.venv-frameworks
	$(MAKE) platforms VENV=.venv-platforms

frameworks: $(VENV)/installed-frameworks
	PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(BIN)/python -m pytest -W default tests/integrations tests/frameworks

platforms: $(VENV)/installed-platforms
	PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(BIN)/python -m pytest -W default tests/platforms

# Spark and Ray on local clusters, in an environment of their own: they are large.
test-distributed:
	$(MAKE) engines VENV=.venv-distributed

engines: $(VENV)/installed-distributed
	$(BIN)/python -m pytest -W default tests/distributed

bench-distributed:
	$(MAKE) engines-bench VENV=.venv-distributed

engines-bench: $(VENV)/installed-distributed
	$(BIN)/python benchmarks/distributed/engines.py 10000 100000 1000000

check: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict src
	$(BIN)/python -m pytest -n auto --dist loadfile
	$(BIN)/python -m pytest release

fuzz: $(VENV)/installed-dev
	$(BIN)/python tests/fuzz/fuzz.py --inputs $(or $(INPUTS),1000000) --seed $(or $(SEED),1)

mutate: $(VENV)/installed-dev
	@set -e; for subject in algebra reference similarities corpus engine; do \
	  nice -n 19 $(BIN)/python tests/mutation/mutate.py $$subject --sample $(or $(SAMPLE),100) --seed $(or $(SEED),0); done

bench: $(VENV)/installed-bench
	@mkdir -p build; rm -f build/bench.jsonl
	@set -e; for script in benchmarks/*.py; do echo "== $$script"; BENCH_ROWS=build/bench.jsonl $(BIN)/python "$$script"; done
	@$(BIN)/python benchmarks/workload/summary.py build/bench.jsonl build/benchmarks.md

# The site, in site/index.html; no network is needed. What the pages show is refreshed by: python docs/run.py
docs: $(VENV)/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo site/index.html

clean:
	rm -rf $(VENV) .venv-* .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist site

$(VENV)/installed: pyproject.toml | $(VENV)/created
	$(PIP) --editable .
	@touch $@

$(VENV)/installed-%: pyproject.toml | $(VENV)/created
	$(PIP) --editable '.[$*]'
	@touch $(VENV)/installed $@

$(VENV)/installed-frameworks: pyproject.toml | $(VENV)/created
	$(PIP) '$(TORCH)'
	$(PIP) --editable '.[inspect,torchmetrics]' datasets 'deepeval>=4' dspy hypothesis lighteval lm-eval mlflow pydantic-evals pytest spacy
	@touch $@

$(VENV)/installed-platforms: pyproject.toml | $(VENV)/created
	$(PIP) --editable . arize-phoenix-evals braintrust google-adk hypothesis langfuse langsmith opik pytest 'verifiers>=0.2' weave
	@touch $@

$(VENV)/created:
	@command -v $(PYTHON) >/dev/null || \
	  { echo "matchwise needs Python 3.11 or newer, but there is no $(PYTHON); write make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "matchwise needs Python 3.11 or newer, but $(PYTHON) is %d.%d; write make PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@
