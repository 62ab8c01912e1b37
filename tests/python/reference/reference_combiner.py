"""The combination of Auto's experts, slow and literal, and the correction of what it says.

Nothing here is shared with the product.
"""

from __future__ import annotations

import numpy as np
from numpy.linalg import solve
from reference import Squares


class Combiner:
    """The weighted mean of the experts, and a step of least squares away from it.

    Experts that are asleep have an infinite loss.
    """

    def __init__(self, n_experts, forgetting):
        self.forgetting = forgetting
        self.losses, self.count = np.zeros(n_experts), 0.0
        self.squares = Squares(n_experts, 1, 300.0, forgetting)

    def noise(self):
        return max(self.losses.min() / self.count, 1e-100) if self.count else 1.0

    def shares(self):
        temperature = np.clip(self.count / 20, 4, 16)
        shares = np.exp((self.losses.min() - self.losses) / (2 * temperature * self.noise()))
        return shares / shares.sum()

    def weights(self):
        w = np.where(self.losses < np.inf, solve(*self.squares.triangle())[:, 0], 0.0)
        return (1 - w.sum()) * self.shares() + w

    def look(self, experts):
        """The mean of the experts, and how each differs from it, if it is awake."""
        mean = self.shares() @ experts
        return mean, np.where(self.losses < np.inf, experts - mean, 0.0)

    def combined(self, experts):
        mean, differences = self.look(experts)
        return mean + self.squares.look(differences)[0][0]

    def learn(self, experts, y, weight):
        mean, differences = self.look(experts)
        yhat = self.combined(experts)
        noise = self.noise() + 0.03 * (y - yhat) ** 2
        self.squares.learn(differences, y - mean, weight / noise)
        self.losses = self.forgetting * self.losses + weight * (experts - y) ** 2
        self.count = self.forgetting * self.count + weight
        return yhat


class Correction:
    """What least squares tell of the next error by the last errors and labels of a target."""

    def __init__(self, forgetting):
        self.squares = Squares(7, 1, 300.0, forgetting)
        self.errors, self.labels, self.weights = [], [], []
        self.losses, self.count = np.zeros(2), 0.0
        self.made = []  # the errors of predictions as they were made, by the root of the weight

    def mean(self, factor):
        """The mean of the errors, which count so much less with each row."""
        if not self.errors:
            return 0.0
        ages = np.arange(len(self.errors))[::-1]
        return np.average(self.errors, weights=factor**ages * np.array(self.weights))

    def propose(self, yhat):
        """The prediction, the step that should correct it, and the features it is told by."""
        errors = [0.0, 0.0, 0.0, *self.errors][:-4:-1]
        labels = [*self.labels[:1] * 3, *self.labels]
        differences = np.diff(labels)[:-3:-1] if labels else [0.0, 0.0]
        features = np.array([*errors, self.mean(0.8), self.mean(0.97), *differences])
        return yhat, self.squares.look(features)[0][0], features

    def corrected(self, proposal):
        yhat, step, _ = proposal
        return yhat + step if self.losses[1] < 0.95 * self.losses[0] else yhat

    def learn(self, proposal, y, weight):
        yhat, step, features = proposal
        self.made.append(np.sqrt(weight) * (y - self.corrected(proposal)))
        noise = max(self.losses[0] / self.count, 1e-100) if self.count else 1.0
        noise += 0.03 * (y - yhat - step) ** 2
        self.squares.learn(features, y - yhat, weight / noise)
        squares = np.array([y - yhat, y - yhat - step]) ** 2
        self.losses = 0.995 * self.losses + weight * squares
        self.count = 0.995 * self.count + weight
        self.errors.append(y - yhat)
        self.labels.append(y)
        self.weights.append(weight)
