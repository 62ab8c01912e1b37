"""Estimators without a kernel, to compare with."""

from __future__ import annotations

import nystream
from nystream.sklearn._base import IntervalRegressor, WeightedRegressor


class LinearRlsRegressor(IntervalRegressor, WeightedRegressor):
    """Linear ridge regression, exact and row by row.

    :class:`nystream.LinearRls` as an estimator; its documentation has the mathematics. Labels may
    have several columns.

    Parameters
    ----------
    ridge
        Regularisation: the penalty on the sum of squared weights.
    intercept
        Whether to add a constant feature.
    forward
        Whether to predict as Vovk, Azoury and Warmuth do; labels should then be centred.
    clip
        Whether to keep predictions within the range of the labels seen so far.
    forgetting
        How much a row counts a row later, 0.5 to 1: with 0.999, half after 693 rows. 1 forgets
        nothing.

    Attributes
    ----------
    learner_
        The :class:`nystream.LinearRls` behind it.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

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

    __module__ = "nystream.sklearn"
    _learner = nystream.LinearRls
    _several_targets = True

    def __init__(
        self,
        *,
        ridge: float = 1e-2,
        intercept: bool = True,
        forward: bool = False,
        clip: bool = False,
        forgetting: float = 1.0,
    ) -> None:
        self.ridge = ridge
        self.intercept = intercept
        self.forward = forward
        self.clip = clip
        self.forgetting = forgetting


class RunningMeanRegressor(IntervalRegressor, WeightedRegressor):
    """The mean of the labels: what every estimator has to beat.

    :class:`nystream.RunningMean` as an estimator; its documentation has the mathematics.

    Attributes
    ----------
    learner_
        The :class:`nystream.RunningMean` behind it.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> from nystream.sklearn import RunningMeanRegressor
    >>> model = RunningMeanRegressor().fit([[0.0], [1.0]], [1.0, 4.0], sample_weight=[2.0, 1.0])
    >>> model.predict([[0.0]])
    array([2.])
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.RunningMean
    _poor_score = True
