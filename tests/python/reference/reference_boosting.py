"""Boosting, slow and literal: every split of every leaf is tried on the rows themselves.

Nothing here is shared with the product.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

BINS = 128
TREES, LEAVES, MIN_ROWS = 100, 31, 5
RIDGE, SHRINKAGE = 1.0, 0.1
PART, FEATURES = 0.8, 64  # of the rows, and the most features, of each tree
SCREENING_TREES, SCREENING_FEATURES = 30, 128
CLEARLY, ROUNDING = 1e-9, 1e-12


# Draws


def mix(state):
    """A step of SplitMix64 from each of some states."""
    z = np.asarray(state, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def draws(seed, stream, n):
    """The hashes of the numbers from 0 to n - 1 in one of many streams."""
    key = mix(mix([seed]) + np.uint64(stream))
    return mix(key + np.arange(n, dtype=np.uint64))


def drawn_rows(seed, tree, n):
    return (draws(seed, 2 * tree, n) >> np.uint64(11)) / 2.0**53 < PART


def drawn_features(seed, tree, varying, most):
    """The features with the smallest hashes, in their order; constants have none."""
    order = np.argsort(draws(seed, 2 * tree + 1, len(varying)))
    return [varying[i] for i in sorted(order[:most])]


# Thresholds


def between(low, high):
    middle = low + (high - low) / 2
    return middle if middle < high else low


def thresholds_of(column):
    """Bins of about the same number of rows; a frequent value has a bin of its own."""
    values, counts = np.unique(column, return_counts=True)
    chosen, bins_left, rows_left, in_bin = [], BINS, len(column), 0
    for i in range(len(values) - 1):
        in_bin += counts[i]
        largest = max(in_bin, counts[i + 1])
        is_full = bins_left > 1 and largest * bins_left >= rows_left
        if len(values) <= BINS or is_full:
            chosen.append(between(values[i], values[i + 1]))
            bins_left, rows_left, in_bin = bins_left - 1, rows_left - in_bin, 0
    return np.array(chosen)


# Trees


@dataclass
class Node:
    """The rows that come here, and the best split of those that the tree is fitted to."""

    rows: np.ndarray
    split: tuple[float, int, float] | None = None  # gain, feature and threshold
    left: Node | None = None
    right: Node | None = None
    value: float = 0.0

    def predict(self, x):
        if self.left is None:
            return self.value
        _, feature, threshold = self.split
        return (self.left if x[feature] <= threshold else self.right).predict(x)


@dataclass
class Boosted:
    """A constant and the trees, whose values are added to it."""

    constant: float
    gains: np.ndarray  # of the splits of each feature
    trees: list[Node] = field(default_factory=list)

    def predict(self, x):
        return self.constant + sum(tree.predict(x) for tree in self.trees)


def is_better(gain, best, rounding):
    """Of several that gain the same, the first is the best, however sums are rounded."""
    return gain > best + CLEARLY * best + rounding


@dataclass
class Splits:
    """Splits by features and thresholds, and for each row a 1 where it goes left, and else a 0."""

    features: np.ndarray
    thresholds: np.ndarray
    left: np.ndarray

    @classmethod
    def of(cls, X):
        """All that there are; constants have none."""
        each = [thresholds_of(column) for column in X.T]
        features = np.repeat(np.arange(len(each)), [len(some) for some in each])
        thresholds = np.concatenate(each)
        return cls(features, thresholds, (X[:, features] <= thresholds).astype(float))

    def by(self, features):
        """Those by some features."""
        some = np.isin(self.features, features)
        return Splits(self.features[some], self.thresholds[some], self.left[:, some])

    def gains(self, rows, r):
        """What they gain for some rows with these residuals; 0 where too few go to a side."""
        left = self.left[rows]
        n, of_left = left.sum(axis=0), r @ left
        parts = of_left**2 / (n + RIDGE) + (r.sum() - of_left) ** 2 / (len(r) - n + RIDGE)
        allowed = (n >= MIN_ROWS) & (len(r) - n >= MIN_ROWS)
        return np.where(allowed, parts - r.sum() ** 2 / (len(r) + RIDGE), 0.0)


class Growth:
    """A tree that is fitted to some rows and features."""

    def __init__(self, X, residuals, drawn, splits):
        self.X, self.residuals, self.drawn, self.splits = X, residuals, drawn, splits
        self.rounding = ROUNDING * (residuals[drawn] ** 2).sum()
        self.gains = np.zeros(X.shape[1])

    def node(self, rows):
        return Node(rows, self.best_split(rows[self.drawn[rows]]))

    def best_split(self, rows):
        """The gain, the feature and the threshold of the split that gains most, if any does."""
        best, splits = None, self.splits
        if len(rows) < 2 * MIN_ROWS:
            return best
        gains = splits.gains(rows, self.residuals[rows])
        # No other is better than the best of those before it.
        before = np.maximum.accumulate(np.append(0.0, gains[:-1]))
        for i in np.flatnonzero(gains > before):
            if is_better(gains[i], best[0] if best else 0.0, self.rounding):
                best = gains[i], splits.features[i], splits.thresholds[i]
        return best

    def grow(self):
        """The root and the leaves: the leaf whose split gains most is split, again and again."""
        root = self.node(np.arange(len(self.X)))
        leaves = [root]
        while len(leaves) < LEAVES:
            chosen, best = None, 0.0
            for i, leaf in enumerate(leaves):
                if leaf.split and is_better(leaf.split[0], best, self.rounding):
                    chosen, best = i, leaf.split[0]
            if chosen is None:
                break
            leaf = leaves[chosen]
            gain, feature, threshold = leaf.split
            self.gains[feature] += gain
            is_left = self.X[leaf.rows, feature] <= threshold
            leaf.left, leaf.right = self.node(leaf.rows[is_left]), self.node(leaf.rows[~is_left])
            leaves[chosen] = leaf.left
            leaves.append(leaf.right)
        return root, leaves

    def value(self, leaf):
        """The mean of the residuals of the rows that the tree is fitted to, made smaller."""
        r = self.residuals[leaf.rows[self.drawn[leaf.rows]]]
        return SHRINKAGE * r.sum() / (len(r) + RIDGE)


def boost(X, y, seed, n_trees=TREES, most_features=FEATURES):
    """Trees that are fitted one after the other, each to what those before have left."""
    boosted = Boosted(y.mean(), np.zeros(X.shape[1]))
    splits = Splits.of(X)
    varying = list(np.unique(splits.features))
    residuals = y - boosted.constant
    for tree in range(n_trees):
        drawn = drawn_rows(seed, tree, len(y))
        features = drawn_features(seed, tree, varying, most_features)
        growth = Growth(X, residuals.copy(), drawn, splits.by(features))
        root, leaves = growth.grow()
        if len(leaves) == 1:
            continue
        for leaf in leaves:
            leaf.value = growth.value(leaf)
            residuals[leaf.rows] -= leaf.value
        boosted.trees.append(root)
        boosted.gains += growth.gains
    return boosted


# Screening


def screen(X, n_known, y, seed):
    """Gains of features in mean gains of shadows, the features of another row; and if by chance.

    The first features are known to be of use, and features that do not vary are not judged.
    """
    other = np.argsort(mix(mix([seed]) + np.arange(len(X), dtype=np.uint64)), kind="stable")
    wide = np.hstack([X, X[other, n_known:]])
    gains = boost(wide, y, seed, SCREENING_TREES, SCREENING_FEATURES).gains
    own, shadows = gains[n_known : X.shape[1]], gains[X.shape[1] :]
    constant = (X[:, n_known:] == X[0, n_known:]).all(axis=0)
    shadows = shadows[~constant] if not constant.all() else np.zeros(1)
    least = 1e-6 * gains.sum() + np.finfo(float).tiny
    ratios = np.where(constant, np.inf, own / (shadows.mean() + least))
    return ratios, (own <= shadows.mean() + 2 * shadows.std()) & ~constant
