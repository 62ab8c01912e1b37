"""The product beside its literal version: row by row, and many rows at once; on real data too."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from support import DATA, PAPER_SETS, paper_set

LEVEL = 0.9
REAL_SETS = (*PAPER_SETS, "year_sub")


def real_set(name):
    """A data set of the paper, or the one in place of its largest; and a width for it."""
    if name != "year_sub":
        return paper_set(name)
    path = DATA / "year_sub.npz"
    if not path.exists():
        pytest.skip(f"the data set {name} is not at {path}; NYSTREAM_DATA names its folder")
    with np.load(path) as data:
        order = np.random.default_rng(0).permutation(len(data["y"]))
        return data["X"][order].astype(float), data["y"][order].astype(float), 16.0


def learn_by_row(model, X, y, weights=None):
    """Predictions and intervals for each row before it is learned."""
    predictions, intervals = [], []
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        predictions.append(model.predict_one(x))
        intervals.append(model.predict_interval(x, level=LEVEL))
        model.learn_one(x, label, None if weights is None else weights[t])
    return np.array(predictions), np.array(intervals)


def judge(make, run, X, y, weights=None, tolerance=1e-9):
    """Two models, that of the rows one by one and that of all at once, which equal the run."""
    one, many = make(), make()
    predictions, intervals = learn_by_row(one, X, y, weights)
    at_once = many.progressive(X, y, weights)
    expected = reference.intervals(run, y, LEVEL)
    np.testing.assert_allclose(predictions, run.predictions, tolerance, tolerance)
    np.testing.assert_allclose(at_once, run.predictions, tolerance, tolerance)
    np.testing.assert_allclose(intervals, expected, tolerance, tolerance)
    after = [model.predict_interval(X[:20], level=LEVEL) for model in (one, many)]
    np.testing.assert_allclose(*after, tolerance, tolerance)
    return one, many
