"""A model of a table is a model of the features that the slow and literal columns make of it."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from reference_columns import Columns, Settings
from reference_experts import Scaling, compress
from table_streams import quietly

import nystream

N = 290  # kinds are settled by 256 rows


def random_rows(seed):
    """Columns of random kinds, with gaps, some of which change their kind on the way."""
    rng = np.random.default_rng(seed)
    begin = dt.datetime(2023, 12, 1)
    sorts = {
        "number": lambda i: float(np.round(rng.normal(), 3)),
        "counter": lambda i: float(i),
        "truth": lambda i: bool(rng.random() < 0.4),
        "town": lambda i: f"town {rng.integers(25)}",
        "id": lambda i: f"x{i}",
        "time": lambda i: begin + dt.timedelta(hours=int(i * 11), minutes=int(rng.integers(60))),
        "text": lambda i: f"{rng.integers(9)} big houses, {rng.integers(4)} by the sea",
        "date": lambda i: f"{1 + i * 5 % 13}/12/2017 {i % 24}:30",
        "date or not": lambda i: f"{1 + i % 12}/{1 + i % 28}/2017" if i < 70 else "never",
        "late": lambda i: None if i < 120 else float(rng.integers(5)),
    }
    names = rng.permutation(sorted(sorts))[:5]
    gap = rng.choice([0.0, 0.15])
    rows = [
        {str(name): None if rng.random() < gap else sorts[name](i) for name in names}
        for i in range(N)
    ]
    return rows, rng.normal(size=N) + np.arange(N) % 5


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


def assert_same(model, other, rows, y, tolerance):
    found = quietly(model.progressive, rows, y)
    expected = [other.progressive(row, label) for row, label in zip(rows, y, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    kinds = {column.name: column.kind for column in model.schema}
    assert kinds == other.columns.schema()
    rows = [dict.fromkeys(rows[0]), *rows[:20]]
    expected = [other.predict(row) for row in rows]
    np.testing.assert_allclose(model.predict_many(rows), expected, rtol=tolerance, atol=tolerance)


def stated(rows):
    return {"text": "text"} if "text" in rows[0] else {}


@pytest.mark.parametrize("seed", range(12))
def test_a_table_is_what_the_reference_makes_of_it(seed):
    rows, y = random_rows(seed)
    settings = Settings(schema=stated(rows), scale=True)
    model = nystream.Tabular(nystream.LinearRls(), schema=settings.schema)
    assert_same(model, OnFeatures(nystream.LinearRls, settings), rows, y, 1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_auto_on_a_table_is_auto_on_what_the_reference_makes_of_it(seed):
    def make(**kwargs):
        return nystream.Auto(warm_up=60, max_basis=10, **kwargs)

    rows, y = random_rows(seed)
    settings = Settings(schema=stated(rows))
    # Metrics are learned from gradients, in which differences of the last digits grow.
    assert_same(make(schema=settings.schema), OnFeatures(make, settings), rows, y, 2e-2)
