"""Estimators that store every row: exact, or nearly so, and for few rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from nystream._learners.every_row import (
    KaarParameters,
    KogdParameters,
    KonsParameters,
    OnlineKrrParameters,
    PkawvParameters,
    SketchedKonsParameters,
)
from nystream.sklearn._base import (
    IntervalRegressor,
    KernelRegressor,
    UnweightedRegressor,
    WeightedRegressor,
    estimator,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "KaarRegressor",
    "KogdRegressor",
    "KonsRegressor",
    "OnlineKrrRegressor",
    "PkawvRegressor",
    "SketchedKonsRegressor",
]


@estimator
class KogdRegressor(KogdParameters, KernelRegressor, UnweightedRegressor):
    """Kernel gradient descent on every row.

    Parameters
    ----------
    bound
        Radius of the ball in which the function stays. None: twice the largest magnitude of the
        first labels.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import KogdRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = KogdRegressor().fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    """


@estimator
class KonsRegressor(KonsParameters, KernelRegressor, UnweightedRegressor):
    """Kernel online Newton step on every row.

    Parameters
    ----------
    bound
        Positive: predictions stay within [-bound, bound]; infinity: they are not bounded. None:
        the largest magnitude of the first labels.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import KonsRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = KonsRegressor(kernel="laplacian", gamma="median").fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    """

    def _bound(self, y: NDArray[Any]) -> Any:
        bound = super()._bound(y)
        return None if bound == math.inf else bound


@estimator
class KaarRegressor(KaarParameters, KernelRegressor, IntervalRegressor, WeightedRegressor):
    """Kernel forecaster of Vovk, Azoury and Warmuth on every row; labels should be centred.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import KaarRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> y -= y.mean()
    >>> model = KaarRegressor().fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    """


@estimator
class OnlineKrrRegressor(
    OnlineKrrParameters, KernelRegressor, IntervalRegressor, WeightedRegressor
):
    """Exact kernel ridge regression.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import OnlineKrrRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = OnlineKrrRegressor(kernel="matern52").fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.99)
    True
    """


@estimator
class SketchedKonsRegressor(SketchedKonsParameters, KernelRegressor, UnweightedRegressor):
    """Kernel online Newton step with a sampled matrix.

    Parameters
    ----------
    min_probability
        The least probability with which a gradient enters the matrix: the learner's ``gamma``.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import SketchedKonsRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = SketchedKonsRegressor(min_probability=0.5).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.7)
    True
    """

    _learner_names: ClassVar = {"min_probability": "gamma"}
    # With the learner's defaults few gradients enter the matrix in as many rows as the check has.
    _poor_score = True

    min_probability: float = 0.1


@estimator
class PkawvRegressor(PkawvParameters, KernelRegressor, IntervalRegressor, UnweightedRegressor):
    """Forecaster of Vovk, Azoury and Warmuth on sampled rows; labels should be centred.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import PkawvRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> y -= y.mean()
    >>> model = PkawvRegressor().fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    >>> model.learner_.n_basis < 300
    True
    """
