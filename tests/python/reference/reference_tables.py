"""A learner behind the slow and literal columns, also one whose labels come later."""

from __future__ import annotations

import numpy as np
from reference_columns import Columns
from reference_experts import Scaling, compress
from reference_least_squares import Squares


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


class Ridge:
    """Linear ridge regression on all rows; the constant is penalised like the others."""

    def __init__(self, ridge, forgetting=1.0):
        self.squares = Squares(1, 1, ridge, forgetting)
        self.n_seen = 0

    def widen(self, width):
        self.squares.move(np.eye(1 + width, self.squares.size))

    def predict_one(self, x):
        return float(self.squares.look(self._phi(x))[0][0])

    def learn_one(self, x, y):
        self.squares.learn(self._phi(x), y)
        self.n_seen += 1

    def elapse(self, rounds):
        """Rounds pass without a row that counts."""
        for _ in range(rounds):
            self.squares.learn(np.zeros(self.squares.size), 0.0)

    def _phi(self, x):
        if len(x) + 1 > self.squares.size:
            self.widen(len(x))
        return np.concatenate([[1.0], x, np.zeros(self.squares.size - 1 - len(x))])


class LateModel(OnFeatures):
    """A model of tables whose labels come later."""

    def __init__(self, ridge, forgetting, settings):
        super().__init__(lambda: Ridge(ridge, forgetting), settings)
        self.generation = 0

    @property
    def n_seen(self):
        return self.model.n_seen if self.model else 0

    def begin_anew(self, first):
        super().begin_anew(first)
        self.generation += 1

    def ask(self, row):
        return self.predict(row), self.generation, self.encoded(row)

    def encoded(self, row):
        return self.features(self.columns.encode(row)) if self.model else None

    def elapse(self, rounds):
        if self.model and self.model.squares.forgetting < 1:
            self.model.elapse(rounds)

    def answer(self, row, y, generation, x):
        if generation != self.generation:
            x = self.encoded(row)
        now = self.columns.encode(row)
        change = self.columns.learn(row, y)
        if isinstance(change, list):
            self.begin_anew(np.array(change))
            return
        self.scaling.notice(np.where(self.are_numbers(len(now)), now, self.scaling.centres))
        self.model.learn_one(x, y)
        if change == "wider":
            self.widen(len(self.columns.features))
