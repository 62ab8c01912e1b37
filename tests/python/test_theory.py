"""nystream.theory against literal formulas, and the paper's statements against streams."""

from __future__ import annotations

import re
import warnings

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


# --- regret bounds ----------------------------------------------------------------------------

ROWS = {
    "uniform": lambda rng, T: rng.uniform(-1, 1, (T, 2)),
    "one row": lambda rng, T: np.full((T, 2), 0.3),
    "drifting": lambda rng, T: np.linspace(0, 8, T)[:, None] + 0.1 * rng.standard_normal((T, 2)),
    "two clusters": lambda rng, T: rng.choice([-1.0, 1.0], (T, 1)) + 0.05 * rng.random((T, 2)),
    "repeated": lambda rng, T: rng.uniform(-1, 1, (7, 2))[rng.integers(7, size=T)],
    "creeping": lambda rng, T: np.linspace(0, 3, T)[:, None].repeat(2, 1),
    "walk": lambda rng, T: np.cumsum(0.02 * rng.standard_normal((T, 2)), axis=0),
}
# A label from the row, the prediction, Y and a generator; all stay within [-Y, Y].
LABELS = {
    "smooth": lambda x, yhat, Y, rng: Y * np.sin(3 * x[0]),
    "noisy": lambda x, yhat, Y, rng: Y * np.clip(x[1] + rng.normal(0, 0.3), -1, 1),
    "coin": lambda x, yhat, Y, rng: Y * rng.choice([-1.0, 1.0]),
    "opposite sign": lambda x, yhat, Y, rng: -Y if yhat > 0 else Y,
    "mirrored": lambda x, yhat, Y, rng: np.clip(-yhat, -Y, Y) or Y,
}
KERNELS = [G(0.3), G(2.0), nystream.Laplacian(1.0), nystream.Matern32(2.0), CUBIC]


def play(model, X, label, Y, rng):
    """Predictions and labels when the labels may depend on the predictions."""
    predictions, y = np.zeros(len(X)), np.zeros(len(X))
    for t, x in enumerate(X):
        predictions[t] = model.predict_one(x)
        y[t] = label(x, predictions[t], Y, rng)
        model.learn_one(x, y[t])
    return predictions, y


def comparators(s, y, U, rng):
    """The best function of the ball, the zero function, and random ones of norm U."""
    best = s.best_in_ball(y, U)
    yield best.predictions, best.norm
    yield np.zeros(len(y)), 0.0
    root = s.eigenvectors * np.sqrt(s.eigenvalues)
    for _ in range(3):
        w = rng.standard_normal(len(s.eigenvalues))
        yield root @ (U * w / norm(w)), U


def nons_bounds(model, s, T, f_norm):
    """The corrected bound in advance and with J known, and the printed one, for a learner."""
    p = model.params
    arguments = {
        "T": T,
        "alpha": p["alpha"],
        "mu": p["mu"],
        "U": p["bound"],
        "Y": p["bound"] if p["target_bound"] is None else p["target_bound"],
        "norm": f_norm,
        "effective_dimension": s.effective_dimension(p["mu"] / 2),
    }
    advance = theory.nons_ald_bound(**arguments)
    hindsight = theory.nons_ald_bound(**arguments, n_basis=model.n_basis)
    return advance, hindsight, theory.nons_ald_bound(**arguments, form="printed")


