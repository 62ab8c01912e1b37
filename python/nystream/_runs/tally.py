"""Errors and rows, counted while a stream goes by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from nystream._tables.values import Values


@dataclass
class Tally:
    """Squared errors, and the squared distances of labels from their mean, of each target."""

    good: int = 0
    bad: int = 0
    squared_errors: list[float] = field(default_factory=list)
    means: list[float] = field(default_factory=list)
    spreads: list[float] = field(default_factory=list)

    def add(self, predictions: Values, labels: Values) -> None:
        """Count rows that were predicted."""
        n_new = len(labels)
        if not n_new:
            return
        p, y = predictions.reshape(n_new, -1), labels.reshape(n_new, -1)
        errors, means, spreads = (
            np.array(known or [0.0] * y.shape[1])
            for known in (self.squared_errors, self.means, self.spreads)
        )
        # Means and spreads of two parts of a stream give those of both (Chan et al., 1979).
        new_means = y.mean(axis=0)
        shift = new_means - means
        n_all = self.good + n_new
        spreads += ((y - new_means) ** 2).sum(axis=0) + shift**2 * (self.good * n_new / n_all)
        self.means = (means + shift * (n_new / n_all)).tolist()
        self.spreads = spreads.tolist()
        self.squared_errors = (errors + ((p - y) ** 2).sum(axis=0)).tolist()
        self.good = n_all

    @property
    def mse(self) -> float:
        """Mean squared error, over all targets."""
        return float(np.mean(self.squared_errors)) / self.good if self.good else float("nan")

    @property
    def r2(self) -> float:
        """Share of the labels' variance that was predicted, the mean over targets."""
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = 1 - np.array(self.squared_errors) / np.array(self.spreads)
        return float(np.mean(shares)) if self.good else float("nan")

    def to_json(self) -> dict[str, Any]:
        """Return what a checkpoint holds."""
        return dict(vars(self))
