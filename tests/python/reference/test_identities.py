"""What the learners have to do with each other."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from support import random_stream, state

import nystream

RIDGES = [0.01, 1.0]
# Kernels so rough that every row is far from the span of those before, beside smooth ones of a
# finite dimension: for both an ALD dictionary at the smallest alpha loses nothing.
KERNELS = [
    nystream.Laplacian(0.5),
    nystream.Matern32(0.3),
    nystream.Linear(),
    nystream.Polynomial(2, gamma=0.5),
]


@pytest.fixture(params=KERNELS, ids=repr)
def kernel(request):
    return request.param


def same(one, other, X, y, atol=1e-9):
    np.testing.assert_allclose(one.progressive(X, y), other.progressive(X, y), rtol=0, atol=atol)


@pytest.mark.parametrize("ridge", RIDGES)
def test_ridge_on_a_full_dictionary_is_kernel_ridge_regression(kernel, ridge):
    X, y = random_stream(200, 3)
    ald = nystream.RidgeAld(kernel, alpha=1e-10, ridge=ridge)
    same(ald, nystream.OnlineKrr(kernel, ridge=ridge), X, y)
    forward = nystream.RidgeAld(kernel, alpha=1e-10, ridge=ridge, forward=True)
    same(forward, nystream.Kaar(kernel, ridge=ridge), X, y)


@pytest.mark.parametrize("ridge", RIDGES)
def test_ridge_comes_nearer_to_kernel_ridge_regression_as_alpha_falls(ridge):
    X, y = random_stream(300, 2)
    kernel = nystream.Gaussian(1.0)
    exact = nystream.OnlineKrr(kernel, ridge=ridge).progressive(X, y)
    gaps = [
        np.abs(nystream.RidgeAld(kernel, alpha=a, ridge=ridge).progressive(X, y) - exact).max()
        for a in (1e-2, 1e-5, 1e-8)
    ]
    assert gaps[0] > 10 * gaps[1] > 100 * gaps[2]
    assert gaps[2] < 1e-4


@pytest.mark.parametrize("ridge", RIDGES)
def test_kaar_is_kernel_ridge_regression_that_shrinks(kernel, ridge):
    """By a / (a + s), where s is what the rows before leave of a row's kernel function."""
    X, y = random_stream(120, 3)
    plain = nystream.OnlineKrr(kernel, ridge=ridge).progressive(X, y)
    K = kernel(X)
    for t, prediction in enumerate(nystream.Kaar(kernel, ridge=ridge).progressive(X, y)):
        s = K[t, t] - K[t, :t] @ np.linalg.solve(K[:t, :t] + ridge * np.eye(t), K[:t, t])
        assert prediction == pytest.approx(plain[t] * ridge / (ridge + s), abs=1e-9)


@pytest.mark.parametrize("ridge", RIDGES)
def test_pkawv_that_keeps_every_row_is_kaar(kernel, ridge):
    X, y = random_stream(200, 3)
    pkawv = nystream.Pkawv(kernel, ridge=ridge, uniforms=np.zeros(len(y)))
    same(pkawv, nystream.Kaar(kernel, ridge=ridge), X, y)
    assert pkawv.n_basis == len(y)


