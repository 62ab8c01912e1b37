"""Spectra, decay, the comparator and dictionaries, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.linalg import inv, norm
from support import epochs, features, paper_set, random_stream

import nystream
from nystream import theory

NAN, INF = float("nan"), float("inf")
G = nystream.Gaussian
CUBIC = nystream.Polynomial(3, gamma=0.5, normalize=True)
# Both ways to a spectrum: by a factor, and, for more than 256 rows of high rank, by LAPACK.
MATRICES = [
    (G(1.0), random_stream(200, 2)[0]),
    (G(2.0), random_stream(300, 1, seed=1)[0]),
    (nystream.Laplacian(1.0), random_stream(150, 3, seed=2)[0]),
    (nystream.Laplacian(1.0), random_stream(270, 3, seed=3)[0]),
    (nystream.Matern52(1.0), random_stream(270, 2, seed=4)[0]),
    (CUBIC, random_stream(300, 3, seed=5)[0]),
    (nystream.Polynomial(2), random_stream(300, 3, seed=6)[0]),
    (G(1.0), np.repeat(random_stream(20, 2, seed=7)[0], 15, axis=0)),
    (G(1.0), np.zeros((1, 1))),
]


@pytest.fixture(params=MATRICES, ids=lambda m: f"{m[0]!r}, {m[1].shape}")
def matrix(request):
    return request.param


@pytest.fixture(params=[1, 300])
def elevators(request):
    X, y, sigma = paper_set("elevators")
    return G(sigma), X[: request.param], y[: request.param]


# --- spectrum ---------------------------------------------------------------------------------


def check_spectrum(kernel, X):
    s = theory.spectrum(kernel, X)
    K, rank = kernel(X), len(s.eigenvalues)
    # LAPACK's eigenvalues are wrong by rounding times the largest, a few times over.
    atol = 1e-14 * len(X) * K.max()
    assert s.eigenvectors.shape == (len(X), rank)
    assert (s.eigenvalues > 0).all()
    assert (np.diff(s.eigenvalues) <= 0).all()
    full = np.zeros(len(X))
    full[:rank] = s.eigenvalues
    np.testing.assert_allclose(full, np.linalg.eigvalsh(K)[::-1], atol=atol)
    np.testing.assert_allclose(s.eigenvectors.T @ s.eigenvectors, np.eye(rank), atol=1e-12)
    np.testing.assert_allclose(s.eigenvectors * s.eigenvalues @ s.eigenvectors.T, K, atol=atol)
    assert abs(np.trace(K) - s.eigenvalues.sum()) <= s.error + 1e-15 * np.trace(K)
    np.testing.assert_array_equal(theory.eigenvalues(kernel, X), s.eigenvalues)


def test_spectrum_is_that_of_the_kernel_matrix(matrix):
    check_spectrum(*matrix)


def test_spectrum_of_a_paper_set(elevators):
    check_spectrum(*elevators[:2])


def test_spectrum_of_rank_0():
    s = theory.spectrum(nystream.Linear(), np.zeros((3, 2)))
    assert s.eigenvalues.shape == (0,)
    assert s.effective_dimension(1.0) == 0
    assert s.best_in_ball([1.0, 2.0, 3.0], 1.0).loss == 14


def test_small_eigenvalues_are_accurate():
    """Eigenvalues 100^-i of X X^T, known exactly, down to the cut."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((400, 8))).Q
    exact = 100.0 ** -np.arange(7)
    X = Q[:, :7] * np.sqrt(exact) @ np.linalg.qr(rng.standard_normal((7, 7))).Q
    lam = theory.eigenvalues(nystream.Linear(), X)
    assert lam == pytest.approx(exact, rel=1e-3, abs=0)


