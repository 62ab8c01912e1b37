"""Streams that change, for the learner without settings."""

from __future__ import annotations

import numpy as np
from support import random_stream

# So few rows that dictionaries are full soon.
SMALL = {"warm_up": 32, "max_basis": 12}


def changing_stream(n_rows=600, n_features=3):
    """Labels that change their meaning half way."""
    X, y = random_stream(n_rows, n_features)
    return X, np.where(np.arange(n_rows) < n_rows // 2, y, X[:, 1] ** 2)


def moving_stream(n_rows=600):
    """Rows that move to where none were before."""
    X, y = changing_stream(n_rows)
    return X + 3 * (np.arange(n_rows) >= n_rows // 2)[:, None], y


def autocorrelated_stream(n_rows, until=None, seed=0):
    """Labels that depend on those before them, up to a row."""
    rng = np.random.default_rng(seed)
    X, noise, walk = rng.random((n_rows, 2)), rng.normal(size=n_rows), np.zeros(n_rows)
    for t in range(1, n_rows):
        walk[t] = 0.9 * (until is None or t < until) * walk[t - 1] + 0.3 * noise[t]
    return X, walk + np.sin(4 * X[:, 0])


def skewed_stream(n_rows, seed=0):
    """Labels whose logarithms are smooth: a few are much larger than all others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    return X, np.exp(X[:, 0] + np.sin(2 * X[:, 1]) + 0.2 * rng.normal(size=n_rows))


def stepping_stream(n_rows, part, seed=0):
    """Labels of which this part of a term is gone in every second 200 rows."""
    rng = np.random.default_rng(seed)
    X, is_gone = rng.random((n_rows, 2)), np.arange(n_rows) // 200 % 2
    y = (1 - part * is_gone) * np.sin(4 * X[:, 0]) + X[:, 1]
    return X, y + 0.02 * rng.normal(size=n_rows)
