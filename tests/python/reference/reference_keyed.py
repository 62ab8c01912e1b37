"""Models by key, literally: a dict of linear models, a shared one, and weights over all keys."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np

RIDGE = 1e-2
PRIOR = 16  # rows that the bucket of younger keys counts as
NOTHING = 1  # rows without a residual that a bucket begins with


class Linear:
    """Ridge regression with an intercept, solved anew for each row."""

    def __init__(self):
        self.rows, self.labels = [], []

    def predict(self, x):
        if not self.rows:
            return 0.0
        X = np.array([[1.0, *row] for row in self.rows])
        A = X.T @ X + RIDGE * np.eye(X.shape[1])
        return float(np.array([1.0, *x]) @ np.linalg.solve(A, X.T @ self.labels))

    def learn(self, x, y):
        self.rows.append(x)
        self.labels.append(y)


def bucket(age):
    """1 for an age of 1, 2 for 2 and 3, 3 for 4 to 7, and so on."""
    return int(age).bit_length()


def pooled(rows, age):
    """Corrections, residuals and counts of the rows of a bucket, and of the one before it."""
    own, before = rows[bucket(age)], rows[bucket(age) - 1]
    weights = [1.0] * len(own) + [PRIOR / len(before)] * len(before)
    return np.array([*own, *before]).reshape(-1, 3), np.array(weights)


def best(rows, age):
    """The weights of mean and own model, not negative, at most 1 in sum: of least squared error."""
    if age == 0 or not any(rows[bucket(age) - i] for i in (0, 1)):
        return np.zeros(2)
    data, counts = pooled(rows, age)
    C, r = data[:, :2], data[:, 2]
    A, b = C.T @ (counts[:, None] * C), C.T @ (counts * r)
    A[np.diag_indices(2)] *= 1 + NOTHING / max(counts.sum(), 1)

    def loss(w):
        return w @ A @ w - 2 * b @ w

    def along(start, end):
        """The best point between two."""
        step = end - start
        curvature = step @ A @ step
        t = (b - A @ start) @ step / curvature if curvature > 0 else 0.0
        return start + min(max(t, 0.0), 1.0) * step

    corners = [np.zeros(2), np.array([1.0, 0.0]), np.array([0.0, 1.0])]
    candidates = [along(p, q) for p, q in product(corners, corners)]
    if np.linalg.matrix_rank(A) == 2:
        free = np.linalg.solve(A, b)
        if free.min() >= 0 and free.sum() <= 1:
            candidates.append(free)
    return min(candidates, key=loss)


def keyed(keys, X, y, *, is_shared=True):
    """The predictions, each made before its label is known."""
    shared, own = Linear(), defaultdict(Linear)
    residuals, rows = defaultdict(list), defaultdict(list)
    predictions = []
    for key, x, label in zip(keys, X, y, strict=True):
        age = len(own[key].rows)
        said = shared.predict(x) if is_shared else 0.0
        correction = own[key].predict(x)
        mean = np.mean(residuals[key]) if age else 0.0
        weights = best(rows, age) if is_shared else np.array([0.0, 1.0])
        predictions.append(said + weights @ [mean, correction])
        residual = label - said
        rows[bucket(age)].append([mean, correction, residual])
        residuals[key].append(residual)
        own[key].learn(x, residual)
        shared.learn(x, label)
    return np.array(predictions)
