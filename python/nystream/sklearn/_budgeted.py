"""Estimators of bounded cost: random features, first rows, sampled rows."""

from __future__ import annotations

from typing import ClassVar

from nystream._learners.budgeted import (
    ConKonsParameters,
    FogdParameters,
    NogdParameters,
    ProsNKonsParameters,
)
from nystream.sklearn._base import KernelRegressor, UnweightedRegressor, estimator

__all__ = ["ConKonsRegressor", "FogdRegressor", "NogdRegressor", "ProsNKonsRegressor"]


@estimator
class FogdRegressor(FogdParameters, KernelRegressor, UnweightedRegressor):
    """Gradient descent on random Fourier features.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import FogdRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = FogdRegressor(n_frequencies=100).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    """


@estimator
class NogdRegressor(NogdParameters, KernelRegressor, UnweightedRegressor):
    """Gradient descent on the Nyström features of the first rows.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import NogdRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = NogdRegressor(budget=100).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    >>> model.learner_.n_basis
    100
    """


@estimator
class ProsNKonsRegressor(ProsNKonsParameters, KernelRegressor, UnweightedRegressor):
    """Online Newton step on sampled rows, with restarts.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import ProsNKonsRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = ProsNKonsRegressor(kors_mu=100.0).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.3)
    True
    """

    _learner_names: ClassVar = {"kors_mu": "gamma"}
    # It forgets all it has learned with every row that it keeps: two hundred rows are too few.
    _poor_score = True

    kors_mu: float = 1.0


@estimator
class ConKonsRegressor(ConKonsParameters, KernelRegressor, UnweightedRegressor):
    """Online Newton step on sampled rows, without restarts.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import ConKonsRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = ConKonsRegressor().fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.8)
    True
    """

    _learner_names: ClassVar = {"kors_mu": "gamma"}
    kors_mu: float = 1.0
