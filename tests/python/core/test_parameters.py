"""Parameters that are refused: the message names the parameter, its range and its value."""

from __future__ import annotations

import re

import numpy as np
import pytest

import nystream

NAN, INF = float("nan"), float("inf")
G = nystream.Gaussian
BIG_ENOUGH = "should be between 1e-10, below which rounding decides, and 1e100, but is"
POSITIVE = "should be positive and finite (1e-100 to 1e100), but is"
PARAMETERS = [
    (G, {"sigma": 0.0}, ValueError, f"sigma {POSITIVE} 0"),
    (G, {"sigma": -1.0}, ValueError, f"sigma {POSITIVE} -1"),
    (G, {"sigma": NAN}, ValueError, "sigma should be finite, but is NaN"),
    (G, {"sigma": "wide"}, TypeError, "sigma should be a number, but is 'wide'"),
    (G, {"sigma": None}, TypeError, "sigma should be a number, but is None"),
    (G, {"sigma": [1.0]}, TypeError, "sigma should be a number, but is [1.0]"),
    (G, {"sigma": True}, TypeError, "sigma should be a number, but is True"),
    (nystream.Laplacian, {"sigma": -2}, ValueError, f"sigma {POSITIVE} -2"),
    (nystream.Matern32, {"sigma": -2}, ValueError, f"sigma {POSITIVE} -2"),
    (nystream.Matern52, {"sigma": -2}, ValueError, f"sigma {POSITIVE} -2"),
    (nystream.RationalQuadratic, {"alpha": 0}, ValueError, f"alpha {POSITIVE} 0"),
    (nystream.Polynomial, {"degree": 0}, ValueError, "degree should be between 1 and 32, but is 0"),
    (nystream.Polynomial, {"degree": -1}, ValueError, "degree should be a whole number"),
    (nystream.Polynomial, {"degree": 2.5}, TypeError, "degree should be a whole number"),
    (
        nystream.Polynomial,
        {"coef0": -1.0},
        ValueError,
        "coef0 should be 0 or positive and finite, but is -1",
    ),
    (nystream.Polynomial, {"normalize": "yes"}, TypeError, "normalize should be a boolean"),
    (
        nystream.NonsAld,
        {"kernel": "rbf"},
        TypeError,
        "kernel should be a kernel such as nystream.Gaussian(sigma=1.0), but is 'rbf'",
    ),
    (nystream.NonsAld, {"kernel": None}, TypeError, "kernel should be a kernel such as"),
    (nystream.NonsAld, {"kernel": G}, TypeError, "kernel should be a kernel such as"),
    (
        nystream.NonsAld,
        {"alpha": 1e-11},
        ValueError,
        "alpha should be between 1e-10, the least that float64 can tell from 0, and 1, but is "
        "1e-11",
    ),
    (nystream.NonsAld, {"alpha": 1.5}, ValueError, "alpha should be between 1e-10"),
    (nystream.NonsAld, {"alpha": NAN}, ValueError, "alpha should be finite, but is NaN"),
    (nystream.NonsAld, {"mu": 1e-11}, ValueError, f"mu {BIG_ENOUGH} 1e-11"),
    (nystream.NonsAld, {"mu": INF}, ValueError, "mu should be finite, but is inf"),
    (nystream.NonsAld, {"bound": -1}, ValueError, f"bound {POSITIVE} -1"),
    (nystream.NonsAld, {"bound": None}, TypeError, "bound should be a number, but is None"),
    (nystream.NonsAld, {"target_bound": 0}, ValueError, f"target_bound {POSITIVE} 0"),
    (nystream.NonsAld, {"eta": -0.5}, ValueError, f"eta {POSITIVE} -0.5"),
    (
        nystream.NonsAld,
        {"max_basis": 0},
        ValueError,
        "max_basis should be None or at least 1, but is 0",
    ),
    (
        nystream.NonsAld,
        {"max_basis": -3},
        ValueError,
        "max_basis should be a whole number that is not negative, but is -3",
    ),
    (nystream.NonsAld, {"max_basis": 2.5}, TypeError, "max_basis should be a whole number"),
    (nystream.AogdAld, {"alpha": 0}, ValueError, "alpha should be between 1e-10"),
    (nystream.AogdAld, {"bound": 0}, ValueError, f"bound {POSITIVE} 0"),
    (nystream.AogdAld, {"switch_at": -1}, ValueError, "switch_at should be a whole number"),
    (
        nystream.AogdAld,
        {"switch_at": 5, "max_basis": 5},
        ValueError,
        "switch_at and max_basis cannot both be given: past the switch every row is stored",
    ),
    (nystream.RidgeAld, {"alpha": 2.0}, ValueError, "alpha should be between 1e-10"),
    (nystream.RidgeAld, {"ridge": 0.0}, ValueError, f"ridge {BIG_ENOUGH} 0"),
    (nystream.RidgeAld, {"forward": 1.5}, TypeError, "forward should be a boolean, but is 1.5"),
    (nystream.RidgeAld, {"clip": None}, TypeError, "clip should be a boolean, but is None"),
    (nystream.RidgeAld, {"max_basis": 0}, ValueError, "max_basis should be None or at least 1"),
    (nystream.KrlsAld, {"alpha": 0.0}, ValueError, "alpha should be between 1e-10"),
    (nystream.Kogd, {"bound": 0.0}, ValueError, f"bound {POSITIVE} 0"),
    (nystream.Kogd, {"kernel": G(), "max_rows": 0}, ValueError, "max_rows should be None or"),
    (nystream.Kogd, {"max_rows": 1.5}, TypeError, "max_rows should be a whole number"),
    (nystream.Kons, {"mu": 0.0}, ValueError, f"mu {BIG_ENOUGH} 0"),
    (nystream.Kons, {"eta": 0.0}, ValueError, f"eta {POSITIVE} 0"),
    (nystream.Kons, {"bound": -2.0}, ValueError, f"bound {POSITIVE} -2"),
    (nystream.Kons, {"max_rows": 0}, ValueError, "max_rows should be None or at least 1"),
    (nystream.Kaar, {"ridge": -1.0}, ValueError, f"ridge {BIG_ENOUGH} -1"),
    (nystream.Kaar, {"max_rows": -1}, ValueError, "max_rows should be a whole number"),
    (nystream.OnlineKrr, {"ridge": NAN}, ValueError, "ridge should be finite, but is NaN"),
    (nystream.OnlineKrr, {"max_rows": 0}, ValueError, "max_rows should be None or at least 1"),
    (
        nystream.SketchedKons,
        {"gamma": 0.0},
        ValueError,
        "gamma should be above 0 (1e-100) and at most 1, but is 0",
    ),
    (
        nystream.SketchedKons,
        {"gamma": 1.1},
        ValueError,
        "gamma should be above 0 (1e-100) and at most 1",
    ),
    (nystream.SketchedKons, {"bound": None}, TypeError, "bound should be a number, but is None"),
    (nystream.SketchedKons, {"beta": 0}, ValueError, f"beta {POSITIVE} 0"),
    (
        nystream.SketchedKons,
        {"epsilon": -1},
        ValueError,
        "epsilon should be 0 or positive and finite, but is -1",
    ),
    (nystream.SketchedKons, {"max_rows": 0}, ValueError, "max_rows should be None or at least 1"),
    (nystream.Pkawv, {"ridge": 0.0}, ValueError, f"ridge {BIG_ENOUGH} 0"),
    (nystream.Pkawv, {"kors_mu": 0.0}, ValueError, f"kors_mu {POSITIVE} 0"),
    (nystream.Pkawv, {"max_rows": 0}, ValueError, "max_rows should be None or at least 1"),
    (nystream.Fogd, {"eta": -1.0}, ValueError, f"eta {POSITIVE} -1"),
    (
        nystream.Fogd,
        {"n_frequencies": 0},
        ValueError,
        "n_frequencies should be at least 1 and at most 1000000, but is 0",
    ),
    (
        nystream.Fogd,
        {"kernel": nystream.Linear()},
        ValueError,
        "kernel should be shift invariant (Gaussian, Laplacian, Matern32, Matern52 or "
        "RationalQuadratic), but is Linear",
    ),
    (
        nystream.Fogd,
        {"kernel": nystream.Polynomial(normalize=True)},
        ValueError,
        "kernel should be shift invariant",
    ),
    (
        nystream.Fogd,
        {"frequencies": [1.0, 2.0]},
        ValueError,
        "frequencies should be two-dimensional, but has the shape (2,)",
    ),
    (
        nystream.Fogd,
        {"frequencies": np.zeros((0, 3))},
        ValueError,
        "frequencies should have at least one row and one feature, but is empty",
    ),
    (
        nystream.Fogd,
        {"frequencies": [[1.0, 2.0], [0.0, NAN]]},
        ValueError,
        "frequencies[1, 1] should be finite, but is NaN",
    ),
    (
        nystream.Fogd,
        {"frequencies": [[1.0, 1e101]]},
        ValueError,
        "frequencies[0, 1] should be a finite number of magnitude at most 1e100, but is 1e101",
    ),
    (nystream.Fogd, {"frequencies": "W"}, TypeError, "frequencies should hold real numbers"),
    (nystream.Fogd, {"random_state": -1}, ValueError, "random_state should be a whole number"),
    (nystream.Fogd, {"random_state": 1.5}, TypeError, "random_state should be a whole number"),
    (nystream.Fogd, {"random_state": None}, TypeError, "random_state should be a whole number"),
    (
        nystream.Fogd,
        {"random_state": 2**64},
        ValueError,
        "random_state should be a whole number from 0 to 2^64",
    ),
    (nystream.Nogd, {"budget": 0}, ValueError, "budget should be at least 1, but is 0"),
    (
        nystream.Nogd,
        {"budget": 5, "rank": 6},
        ValueError,
        "rank should be None, or at least 1 and at most budget, but is 6",
    ),
    (nystream.Nogd, {"rank": 0}, ValueError, "rank should be None, or at least 1"),
    (nystream.Nogd, {"eta": 0.0}, ValueError, f"eta {POSITIVE} 0"),
    (nystream.ProsNKons, {"gamma": 0.0}, ValueError, f"gamma {POSITIVE} 0"),
    (nystream.ProsNKons, {"bound": 0.0}, ValueError, f"bound {POSITIVE} 0"),
    (nystream.ConKons, {"mu": 0.0}, ValueError, f"mu {BIG_ENOUGH} 0"),
    (nystream.ConKons, {"eta": 0.0}, ValueError, f"eta {POSITIVE} 0"),
    (
        nystream.ConKons,
        {"uniforms": [0.5, 1.0]},
        ValueError,
        "uniforms[1] should be at least 0 and below 1, but is 1",
    ),
    (nystream.ConKons, {"uniforms": [NAN]}, ValueError, "uniforms[0] should be finite, but is NaN"),
    (
        nystream.ConKons,
        {"uniforms": [[0.5]]},
        ValueError,
        "uniforms should be one-dimensional, but has the shape (1, 1)",
    ),
    (nystream.LinearRls, {"ridge": -1.0}, ValueError, f"ridge {BIG_ENOUGH} -1"),
    (
        nystream.LinearRls,
        {"intercept": 2.5},
        TypeError,
        "intercept should be a boolean, but is 2.5",
    ),
    (nystream.NonsAld, {"gamma": 1.0}, TypeError, "NonsAld.__new__() got an unexpected keyword"),
    (
        nystream.RunningMean,
        {"alpha": 1.0},
        TypeError,
        "RunningMean.__new__() got an unexpected keyword",
    ),
]


