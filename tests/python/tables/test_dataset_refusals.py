"""Arguments of streams, names and scaling that are refused."""

from __future__ import annotations

import numpy as np
import pytest
from files import refused

from nystream import datasets

pytestmark = pytest.mark.usefixtures("no_places")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: datasets.coin_flips(0), ValueError, "n_rows should be at least 1, but is 0"),
        (
            lambda: datasets.drift(5, period=0),
            ValueError,
            "period should be at least 1, but is 0",
        ),
        (lambda: datasets.drift(2.5), TypeError, "n_rows should be a whole number, but is 2.5"),
        (lambda: datasets.drift(True), TypeError, "n_rows should be a whole number, but is True"),
        (
            lambda: datasets.uniform_line(5, noise=-0.1),
            ValueError,
            "noise should be not negative and finite, but is -0.1",
        ),
        (
            lambda: datasets.friedman(5, noise=float("nan")),
            ValueError,
            "noise should be not negative and finite, but is nan",
        ),
        (
            lambda: datasets.normal_line(5, deviation=0.0),
            ValueError,
            "deviation should be positive and finite, but is 0.0",
        ),
        (
            lambda: datasets.normal_line(5, deviation="1"),
            TypeError,
            "deviation should be a number, but is '1'",
        ),
        (
            lambda: datasets.coin_flips(5, random_state=-1),
            ValueError,
            "random_state should be a whole number that is not negative, but is -1",
        ),
        (
            lambda: datasets.coin_flips(5, random_state="a"),
            TypeError,
            "random_state should be a whole number that is not negative, but is 'a'",
        ),
        (lambda: datasets.abrupt_drift(1), ValueError, "n_rows should be at least 2, but is 1"),
        (
            lambda: datasets.abrupt_drift(9, at=0),
            ValueError,
            "at should be at least 1, but is 0",
        ),
        (
            lambda: datasets.abrupt_drift(9, at=9),
            ValueError,
            "at should be at most n_rows - 1, 8, but is 9",
        ),
        (
            lambda: datasets.abrupt_drift(9, at=4.0),
            TypeError,
            "at should be a whole number, but is 4.0",
        ),
        (
            lambda: datasets.abrupt_drift(9, shift=float("nan")),
            ValueError,
            "shift should be a finite number of magnitude at most 1e100, but is nan",
        ),
        (
            lambda: datasets.abrupt_drift(9, shift=-1e101),
            ValueError,
            "shift should be a finite number of magnitude at most 1e100, but is -1e+101",
        ),
        (
            lambda: datasets.abrupt_drift(9, shift="2"),
            TypeError,
            "shift should be a number, but is '2'",
        ),
        (
            lambda: datasets.abrupt_drift(9, noise=-1),
            ValueError,
            "noise should be not negative and finite, but is -1",
        ),
        (
            lambda: datasets.abrupt_drift(9, random_state=-1),
            ValueError,
            "random_state should be a whole number that is not negative, but is -1",
        ),
        (lambda: datasets.gradual_drift(1), ValueError, "n_rows should be at least 2, but is 1"),
        (
            lambda: datasets.gradual_drift(9, start=-1),
            ValueError,
            "start should be at least 0, but is -1",
        ),
        (
            lambda: datasets.gradual_drift(9, start=9),
            ValueError,
            "start should be at most n_rows - 1, 8, but is 9",
        ),
        (
            lambda: datasets.gradual_drift(9, start=True),
            TypeError,
            "start should be a whole number, but is True",
        ),
        (
            lambda: datasets.gradual_drift(9, length=0),
            ValueError,
            "length should be at least 1, but is 0",
        ),
        (
            lambda: datasets.gradual_drift(9, start=4, length=6),
            ValueError,
            "length should be at most n_rows - start, 5, but is 6",
        ),
        (
            lambda: datasets.gradual_drift(9, length="3"),
            TypeError,
            "length should be a whole number, but is '3'",
        ),
        (
            lambda: datasets.gradual_drift(9, noise=float("inf")),
            ValueError,
            "noise should be not negative and finite, but is inf",
        ),
        (
            lambda: datasets.load("abrupt_drift", n_rows=1),
            ValueError,
            "n_rows should be at least 2, but is 1",
        ),
        (
            lambda: datasets.load("bank32"),
            ValueError,
            "name should be one of parkinson, elevators, cpusmall, bank, ailerons, calhousing, "
            "tomshardware, year, friedman, mackey_glass, coin_flips, normal_line, uniform_line, "
            "drift, abrupt_drift, gradual_drift, but is 'bank32'",
        ),
        (lambda: datasets.load("year_sub"), ValueError, "name should be one of parkinson"),
        (lambda: datasets.find(["bank"]), ValueError, "name should be one of parkinson"),
        (lambda: datasets.info(None), ValueError, "name should be one of parkinson"),
        (
            lambda: datasets.load("friedman", n_rows=0),
            ValueError,
            "n_rows should be at least 1, but is 0",
        ),
        (
            lambda: datasets.load("bank", data_dir=5),
            TypeError,
            "data_dir should be a path, but is 5",
        ),
        (
            lambda: datasets.names("real"),
            ValueError,
            "kind should be 'paper', 'embedded' or None, but is 'real'",
        ),
        (
            lambda: datasets.scale_as_paper([[1.0, 2.0]], [1.0, 2.0]),
            ValueError,
            "y should have as many labels as X has rows, 1, but has 2",
        ),
        (
            lambda: datasets.scale_as_paper([[1.0], [np.inf]], [1.0, 2.0]),
            ValueError,
            "X[1, 0] should be a finite number of magnitude at most 1e100, but is inf",
        ),
        (
            lambda: datasets.scale_as_paper([[1.0]], [np.nan]),
            ValueError,
            "y[0] should be a finite number of magnitude at most 1e100, but is nan",
        ),
        (
            lambda: datasets.scale_as_paper([1.0], [1.0]),
            ValueError,
            "X should be two-dimensional, but has the shape (1,)",
        ),
        (
            lambda: datasets.scale_as_paper([["a"]], [1.0]),
            TypeError,
            "X should hold real numbers, but has the dtype <U1",
        ),
        (
            lambda: datasets.scale_as_paper(np.empty((0, 3)), []),
            ValueError,
            "X should have at least one row and one feature, but is empty",
        ),
    ],
)
def test_refusals(call, error, message):
    with refused(error, message):
        call()