@pytest.mark.parametrize("tolerance", [1e-10, 1e-6, 1e-2])
def test_a_spectrum_lacks_no_more_than_its_tolerance(matrix, tolerance):
    kernel, X = matrix
    exact, s = theory.spectrum(kernel, X), theory.spectrum(kernel, X, tolerance=tolerance)
    rank = len(s.eigenvalues)
    assert rank <= len(exact.eigenvalues)
    assert s.error <= tolerance * len(X) * np.diag(kernel(X)).max() * (1 + 1e-12)
    lacking = exact.eigenvalues[:rank] - s.eigenvalues
    assert (lacking >= -1e-12 * exact.eigenvalues[0]).all()
    assert lacking.sum() + exact.eigenvalues[rank:].sum() <= s.error + 1e-12 * exact.eigenvalues[0]
    for mu in (0.1, 1.0):
        missing = exact.effective_dimension(mu) - s.effective_dimension(mu)
        assert -1e-9 <= missing <= s.error / mu + 1e-9


def test_a_tolerance_saves_rank():
    kernel, X = MATRICES[0]
    ranks = [len(theory.spectrum(kernel, X, tolerance=t).eigenvalues) for t in (1e-14, 1e-8, 1e-2)]
    assert ranks[0] > 1.5 * ranks[1] > 3 * ranks[2]


@pytest.mark.parametrize("mu", [1e-3, 0.5, 20.0])
def test_leverage_scores_and_effective_dimension_are_those_of_the_inverse(matrix, mu):
    kernel, X = matrix
    K = kernel(X)
    literal = np.diag(K @ inv(K + mu * np.eye(len(X))))
    scores = theory.ridge_leverage_scores(kernel, X, mu)
    np.testing.assert_allclose(scores, literal, atol=1e-9)  # K / mu times rounding
    dimension = theory.effective_dimension(kernel, X, mu)
    assert isinstance(dimension, float)
    assert dimension == pytest.approx(literal.sum(), rel=1e-9)


def test_effective_dimension_of_many_mu():
    kernel, X = MATRICES[0]
    s = theory.spectrum(kernel, X)
    mus = np.array([[0.1, 1.0], [10.0, 100.0]])
    expected = [[s.effective_dimension(mu) for mu in row] for row in mus]
    np.testing.assert_allclose(s.effective_dimension(mus), expected)
    np.testing.assert_allclose(theory.effective_dimension(kernel, X, mus), expected)


# --- decay ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sigma", "s"), [(1.0, 1.0), (0.2, 1.0), (1.0, 0.5)])
def test_gaussian_kernel_and_normal_rows_decay_exponentially(sigma, s):
    """The operator's eigenvalues are B^i / (A + B + C)^i exactly."""
    A, B = 1 / (4 * s**2), 1 / (2 * sigma**2)
    r = B / (A + B + np.sqrt(A**2 + 2 * A * B))
    X = np.random.default_rng(0).normal(0, s, (1000, 1))
    law = theory.decay(theory.eigenvalues(G(sigma), X))
    assert law.kind == "exponential"
    assert law.r == pytest.approx(r, rel=0.12)  # a finite sample's eigenvalues fall faster
    assert law.exponential_fit > 0.98 > law.polynomial_fit


@pytest.mark.parametrize(
    ("kernel", "p"),
    [(nystream.Laplacian(1.0), 2), (nystream.Matern32(1.0), 4), (nystream.Matern52(1.0), 6)],
)
def test_rough_kernels_decay_polynomially(kernel, p):
    X = np.random.default_rng(0).uniform(-1, 1, (500, 1))
    law = theory.decay(theory.eigenvalues(kernel, X))
    assert law.kind == "polynomial"
    assert law.p == pytest.approx(p, rel=0.1)
    assert law.polynomial_fit > 0.99 > law.exponential_fit


@pytest.mark.parametrize(("kernel", "X"), MATRICES[:-1])
def test_scale_is_the_smallest_for_which_the_law_holds(kernel, X):
    lam = theory.eigenvalues(kernel, X)
    lam = lam[lam > 2.3e-16 * len(lam) * lam[0]]
    law, i = theory.decay(lam), np.arange(1, len(lam) + 1)
    assert (law.exponential_scale * law.r**i / lam).min() == pytest.approx(1, abs=1e-9)
    assert (law.polynomial_scale * i**-law.p / lam).min() == pytest.approx(1, abs=1e-9)


