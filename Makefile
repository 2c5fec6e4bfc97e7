# `make demo` shows the main job, `make test` runs every check; both need Python 3.11+ with venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: analyze-demo demo test test-fast lint bench man clean

demo: $(VENV)/.installed
	PATH="$(CURDIR)/$(BIN):$$PATH" scripts/demo.sh

analyze-demo: $(VENV)/.installed-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" scripts/analyze_demo.sh

# in two processes, file by file; then by themselves those that hold times to a bound
test: export MQTRIAGE_REQUIRE := cc,pymqi,ibmmq,spark
test: lint $(VENV)/.installed-pymqi
	$(BIN)/python -m pytest -m "not alone" -n 2 --dist loadfile --no-loadscope-reorder
	$(BIN)/python -m pytest -m alone

test-fast: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "not slow"

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.run

man: $(VENV)/.installed-dev
	$(BIN)/python scripts/make_man.py

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[dev,spark,spark-connect,spark-jdk]'
	touch $@

# pymqi is compiled on the user's machine, against the headers of an MQ client: here, against ours
$(VENV)/.installed-pymqi: emulator/mqi/headers.py emulator/mqi/layouts.py emulator/mqi/names.txt \
		| $(VENV)/.installed-dev
	$(BIN)/mqtriage emulator sdk $(VENV)/mq-sdk --quiet > /dev/null
	MQ_FILE_PATH=$(abspath $(VENV))/mq-sdk $(BIN)/python -m pip install --quiet --no-deps \
		--no-cache-dir --force-reinstall --no-binary pymqi pymqi
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