@pytest.mark.parametrize(("make", "params", "error", "message"), PARAMETERS)
def test_parameters(make, params, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        make(**params)


HORIZONS = [
    (lambda: nystream.NonsAld.for_horizon(0), ValueError, "T should be at least 1, but is 0"),
    (lambda: nystream.NonsAld.for_horizon(-5), ValueError, "T should be at least 1, but is -5"),
    (
        lambda: nystream.NonsAld.for_horizon("long"),
        TypeError,
        "T should be a whole number, but is 'long'",
    ),
    (lambda: nystream.NonsAld.for_horizon(10.5), TypeError, "T should be a whole number"),
    (
        lambda: nystream.NonsAld.for_horizon(9, "polynomial", "two"),
        TypeError,
        "p should be a number, but is 'two'",
    ),
    (lambda: nystream.NonsAld.for_horizon(9, 7), ValueError, "decay should be"),
    (
        lambda: nystream.AogdAld.for_horizon(9, None),
        TypeError,
        "n_features should be a whole number, but is None",
    ),
    (
        lambda: nystream.NonsAld.for_horizon(9, "linear"),
        ValueError,
        "decay should be 'exponential' without p, or 'polynomial' with p, but is 'linear'",
    ),
    (lambda: nystream.NonsAld.for_horizon(9, "polynomial"), ValueError, "decay should be"),
    (lambda: nystream.NonsAld.for_horizon(9, "exponential", p=2), ValueError, "decay should be"),
    (
        lambda: nystream.NonsAld.for_horizon(9, "polynomial", p=0.5),
        ValueError,
        "p should be at least 1 and finite, but is 0.5",
    ),
    (lambda: nystream.AogdAld.for_horizon(0, 3), ValueError, "T should be at least 1, but is 0"),
    (
        lambda: nystream.AogdAld.for_horizon(9, 0),
        ValueError,
        "n_features should be at least 1, but is 0",
    ),
    (
        lambda: nystream.AogdAld.switch_point(-1, 9),
        ValueError,
        "n_features should be at least 1, but is -1",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), HORIZONS)
def test_horizons(call, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        call()
