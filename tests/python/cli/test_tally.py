"""The figures of a run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nystream._runs.progress import Tally


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
        assert tally.mse == pytest.approx(squared.mean())
        assert tally.r2 == pytest.approx(np.mean(1 - squared / y.var(axis=0)))
