"""Rows with several labels: one dictionary and one matrix, weights for each target."""

from __future__ import annotations

import re

import numpy as np
import pytest
import reference
from judge import judge
from support import assert_goes_on_bit_for_bit, paper_set, random_stream

import nystream

KERNEL = nystream.Gaussian(1.5)
T = 250
MAKERS = {
    "RidgeAld": lambda **params: nystream.RidgeAld(KERNEL, alpha=0.01, **params),
    "LinearRls": nystream.LinearRls,
    "Auto": lambda **params: nystream.Auto(warm_up=40, max_basis=20, **params),
}


def stream(n_rows=T, n_features=3):
    """Labels that have little to do with each other, and scales far apart."""
    X, y = random_stream(n_rows, n_features)
    return X, np.column_stack([y, 1e3 * X[:, 0] ** 2, 1e-3 * np.sin(3 * X[:, 1])])


# Against the literal versions


@pytest.mark.parametrize("forgetting", [0.98, 1.0])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"forward": True},
        {"clip": True, "max_basis": 5},
        {"forward": True, "clip": True, "max_basis": 6, "policy": "replace"},
    ],
    ids=str,
)
def test_ridge_on_random_data(params, forgetting):
    X, Y = stream()
    weights = np.random.default_rng(1).exponential(size=T)
    params = {"alpha": 0.01, "ridge": 0.01, "forgetting": forgetting, **params}
    for given in (None, weights):
        run = reference.ridge_ald(X, Y, reference.kernel_like(KERNEL), weights=given, **params)
        models = judge(lambda: nystream.RidgeAld(KERNEL, n_targets=3, **params), run, X, Y, given)
        for model in models:
            np.testing.assert_array_equal(model.basis, X[run.basis])
        assert bool(run.replaced) == ("policy" in params)


@pytest.mark.parametrize("params", [{}, {"forward": True, "forgetting": 0.98}, {"clip": True}])
def test_linear_on_random_data(params):
    for n_features in (4, 80):  # one by one, and in blocks
        X, Y = stream(n_features=n_features)
        run = reference.linear_rls(X, Y, ridge=0.1, **params)
        judge(lambda: nystream.LinearRls(ridge=0.1, n_targets=3, **params), run, X, Y)


@pytest.mark.slow
def test_many_features_which_are_learned_in_blocks():
    X, Y = stream()
    kernel, params = nystream.Laplacian(3.0), {"alpha": 0.1, "ridge": 0.01, "forgetting": 0.98}
    run = reference.ridge_ald(X, Y, reference.kernel_like(kernel), **params)
    judge(lambda: nystream.RidgeAld(kernel, n_targets=3, **params), run, X, Y)
    assert len(run.basis) > 72


@pytest.mark.parametrize("name", ["elevators", "calhousing"])
def test_on_the_first_rows_of_real_data(name):
    X, y, sigma = paper_set(name)
    X, Y = X[:1000, 1:], np.column_stack([y, X[:, 0]])[:1000]
    kernel, params = nystream.Gaussian(sigma), {"alpha": 1e-3, "ridge": 1e-3, "forgetting": 0.995}
    run = reference.ridge_ald(X, Y, reference.kernel_like(kernel), **params)
    judge(lambda: nystream.RidgeAld(kernel, n_targets=2, **params), run, X, Y)


# How targets go together


@pytest.mark.parametrize("params", [{}, {"forward": True, "clip": True}, {"forgetting": 0.98}])
@pytest.mark.parametrize("name", ["RidgeAld", "LinearRls"])
def test_targets_do_not_know_of_each_other(name, params):
    X, Y = stream()
    together = MAKERS[name](n_targets=3, **params)
    predictions = together.progressive(X, Y)
    intervals = together.predict_interval(X)
    for target, y in enumerate(Y.T):
        alone = MAKERS[name](**params)
        expected = alone.progressive(X, y)
        scale = np.abs(y).max()
        np.testing.assert_allclose(predictions[:, target], expected, atol=1e-12 * scale)
        expected = alone.predict_interval(X)
        np.testing.assert_allclose(intervals[:, target], expected, atol=1e-12 * scale)


@pytest.mark.parametrize("name", MAKERS)
def test_equal_labels_have_equal_predictions(name):
    X, Y = stream()
    model = MAKERS[name](n_targets=3)
    predictions = model.progressive(X, Y[:, [0, 1, 0]])
    np.testing.assert_array_equal(predictions[:, 0], predictions[:, 2])
    intervals = model.predict_interval(X)
    np.testing.assert_array_equal(intervals[:, 0], intervals[:, 2])


@pytest.mark.parametrize("name", MAKERS)
def test_one_target_is_no_other_than_the_default(name):
    X, Y = stream()
    one, plain = MAKERS[name](n_targets=1), MAKERS[name]()
    np.testing.assert_array_equal(one.progressive(X, Y[:, 0]), plain.progressive(X, Y[:, 0]))
    assert one.to_bytes() == plain.to_bytes()
    assert isinstance(one.predict_one(X[0]), float)