@pytest.mark.parametrize("bound", [0.4, 1.0])
def test_the_theorem_of_kons_with_projected_gradients_is_nons_ald(bound):
    X, y = random_stream(200, 2)
    kernel = nystream.Gaussian(1.0)
    nons = nystream.NonsAld(kernel, alpha=1e-3, mu=0.5, bound=bound)
    params = {"alpha": 1e-3, "mu": 0.5, "bound": bound}
    kons = reference.kons(X, y, reference.kernel_like(kernel), **params)
    np.testing.assert_allclose(nons.progressive(X, y), kons.predictions, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(nons.basis, X[kons.basis])


def test_kons_with_projected_gradients_is_nons_ald():
    """Kons on the coordinates that the dictionary gave each row when it came.

    The bound is out of reach: where it is not, NonsAld projects in the space before a row joins.
    """
    X, y = random_stream(400, 2)
    kernel = nystream.Gaussian(1.0)
    nons = nystream.NonsAld(kernel, alpha=1e-3, mu=0.5, eta=0.2, bound=100.0)
    sizes, predictions = [], []
    for x, label in zip(X, y, strict=True):
        predictions.append(nons.predict_one(x))
        nons.learn_one(x, label)
        sizes.append(nons.n_basis)
    coordinates = kernel(X, nons.basis) @ state(nons)["inverse_factor"].T
    coordinates[np.arange(nons.n_basis) >= np.array(sizes)[:, None]] = 0.0
    kons = nystream.Kons(nystream.Linear(), mu=0.5, eta=0.2)
    np.testing.assert_allclose(kons.progressive(coordinates, y), predictions, rtol=0, atol=1e-9)
    assert nons.n_basis < 60


def test_nons_ald_on_a_full_dictionary_is_kons(kernel):
    X, y = random_stream(200, 3)
    nons = nystream.NonsAld(kernel, alpha=1e-10, eta=0.2, bound=100.0)
    same(nons, nystream.Kons(kernel, eta=0.2), X, y)


def test_sketched_kons_with_every_gradient_is_kons(kernel):
    X, y = random_stream(200, 3)
    sketched = nystream.SketchedKons(kernel, gamma=1.0, bound=0.7)
    same(sketched, nystream.Kons(kernel, bound=0.7), X, y)


def test_aogd_ald_on_a_full_dictionary_is_kogd(kernel):
    X, y = random_stream(200, 3)
    aogd = nystream.AogdAld(kernel, alpha=1e-10, bound=0.7)
    same(aogd, nystream.Kogd(kernel, bound=0.7), X, y)


@pytest.mark.parametrize("forward", [False, True])
@pytest.mark.parametrize("ridge", RIDGES)
def test_linear_rls_is_ridge_with_the_linear_kernel(ridge, forward):
    X, y = random_stream(300, 4)
    ald = nystream.RidgeAld(nystream.Linear(), alpha=1e-10, ridge=ridge, forward=forward)
    same(ald, nystream.LinearRls(ridge=ridge, forward=forward, intercept=False), X, y)
    ald = nystream.RidgeAld(nystream.Linear(), alpha=1e-10, ridge=ridge, forward=forward)
    with_constant = np.column_stack([X, np.ones(len(X))])
    rls = nystream.LinearRls(ridge=ridge, forward=forward)
    np.testing.assert_allclose(
        ald.progressive(with_constant, y), rls.progressive(X, y), rtol=0, atol=1e-9
    )


def test_krls_is_ridge_without_a_ridge():
    X, y = random_stream(300, 2)
    kernel = nystream.Gaussian(1.0)
    krls = nystream.KrlsAld(kernel, alpha=0.01)
    ridge = nystream.RidgeAld(kernel, alpha=0.01, ridge=1e-10)
    same(krls, ridge, X, y, atol=1e-6)


def test_nogd_is_kogd_without_a_ball_until_the_budget_is_used_up():
    X, y = random_stream(100, 3)
    filling = nystream.Nogd(budget=1000).progressive(X, y)
    full = nystream.Nogd(budget=40).progressive(X, y)
    np.testing.assert_allclose(full[:41], filling[:41], rtol=0, atol=1e-12)
    assert np.abs(full[41:] - filling[41:]).max() > 1e-6


@pytest.mark.parametrize(
    "kernel",
    [
        nystream.Gaussian(1.5),
        nystream.Laplacian(3.0),
        nystream.Matern32(2.0),
        nystream.Matern52(2.0),
        nystream.RationalQuadratic(1.5, alpha=0.7),
    ],
    ids=repr,
)
def test_fogd_comes_nearer_to_gradient_descent_with_the_kernel_as_frequencies_grow(kernel):
    X, y = random_stream(200, 3)
    exact = nystream.Nogd(kernel, budget=1000, eta=0.2).progressive(X, y)

    def gap(n_frequencies):
        model = nystream.Fogd(kernel, n_frequencies=n_frequencies, eta=0.2)
        return np.sqrt(np.mean((model.progressive(X, y) - exact) ** 2))

    assert gap(20_000) < 0.02
    assert gap(20_000) < gap(50) / 3


@pytest.mark.parametrize("learner", [nystream.ProsNKons, nystream.ConKons])
def test_sampled_newton_steps_agree_until_a_second_row_is_kept(learner):
    """With one row kept the space is that row's, and both are an online Newton step in it."""
    X, y = random_stream(100, 2)
    uniforms = np.append(0.0, np.full(99, 0.999))
    model = learner(nystream.Gaussian(1.0), gamma=10.0, uniforms=uniforms)
    predictions = model.progressive(X, y)
    nons = nystream.NonsAld(nystream.Gaussian(1.0), eta=1 / 16, max_basis=1)
    nons.learn_one(X[0], 0.0)  # the first row is learned in the space before: not at all
    expected = np.append(0.0, nons.progressive(X[1:], y[1:]))
    np.testing.assert_allclose(predictions, expected, rtol=0, atol=1e-12)
    assert model.n_basis == 1


def test_con_kons_keeps_what_it_has_learned_and_pros_n_kons_does_not():
    X, y = random_stream(50, 2)
    uniforms = np.full(51, 0.999)
    uniforms[[0, 50]] = 0.0
    later, label = np.array([[0.3, -0.2]]), np.array([0.5])
    for learner, forgets in [(nystream.ProsNKons, True), (nystream.ConKons, False)]:
        model = learner(nystream.Gaussian(1.0), gamma=10.0, bound=10.0, uniforms=uniforms)
        model.learn_many(X, y)
        before = model.predict_many(X)
        model.learn_many(later, label)
        assert model.n_basis == 2
        if forgets:
            np.testing.assert_array_equal(model.predict_many(X), np.zeros(50))
        else:
            np.testing.assert_allclose(model.predict_many(X), before, rtol=0, atol=1e-12)
