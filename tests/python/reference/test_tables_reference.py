"""A model of a table is a model of the features that the slow and literal columns make of it."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from reference_columns import Settings
from reference_tables import OnFeatures
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
