"""Rows that count less and less: w minimises sum_s f^(t-s) (w.phi_s - y_s)^2 + ridge_t |w|^2."""

from __future__ import annotations

import re

import numpy as np
import pytest
import reference
from judge import judge
from support import assert_goes_on_bit_for_bit, paper_set, random_stream

import nystream

KERNEL = nystream.Gaussian(1.5)
FORGETTING = [0.5, 0.9, 0.99, 0.999, 1.0]
T = 250


def judge_ridge(kernel, X, y, weights=None, **params):
    literal = reference.kernel_like(kernel)
    run = reference.ridge_ald(X, y, literal, weights=weights, **params)
    models = judge(lambda: nystream.RidgeAld(kernel, **params), run, X, y, weights)
    for model in models:
        np.testing.assert_array_equal(model.basis, X[run.basis])
    return run


def judge_linear(X, y, weights=None, **params):
    run = reference.linear_rls(X, y, weights=weights, **params)
    judge(lambda: nystream.LinearRls(**params), run, X, y, weights)


# Against the literal versions


@pytest.mark.parametrize("forgetting", FORGETTING)
@pytest.mark.parametrize(
    "params",
    [
        {"ridge": 0.01},
        {"ridge": 1e-4, "clip": True},
        {"ridge": 0.1, "forward": True},
        {"ridge": 0.01, "forward": True, "clip": True, "max_basis": 5},
    ],
    ids=str,
)
def test_ridge_on_random_data(params, forgetting):
    X, y = random_stream(T, 3)
    weights = np.random.default_rng(1).exponential(size=T)
    judge_ridge(KERNEL, X, y, alpha=0.01, forgetting=forgetting, **params)
    judge_ridge(KERNEL, X, y, weights, alpha=0.01, forgetting=forgetting, **params)


@pytest.mark.parametrize("forgetting", FORGETTING)
@pytest.mark.parametrize("params", [{}, {"intercept": False, "clip": True}, {"forward": True}])
def test_linear_on_random_data(params, forgetting):
    X, y = random_stream(T, 4)
    weights = np.random.default_rng(1).exponential(size=T)
    for ridge in (1e-4, 1.0):
        judge_linear(X, y, ridge=ridge, forgetting=forgetting, **params)
        judge_linear(X, y, weights, ridge=ridge, forgetting=forgetting, **params)


@pytest.mark.parametrize("forgetting", [0.9, 0.99])
@pytest.mark.slow
def test_many_features_which_are_learned_in_blocks(forgetting):
    """Periods of 7 and of 69 rows, which end within blocks of 32."""
    X, y = random_stream(T, 3)
    run = judge_ridge(nystream.Laplacian(3.0), X, y, alpha=0.1, ridge=0.01, forgetting=forgetting)
    assert len(run.basis) > 72
    X, y = random_stream(T, 80)
    judge_linear(X, y, ridge=0.1, forgetting=forgetting)


@pytest.mark.parametrize("name", ["elevators", "calhousing"])
def test_on_the_first_rows_of_real_data(name):
    X, y, sigma = paper_set(name)
    X, y = X[:1000], y[:1000]
    kernel = nystream.Gaussian(sigma)
    judge_ridge(kernel, X, y, alpha=1e-3, ridge=1e-3, clip=True, forgetting=0.99)
    judge_linear(X, y, ridge=0.01, forgetting=0.99)


def faded_weights(Phi, y, ridge, forgetting, n_seen):
    """The minimiser after so many rows, of which these are the last and the others are gone."""
    counts = forgetting ** np.arange(len(Phi) - 1, -1, -1)
    period = int(np.ceil(np.log(0.5) / np.log(forgetting)))
    ridge_now = ridge * forgetting ** (n_seen % period)
    A = ridge_now * np.eye(Phi.shape[1]) + (Phi * counts[:, None]).T @ Phi
    return np.linalg.solve(A, Phi.T @ (counts * y))


@pytest.mark.parametrize("n_rows", [1, 7, 68, 69, 70, 250])
@pytest.mark.parametrize("forgetting", [0.9, 0.99])
def test_it_is_the_minimiser_of_the_sum(n_rows, forgetting):
    X, y = random_stream(n_rows, 3)
    Phi = np.c_[np.ones(n_rows), X]
    w = faded_weights(Phi, y, 0.1, forgetting, n_rows)
    model = nystream.LinearRls(ridge=0.1, forgetting=forgetting)
    model.learn_many(X, y)
    np.testing.assert_allclose(model.predict_many(X), Phi @ w, atol=1e-11)


