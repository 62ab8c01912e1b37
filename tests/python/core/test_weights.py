"""A weight counts as that many copies of a row, and is the weight of its square in the sum."""

from __future__ import annotations

import numpy as np
import pytest
from support import PAPER_SETS, paper_set, random_stream

import nystream

KERNEL = nystream.Gaussian(1.5)
LEARNERS = {
    "RidgeAld": nystream.RidgeAld(KERNEL, alpha=0.01),
    "RidgeAld, forward": nystream.RidgeAld(KERNEL, alpha=0.01, forward=True, clip=True),
    "KrlsAld": nystream.KrlsAld(KERNEL, alpha=0.05),
    "OnlineKrr": nystream.OnlineKrr(KERNEL),
    "Kaar": nystream.Kaar(KERNEL),
    "LinearRls": nystream.LinearRls(ridge=0.1),
    "RunningMean": nystream.RunningMean(),
}
# Auto counts rows, too, and is not the same after copies of one; its own tests have weights.
LEARNERS |= {
    name: model
    for name, model in ((name, getattr(nystream, name)()) for name in nystream.algorithms())
    if model.takes_weights and name not in {"Auto", *LEARNERS}
}


def fresh(name):
    return nystream.Learner.from_bytes(LEARNERS[name].to_bytes())


def test_the_learners_by_least_squares_take_weights_and_these_do_not():
    takes = {name for name in nystream.algorithms() if getattr(nystream, name)().takes_weights}
    assert takes == {type(model).__name__ for model in LEARNERS.values()} | {"Auto"}
    assert takes >= {"Auto", "Kaar", "KrlsAld", "LinearRls", "OnlineKrr", "RidgeAld", "RunningMean"}
    assert takes.isdisjoint(
        {"AogdAld", "ConKons", "Fogd", "Kogd", "Kons", "Nogd", "NonsAld", "Pkawv", "ProsNKons"}
    )
    assert "SketchedKons" not in takes


@pytest.mark.parametrize("name", LEARNERS)
def test_weights_are_copies(name):
    X, y = random_stream(80, 3)
    weights = np.random.default_rng(1).integers(0, 4, 80)
    weighted, copied = fresh(name), fresh(name)
    weighted.learn_many(X, y, weights)
    copied.learn_many(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_allclose(weighted.predict_many(X), copied.predict_many(X), atol=1e-8)
    assert weighted.n_basis <= copied.n_basis


@pytest.mark.parametrize("name", LEARNERS)
def test_one_row_and_many_rows_are_the_same(name):
    X, y = random_stream(80, 3)
    weights = np.random.default_rng(1).exponential(size=80)
    one, many = fresh(name), fresh(name)
    predictions = []
    for x, label, weight in zip(X, y, weights, strict=True):
        predictions.append(one.predict_one(x))
        one.learn_one(x, label, weight)
    np.testing.assert_allclose(many.progressive(X, y, weights), predictions, atol=1e-12)
    assert one.to_bytes() == many.to_bytes()


@pytest.mark.parametrize("name", LEARNERS)
def test_weights_of_one_change_nothing(name):
    X, y = random_stream(80, 3)
    plain, weighted = fresh(name), fresh(name)
    expected = plain.progressive(X, y)
    np.testing.assert_allclose(weighted.progressive(X, y, np.ones(80)), expected, atol=1e-11)


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_of_weight_zero_are_predicted_and_not_learned(name):
    X, y = random_stream(30, 3)
    model = fresh(name)
    model.learn_many(X[:20], y[:20])
    before, expected = model.to_bytes(), model.predict_many(X[20:])
    found = model.progressive(X[20:], y[20:], np.zeros(10))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert model.to_bytes() == before


def weighted_ridge(model, X, y, weights):
    """Predictions of the function of the rows kept that minimises the weighted sum."""
    kernel, ridge, basis = model.params["kernel"], model.params["ridge"], model.basis
    features = np.linalg.solve(np.linalg.cholesky(kernel(basis)), kernel(basis, X)).T
    # Features of a row at the time it came: of the rows kept until then.
    size, kept = 0, np.zeros(len(X), int)
    for t, x in enumerate(X):
        size += int(size < len(basis) and np.array_equal(basis[size], x))
        kept[t] = size
    seen = features * (np.arange(len(basis)) < kept[:, None])
    A = ridge * np.eye(len(basis)) + (seen * weights[:, None]).T @ seen
    return features @ np.linalg.solve(A, seen.T @ (weights * y))


@pytest.mark.parametrize("name", ["random", *PAPER_SETS])
def test_weighted_ridge_regression_is_the_minimiser(name):
    X, y, sigma = (*random_stream(500, 3), 1.5) if name == "random" else paper_set(name)
    X, y = X[:1000], y[:1000]
    weights = np.random.default_rng(2).exponential(size=len(y))
    model = nystream.RidgeAld(nystream.Gaussian(sigma), alpha=0.01, ridge=0.1)
    model.learn_many(X, y, weights)
    expected = weighted_ridge(model, X, y, weights)
    np.testing.assert_allclose(model.predict_many(X), expected, atol=1e-9)


def test_weighted_linear_regression_is_the_minimiser():
    X, y = random_stream(200, 3)
    weights = np.random.default_rng(2).exponential(size=200)
    model = nystream.LinearRls(ridge=0.1)
    model.learn_many(X, y, weights)
    Z = np.c_[np.ones(200), X]
    w = np.linalg.solve(0.1 * np.eye(4) + (Z * weights[:, None]).T @ Z, Z.T @ (weights * y))
    np.testing.assert_allclose(model.predict_many(X), Z @ w, atol=1e-10)


BAD = [
    (np.ones(19), "sample_weight should have as many weights as X has rows, 20, but has 19"),
    (np.full(20, -1.0), r"sample_weight\[0\] should be 0 or between 1e-10 and 1e10, but is -1"),
    (np.r_[np.ones(19), np.nan], r"sample_weight\[19\] should be .*, but is NaN"),
    (np.r_[np.ones(19), 1e11], r"\[19\].* should be .*, but is 100000000000"),
    (np.ones((20, 1)), "sample_weight should be one-dimensional"),
]


@pytest.mark.parametrize(("weights", "message"), BAD)
@pytest.mark.parametrize("name", LEARNERS)
def test_bad_weights_are_refused(name, weights, message):
    X, y = random_stream(20, 3)
    model = fresh(name)
    model.learn_many(X, y)
    before = model.to_bytes()
    with pytest.raises(ValueError, match=message):
        model.learn_many(X, y, weights)
    with pytest.raises(TypeError, match="sample_weight should be a number, but is 'heavy'"):
        model.learn_one(X[0], y[0], "heavy")
    assert model.to_bytes() == before


def test_a_weight_that_float64_cannot_follow_is_refused():
    model = nystream.RidgeAld(nystream.Gaussian(), ridge=1e-8)
    with pytest.raises(ValueError, match="its weight should be at most 1000000, but is 1000000"):
        model.learn_one([0.0], 1.0, 1e7)
    assert model.n_seen == 0


@pytest.mark.parametrize("name", nystream.algorithms())
def test_other_learners_say_that_they_take_none(name):
    model = getattr(nystream, name)()
    if model.takes_weights:
        return
    message = f"sample_weight should not be given: every row counts once for {name}"
    with pytest.raises(TypeError, match=message):
        model.learn_one([0.0], 1.0, 1.0)
    with pytest.raises(TypeError, match=message):
        model.learn_many([[0.0]], [1.0], [1.0])
    assert model.n_seen == 0
