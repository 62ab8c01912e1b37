"""Models by key equal a dict of literal models, a shared one, and weights over all keys."""

from __future__ import annotations

import numpy as np
import pytest
from reference_keyed import keyed

import nystream


def stream(seed, n, n_keys):
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, n_keys, n)
    X = rng.normal(size=(n, 2))
    slopes = rng.normal((1.0, -1.0), size=(n_keys, 2))
    y = (X * slopes[keys]).sum(1) + rng.normal(size=n_keys)[keys] + 0.3 * rng.normal(size=n)
    return keys, X, y


@pytest.mark.parametrize(("n", "n_keys"), [(150, 1), (250, 12), (120, 80)])
@pytest.mark.parametrize("shared", [True, False])
def test_the_product_equals_the_literal_version(n, n_keys, shared):
    keys, X, y = stream(n_keys, n, n_keys)
    expected = keyed(keys.tolist(), X, y, is_shared=shared)
    model = nystream.Keyed(nystream.LinearRls(), shared=shared)
    np.testing.assert_allclose(model.progressive(keys, X, y), expected, rtol=0, atol=1e-8)
