"""What an estimator makes of its first rows: kernel, bounds, weights."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import nystream

pytest.importorskip("sklearn", minversion="1.6", reason="nystream.sklearn needs scikit-learn")

from estimators import X, Y, weighted
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nystream.sklearn
from nystream.sklearn import (
    AogdAldRegressor,
    KaarRegressor,
    KogdRegressor,
    KonsRegressor,
    KrlsAldRegressor,
    LinearRlsRegressor,
    NonsAldRegressor,
    OnlineKrrRegressor,
    RidgeAldRegressor,
    RunningMeanRegressor,
    SketchedKonsRegressor,
    _kernels,
)

# The kernel


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, lambda Z: rbf_kernel(Z, gamma=0.7)),
        ({"kernel": "laplacian"}, lambda Z: laplacian_kernel(Z, gamma=0.7)),
        (
            {"kernel": "poly", "degree": 2, "coef0": 0.5},
            lambda Z: polynomial_kernel(Z, degree=2, gamma=0.7, coef0=0.5),
        ),
        ({"kernel": "linear"}, lambda Z: Z @ Z.T),
        ({"kernel": "matern32"}, nystream.Matern32(1 / math.sqrt(1.4))),
        ({"kernel": "matern52"}, nystream.Matern52(1 / math.sqrt(1.4))),
        ({"kernel": "rational_quadratic"}, nystream.RationalQuadratic(1 / math.sqrt(1.4))),
        ({"kernel": nystream.Gaussian(3.0)}, nystream.Gaussian(3.0)),
    ],
)
def test_what_gamma_means_for_each_kernel(params, expected):
    model = RidgeAldRegressor(gamma=0.7, ridge=1.0, **params).fit(X, Y)
    np.testing.assert_allclose(model.kernel_(X), expected(X), rtol=1e-12)
    assert model.learner_.params["kernel"] == model.kernel_


def test_every_kernel_has_a_name():
    classes = {type(RidgeAldRegressor(kernel=k).fit(X, Y).kernel_).__name__ for k in _kernels.NAMES}
    assert classes == set(nystream.kernels())


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "matern32"])
def test_sigma_is_the_width_itself(kernel):
    assert RidgeAldRegressor(kernel=kernel, sigma=0.3).fit(X, Y).kernel_.params["sigma"] == 0.3


def gamma_of(X, kernel="poly", y=None, **params):
    model = RidgeAldRegressor(kernel=kernel, alpha=1.0, max_basis=1, **params)
    model.fit(X, np.zeros(len(X)) if y is None else y)
    return model.kernel_.params["gamma"]


def test_scale_is_that_of_scikit_learn():
    assert gamma_of(X, gamma="scale") == pytest.approx(1 / (3 * X.var()), rel=1e-12)


def distances(Z, order):
    table = np.linalg.norm(Z[:, None] - Z, ord=order, axis=2)
    return table[np.triu_indices(len(Z), 1)]


def test_median_is_a_width_of_the_median_distance():
    model = RidgeAldRegressor(gamma="median").fit(X, Y)
    assert model.kernel_.params["sigma"] == pytest.approx(np.median(distances(X, 2)), rel=1e-3)
    assert gamma_of(X, gamma="median") == pytest.approx(0.5 / model.kernel_.params["sigma"] ** 2)
    model = RidgeAldRegressor(kernel="laplacian", gamma="median").fit(X, Y)
    assert model.kernel_.params["sigma"] == pytest.approx(np.median(distances(X, 1)), rel=1e-3)


def test_the_median_of_many_rows_is_that_of_a_sample():
    Z = np.sort(np.random.default_rng(0).uniform(size=(2000, 1)), axis=0)  # a sorted stream
    exact = np.median(distances(Z[::4], 2))
    sigma = RidgeAldRegressor(gamma="median").fit(Z, Z[:, 0]).kernel_.params["sigma"]
    assert sigma == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("gamma", ["scale", "median"])
@pytest.mark.parametrize("Z", [[[1.0, 2.0]], [[1.0, 2.0]] * 3])
def test_rows_that_are_all_the_same_have_a_gamma_of_one(gamma, Z):
    assert gamma_of(np.array(Z), gamma=gamma) == 1.0


def test_duplicates_do_not_make_the_median_zero():
    Z = np.array([[0.0]] * 10 + [[2.0]])
    assert RidgeAldRegressor(gamma="median").fit(Z, Z[:, 0]).kernel_.params["sigma"] == 2.0


def test_the_first_rows_settle_the_kernel():
    model = RidgeAldRegressor().partial_fit(X[:50], Y[:50])
    kernel = model.kernel_
    assert kernel == RidgeAldRegressor().fit(X[:50], Y[:50]).kernel_
    assert model.partial_fit(10 * X, Y).kernel_ == kernel
    assert model.set_params(gamma=5.0).partial_fit(X, Y).kernel_ == kernel
    assert model.fit(X, Y).kernel_ != kernel


# Bounds


@pytest.mark.parametrize(
    ("estimator", "factor"),
    [
        (NonsAldRegressor, 1),
        (SketchedKonsRegressor, 1),
        (KonsRegressor, 1),
        (AogdAldRegressor, 2),
        (KogdRegressor, 2),
    ],
)
def test_the_first_labels_settle_the_bound(estimator, factor):
    model = estimator().fit(X, -3 * Y)
    assert model.learner_.params["bound"] == factor * 3 * Y.max()
    assert model.partial_fit(X, 9 * Y).learner_.params["bound"] == factor * 3 * Y.max()
    assert estimator().fit(X, 0 * Y).learner_.params["bound"] == factor
    assert estimator(bound=0.1).fit(X, Y).learner_.params["bound"] == 0.1
    labels = np.array([-128, 5], dtype=np.int8)
    assert estimator().fit(X[:2], labels).learner_.params["bound"] == factor * 128


def test_an_infinite_bound_is_none():
    model = KonsRegressor(bound=math.inf).fit(X, Y)
    assert model.learner_.params["bound"] is None


@pytest.mark.parametrize(
    "model",
    [
        RidgeAldRegressor(gamma="scale", kernel="matern32"),
        RidgeAldRegressor(gamma="median"),
        RidgeAldRegressor(gamma="median", kernel="laplacian"),
        KrlsAldRegressor(gamma="median", alpha=1e-2),
        OnlineKrrRegressor(gamma="median"),
        KaarRegressor(),
        LinearRlsRegressor(),
        RunningMeanRegressor(),
    ],
    ids=str,
)
def test_a_weight_is_so_many_copies_of_the_row(model):
    weights, rows, labels = weighted()
    model = clone(model).fit(X, Y, sample_weight=weights)
    copies = clone(model).fit(rows, labels)
    np.testing.assert_allclose(model.predict(X), copies.predict(X), rtol=1e-6)
    if hasattr(model, "kernel_"):
        expected = copies.kernel_.params["sigma"]
        assert model.kernel_.params["sigma"] == pytest.approx(expected, rel=1e-12)


def test_the_median_counts_weights_in_a_sample_too():
    Z = np.random.default_rng(0).normal(size=(1200, 2))
    weights = np.arange(1200) % 3
    model = RidgeAldRegressor(gamma="median", alpha=0.1)
    sigma = model.fit(Z, Z[:, 0], sample_weight=weights).kernel_.params["sigma"]
    copies = Z.repeat(weights, axis=0)
    assert model.fit(copies, copies[:, 0]).kernel_.params["sigma"] == sigma


def test_rows_of_weight_zero_are_as_if_absent():
    far = np.vstack([X, 1e6 * np.ones((1, 3))])
    labels, weights = np.append(Y, 1e6), np.append(np.ones(len(Y)), 0.0)
    for gamma in ("scale", "median"):
        model = RidgeAldRegressor(gamma=gamma).fit(far, labels, sample_weight=weights)
        expected = RidgeAldRegressor(gamma=gamma).fit(X, Y, sample_weight=np.ones(len(Y)))
        assert model.kernel_ == expected.kernel_
        assert np.array_equal(model.predict(X), expected.predict(X))
    before = model.predict(X)
    model.partial_fit(X, Y + 1, sample_weight=np.zeros(len(Y)))
    assert np.array_equal(model.predict(X), before)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), "sample_weight should have the shape (120,), but has the shape (3,)"),
        (np.ones((120, 1)), "sample_weight should have the shape (120,), but has the shape"),
        (-np.ones(120), "sample_weight should be 0 or more, but holds -1.0"),
        (np.zeros(120), "sample_weight should be positive for at least one row, but is zero"),
        (np.full(120, math.nan), "Input sample_weight contains NaN"),
    ],
)
def test_weights_that_are_none(weights, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        RidgeAldRegressor().fit(X, Y, sample_weight=weights)


def test_weights_are_routed_to_the_estimator():
    weights = weighted()[0]
    with config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        model = RidgeAldRegressor(sigma=1.0).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(scaler, model).fit(X, Y, sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    expected = RidgeAldRegressor(sigma=1.0).fit(scaled, Y, sample_weight=weights)
    assert np.array_equal(pipeline.predict(X), expected.predict(scaled))
