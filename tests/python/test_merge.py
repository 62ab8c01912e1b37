"""Models of parts of a stream as one model: nearly the model of the whole stream."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest
import reference
from support import paper_set, random_stream

import nystream
from nystream import RidgeAld

KERNEL = nystream.Gaussian(1.5)


def parts_of(n_rows, n_shards):
    """The rows of each shard: every so many."""
    return [slice(i, n_rows, n_shards) for i in range(n_shards)]


def shards(make, X, y, n_shards, weights=None):
    """Models that have each learned a part of the rows."""
    models = [make() for _ in range(n_shards)]
    for model, part in zip(models, parts_of(len(X), n_shards), strict=True):
        model.learn_many(X[part], y[part], None if weights is None else weights[part])
    return models


# Against the literal version


def judge_merge(X, y, n_shards, kernel=KERNEL, weights=None, tolerance=1e-8, **params):
    """Product and literal version learn half of the rows in shards, merge, and go on.

    Both solve least squares through roots, but the product by updates of the inverse and the
    literal version by QR decompositions: what they differ by grows with the condition of A, 1e7
    here.
    """
    half = len(X) // 2
    literal = reference.kernel_like(kernel)

    def make():
        return RidgeAld(kernel, n_targets=1 if y.ndim == 1 else y.shape[1], **params)

    ends = [
        reference.ridge_ald(
            X[:half][part],
            y[:half][part],
            literal,
            weights=None if weights is None else weights[:half][part],
            **params,
        ).end
        for part in parts_of(half, n_shards)
    ]
    cap = params.get("max_basis")
    start = reference.merge_ridge_ald(ends, literal, alpha=params["alpha"], max_basis=cap)
    model = RidgeAld.merge(
        shards(make, X[:half], y[:half], n_shards, None if weights is None else weights[:half])
    )
    np.testing.assert_array_equal(model.basis, start[0].X[start[0].S])
    assert model.n_seen == half
    run = reference.ridge_ald(X[half:], y[half:], literal, start=start, **params)
    found = model.progressive(X[half:], y[half:])
    np.testing.assert_allclose(found, run.predictions, tolerance, tolerance)
    np.testing.assert_array_equal(model.basis, run.end[0].X[run.basis])
    return model


@pytest.mark.parametrize("n_shards", [2, 5])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ridge": 1e-4},
        {"forward": True},
        {"max_basis": 12},
        {"max_basis": 12, "policy": "replace"},
        {"forgetting": 0.9},
        {"forgetting": 0.99, "forward": True, "max_basis": 12},
    ],
    ids=str,
)
def test_random_data(params, n_shards):
    X, y = random_stream(400, 3)
    judge_merge(X, y, n_shards, alpha=0.01, **{"ridge": 0.01, **params})


def test_weights_and_several_targets():
    X, y = random_stream(300, 3)
    weights = np.random.default_rng(1).exponential(size=300)
    Y = np.column_stack([y, np.cos(y), X[:, 0]])
    judge_merge(X, Y, 3, weights=weights, alpha=0.01, ridge=0.01, forgetting=0.98)


@pytest.mark.parametrize("kernel", [nystream.Laplacian(3.0), nystream.Polynomial(3)], ids=str)
def test_other_kernels(kernel):
    X, y = random_stream(300, 2)
    judge_merge(X, y, 2, kernel, alpha=0.05, ridge=0.1)


@pytest.mark.parametrize(("name", "n_shards"), [("elevators", 2), ("calhousing", 5)])
def test_the_first_rows_of_real_data(name, n_shards):
    X, y, sigma = paper_set(name)
    kernel = nystream.Gaussian(sigma)
    judge_merge(X[:1000], y[:1000], n_shards, kernel, alpha=1e-3, ridge=1e-2)


# Beside one model that has learned everything


def mean_squares(model, whole, X, y):
    """Of the first relative to that of the second: on rows not learned, and going on with them."""
    still = [((m.predict_many(X) - y) ** 2).mean() for m in (model, whole)]
    going_on = [((m.progressive(X, y) - y) ** 2).mean() for m in (model, whole)]
    return np.divide(*still), np.divide(*going_on)


@pytest.mark.parametrize("n_shards", [2, 5])
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("ailerons", {}),
        ("bank", {"max_basis": 150}),
        ("bank", {"max_basis": 150, "policy": "replace"}),
        ("calhousing", {"alpha": 1e-4, "max_basis": 50}),
        ("cpusmall", {"alpha": 1e-4, "max_basis": 100}),
        ("elevators", {}),
        ("elevators", {"alpha": 1e-4, "max_basis": 50}),
        ("parkinson", {}),
    ],
    ids=str,
)
def test_shards_predict_within_2_percent_of_the_whole(name, params, n_shards):
    X, y, sigma = paper_set(name)
    learned, after = slice(0, 4000), slice(4000, 5800)

    def make():
        return RidgeAld(nystream.Gaussian(sigma), **params)

    whole = make()
    whole.learn_many(X[learned], y[learned])
    model = RidgeAld.merge(shards(make, X[learned], y[learned], n_shards))
    if "max_basis" in params:
        assert model.n_basis == whole.n_basis == params["max_basis"]
    ratios = mean_squares(model, whole, X[after], y[after])
    print(name, params, n_shards, "RATIO", ratios, model.n_basis, whole.n_basis)
    assert max(ratios) < 1.02
