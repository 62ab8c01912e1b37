"""What several test files need."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("NYSTREAM_DATA", ROOT.parent / "shared" / "data"))

# The paper's width for each set, and whether its features seem to have been in [0, 1] there.
PAPER_SETS = {
    "parkinson": (8.0, True),
    "elevators": (8.0, False),
    "calhousing": (4.0, False),
    "ailerons": (8.0, False),
    "bank": (12.0, False),
    "cpusmall": (2.0, True),
    "tomshardware": (12.0, True),
}


def paper_set(name: str) -> tuple[np.ndarray, np.ndarray, float]:
    """A data set of the paper in a fixed random order, and the paper's width for it."""
    path = DATA / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"the data set {name} is not at {path}; NYSTREAM_DATA names its folder")
    with np.load(path) as data:
        X, y = data["X"].astype(float), data["y"].astype(float)
    sigma, unit_interval = PAPER_SETS[name]
    order = np.random.default_rng(0).permutation(len(y))
    return ((X + 1) / 2 if unit_interval else X)[order], y[order], sigma


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
