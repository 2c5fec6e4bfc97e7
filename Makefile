# `make demo` shows the main job, `make test` runs what CI holds; both need Python 3.11+ with venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# one more than two processors: tests wait, for locks, pauses and other processes
WORKERS ?= 3
FAST_WORKERS ?= 2
# the files of tests in which something stands: collecting all takes as long as running some
with = $$(grep -rlE '$(1)' tests --include='test_*.py')

# a process of ours that starts a hundred times is not compiled a hundred times
unexport PYTHONDONTWRITEBYTECODE

.PHONY: analyze-demo demo dist docs style test test-all test-fast test-pythons test-slow tested types lint bench bench-all man audit pins clean

demo: $(VENV)/.installed
	PATH="$(CURDIR)/$(BIN):$$PATH" scripts/demo.sh

# with what is installed where it has Spark, on the path or in $(VENV): that is 456 MB
analyze-demo:
	@has_spark() { "$$1python3" -c 'import mqtriage, pyspark' 2>/dev/null; }; \
	bin="$(abspath $(BIN))"; \
	if has_spark ""; then exec scripts/analyze_demo.sh; fi; \
	has_spark "$$bin/" || $(MAKE) $(VENV)/.installed-dev || exit; \
	PATH="$$bin:$$PATH" exec scripts/analyze_demo.sh

# What the tests must find here; otherwise they are skipped where it is missing
REQUIRED := cc,pymqi,ibmmq,pygls,mcp,textual,pyyaml,pre-commit,build,mkdocs,spark
JMS = $(if $(filter accept,$(MQTRIAGE_IBM_LICENSE)),$(if $(and $(shell command -v java),$(shell command -v mvn)),$(comma)jms))
comma := ,

# Every test that takes less than a second and needs no Java, in processes of their own, file by file;
# then, by themselves, those that hold times to a bound. CI runs `test-slow` as well.
# `long` takes more time than it is worth every day.
test: export MQTRIAGE_REQUIRE := $(REQUIRED)
test: $(VENV)/.installed-pymqi
	$(MAKE) style
	$(MAKE) -j2 types tested
	$(BIN)/python -m pytest -m "alone and not slow and not long" $(call with,mark\.alone)

# What `make test` leaves out: Spark, kills and power loss, pages whose blocks run, `top` at a terminal, ...
# With MQTRIAGE_IBM_LICENSE=accept also IBM's Java clients, which Maven fetches (docs/java.md).
test-slow: export MQTRIAGE_REQUIRE := $(REQUIRED)$(JMS)
test-slow: $(VENV)/.installed-pymqi $(VENV)/collected
	$(BIN)/python -m pytest -m "slow and not alone and not long" -n $(WORKERS) --durations=40 --durations-min=10
	$(BIN)/python -m pytest -m "slow and alone and not long" $(call with,mark\.alone)

# beside mypy, which takes one processor for a minute where it has read nothing yet
tested: $(VENV)/collected
	$(BIN)/python -m pytest -m "not slow and not alone and not long" -n $(WORKERS) --durations=20 --durations-min=3

# Something of each room and every verb, without Java: what tests/fast.txt names.
test-fast: $(VENV)/.installed-dev
	MQTRIAGE_TESTS=fast $(BIN)/python -m pytest -q -m "not slow and not alone and not long" \
		-n $(FAST_WORKERS) $$(grep ^tests/ tests/fast.txt)

# The demo and `test-fast` on each Python from 3.11 to 3.15 that is here; names the others.
test-pythons:
	scripts/test_pythons.sh

