"""Estimators without a kernel, to compare with."""

from __future__ import annotations

from nystream._learners.baselines import LinearRlsParameters
from nystream.sklearn._base import IntervalRegressor, WeightedRegressor, estimator

__all__ = ["LinearRlsRegressor", "RunningMeanRegressor"]


@estimator
class LinearRlsRegressor(LinearRlsParameters, IntervalRegressor, WeightedRegressor):
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


@estimator
class RunningMeanRegressor(IntervalRegressor, WeightedRegressor):
    """The mean of the labels: what every estimator has to beat.

    Examples
    --------
    >>> from nystream.sklearn import RunningMeanRegressor
    >>> model = RunningMeanRegressor().fit([[0.0], [1.0]], [1.0, 4.0], sample_weight=[2.0, 1.0])
    >>> model.predict([[0.0]])
    array([2.])
    """

    _poor_score = True
