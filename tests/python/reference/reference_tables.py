"""A learner behind the slow and literal columns."""

from __future__ import annotations

import numpy as np
from reference_columns import Columns
from reference_experts import Scaling, compress


class OnFeatures:
    """A learner of arrays, on the features of the reference; it begins anew when they do."""

    def __init__(self, make, settings):
        self.make, self.columns = make, Columns(settings)
        self.model, self.scaling = None, None

    def progressive(self, row, y):
        yhat, x = self.predict(row), self.columns.encode(row)
        change = self.columns.learn(row, y)
        if isinstance(change, list):
            self.begin_anew(np.array(change))
            return yhat
        if self.scaling:
            self.scaling.notice(np.where(self.are_numbers(len(x)), x, self.scaling.centres))
        self.model.learn_one(self.features(x), y)
        if change == "wider":
            self.widen(len(self.columns.features))
        return yhat

    def predict(self, row):
        return (
            self.model.predict_one(self.features(self.columns.encode(row))) if self.model else 0.0
        )

    def begin_anew(self, first):
        self.model = self.make()
        self.scaling = Scaling(first) if self.columns.settings.scale and first.size else None
        for x, (_, y, _) in zip(first, self.columns.first, strict=True):
            self.model.learn_one(self.features(x), float(y[0]))

    def are_numbers(self, width):
        """Whether each feature is a number's; late features of other kinds stay signs."""
        readings = self.columns.readings
        names = [name for name, _ in self.columns.features[:width]]
        return np.array([readings[name].kind == "number" for name in names], dtype=bool)

    def widen(self, width):
        self.model.widen(width)
        if self.scaling:
            more = np.zeros(width - len(self.scaling.scales))
            self.scaling.centres = np.append(self.scaling.centres, more)
            self.scaling.scales = np.append(self.scaling.scales, more)

    def features(self, x):
        """The features that the learner gets: at least one."""
        if self.scaling:
            away = x - self.scaling.centres
            away[np.abs(away) <= 1e-6 * np.abs(self.scaling.centres)] = 0.0
            z = compress(self.scaling.scaled(x))
            x = np.where(self.scaling.scales == 0, np.sign(away), z)
        return x if len(x) else np.zeros(1)
