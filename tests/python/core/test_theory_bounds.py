"""Regret stays within its bounds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.linalg import norm
from support import random_stream

import nystream
from nystream import theory

G = nystream.Gaussian
CUBIC = nystream.Polynomial(3, gamma=0.5, normalize=True)
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


# --- refusals ---------------------------------------------------------------------------------


X, Y = random_stream(20, 3)
