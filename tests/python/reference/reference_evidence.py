"""The factors of features by evidence, slow and literal.

Nothing here is shared with the product.
"""

from __future__ import annotations

import numpy as np
from numpy.linalg import inv
from reference import gaussian
from reference_experts import median_distance

MOST, STEPS = 256, 12  # the last rows, and steps
WIDTH, RIDGE = 2.0, 1e-2  # at first; the width in median distances
FIRST, ONWARDS, BACK, LARGEST = 0.5, 1.3, 0.5, 2.0
SQUARES, RIDGES = (-16.0, 4.0), (-14.0, 2.0)  # limits of logarithms


def slopes(logs, X, Y):
    """Twice the derivatives of the log likelihood at the best scale of each target's labels.

    They are by the logarithms of the squares of the factors, and of the ridge.
    """
    squares, ridge = np.exp(logs[:-1]), np.exp(logs[-1])
    mapped = X * np.sqrt(squares)
    K = gaussian(mapped, mapped, 1.0)
    inverse = inv(K + ridge * np.eye(len(X)))
    G = -Y.shape[1] * inverse
    for y in Y.T:
        a = inverse @ y
        if y @ a <= 0:
            return None
        G += np.outer(a, a) / (y @ a / len(X))
    apart = (X[:, None] - X[None]) ** 2  # of each two rows, in each feature
    of_features = -squares / 2 * np.einsum("ij,ij,ijk->k", G, K, apart)
    return np.append(of_features, ridge * np.trace(G))


def evident(X, Y):
    """The factor of each feature, and the ridge, that make the last labels likely."""
    X, Y = X[-MOST:], Y[-MOST:]
    low, high = np.transpose([SQUARES] * X.shape[1] + [RIDGES])
    squares = np.full(X.shape[1], -2 * np.log(WIDTH * median_distance(X)))
    logs = np.clip(np.append(squares, np.log(RIDGE)), low, high)
    steps, last = np.full(len(logs), FIRST), np.zeros(len(logs))
    for _ in range(STEPS):
        found = slopes(logs, X, Y)
        if found is None:
            break
        signs = np.sign(found)
        factors = np.select([signs * last > 0, signs * last < 0], [ONWARDS, BACK], 1.0)
        steps = np.minimum(factors * steps, LARGEST)
        logs, last = np.clip(logs + signs * steps, low, high), signs
    return np.exp(logs[:-1] / 2), np.exp(logs[-1])
