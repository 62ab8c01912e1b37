# Two commands do everything: `make demo` and `make test`. `make check` is for between two thoughts; `make help` lists the
# rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# pip knows dependency groups from 25.1 on, and a fresh environment may have an older one.
PIP_VERSION := 26.3
ENVIRONMENT := $(VENV)/.pip-$(PIP_VERSION)
PIP := -m pip install --quiet --disable-pip-version-check
# The old compiled module goes first, so that a failed build cannot leave it behind.
INSTALL := rm -f python/nystream/*.so && $(BIN)/python $(PIP)
# All that the tests need is installed, and what is compiled is as new as its sources.
READY := $(VENV)/.ready
# Of ten thousand files of libraries the tests import some, and Python compiles those by itself.
INSTALL_ALL := $(INSTALL) --no-compile -e '.[bench]' --group dev && touch $(READY)
SOURCES := $(shell find src -name '*.rs') Cargo.toml Cargo.lock pyproject.toml
# Zig links against an old glibc, so that the wheel runs on Linux systems since 2014.
WHEEL := $(if $(filter Linux,$(shell uname -s)),--zig --compatibility manylinux2014)
CLEAN := $(CURDIR)/build/clean
# The tests in which the width of vectors matters: not those of what is made of models, which take minutes with narrow vectors.
VECTORS := --test blocks --test linalg --test updates -- --skip keyed:: --skip forecast:: --skip text::
# Tests in Rust have no limits of their own: all of a command together may take so many seconds.
LIMIT := $(PYTHON) tests/limit.py 600
# On a clean checkout, what is compiled once needs no notes for the next time; where `make check` has left some, they serve.
INCREMENTAL := $(if $(wildcard target/debug/incremental),1,0)
PYTEST := $(BIN)/pytest -n auto --dist worksteal
# What the inner loop leaves out.
FAST := not (ray or site or slow or spark or wheel)

.DEFAULT_GOAL := help
.PHONY: help tools demo check test rust python lints format docs wheel bench bench-rust clean uncompiled

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# A missing tool is said in one line, before anything is built.
tools:
	@command -v $(PYTHON) >/dev/null || { echo "nystream needs Python 3.10 or newer, but there is no $(PYTHON)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "nystream needs Python 3.10 or newer, but $(PYTHON) is older"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "nystream needs Python's venv module, but $(PYTHON) has none (on Debian: apt install python3-venv)"; exit 1; }
	@command -v cargo >/dev/null || { echo "nystream needs Rust 1.89 or newer, but there is no cargo: https://rustup.rs installs it"; exit 1; }

$(ENVIRONMENT): | tools
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
	@$(BIN)/python $(PIP) pip==$(PIP_VERSION)
	@touch $@

$(READY): $(SOURCES) $(if $(wildcard python/nystream/*.so),,uncompiled) | $(ENVIRONMENT)
	@echo "building nystream into $(VENV), because Rust or what it needs has changed"
	@$(INSTALL_ALL)

demo: tools $(ENVIRONMENT) ## build, install into .venv, and run four learners on embedded streams
	@echo "building nystream into $(VENV) (the first time takes a minute or two)"
	@$(INSTALL) -e . --group demo
	@$(BIN)/python examples/demo.py

# Rust is compiled in parts, so that a change costs seconds.
check: export CARGO_INCREMENTAL = 1
check: tools $(READY) ## the inner loop: format, lints, types and the fast tests, in a minute or so
	cargo fmt --check
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	cargo clippy --quiet --locked --all-targets -- -D warnings
	cargo clippy --quiet --locked --features python -- -D warnings
	$(BIN)/mypy
	PROPTEST_CASES=10 $(LIMIT) cargo test --quiet --locked --lib --tests
	$(PYTEST) --quiet -m '$(FAST)' --timeout 30

# Building and checking the package leaves a core idle most of the time, which the Rust half takes. Without a number after
# `--jobs`, since cargo may take it for a limit of its own, too.
test: tools ## everything that CI runs
	@$(MAKE) --no-print-directory --jobs rust lints
	$(PYTEST)

rust: export CARGO_INCREMENTAL = $(INCREMENTAL)
rust: tools ## the Rust half of the tests
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	cargo test --locked --lib --tests --benches --no-run
	$(LIMIT) cargo test --locked --lib --tests --benches
	NYSTREAM_SIMD=lanes-8 PROPTEST_CASES=20 $(LIMIT) cargo test --locked --lib $(VECTORS)
	NYSTREAM_SIMD=lanes-2 PROPTEST_CASES=20 $(LIMIT) cargo test --locked --lib $(VECTORS)
	$(LIMIT) cargo test --locked --doc

python: lints ## the Python half
	$(PYTEST)

lints: tools $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/stubtest nystream._core
	CARGO_INCREMENTAL=$(INCREMENTAL) cargo clippy --locked --features python -- -D warnings

format: tools $(ENVIRONMENT) ## format Rust and Python
	@$(BIN)/python $(PIP) --group lint
	cargo fmt
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: tools $(ENVIRONMENT) ## build the site into build/docs
	@$(INSTALL) -e . --group docs
	@$(BIN)/python -m sphinx --fail-on-warning --keep-going --nitpicky --quiet docs build/docs
	@echo "the site: build/docs/index.html"

wheel: tools $(ENVIRONMENT) ## build wheel and sdist into dist, and try the wheel where there is no compiler
	@$(BIN)/python $(PIP) --group wheel
	@rm -rf dist $(CLEAN)
	@PATH="$(CURDIR)/$(BIN):$$PATH" maturin build --release $(WHEEL) --out dist
	@PATH="$(CURDIR)/$(BIN):$$PATH" maturin sdist --out dist
	@$(PYTHON) -m venv $(CLEAN)
	@PATH="$(CLEAN)/bin" python $(PIP) dist/*.whl
	@PATH="$(CLEAN)/bin" python tests/smoke.py

bench: tools $(ENVIRONMENT) ## measure the Python package beside NumPy, river and scikit-learn
	@echo "building nystream into $(VENV) (the first time takes a minute or two)"
	@$(INSTALL) -e '.[bench,serve]' --group peers
	@$(BIN)/python benches/python/run.py

bench-rust: tools ## measure the Rust core
	cargo bench

clean: ## remove everything that was built
	rm -rf target $(VENV) build dist python/nystream/*.so