@pytest.mark.parametrize("name", MAKERS)
def test_shapes(name):
    X, Y = stream(60)
    model = MAKERS[name](n_targets=3)
    assert model.n_targets == 3
    for _ in range(2):  # before and after something is learned
        assert model.predict_one(X[0]).shape == (3,)
        assert model.predict_many(X).shape == (60, 3)
        assert model.predict_interval(X).shape == (60, 3, 2)
        assert model.predict_interval(X[0]).shape == (3, 2)
        assert model.scorer().predict_one(X[0]).shape == (3,)
        assert model.scorer().predict_many(X).shape == (60, 3)
        assert model.progressive(X, Y).shape == (60, 3)


@pytest.mark.parametrize("name", MAKERS)
def test_nothing_is_known_before_the_first_row(name):
    X, _ = stream(5)
    model = MAKERS[name](n_targets=2)
    np.testing.assert_array_equal(model.predict_one(X[0]), np.zeros(2))
    np.testing.assert_array_equal(model.predict_many(X), np.zeros((5, 2)))
    assert np.isinf(model.predict_interval(X)).all()


@pytest.mark.parametrize("name", MAKERS)
def test_labels_in_any_order_of_memory(name):
    X, Y = stream()
    expected = MAKERS[name](n_targets=3).progressive(X, Y)
    wide = np.zeros((T, 6))
    wide[:, ::2] = Y
    for other in (np.asfortranarray(Y), wide[:, ::2], Y.tolist(), Y[::-1][::-1]):
        np.testing.assert_array_equal(MAKERS[name](n_targets=3).progressive(X, other), expected)


@pytest.mark.parametrize("name", MAKERS)
def test_scorers_and_copies_have_all_targets(name):
    X, Y = stream()
    model = MAKERS[name](n_targets=3)
    model.learn_many(X[:150], Y[:150])
    expected = model.predict_many(X)
    np.testing.assert_array_equal(model.scorer().predict_many(X), expected)
    np.testing.assert_allclose([model.predict_one(x) for x in X], expected, rtol=1e-9, atol=1e-9)
    assert_goes_on_bit_for_bit(model, X[150:], Y[150:])


# What is refused


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(
    ("value", "error"),
    [(0, ValueError), (-1, ValueError), (1.5, TypeError), ("a", TypeError), (None, TypeError)],
)
def test_the_number_of_targets_has_a_range(name, value, error):
    with pytest.raises(error, match=r"^n_targets should be .* but is"):
        getattr(nystream, name)(n_targets=value)


NAN = np.ones((20, 2))
NAN[7, 1] = np.nan
BAD = [
    (np.ones(20), ValueError, "y should be two-dimensional, but has the shape (20,)"),
    (np.ones((20, 1)), ValueError, "y should have a column for each of 2 targets, but has 1"),
    (np.ones((20, 3)), ValueError, "y should have a column for each of 2 targets, but has 3"),
    (np.ones((2, 20)), ValueError, "y should have a column for each of 2 targets, but has 20"),
    (np.ones((19, 2)), ValueError, "y should have"),
    (np.ones((20, 2, 1)), ValueError, "y should be two-dimensional, but has the shape (20, 2, 1)"),
    (NAN, ValueError, "y[7, 1] should be a finite number of magnitude at most 1e100, but is NaN"),
    ([["a", "b"]] * 20, TypeError, "y should hold real numbers"),
]
BAD_ONE = [
    (1.0, ValueError, "y should be one-dimensional, but has the shape ()"),
    ([1.0], ValueError, "y should have a label for each of 2 targets, but has 1"),
    ([1.0, 2.0, 3.0], ValueError, "y should have a label for each of 2 targets, but has 3"),
    ([[1.0, 2.0]], ValueError, "y should be one-dimensional, but has the shape (1, 2)"),
    ([1.0, np.nan], ValueError, "y[1] should be a finite number"),
    (None, TypeError, "y should hold real numbers"),
]


@pytest.mark.parametrize("name", MAKERS)
def test_labels_of_another_shape_change_nothing(name):
    X, Y = stream(20)
    model = MAKERS[name](n_targets=2)
    model.learn_many(X, Y[:, :2])
    before = model.to_bytes()
    for y, error, message in BAD:
        for call in (model.learn_many, model.progressive):
            with pytest.raises(error, match="^" + re.escape(message)):
                call(X, y)
    for y, error, message in BAD_ONE:
        with pytest.raises(error, match="^" + re.escape(message)):
            model.learn_one(X[0], y)
    assert model.to_bytes() == before


@pytest.mark.parametrize("name", MAKERS)
def test_one_target_takes_no_columns(name):
    X, _ = stream(20)
    model = MAKERS[name]()
    with pytest.raises(ValueError, match=r"^y should be one-dimensional, but has the shape"):
        model.learn_many(X, np.ones((20, 1)))
    with pytest.raises(TypeError, match=r"^y should be a number"):
        model.learn_one(X[0], [1.0])
    assert model.n_seen == 0


@pytest.mark.parametrize("name", sorted(set(nystream.algorithms()) - set(MAKERS)))
def test_other_learners_have_one_target(name):
    assert getattr(nystream, name)().n_targets == 1
    with pytest.raises(TypeError, match="n_targets"):
        getattr(nystream, name)(n_targets=2)
