"""Estimators on a dictionary that grows by approximate linear dependence (ALD)."""

from __future__ import annotations

from nystream._learners.ald import KrlsAldParameters, RidgeAldParameters
from nystream._learners.paper import AogdAldParameters, NonsAldParameters
from nystream.sklearn._base import (
    IntervalRegressor,
    KernelRegressor,
    UnweightedRegressor,
    WeightedRegressor,
    estimator,
)

__all__ = ["AogdAldRegressor", "KrlsAldRegressor", "NonsAldRegressor", "RidgeAldRegressor"]


@estimator
class NonsAldRegressor(NonsAldParameters, KernelRegressor, UnweightedRegressor):
    """Online Newton step on a dictionary of few rows.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import NonsAldRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = NonsAldRegressor(alpha=1e-2).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.8)
    True
    >>> model.learner_.n_basis < 100
    True
    """


@estimator
class AogdAldRegressor(AogdAldParameters, KernelRegressor, UnweightedRegressor):
    """Gradient descent on a dictionary of few rows.

    Parameters
    ----------
    bound
        Radius of the ball in which the function stays. None: twice the largest magnitude of the
        first labels.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import AogdAldRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = AogdAldRegressor().fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.85)
    True
    """


@estimator
class RidgeAldRegressor(RidgeAldParameters, KernelRegressor, IntervalRegressor, WeightedRegressor):
    """Ridge regression on a dictionary of few rows: the one to tune first.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import RidgeAldRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = RidgeAldRegressor(alpha=1e-2).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.97)
    True
    >>> model.learner_.n_basis < 100
    True
    >>> model.partial_fit(X[800:], y[800:]).learner_.n_seen
    1000
    """


@estimator
class KrlsAldRegressor(KrlsAldParameters, KernelRegressor, IntervalRegressor, WeightedRegressor):
    """Kernel recursive least squares, without a ridge, on a dictionary of few rows.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import KrlsAldRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = KrlsAldRegressor(alpha=1e-2).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.97)
    True
    """