def test_noise_and_order_do_not_matter_for_decay():
    lam = 0.5 ** np.arange(40)
    law = theory.decay(lam)
    assert (law.kind, law.r, law.scale) == ("exponential", pytest.approx(0.5), pytest.approx(2))
    assert theory.decay(lam[::-1]) == law
    assert theory.decay(np.append(lam, np.full(5, 1e-16))) == law
    flat = theory.decay(np.ones(9))
    assert (flat.r, flat.p, flat.scale) == (1, 0, 1)


# --- comparator and regret --------------------------------------------------------------------


def check_best_in_ball(kernel, X, y, U):
    best = theory.best_in_ball(kernel, X, y, U)
    K, a = kernel(X), best.coefficients
    scale = norm(y) + 1e-300
    np.testing.assert_allclose(K @ a, best.predictions, atol=1e-9 * scale)
    np.testing.assert_allclose(best.predict_many(X), best.predictions, atol=1e-9 * scale)
    assert best.loss == pytest.approx(((best.predictions - y) ** 2).sum(), rel=1e-12)
    assert best.norm == pytest.approx(np.sqrt(max(a @ K @ a, 0)), rel=1e-6, abs=1e-9)
    # Karush-Kuhn-Tucker: K (f - y + nu a) = 0, nu >= 0, ||f|| <= U, nu (||f|| - U) = 0.
    gradient = best.predictions - y + best.ridge * a
    np.testing.assert_allclose(K @ gradient, 0, atol=1e-8 * scale * len(X))
    assert best.ridge >= 0
    assert best.norm <= U
    assert best.ridge == 0 or best.norm == pytest.approx(U, rel=1e-12)
    return best


@pytest.mark.parametrize("U", [1e-3, 0.3, 1.0, 10.0])
def test_best_in_ball_satisfies_its_conditions(matrix, U):
    kernel, X = matrix
    y = np.random.default_rng(0).uniform(-1, 1, len(X))
    check_best_in_ball(kernel, X, y, U)


def test_best_in_ball_on_a_paper_set(elevators):
    for U in [0.1, 1.0, 20.0]:
        check_best_in_ball(*elevators, U)


def test_no_function_of_the_ball_is_better():
    kernel, U = G(1.0), 1.5
    X, y = random_stream(80, 2)
    best, K = theory.best_in_ball(kernel, X, y, U), kernel(X)
    rng = np.random.default_rng(0)
    for width in [1e-4, 1e-2, 1.0]:
        for _ in range(200):
            a = best.coefficients + width * rng.standard_normal(80)
            a *= min(1, U / np.sqrt(a @ K @ a))
            assert ((K @ a - y) ** 2).sum() >= best.loss - 1e-12
    # Projected gradient descent, in the coordinates in which the ball is round, comes as near.
    lam, V = np.linalg.eigh(K)
    phi, w = V * np.sqrt(lam.clip(0)), np.zeros(80)
    for _ in range(20_000):
        w -= phi.T @ (phi @ w - y) / lam[-1]
        w *= min(1, U / norm(w))
    loss = ((phi @ w - y) ** 2).sum()
    assert best.loss - 1e-12 <= loss <= best.loss * (1 + 1e-3)


def test_least_squares_inside_the_ball_needs_no_ridge():
    kernel = G(1.0)
    X, _ = random_stream(60, 2)
    a = np.random.default_rng(0).uniform(-1, 1, 3)
    y = kernel(X, X[:3]) @ a
    f_norm = np.sqrt(a @ kernel(X[:3]) @ a)
    best = check_best_in_ball(kernel, X, y, 2 * f_norm)
    assert best.ridge == 0
    assert best.loss < 1e-20
    assert best.norm == pytest.approx(f_norm, rel=1e-6)
    assert check_best_in_ball(kernel, X, y, 0.9 * f_norm).ridge > 0


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    U=st.floats(1e-12, 1e12),
    scale=st.sampled_from([0.0, 1e-90, 1e-3, 1.0, 1e90]),
    sigma=st.floats(0.05, 20),
)
def test_best_in_ball_of_any_scale(seed, U, scale, sigma):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(-1, 1, (30, 2)), scale * rng.standard_normal(30)
    best = theory.best_in_ball(G(sigma), X, y, U)
    assert 0 <= best.ridge < INF
    assert best.norm <= U
    assert best.loss <= (y**2).sum()
    assert best.ridge == 0 or best.norm == pytest.approx(U, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-150, 1e-200, 1e-310])
