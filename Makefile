# Everything here sets itself up on a machine with Python 3.11, make and git alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WHAT ?= daemon
COUNT ?= 10000000
ARCHS ?= amd64 arm64
# One more than the cores of a small machine, as some tests wait for real processes.
WORKERS ?= 3
unexport PYTHONDONTWRITEBYTECODE  # tests start hundreds of programs, each of which would compile robotd again

.PHONY: env test test-long test-compiled demo live lint accept bench fuzz attack fast slow wheel deb clean

env: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "robotd needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

test: env
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not long"

test-long: env
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m long

demo: env
	$(BIN)/robotd demo

live: env
	$(BIN)/robotd live --open

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

accept: env
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,bench]'
	$(BIN)/python -m tests.accept $(WHAT)

bench: env
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,bench]'
	$(BIN)/python -m tests.bench

fuzz: env
	$(BIN)/python -m tests.hostile --what $(if $(filter boards,$(WHAT)),boards,radio) --count $(COUNT) \
		--state build/fuzz-$(if $(filter boards,$(WHAT)),boards,radio).jsonl

attack: env
	$(BIN)/python -m tests.hostile.attack
	$(BIN)/python -m tests.hostile.endurance

# Compiled modules beside their sources, until `make slow` removes them; again after each change of a source.
fast: env
	$(BIN)/python packaging/compiled/compile.py

# The tests, or a part of them (SAMPLE), of compiled modules, which gcc makes sooner where it does not optimize.
test-compiled: export ROBOTD_OPTIMIZE = 0
test-compiled: fast
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not long" $(SAMPLE); status=$$?; $(MAKE) slow; exit $$status

slow:
	find robotd boards radio behaviors motivation -name '*.so' -delete
	rm -f robotd__mypyc*.so

# Of compiled modules; ROBOTD_PURE=1 makes one of sources alone, which fits any machine.
wheel: env
	$(if $(ROBOTD_PURE),,ROBOTD_COMPILE=1) $(BIN)/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -w dist .

deb:
	PYTHON=$(PYTHON) packaging/deb/build $(ARCHS)

clean: slow
	rm -rf $(VENV) build dist
