"""What several test files need."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nystream import Learner, datasets

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("NYSTREAM_DATA", ROOT.parent / "shared" / "data"))

# All but year, of which no copy could be had.
PAPER_SETS = tuple(name for name in datasets.names("paper") if name != "year")


def paper_set(name: str) -> tuple[np.ndarray, np.ndarray, float]:
    """A data set of the paper in a fixed random order, and the paper's width for it."""
    if datasets.find(name, DATA) is None:  # `load` would try to fetch it
        path = DATA / f"{name}.npz"
        pytest.skip(f"the data set {name} is not at {path}; NYSTREAM_DATA names its folder")
    data = datasets.load(name, data_dir=DATA)
    order = np.random.default_rng(0).permutation(len(data.y))
    return data.X[order], data.y[order], data.sigma


def command(*arguments) -> list[str]:
    """What starts `nystream` in a process of its own."""
    return [sys.executable, "-m", "nystream", *map(str, arguments)]


@contextlib.contextmanager
def running(arguments, **pipes):
    """A process that does not outlive its test, whatever becomes of that."""
    process = subprocess.Popen(arguments, **pipes)
    try:
        yield process
    finally:
        process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        process.wait()


def rows_of(text, heading):
    """The cells of the Markdown table whose first column has this heading."""
    lines = text[re.search(rf"^\| *{heading} *\|", text, re.MULTILINE).start() :].splitlines()
    table = [line for line in lines[: lines.index("")] if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def random_stream(n_rows: int, n_features: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows in [-1, 1] and labels in [0, 1]: a smooth function and noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n_rows, n_features))
    y = 0.5 + 0.4 * np.sin(2 * X[:, 0] + X.sum(1)) + 0.1 * rng.uniform(-1, 1, n_rows)
    return X, y.clip(0, 1)


def state(model) -> dict[str, np.ndarray]:
    """The arrays inside a model, read from its bytes: triangles are unpacked, and P is formed."""
    data = model.to_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    arrays = {}
    for name, entry in json.loads(data[8:start]).items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        array = np.frombuffer(data[start + first : start + last], "<f8")
        arrays[name] = array.reshape(entry["shape"])
    for name, array in arrays.items():
        if name in {"factor", "inverse_factor", "root"}:
            size = int(np.sqrt(2 * len(array)))
            arrays[name] = np.zeros((size, size))
            arrays[name][np.tril_indices(size)] = array
    if "root" in arrays:  # its rows are the columns of S, and P = S S^T
        arrays["p"] = arrays["root"].T @ arrays["root"]
    return arrays


def assert_goes_on_bit_for_bit(model, X, y):
    """A model from its bytes and a copy predict and learn more rows as it does itself."""
    others = [Learner.from_bytes(model.to_bytes()), copy.deepcopy(model)]
    expected = model.progressive(X, y)
    for other in others:
        np.testing.assert_array_equal(other.progressive(X, y), expected)
        assert other.to_bytes() == model.to_bytes()


def epochs(model, X, y):
    """The rows t in T_j of each epoch and L_j^{-1}, which gives phi_j of any row."""
    rows, inverses = [], []
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        n_basis = model.n_basis
        model.learn_one(x, label)
        if model.n_basis > n_basis:
            rows.append([])
            inverses.append(state(model)["inverse_factor"])
        rows[-1].append(t)
    return rows, inverses


def features(model, inverse, X):
    """phi_j of many rows, as columns."""
    return inverse @ model.params["kernel"](model.basis[: len(inverse)], X)