@settings(deadline=None, max_examples=150)
@given(
    rows=st.sampled_from(sorted(ROWS)),
    label=st.sampled_from(sorted(LABELS)),
    kernel=st.sampled_from(KERNELS),
    T=st.integers(1, 150),
    alpha=st.sampled_from([1e-10, 1e-6, 1e-3, 0.1, 1.0]),
    mu=st.sampled_from([1e-2, 1.0, 15.0]),
    U=st.sampled_from([0.3, 1.0, 10.0]),
    share=st.sampled_from([1.0, 0.3]),
    seed=st.integers(0, 2**32 - 1),
)
@pytest.mark.slow
def test_nons_ald_keeps_its_corrected_bound(rows, label, kernel, T, alpha, mu, U, share, seed):
    rng = np.random.default_rng(seed)
    X, Y = ROWS[rows](rng, T), share * U
    model = nystream.NonsAld(kernel, alpha=alpha, mu=mu, bound=U, target_bound=Y)
    predictions, y = play(model, X, LABELS[label], Y, rng)
    s = theory.spectrum(kernel, X)
    for f, f_norm in comparators(s, y, U, rng):
        advance, hindsight, _ = nons_bounds(model, s, T, f_norm)
        assert theory.regret(predictions, y, f)[-1] <= hindsight <= advance


@settings(deadline=None, max_examples=150)
@given(
    rows=st.sampled_from(sorted(ROWS)),
    label=st.sampled_from(sorted(LABELS)),
    kernel=st.sampled_from(KERNELS),
    T=st.integers(1, 150),
    alpha=st.sampled_from([1e-10, 1e-3, 0.1, 1.0]),
    U=st.sampled_from([0.1, 1.0, 10.0]),
    share=st.sampled_from([10.0, 1.0, 0.3]),
    switch_at=st.sampled_from([None, 3]),
    seed=st.integers(0, 2**32 - 1),
)
@pytest.mark.slow
def test_aogd_ald_keeps_its_corrected_bound(
    rows, label, kernel, T, alpha, U, share, switch_at, seed
):
    rng = np.random.default_rng(seed)
    X = ROWS[rows](rng, T)
    model = nystream.AogdAld(kernel, alpha=alpha, bound=U, switch_at=switch_at)
    predictions, y = play(model, X, LABELS[label], share * U, rng)
    for f, _ in comparators(theory.spectrum(kernel, X), y, U, rng):
        loss = ((f - y) ** 2).sum()
        bound = theory.aogd_ald_bound(loss, T=T, alpha=alpha, U=U)
        assert theory.regret(predictions, y, f)[-1] <= bound


@pytest.mark.parametrize("label", ["noisy", "coin", "opposite sign"])
@pytest.mark.parametrize("kernel", [G(1.0), nystream.Matern32(2.0)], ids=repr)
def test_learners_for_a_horizon_keep_their_bounds(kernel, label):
    T, rng = 1000, np.random.default_rng(0)
    X = ROWS["uniform"](rng, T)
    s = theory.spectrum(kernel, X)
    law = theory.decay(s.eigenvalues)
    p = None if law.kind == "exponential" else law.p
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # an alpha raised to 1e-10
        model = nystream.NonsAld.for_horizon(T, law.kind, p, kernel=kernel)
    predictions, y = play(model, X, LABELS[label], 1.0, rng)
    for f, f_norm in comparators(s, y, 1.0, rng):
        assert theory.regret(predictions, y, f)[-1] <= nons_bounds(model, s, T, f_norm)[1]
    model = nystream.AogdAld.for_horizon(T, 2, kernel=kernel)
    predictions, y = play(model, X, LABELS[label], 1.0, rng)
    for f, _ in comparators(s, y, 2.0, rng):
        bound = theory.aogd_ald_bound(((f - y) ** 2).sum(), T=T, alpha=1 / T, U=2.0)
        assert theory.regret(predictions, y, f)[-1] <= bound


@pytest.mark.parametrize("alpha", [1e-10, 2.3e-9, 1e-7, 1e-6, 1e-4])
@pytest.mark.parametrize("rows", ["creeping", "walk"])
@pytest.mark.parametrize("T", [100, 1000])
def test_rows_that_creep_along_do_no_harm(rows, T, alpha):
    """Their weights in terms of the dictionary are huge long before they are far from it."""
    kernel, X = G(1.0), ROWS[rows](np.random.default_rng(0), T)
    error = theory.spectral_error(kernel, X, alpha)
    assert error.global_error <= error.global_bound
    assert (error.local_errors <= error.local_bounds + 1e-12).all()
    y = np.sin(3 * X[:, 0])
    fine, coarse = (nystream.NonsAld(kernel, alpha=a) for a in (alpha, 1e-3))
    losses = [((model.progressive(X, y) - y) ** 2).sum() for model in (fine, coarse)]
    assert losses[0] < 1.2 * losses[1]
    assert fine.n_basis == pytest.approx(len(error.joined), abs=2)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("T", "U"), [(100, 5.0), (200, 10.0)])
