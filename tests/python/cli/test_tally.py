"""The figures of a run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nystream._runs.progress import Progress, Tally


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_figures_do_not_depend_on_the_chunks(sizes, seed):
    rng = np.random.default_rng(seed)
    n_rows = sum(sizes)
    p, y = rng.normal(size=(n_rows, 2)), 100 + rng.normal(size=(n_rows, 2))
    tally, start = Tally(), 0
    for size in sizes:
        tally.add(p[start : start + size], y[start : start + size])
        start += size
    assert tally.good == n_rows
    if n_rows > 1:
        squared = ((p - y) ** 2).mean(axis=0)
        assert tally.rmse == pytest.approx(np.sqrt(squared.mean()))
        assert tally.mae == pytest.approx(np.abs(p - y).mean())
        assert tally.r2 == pytest.approx(np.mean(1 - squared / y.var(axis=0)))


def test_rows_without_a_label_are_counted_apart():
    tally = Tally()
    tally.add(np.array([1.0, 2.0, 9.0]), np.array([1.0, 4.0, np.nan]))
    assert (tally.good, tally.unlabelled, tally.mae, tally.rmse) == (2, 1, 1.0, np.sqrt(2.0))


def test_a_checkpoint_of_an_earlier_version_has_no_absolute_errors():
    """MAE is then that of the rows since."""
    counted = {"good": 2, "bad": 0, "squared_errors": [4.0], "means": [1.0], "spreads": [1.0]}
    state = {"position": {"row": 2, "line": 3, "byte": 9}, "tally": counted}
    tally = Progress.from_state(state).tally
    assert np.isnan(tally.mae)
    tally.add(np.array([1.0]), np.array([4.0]))
    assert (tally.mae, tally.rmse) == (3.0, np.sqrt(13 / 3))
