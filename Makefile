# Two commands do everything: `make demo` and `make test`. `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The old compiled module goes first, so that a failed build cannot leave it behind.
PIP := -m pip install --quiet --disable-pip-version-check
INSTALL := rm -f python/nystream/*.so && $(BIN)/python $(PIP)
# Zig links against an old glibc, so that the wheel runs on Linux systems since 2014.
WHEEL := $(if $(filter Linux,$(shell uname -s)),--zig --compatibility manylinux2014)
CLEAN := $(CURDIR)/build/clean
# The tests in which the width of vectors matters.
VECTORS := --test blocks --test linalg --test updates

.DEFAULT_GOAL := help
.PHONY: help tools demo test rust python format docs wheel bench bench-rust clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# A missing tool is said in one line, before anything is built.
tools:
	@command -v $(PYTHON) >/dev/null || { echo "nystream needs Python 3.10 or newer, but there is no $(PYTHON)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "nystream needs Python 3.10 or newer, but $(PYTHON) is older"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "nystream needs Python's venv module, but $(PYTHON) has none (on Debian: apt install python3-venv)"; exit 1; }
	@command -v cargo >/dev/null || { echo "nystream needs Rust 1.89 or newer, but there is no cargo: https://rustup.rs installs it"; exit 1; }

$(BIN)/python: | tools
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

demo: tools $(BIN)/python ## build, install into .venv, and run four learners on embedded streams
	@echo "building nystream into $(VENV) (the first time takes a minute or two)"
	@$(INSTALL) -e '.[demo]'
	@$(BIN)/python examples/demo.py

test: rust python ## everything that CI runs

# On a clean checkout, what is compiled once needs no notes for the next time.
rust: export CARGO_INCREMENTAL = 0
rust: tools ## the Rust half of the tests
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	cargo test --locked --lib --tests --benches
	NYSTREAM_SIMD=lanes-8 PROPTEST_CASES=20 cargo test --locked --lib $(VECTORS)
	NYSTREAM_SIMD=lanes-2 PROPTEST_CASES=20 cargo test --locked --lib $(VECTORS)
	cargo test --locked --doc

python: tools $(BIN)/python ## the Python half
	cargo clippy --locked --features python -- -D warnings
	$(INSTALL) -e '.[bench,dev,docs]'
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/stubtest nystream._core
	$(BIN)/pytest -n auto --dist worksteal

format: tools $(BIN)/python ## format Rust and Python
	$(INSTALL) -e '.[bench,dev]'
	cargo fmt
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: tools $(BIN)/python ## build the site into build/docs
	@$(INSTALL) -e '.[docs]'
	@$(BIN)/python -m sphinx --fail-on-warning --keep-going --nitpicky --quiet docs build/docs
	@echo "the site: build/docs/index.html"

wheel: tools $(BIN)/python ## build wheel and sdist into dist, and try the wheel where there is no compiler
	@$(BIN)/python $(PIP) maturin==1.16.0 ziglang==0.15.2
	@rm -rf dist $(CLEAN)
	@PATH="$(CURDIR)/$(BIN):$$PATH" maturin build --release $(WHEEL) --out dist
	@PATH="$(CURDIR)/$(BIN):$$PATH" maturin sdist --out dist
	@$(PYTHON) -m venv $(CLEAN)
	@PATH="$(CLEAN)/bin" python $(PIP) dist/*.whl
	@PATH="$(CLEAN)/bin" python tests/smoke.py

bench: tools $(BIN)/python ## measure the Python package beside NumPy, river and scikit-learn
	@echo "building nystream into $(VENV) (the first time takes a minute or two)"
	@$(INSTALL) -e '.[bench,peers,serve]'
	@$(BIN)/python benches/python/run.py

bench-rust: tools ## measure the Rust core
	cargo bench

clean: ## remove everything that was built
	rm -rf target $(VENV) build dist python/nystream/*.so