def test_coin_tosses_break_the_printed_bound_of_nons_ald(T, U, seed):
    kernel, X = G(1.0), np.zeros((T, 1))
    y = U * np.random.default_rng(seed).choice([-1.0, 1.0], T)
    model = nystream.NonsAld(kernel, alpha=1e-10, bound=U)
    predictions = model.progressive(X, y)
    s = theory.spectrum(kernel, X)
    best = s.best_in_ball(y, U)
    regret = theory.regret(predictions, y, best.predictions)[-1]
    advance, hindsight, printed = nons_bounds(model, s, T, best.norm)
    assert 1.5 * printed < regret < hindsight < advance


def test_bounds_by_hand():
    corrected = theory.aogd_ald_bound(5.0, T=4, alpha=0.25, U=2.0)
    assert corrected == pytest.approx(20**2 + 20 * 3 + 4)
    printed = theory.aogd_ald_bound(3.0, T=4, alpha=0.25, U=2.0, form="printed")
    assert printed == pytest.approx(18 * 3 + 81 * 4)
    arguments = {"T": 10, "alpha": 0.01, "mu": 2.0, "U": 3.0, "Y": 1.0, "norm": 0.5}
    arguments["effective_dimension"] = 4.0
    fixed = (1 + 0.1) * 0.25 + np.sqrt(80) * 0.5 * 10 * 0.1
    newton = 4 * (1 + np.log(11))
    bound = theory.nons_ald_bound(**arguments)
    assert bound == pytest.approx(fixed + 20 * (newton + 10 * np.log(2)))
    bound = theory.nons_ald_bound(**arguments, n_basis=3)
    assert bound == pytest.approx(fixed + 20 * (newton + 3 * np.log(2)))
    bound = theory.nons_ald_bound(**arguments, form="printed")
    assert bound == pytest.approx(fixed + newton / 2 + 100 * 0.1 / (np.sqrt(2) * 2))


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
FLAT = theory.decay(np.ones(9))
POSITIVE = "should be positive and finite (1e-100 to 1e100), but is"


def with_value(array, index, value):
    changed = array.copy()
    changed[index] = value
    return changed


def aogd(loss=1.0, **changes):
    return theory.aogd_ald_bound(loss, **{"T": 9, "alpha": 0.1, "U": 1.0, **changes})


def nons(**changes):
    arguments = {"T": 9, "alpha": 0.1, "mu": 1.0, "U": 1.0, "Y": 1.0, "norm": 1.0}
    return theory.nons_ald_bound(**{**arguments, "effective_dimension": 1.0, **changes})