def test_best_in_ball_of_labels_whose_squares_vanish(scale):
    kernel, X = MATRICES[0]
    best = theory.best_in_ball(kernel, X, scale * np.sin(X[:, 0]), 1.0)
    assert np.isfinite([best.loss, best.norm, best.ridge]).all()
    assert best.ridge == 0


def test_best_in_ball_of_tiny_rows_and_huge_labels():
    """Where the squares of the solution would overflow."""
    X, y = 1e-60 * random_stream(20, 2)[0], 1e90 * random_stream(20, 2)[1]
    best = theory.best_in_ball(nystream.Linear(), X, y, 1.0)
    assert best.norm == pytest.approx(1)
    assert best.ridge == pytest.approx(norm(X.T @ y), rel=1e-9)  # a = y / nu


def test_regret_is_the_difference_of_the_losses():
    rng = np.random.default_rng(0)
    predictions, y, f = rng.standard_normal((3, 20))
    curve = theory.regret(predictions, y, f)
    for t in range(20):
        mine = sum((predictions[s] - y[s]) ** 2 for s in range(t + 1))
        other = sum((f[s] - y[s]) ** 2 for s in range(t + 1))
        assert curve[t] == pytest.approx(mine - other, abs=1e-12)


# --- dictionaries -----------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [nystream.NonsAld, nystream.AogdAld, nystream.RidgeAld])
@pytest.mark.parametrize("alpha", [1e-10, 1e-6, 1e-3, 0.1, 1.0])
def test_dictionaries_are_as_small_as_the_lemma_says(matrix, learner, alpha):
    """Lemma 3.1, from the spectrum, the eigenvalues, and the law of their decay."""
    kernel, X = matrix
    s, y = theory.spectrum(kernel, X), np.zeros(len(X))
    model = learner(kernel, alpha=alpha)
    model.learn_many(X, y)
    size = theory.dictionary_size(s, alpha)
    assert model.n_basis <= size <= len(X)
    if kernel == nystream.Polynomial(2):
        return  # not normalised
    if alpha >= 1e-3:  # else eigenvalues below rounding matter, of which only the spectrum knows
        assert model.n_basis <= theory.dictionary_size(s.eigenvalues, alpha) <= size
    if len(X) > 1:
        assert model.n_basis <= theory.dictionary_size(theory.decay(s.eigenvalues), alpha)


def test_dictionary_size_by_hand():
    # Sums of log2: 3, 5, 6, 6, 5, 3, 0 against 0, -1, -2, -3, -4, -5, -6, with alpha = 1/2.
    lam = 2.0 ** np.arange(3, -4, -1)
    assert theory.dictionary_size(lam, 0.5) == 7
    assert theory.dictionary_size([*lam, 2.0**-7.1], 0.5) == 7
    assert theory.dictionary_size([*lam, 2.0**-6.9], 0.5) == 8
    assert theory.dictionary_size(lam[::-1], 0.5) == 7
    assert theory.dictionary_size([*lam, 0.0], 0.5) == 7
    assert theory.dictionary_size([1.0], 0.5) == 1
    assert theory.dictionary_size([0.5], 0.5) == 1
    law = theory.decay(2.0 ** np.arange(3, -4, -1))  # 16 / 2^i: 2 log2(16 * 8) = 14
    assert theory.dictionary_size(law, 1 / 8.01) == 14
    law = theory.decay(9 * np.arange(1.0, 20) ** -2)  # e sqrt(9 / 0.09) = 27.2
    assert theory.dictionary_size(law, 0.09) == 27


