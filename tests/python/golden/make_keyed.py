"""Writes a golden file for each kind of models by key that has none yet.

python tests/python/golden/make_keyed.py tests/python/golden/keys-N

A golden file, NAME.npz, has the bytes of models by key after some rows, and what they then said of
the next ones, before they learned them and while they did. Those in ``keys-1`` are of numbers,
those in ``keys-2`` of tables, or of labels that wait.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import nystream

N_LEARNED, N_ROWS = 60, 100
KEYS = [(f"k{i * i % 7}", i * i % 5)[i % 2] for i in range(N_ROWS)]
X = np.random.default_rng(7).uniform(-1, 1, (N_ROWS, 3))
Y = np.sin(3 * X[:, 0]) + X[:, 1] + np.array([len(str(key)) for key in KEYS])
ROWS = [
    {
        "town": (None, "Ulm", "Köln", "Bonn")[i * i % 11 % 4],
        "size": None if i % 6 == 3 else float(x[1]),
        "open": i % 3 == 0,
        "since": f"2024-03-{1 + i % 28:02} 07:30",
    }
    for i, x in enumerate(X)
]
NUMBERS = {
    "LinearRls": lambda: nystream.Keyed(nystream.LinearRls()),
    "LinearRls-alone": lambda: nystream.Keyed(nystream.LinearRls(forgetting=0.99), shared=False),
    "RidgeAld": lambda: nystream.Keyed(nystream.RidgeAld(max_basis=6), shared=nystream.LinearRls()),
}
OTHERS = {
    "Tabular": lambda: nystream.Keyed(nystream.Tabular(nystream.LinearRls())),
    "Auto": lambda: nystream.Keyed(
        nystream.LinearRls(), shared=nystream.Auto(warm_up=16, max_basis=6), max_keys=3
    ),
    "late": lambda: nystream.Keyed(nystream.LinearRls()),
}


def rows_of(model):
    """The rows that a model takes: of the table, if it has columns."""
    return X if model.schema is None else ROWS


def predictions(model):
    """What a model says of the rows to come, before it learns them and while it does."""
    keys, rows, y = KEYS[N_LEARNED:], rows_of(model)[N_LEARNED:], Y[N_LEARNED:]
    return np.concatenate([model.predict_many(keys, rows), model.progressive(keys, rows, y)])


def golden(folder):
    """Name, bytes and expected predictions of each file in a folder."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            yield path.stem, file["model"].tobytes(), file["predictions"]


def write(path, model, delay):
    """Let a model learn, and write it and what it predicts from there on."""
    model.learn_many(KEYS[:N_LEARNED], rows_of(model)[:N_LEARNED], Y[:N_LEARNED], delay=delay)
    data = np.frombuffer(model.to_bytes(), np.uint8)
    np.savez(path, model=data, predictions=predictions(model))


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    models = NUMBERS if folder.name == "keys-1" else OTHERS
    for name, make in models.items():
        if not (path := folder / f"{name}.npz").exists():
            write(path, make(), 5 if name == "late" else 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
