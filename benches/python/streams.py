"""The error of Auto on streams in files, beside that of repeating the last label.

python benches/python/streams.py FOLDER [NAME ...]

Each file, NAME.npz, has the rows X and the labels y in the order of the stream. The error is the
mean squared error of one pass, the first row left out, over the variance of the labels.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import nystream


def stream(path):
    """Read the rows and the labels in a file."""
    with np.load(path) as data:
        return data["X"].astype(float), data["y"].astype(float)


def error(predictions, y):
    """Return the squared error after the first row, relative to the variance of the labels."""
    return ((predictions - y)[1:] ** 2).mean() / y.var()


def main(folder, *names):
    """Print a table of all streams in a folder, or of some."""
    print("| stream | rows | features | Auto | no change |\n|---|---:|---:|---:|---:|")
    paths = sorted(Path(folder).glob("*.npz"))
    for path in [path for path in paths if not names or path.stem in names]:
        X, y = stream(path)
        auto = error(nystream.Auto().progressive(X, y), y)
        last = error(np.append(0.0, y[:-1]), y)
        n_rows, n_features = X.shape
        print(f"| {path.stem} | {n_rows:,} | {n_features} | {auto:.4f} | {last:.4f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