REFUSALS = [
    (lambda: theory.spectrum("rbf", X), TypeError, "kernel should be a kernel such as nystream.Ga"),
    (lambda: theory.spectrum(G, X), TypeError, "kernel should be a kernel such as"),
    (lambda: theory.spectrum(G(), X[0]), ValueError, "X should be two-dimensional, but has the sh"),
    (lambda: theory.spectrum(G(), X[:0]), ValueError, "X should have at least one row"),
    (
        lambda: theory.spectrum(G(), X, tolerance=0),
        ValueError,
        "tolerance should be 1e-14 to 1, but is 0",
    ),
    (
        lambda: theory.eigenvalues(G(), with_value(X, (4, 2), NAN)),
        ValueError,
        "X[4, 2] should be a finite number of magnitude at most 1e100, but is NaN",
    ),
    (lambda: theory.eigenvalues(G(), "rows"), TypeError, "X should hold real numbers, but has the"),
    (lambda: theory.ridge_leverage_scores(G(), X, 0), ValueError, f"mu {POSITIVE} 0"),
    (lambda: theory.ridge_leverage_scores(G(), X, NAN), ValueError, f"mu {POSITIVE} NaN"),
    (
        lambda: theory.ridge_leverage_scores(G(), X, "1"),
        TypeError,
        "mu should be a number, but is ",
    ),
    (
        lambda: theory.ridge_leverage_scores(G(), X, True),
        TypeError,
        "mu should be a number, but is",
    ),
    (lambda: theory.effective_dimension(G(), X, -1), ValueError, f"mu {POSITIVE} -1"),
    (lambda: theory.effective_dimension(G(), X, [1, INF]), ValueError, f"mu[1] {POSITIVE} inf"),
    (
        lambda: theory.effective_dimension(G(), X, [[1, NAN]]),
        ValueError,
        f"mu[0, 1] {POSITIVE} NaN",
    ),
    (lambda: theory.effective_dimension(G(), X, None), TypeError, "mu should hold real numbers"),
    (
        lambda: theory.effective_dimension(G(), X, [[1], [1, 2]]),
        ValueError,
        "mu should be an array",
    ),
    (lambda: theory.best_in_ball(G(), X, Y, 0.0), ValueError, f"U {POSITIVE} 0"),
    (lambda: theory.best_in_ball(G(), X, Y, INF), ValueError, f"U {POSITIVE} inf"),
    (lambda: theory.best_in_ball(G(), X, Y, None), TypeError, "U should be a number, but is None"),
    (
        lambda: theory.best_in_ball(G(), X, Y[:-1], 1.0),
        ValueError,
        "y should have as many labels as X has rows, 20, but has 19",
    ),
    (
        lambda: theory.best_in_ball(G(), X, with_value(Y, 3, NAN), 1.0),
        ValueError,
        "y[3] should be a finite number of magnitude at most 1e100, but is NaN",
    ),
    (lambda: theory.best_in_ball(G(), X, Y[:, None], 1.0), ValueError, "y should be one-dimension"),
    (
        lambda: theory.best_in_ball(G(), X, Y, 1.0).predict_many(X[:, :2]),
        ValueError,
        "Z should have 2 features, but has 3",
    ),
    (
        lambda: theory.regret(Y, Y[1:], Y),
        ValueError,
        "predictions should have as many numbers as y",
    ),
    (
        lambda: theory.regret(Y, Y, Y[1:]),
        ValueError,
        "comparator_predictions should have as many numbers as y, 20, but has 19",
    ),
    (
        lambda: theory.regret(Y, [], Y),
        ValueError,
        "y should have at least one number, but is empty",
    ),
    (
        lambda: theory.regret(with_value(Y, 2, INF), Y, Y),
        ValueError,
        "predictions[2] should be finite, but is inf",
    ),
    (lambda: theory.regret(X, Y, Y), ValueError, "predictions should be one-dimensional, but has "),
    (lambda: theory.regret(Y, np.ma.array(Y), Y), TypeError, "y should not be a masked array"),
    (lambda: theory.regret(Y, Y, None), TypeError, "comparator_predictions should hold real numb"),
    (lambda: theory.decay([1.0, 0.5]), ValueError, "eigenvalues should have at least 3 above roun"),
    (
        lambda: theory.decay([1.0, -0.5, 0.2]),
        ValueError,
        "eigenvalues[1] should be 0 or positive, ",
    ),
    (lambda: theory.decay([0.0, 0.0, 0.0]), ValueError, "eigenvalues should not all be 0"),
    (
        lambda: theory.decay([1.0, NAN, 0.2]),
        ValueError,
        "eigenvalues[1] should be finite, but is N",
    ),
    (lambda: theory.decay("fast"), TypeError, "eigenvalues should hold real numbers, but has the "),
    (lambda: aogd(-1.0), ValueError, "loss should be 0 or positive and finite, but is -1"),
    (lambda: aogd(NAN), ValueError, "loss should be 0 or positive and finite, but is NaN"),
    (lambda: aogd(T=0), ValueError, "T should be at least 1, but is 0"),
    (lambda: aogd(T=9.5), TypeError, "T should be a whole number, but is 9.5"),
    (lambda: aogd(T=True), TypeError, "T should be a whole number, but is True"),
    (lambda: aogd(alpha=0.0), ValueError, "alpha should be above 0 and at most 1, but is 0"),
    (lambda: aogd(alpha=1.5), ValueError, "alpha should be above 0 and at most 1, but is 1.5"),
    (lambda: aogd(U=-2), ValueError, f"U {POSITIVE} -2"),
    (lambda: aogd(form="new"), ValueError, "form should be 'corrected' or 'printed', but is 'new'"),
    (
        lambda: aogd(alpha=0.5, form="printed"),
        ValueError,
        "alpha should be at most 1 / T for the printed form, but is 0.5",
    ),
    (lambda: nons(T="9"), TypeError, "T should be a whole number, but is '9'"),
    (lambda: nons(alpha=NAN), ValueError, "alpha should be above 0 and at most 1, but is NaN"),
    (lambda: nons(mu=0.0), ValueError, f"mu {POSITIVE} 0"),
    (lambda: nons(U=INF), ValueError, f"U {POSITIVE} inf"),
    (lambda: nons(Y=0.0), ValueError, f"Y {POSITIVE} 0"),
    (lambda: nons(Y=1.5), ValueError, "Y should be at most U, 1, but is 1.5"),
    (lambda: nons(norm=1.5), ValueError, "norm should be at most U, 1, but is 1.5"),
    (lambda: nons(norm=-1.5), ValueError, "norm should be 0 or positive and finite, but is -1.5"),
    (lambda: nons(effective_dimension=-1), ValueError, "effective_dimension should be 0 or posit"),
    (lambda: nons(n_basis=0), ValueError, "n_basis should be at least 1, but is 0"),
    (lambda: nons(form=None), ValueError, "form should be 'corrected' or 'printed', but is None"),
    (lambda: theory.dictionary_size([1.0], 0), ValueError, "alpha should be above 0 and at most 1"),
    (lambda: theory.dictionary_size([], 0.1), ValueError, "eigenvalues should have at least one"),
    (lambda: theory.dictionary_size([-1.0], 0.1), ValueError, "eigenvalues[0] should be 0 or pos"),
    (lambda: theory.dictionary_size(FLAT, 0.1), ValueError, "eigenvalues should decay, but are De"),
    (
        lambda: theory.dictionary_size(theory.spectrum(nystream.Linear(), [[0.0]]), 0.1),
        ValueError,
        "X should have a row whose kernel with itself is not 0",
    ),
    (lambda: theory.spectral_error(G(), X, 2.0), ValueError, "alpha should be above 0 and at most"),
    (lambda: theory.spectral_error(G(), X[0], 0.1), ValueError, "X should be two-dimensional"),
    (
        lambda: theory.spectral_error(nystream.Linear(), [[0.0]], 0.1),
        ValueError,
        "X should have a row whose kernel with itself is not 0",
    ),
    (lambda: theory.nons_ald_settings(0), ValueError, "T should be at least 1, but is 0"),
    (lambda: theory.nons_ald_settings(9, "linear"), ValueError, "decay should be 'exponential' wi"),
    (
        lambda: theory.nons_ald_settings(9, FLAT),
        ValueError,
        "p should be at least 1 and finite, but",
    ),
    (
        lambda: theory.nons_ald_settings(9, FLAT, 2),
        ValueError,
        "p should be None if decay knows it",
    ),
    (lambda: theory.aogd_ald_settings(9, 0), ValueError, "n_features should be at least 1, but is"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSALS)
def test_refusals(call, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        call()
