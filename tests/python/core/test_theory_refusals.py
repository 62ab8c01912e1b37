"""What the functions of the theory refuse."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support import random_stream

import nystream
from nystream import theory

NAN, INF = float("nan"), float("inf")
G = nystream.Gaussian
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
