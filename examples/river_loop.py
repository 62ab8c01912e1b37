"""Kernel regression in river's loop, beside models of river: predict a row, score it, learn it.

Friedman's function of ten features, five of them noise. Prints a table (mean absolute error, rows
a second).

Usage: python examples/river_loop.py
"""

from __future__ import annotations

import time

from river import linear_model, metrics, preprocessing, tree
from river.datasets import synth

import nystream
from nystream.river import (
    AutoRegressor,
    LinearRlsRegressor,
    NonsAldRegressor,
    RidgeAldRegressor,
)

N_ROWS = 2000
KERNEL = nystream.Gaussian(sigma=4.0)
REGRESSORS = [
    AutoRegressor(),
    RidgeAldRegressor(KERNEL),
    NonsAldRegressor(KERNEL, bound=3.0),
    LinearRlsRegressor(),
    linear_model.LinearRegression(),
    tree.HoeffdingAdaptiveTreeRegressor(seed=0),
]


def main() -> None:
    print(f"| {'regressor':30} | {'MAE':>5} | {'rows/s':>7} |")
    print("|--------------------------------|------:|--------:|")
    for regressor in REGRESSORS:
        start = time.perf_counter()
        error = run(regressor)
        speed = N_ROWS / (time.perf_counter() - start)
        print(f"| {type(regressor).__name__:30} | {error:5.3f} | {speed:7,.0f} |")


def run(regressor) -> float:
    model = regressor if isinstance(regressor, AutoRegressor) else scaled(regressor)
    error = metrics.MAE()
    for x, y in synth.Friedman(seed=42).take(N_ROWS):
        error.update(y, model.predict_one(x))
        model.learn_one(x, y)
    return error.get()


def scaled(regressor):
    """Features and labels standardised, which `AutoRegressor` does itself."""
    target = preprocessing.TargetStandardScaler(regressor)
    return preprocessing.StandardScaler() | target


if __name__ == "__main__":
    main()
