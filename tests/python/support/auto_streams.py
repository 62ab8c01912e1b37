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