# Before a release: what `make test` leaves out for its time, each by its name, then once more what
# has random examples, with ten times as many and more, and what Spark works out, with the Java that
# it writes for each plan: clusters of Spark, sanitizers, 2,000 histories, 16 chains of 14 kills, ten
# minutes of damaged scripts. Every test that draws a seed is run with 300 of them: what fails is a
# fault, and MQTRIAGE_SEED repeats it. In processor time a seed of power loss costs 18 s, and one of
# full, incremental and eventful days 75 s; of dumps of definitions, of a month and of cohorts ten
# share one run of Spark, and a seed costs its simulation, 5 to 9 s, and its part of the run. 300 of
# all take hours on two cores.
# First two faults at each of twenty statements, drawn anew: what
# their tests do not notice is listed; then the tests and samples of the authors of MQ clients in
# Python, Go, Node and Rust, of those that there is a tool for.
test-all: export MQTRIAGE_REQUIRE := $(REQUIRED)$(JMS)
test-all: test test-slow
	$(BIN)/python scripts/mutate.py
	$(BIN)/python scripts/authors_programs.py
	MQTRIAGE_DRAWS=300 $(BIN)/python -m pytest -v -m "not alone" -n $(WORKERS) $(call with,drawn_(dice|seeds))
	MQTRIAGE_TESTS=all $(BIN)/python -m pytest -v -m "long and not alone" $(call with,mark\.long) tests/faults tests/jms
	MQTRIAGE_TESTS=all $(BIN)/python -m pytest -v -m "not alone and not long" -n $(WORKERS) $(call with,amount.[0-9]|crossed|@given|SparkSession|.analyze.)

# each test compiled once, and not in each process, where one has changed
$(VENV)/collected: $(VENV)/.installed-dev $(shell find tests -name '*.py')
	$(BIN)/python -m pytest -qq --collect-only > $@.new || { cat $@.new; exit 1; }
	mv $@.new $@

lint: style types

types: $(VENV)/.installed-dev
	$(BIN)/mypy

style: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/docs/test_prose.py

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.run

# The same and what takes long, or needs RabbitMQ or Java: a million messages, ten thousand queues,
# pairs of IBM's client for JMS, analyses of five million rows, a month of a thousand queue managers.
bench-all: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.run all
	$(BIN)/python -m benchmarks.growth queues
	$(BIN)/python -m benchmarks.channel_pairs
	$(BIN)/python -m benchmarks.pipeline
	$(BIN)/python -m benchmarks.month

man: $(VENV)/.installed-dev
	$(BIN)/python scripts/make_index.py
	$(BIN)/python scripts/make_man.py

# the documentation site, in build/site; a link that leads nowhere fails it
docs: $(VENV)/.installed-dev
	$(BIN)/python scripts/make_site.py
	NO_MKDOCS_2_WARNING=1 MQTRIAGE_SITE="mqtriage $$($(BIN)/python -c 'import mqtriage; print(mqtriage.__version__)')" $(BIN)/mkdocs build --strict

# sdist and wheel, built and checked; tests/test_release.py does the same and tries the wheel
dist: $(VENV)/.installed-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" scripts/make_release.sh dist

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

# what tests, tools and builds need, each by version and hash
$(VENV)/.installed-dev: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r constraints.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $(VENV)/.installed $@

PYMQI := pymqi==1.12.13 --hash=sha256:a74a48d6f0c59180f678a926927b69d8d7e7df0b228f8903c08b95f54627051c

# pymqi is compiled on the user's machine, against the headers of an MQ client: here, against ours
$(VENV)/.installed-pymqi: emulator/mqi/library/headers.py emulator/mqi/library/cmqbc.h mq/structures.txt mq/cmqc.py mq/constants.tsv \
		| $(VENV)/.installed-dev
	$(BIN)/mqtriage emulator sdk $(VENV)/mq-sdk --quiet > /dev/null
	echo $(PYMQI) > $(VENV)/pymqi.txt
	MQ_FILE_PATH=$(abspath $(VENV))/mq-sdk $(BIN)/python -m pip install --quiet --no-deps \
		--no-cache-dir --force-reinstall --no-binary pymqi --no-build-isolation --require-hashes \
		-r $(VENV)/pymqi.txt
	touch $@

# The newest versions that pyproject.toml allows, for every platform; needs uv. Then `make test`.
pins:
	printf 'hatchling\neditables\nsetuptools\n' | uv pip compile --quiet --upgrade --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header \
		--extra dev --extra spark --extra spark-connect --extra spark-jdk \
		--output-file constraints.txt pyproject.toml -

# What is published against the versions that the wheel needs, where pip-audit is installed; a package
# that its source knows nothing of is a failure, and not a package without fault.
audit: $(VENV)/.installed
	$(BIN)/python scripts/make_sbom.py --pins > $(VENV)/needed.txt
	pip-audit --strict --no-deps --disable-pip -r $(VENV)/needed.txt

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