# What it is for


@pytest.mark.parametrize(
    "make",
    [
        lambda f: nystream.RidgeAld(nystream.Gaussian(4.0), alpha=0.01, forgetting=f),
        lambda f: nystream.LinearRls(forgetting=f),
    ],
    ids=["RidgeAld", "LinearRls"],
)
def test_it_helps_where_the_stream_changes(make):
    X, y = nystream.datasets.abrupt_drift(6000, at=3000)
    errors = [np.mean((make(f).progressive(X, y) - y)[4000:] ** 2) for f in (0.998, 1.0)]
    assert errors[0] < 0.8 * errors[1]


def test_what_no_rows_tell_of_is_neither_lost_nor_blown_up():
    """The ridge is renewed: where no rows come, P stays within 1 / ridge and 2 / ridge."""
    rng = np.random.default_rng(0)
    model = nystream.LinearRls(ridge=0.1, intercept=False, forgetting=0.5)
    model.learn_many(np.c_[rng.normal(size=(20_000, 1)), np.zeros(20_000)], rng.normal(size=20_000))
    assert model.predict_one([0.0, 1.0]) == 0.0
    # Ends are at -+ margin sqrt(1 + q).
    halves = [model.predict_interval([0.0, size])[1] for size in (0.0, 1.0)]
    q = (halves[1] / halves[0]) ** 2 - 1
    assert q * 0.1 == pytest.approx(1.5, abs=0.5 + 1e-9)


@pytest.mark.parametrize("forgetting", [0.5, 0.99, 1 - 1e-12])
def test_half_a_million_rows_leave_it_as_good_as_new(forgetting):
    """Old rows are gone, and rounding with them; 1 - 1e-12 forgets next to nothing."""
    X, y = random_stream(500_000, 2)
    model = nystream.LinearRls(ridge=0.1, forgetting=forgetting)
    model.learn_many(X, y)
    last = slice(-5000, None) if forgetting <= 0.99 else slice(None)
    Phi = np.c_[np.ones(len(X)), X]
    w = faded_weights(Phi[last], y[last], 0.1, forgetting, len(X))
    np.testing.assert_allclose(model.predict_many(X[-20:]), Phi[-20:] @ w, atol=1e-9)


@pytest.mark.parametrize("n_rows", [10, 69, 100])
@pytest.mark.parametrize("name", ["RidgeAld", "LinearRls"])
def test_it_goes_on_from_bytes_and_copies_bit_for_bit(name, n_rows):
    X, y = random_stream(T, 3)
    model = getattr(nystream, name)(forgetting=0.99)
    model.learn_many(X[:n_rows], y[:n_rows])
    assert_goes_on_bit_for_bit(model, X[n_rows:], y[n_rows:])


def test_rows_of_weight_zero_pass_no_time():
    X, y = random_stream(100, 3)
    weights = np.tile([1.0, 0.0], 50)
    for name in ("RidgeAld", "LinearRls"):
        some, others = (getattr(nystream, name)(forgetting=0.9) for _ in range(2))
        some.learn_many(X, y, weights)
        others.learn_many(X[::2], y[::2])
        np.testing.assert_allclose(some.predict_many(X), others.predict_many(X), atol=1e-11)


# What is refused


@pytest.mark.parametrize("name", ["RidgeAld", "LinearRls", "Auto"])
@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (0.4, ValueError, "forgetting should be between 0.5 and 1, but is 0.4"),
        (1.1, ValueError, "forgetting should be between 0.5 and 1, but is 1.1"),
        (-0.9, ValueError, "forgetting should be between 0.5 and 1, but is -0.9"),
        (np.nan, ValueError, "forgetting should be finite, but is NaN"),
        (np.inf, ValueError, "forgetting should be finite, but is inf"),
        ("a", TypeError, "forgetting should be a number, but is 'a'"),
        (None, TypeError, "forgetting should be a number, but is None"),
    ],
)
def test_forgetting_has_a_range(name, value, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        getattr(nystream, name)(forgetting=value)