def test_dictionary_size_is_reached_by_orthogonal_rows():
    X = 100.0 * np.arange(30)[:, None]
    assert theory.dictionary_size(theory.spectrum(G(1.0), X), 0.5) == 30
    s = theory.spectrum(nystream.Linear(), 0.01 * np.eye(30))  # not normalised
    assert theory.dictionary_size(s, 0.5) == 30


def test_dictionary_size_allows_for_what_a_spectrum_lacks():
    """1000 times the same row: ln 1000 + k ln(1e-11 / k) >= k ln(1e-10) holds up to k = 2."""
    s = theory.spectrum(G(1.0), np.zeros((1000, 1)))
    assert theory.dictionary_size(s, 1e-10) == 3
    assert theory.dictionary_size(s.eigenvalues, 1e-10) == 1


@pytest.mark.parametrize("alpha", [1e-4, 0.05, 1.0])
def test_spectral_error_is_that_of_the_learners_features(matrix, alpha):
    """Lemma 4.5, with the features of the learner's own factor."""
    kernel, X = matrix
    error = theory.spectral_error(kernel, X, alpha)
    model = nystream.RidgeAld(kernel, alpha=alpha)
    rows, inverses = epochs(model, X, np.zeros(len(X)))
    np.testing.assert_array_equal(error.joined, [epoch[0] for epoch in rows])
    np.testing.assert_array_equal(X[error.joined], model.basis)
    phi = np.zeros((len(rows), len(X)))
    local = []
    for j, (epoch, inverse) in enumerate(zip(rows, inverses, strict=True)):
        phi[: j + 1, epoch] = features(model, inverse, X[epoch])
        ours = phi[:, epoch]
        local.append(norm(kernel(X[epoch]) - ours.T @ ours, 2))
    atol = 1e-13 * len(X) * kernel(X).max() / np.sqrt(alpha)  # of phi in a factor with small pivots
    np.testing.assert_allclose(error.local_errors, local, atol=atol)
    assert error.global_error == pytest.approx(norm(kernel(X) - phi.T @ phi, 2), abs=atol)
    assert (error.local_errors <= error.local_bounds + atol).all()
    assert error.global_error <= error.global_bound
    largest = kernel(X).diagonal().max()
    assert error.global_bound == pytest.approx(len(X) * np.sqrt(alpha) * largest)
    np.testing.assert_allclose(error.local_bounds, [len(e) * alpha * largest for e in rows])


def test_spectral_error_on_a_paper_set(elevators):
    kernel, X, _ = elevators
    error = theory.spectral_error(kernel, X, 0.01)
    assert 0 <= error.global_error <= error.global_bound
    assert (error.local_errors <= error.local_bounds).all()


# --- settings ---------------------------------------------------------------------------------


def test_settings_are_those_of_the_learners_for_a_horizon():
    alpha, mu = theory.nons_ald_settings(500)
    params = nystream.NonsAld.for_horizon(500).params
    assert (alpha, mu) == (params["alpha"], params["mu"])
    alpha, mu = theory.nons_ald_settings(500, "polynomial", p=2.5)
    params = nystream.NonsAld.for_horizon(500, "polynomial", 2.5).params
    assert (alpha, mu) == (params["alpha"], params["mu"])
    alpha, switch_at = theory.aogd_ald_settings(500, 3)
    params = nystream.AogdAld.for_horizon(500, 3).params
    assert (alpha, switch_at) == (params["alpha"], params["switch_at"])
    law = theory.decay(np.arange(1.0, 20) ** -2.5)
    assert theory.nons_ald_settings(500, law) == theory.nons_ald_settings(500, "polynomial", law.p)
    law = theory.decay(0.5 ** np.arange(9))
    assert theory.nons_ald_settings(500, law) == theory.nons_ald_settings(500)


# --- refusals ---------------------------------------------------------------------------------


X, Y = random_stream(20, 3)
