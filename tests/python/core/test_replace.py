"""A full dictionary in which a row takes the place of the one whose removal costs least."""

from __future__ import annotations

import re

import numpy as np
import pytest
import reference
from judge import judge
from support import assert_goes_on_bit_for_bit, paper_set, random_stream, state

import nystream

T = 200
KERNELS = [
    nystream.Gaussian(1.5),
    nystream.Laplacian(3.0),
    nystream.Matern32(2.0),
    nystream.Polynomial(degree=3, gamma=0.5, coef0=1.0),
    nystream.Linear(),
]
PARAMS = [
    {"ridge": 0.01, "max_basis": 6},
    {"ridge": 0.01, "max_basis": 1},
    {"ridge": 0.1, "max_basis": 2, "forward": True},
    {"ridge": 1e-3, "max_basis": 6, "forgetting": 0.98, "clip": True},
    {"ridge": 0.01, "max_basis": 6, "forgetting": 0.9, "forward": True, "clip": True},
]


def judge_replacing(kernel, X, y, weights=None, **params):
    """The run, and the two models whose dictionaries have the same rows in the same order."""
    params = {"policy": "replace", **params}
    literal = reference.kernel_like(kernel)
    run = reference.ridge_ald(X, y, literal, weights=weights, **params)
    models = judge(lambda: nystream.RidgeAld(kernel, **params), run, X, y, weights)
    for model in models:
        np.testing.assert_array_equal(model.basis, X[run.basis])
    return run


# Against the literal version


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_on_random_data(kernel, params):
    X, y = random_stream(T, 3)
    if isinstance(kernel, nystream.Linear):  # three rows span all
        params = {**params, "max_basis": min(params["max_basis"], 2)}
    run = judge_replacing(kernel, X, y, alpha=0.01, **params)
    assert len(run.replaced) > 50


def test_weights_count_in_what_a_removal_costs():
    X, y = random_stream(T, 3)
    weights = np.random.default_rng(1).exponential(size=T) ** 3
    params = {"alpha": 0.01, "ridge": 0.01, "max_basis": 8}
    runs = [judge_replacing(KERNELS[0], X, y, w, **params) for w in (weights, None)]
    assert runs[0].replaced != runs[1].replaced


def test_rows_close_to_each_other():
    """Kernel matrices lose digits as alpha gets smaller, and predictions with them."""
    X, y = random_stream(T, 2)
    run = judge_replacing(KERNELS[0], X, y, alpha=1e-6, ridge=1e-3, max_basis=15)
    assert len(run.replaced) > 50


@pytest.mark.slow
def test_many_features_which_are_learned_in_blocks():
    """A block ends with a row that takes the place of another."""
    X, y = random_stream(300, 3)
    params = {"alpha": 0.12, "ridge": 0.01, "max_basis": 75}
    run = judge_replacing(nystream.Laplacian(3.0), X, y, forgetting=0.99, **params)
    assert 3 < len(run.replaced) < 30


@pytest.mark.parametrize("name", ["elevators", "calhousing"])
@pytest.mark.slow
def test_on_the_first_rows_of_real_data(name):
    X, y, sigma = paper_set(name)
    X, y = X[:1000], y[:1000]
    kernel = nystream.Gaussian(sigma / 2)
    params = {"alpha": 0.01, "ridge": 1e-2, "max_basis": 12}
    run = judge_replacing(kernel, X, y, **params)
    assert len(run.replaced) > 50
    run = judge_replacing(kernel, X, y, forgetting=0.995, clip=True, **params)
    assert len(run.replaced) > 50


def test_the_row_that_goes_is_the_one_without_which_the_error_is_least():
    """The error of all past rows, for a dictionary that has kept them all until now."""
    X, y = random_stream(9, 2)
    kernel = nystream.Gaussian(0.3)
    model = nystream.RidgeAld(kernel, alpha=0.01, ridge=0.1, max_basis=8, policy="replace")
    model.learn_many(X, y)
    errors = [least_error(kernel, X, y, np.delete(np.arange(8), j)) for j in range(8)]
    expected = X[np.append(np.delete(np.arange(8), np.argmin(errors)), 8)]
    np.testing.assert_array_equal(model.basis, expected)


