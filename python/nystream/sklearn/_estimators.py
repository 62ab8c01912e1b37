"""The estimators: a class for each learner, with what differs from its parameters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, cast

import nystream
from nystream._learners import ald, auto, baselines, budgeted, every_row, paper
from nystream.sklearn._base import (
    IntervalRegressor,
    KernelRegressor,
    LeastSquaresRegressor,
    UnweightedRegressor,
    estimator,
)
from nystream.sklearn._tables import TableRegressor

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = sorted(f"{name}Regressor" for name in nystream.algorithms())


@estimator()
class AutoRegressor(TableRegressor, auto.AutoParameters, LeastSquaresRegressor):
    """Good predictions without tuning, from many experts: start here.

    Features and labels may have any scale, memory stops growing, and streams that change are
    followed. Rows may be data frames as they are: columns of text, categories, times, truths and
    gaps become features, and arrays may hold NaN.

    Parameters
    ----------
    use_past
        Whether experts may look at the past of the labels. By default they do not, so that a
        prediction depends on the row alone, as scikit-learn expects. With True it is that for the
        row that comes next after those learned.

    Attributes
    ----------
    experts_
        The experts that it combines, a list of :class:`nystream.Expert`.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import AutoRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = AutoRegressor().fit(1000 * X[:800], y[:800])
    >>> bool(model.score(1000 * X[800:], y[800:]) > 0.99)
    True
    >>> low, high = model.predict_interval(1000 * X[800:], level=0.9).T
    >>> bool(((low < y[800:]) & (y[800:] < high)).mean() > 0.85)
    True

    A frame as it is:

    >>> import pandas as pd
    >>> X = pd.DataFrame({"town": ["Ulm", "Bonn", None] * 40, "rooms": [1, 2, 3, 4, 5] * 24})
    >>> y = X["rooms"] + 2 * (X["town"] == "Ulm")
    >>> bool(AutoRegressor().fit(X, y).score(X, y) > 0.95)
    True
    """

    use_past: bool = False

    @property
    def experts_(self) -> list[nystream.Expert]:
        """The experts that it combines; none before 4 rows are learned.

        Examples
        --------
        >>> import nystream
        >>> from nystream.sklearn import AutoRegressor
        >>> model = AutoRegressor().fit(*nystream.datasets.friedman(500))
        >>> best = min(model.experts_, key=lambda expert: expert.loss)
        >>> best.weight > 0
        True
        """
        return cast("nystream.Auto", self.learner_).experts


@estimator("alpha=1e-2", score=0.8)
class NonsAldRegressor(paper.NonsAldParameters, KernelRegressor, UnweightedRegressor):
    """Online Newton step on a dictionary of few rows."""


@estimator(score=0.85)
class AogdAldRegressor(paper.AogdAldParameters, KernelRegressor, UnweightedRegressor):
    """Gradient descent on a dictionary of few rows.

    Parameters
    ----------
    bound
        Radius of the ball in which the function stays. None: twice the largest magnitude of the
        first labels.
    """


@estimator()
class RidgeAldRegressor(ald.RidgeAldParameters, KernelRegressor, LeastSquaresRegressor):
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


@estimator("alpha=1e-2", score=0.97)
class KrlsAldRegressor(ald.KrlsAldParameters, KernelRegressor, LeastSquaresRegressor):
    """Kernel recursive least squares, without a ridge, on a dictionary of few rows."""


@estimator("n_frequencies=100", score=0.9)
class FogdRegressor(budgeted.FogdParameters, KernelRegressor, UnweightedRegressor):
    """Gradient descent on random Fourier features."""


@estimator("budget=100", score=0.9)
class NogdRegressor(budgeted.NogdParameters, KernelRegressor, UnweightedRegressor):
    """Gradient descent on the Nyström features of the first rows."""


@estimator("kors_mu=100.0", score=0.3)
class ProsNKonsRegressor(budgeted.ProsNKonsParameters, KernelRegressor, UnweightedRegressor):
    """Online Newton step on sampled rows, with restarts."""

    _learner_names: ClassVar = {"kors_mu": "gamma"}
    # It forgets all it has learned with every row that it keeps: two hundred rows are too few.
    _poor_score = True

    kors_mu: float = 1.0


@estimator(score=0.8)
class ConKonsRegressor(budgeted.ConKonsParameters, KernelRegressor, UnweightedRegressor):
    """Online Newton step on sampled rows, without restarts."""

    _learner_names: ClassVar = {"kors_mu": "gamma"}
    kors_mu: float = 1.0


@estimator(score=0.9)
class KogdRegressor(every_row.KogdParameters, KernelRegressor, UnweightedRegressor):
    """Kernel gradient descent on every row.

    Parameters
    ----------
    bound
        Radius of the ball in which the function stays. None: twice the largest magnitude of the
        first labels.
    """


@estimator("kernel='laplacian', gamma='median'", score=0.9)
class KonsRegressor(every_row.KonsParameters, KernelRegressor, UnweightedRegressor):
    """Kernel online Newton step on every row.

    Parameters
    ----------
    bound
        Positive: predictions stay within [-bound, bound]; infinity: they are not bounded. None:
        the largest magnitude of the first labels.
    """

    def _bound(self, y: NDArray[Any]) -> Any:
        bound = super()._bound(y)
        return None if bound == math.inf else bound


@estimator()
class KaarRegressor(every_row.KaarParameters, KernelRegressor, LeastSquaresRegressor):
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


@estimator("kernel='matern52'", score=0.99)
class OnlineKrrRegressor(every_row.OnlineKrrParameters, KernelRegressor, LeastSquaresRegressor):
    """Exact kernel ridge regression."""


@estimator("min_probability=0.5", score=0.7)
class SketchedKonsRegressor(every_row.SketchedKonsParameters, KernelRegressor, UnweightedRegressor):
    """Kernel online Newton step with a sampled matrix.

    Parameters
    ----------
    min_probability
        The least probability with which a gradient enters the matrix: the learner's ``gamma``.
    """

    _learner_names: ClassVar = {"min_probability": "gamma"}
    # With the learner's defaults few gradients enter the matrix in as many rows as the check has.
    _poor_score = True

    min_probability: float = 0.1


@estimator()
class PkawvRegressor(
    every_row.PkawvParameters, KernelRegressor, IntervalRegressor, UnweightedRegressor
):
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
    """


@estimator()
class LinearRlsRegressor(baselines.LinearRlsParameters, LeastSquaresRegressor):
    """Linear ridge regression, exact and row by row.

    Examples
    --------
    >>> from nystream.sklearn import LinearRlsRegressor
    >>> model = LinearRlsRegressor(ridge=1e-6)
    >>> model.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[10.0]]).round(3)
    array([21.])
    >>> model.fit([[0.0], [1.0], [2.0]], [[1.0, 0.0], [3.0, 1.0], [5.0, 2.0]])
    LinearRlsRegressor(ridge=1e-06)
    >>> model.predict([[10.0]]).round(3)
    array([[21., 10.]])
    """


@estimator()
class RunningMeanRegressor(LeastSquaresRegressor):
    """The mean of the labels, which every other estimator should beat.

    Examples
    --------
    >>> from nystream.sklearn import RunningMeanRegressor
    >>> model = RunningMeanRegressor().fit([[0.0], [1.0]], [1.0, 4.0], sample_weight=[2.0, 1.0])
    >>> model.predict([[0.0]])
    array([2.])
    """

    _poor_score = True
