"""Estimators in scikit-learn's pipelines: scaled, tuned by grid search, scored on rows held back.

Prints a table (the best parameters, R^2 on the rows held back, rows kept, seconds for the search).

Usage: python examples/sklearn_pipeline.py [--rows N] [--jobs N]
"""

from __future__ import annotations

import argparse
import time

from sklearn.base import RegressorMixin
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nystream
from nystream.sklearn import (
    AutoRegressor,
    LinearRlsRegressor,
    NonsAldRegressor,
    RidgeAldRegressor,
    RunningMeanRegressor,
)

WIDTHS = ["median", 0.01, 0.03]
GRIDS: list[tuple[RegressorMixin, dict[str, list]]] = [
    (AutoRegressor(), {}),  # which has nothing to tune, and wants no scaler
    (RidgeAldRegressor(), {"gamma": WIDTHS, "alpha": [1e-2, 1e-1]}),
    (NonsAldRegressor(), {"gamma": WIDTHS, "alpha": [1e-2, 1e-1]}),
    (LinearRlsRegressor(), {"ridge": [1e-2, 1.0]}),
    (RunningMeanRegressor(), {}),
]
STEP = "regressor__{}__"  # of the transformed target, and of the pipeline within


def search(regressor: RegressorMixin, grid: dict[str, list], jobs: int) -> GridSearchCV:
    """Features and labels standardised, on the rows of each fold alone."""
    pipeline = make_pipeline(StandardScaler(), regressor)
    prefix = STEP.format(pipeline.steps[-1][0])
    model = TransformedTargetRegressor(pipeline, transformer=StandardScaler())
    return GridSearchCV(model, {prefix + k: v for k, v in grid.items()}, cv=3, n_jobs=jobs)


def row(regressor: RegressorMixin, grid: dict[str, list], data: list, jobs: int) -> str:
    X, X_test, y, y_test = data
    start = time.perf_counter()
    found = search(regressor, grid, jobs).fit(X, y)
    seconds = time.perf_counter() - start
    best = ", ".join(f"{k.split('__')[-1]}={v}" for k, v in found.best_params_.items())
    kept = found.best_estimator_.regressor_[-1].learner_.n_basis
    score = found.score(X_test, y_test)
    return (
        f"| {type(regressor).__name__:20} | {best:24} | {score:5.2f} | {kept:9} | {seconds:7.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=3000, help="rows of the Friedman stream")
    parser.add_argument("--jobs", type=int, default=1, help="processes of the grid search")
    arguments = parser.parse_args()
    if arguments.rows < 20:
        parser.error(f"--rows should be at least 20, but is {arguments.rows}")

    X, y = nystream.datasets.friedman(arguments.rows)
    data = train_test_split(X, y, test_size=0.3, random_state=0)
    print(f"| {'estimator':20} | {'best parameters':24} | {'R^2':>5} | rows kept | seconds |")
    print("|----------------------|--------------------------|------:|----------:|--------:|")
    for regressor, grid in GRIDS:
        print(row(regressor, grid, data, arguments.jobs), flush=True)


if __name__ == "__main__":
    main()