def least_error(kernel, X, y, kept):
    """The least sum of squares and ridge |f|^2 of a function of the first eight rows kept.

    The features of a row are those of the rows kept when it came.
    """
    L = np.linalg.cholesky(kernel(X[:8]))
    Phi = np.tril(np.linalg.solve(L, kernel(X[:8])).T)
    # f(x) = c.k(x) with c = 0 but for the rows kept: w = L^T c.
    B = L.T[:, kept]
    A = B.T @ (Phi.T @ Phi + 0.1 * np.eye(8)) @ B
    c = np.linalg.solve(A, B.T @ Phi.T @ y[:8])
    return np.sum((Phi @ B @ c - y[:8]) ** 2) + 0.1 * np.sum((B @ c) ** 2)


# What it is for


def test_the_dictionary_follows_rows_that_move():
    X, y = random_stream(2000, 2)
    X[1000:] += 20
    params = {"alpha": 0.01, "ridge": 0.01, "max_basis": 15, "forgetting": 0.99}
    errors = {}
    for policy in ("freeze", "replace"):
        model = nystream.RidgeAld(nystream.Gaussian(1.0), policy=policy, **params)
        errors[policy] = np.mean((model.progressive(X, y) - y)[1200:] ** 2)
        assert model.n_basis == 15
    assert (model.basis > 15).mean() > 0.8
    assert errors["replace"] < 0.1 * errors["freeze"]


def test_below_the_cap_it_is_the_same_to_the_last_bit():
    X, y = random_stream(T, 3)
    models = [
        nystream.RidgeAld(KERNELS[0], alpha=0.01, max_basis=60, policy=policy)
        for policy in ("freeze", "replace")
    ]
    predictions = [model.progressive(X, y) for model in models]
    assert models[0].n_basis < 60
    np.testing.assert_array_equal(*predictions)


def test_thousands_of_replacements_do_not_add_up_rounding():
    """Features are still those of the rows kept, and P is positive definite."""
    X, y = random_stream(20_000, 3)
    kernel = nystream.Gaussian(0.7)
    model = nystream.RidgeAld(kernel, alpha=1e-3, max_basis=40, policy="replace", forgetting=0.999)
    predictions = model.progressive(X, y)
    arrays = state(model)
    L = arrays["factor"]
    np.testing.assert_allclose(L @ L.T, kernel(model.basis), atol=1e-11)
    np.testing.assert_allclose(L @ arrays["inverse_factor"], np.eye(40), atol=1e-9)
    assert np.linalg.eigvalsh(arrays["p"]).min() > 0
    assert np.isfinite(predictions).all()


@pytest.mark.parametrize("n_rows", [30, 99, 180])
def test_it_goes_on_from_bytes_and_copies_bit_for_bit(n_rows):
    X, y = random_stream(T, 3)
    params = {"alpha": 0.01, "max_basis": 8, "policy": "replace", "forgetting": 0.99}
    model = nystream.RidgeAld(KERNELS[0], **params)
    model.learn_many(X[:n_rows], y[:n_rows])
    assert_goes_on_bit_for_bit(model, X[n_rows:], y[n_rows:])


def test_rows_that_are_zero_or_repeated():
    X = np.array([[0.0, 0.0], [1.0, 2.0], [1.0, 2.0], [0.0, 0.0], [2.0, 4.0], [1.0, 0.0]] * 5)
    y = (
        np.linspace(0, 1, len(X)) ** 2
    )  # no two rows cost the same: rounding would choose between them
    for kernel in KERNELS:
        for max_basis in (1, 2, 3):
            judge_replacing(kernel, X, y, alpha=0.01, ridge=0.01, max_basis=max_basis)


# What is refused


@pytest.mark.parametrize("name", ["RidgeAld", "Auto"])
@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("x", ValueError, "policy should be 'freeze' or 'replace', but is 'x'"),
        ("Replace", ValueError, "policy should be 'freeze' or 'replace', but is 'Replace'"),
        (3, TypeError, "policy should be a string, but is 3"),
        (None, TypeError, "policy should be a string, but is None"),
    ],
)
def test_there_are_two_policies(name, value, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        getattr(nystream, name)(policy=value)


@pytest.mark.parametrize(
    ("value", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), ("a", TypeError)]
)
def test_the_cap_has_a_range(value, error):
    for name in ("RidgeAld", "Auto"):
        with pytest.raises(error, match=r"^max_basis should be .* but is"):
            getattr(nystream, name)(max_basis=value)
