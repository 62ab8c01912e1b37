"""Regressors without a kernel, to compare with."""

from __future__ import annotations

from nystream._learners.baselines import LinearRlsParameters
from nystream.river._base import IntervalRegressor, WeightedRegressor, regressor

__all__ = ["LinearRlsRegressor", "RunningMeanRegressor"]


@regressor
class LinearRlsRegressor(LinearRlsParameters, IntervalRegressor, WeightedRegressor):
    """Linear ridge regression, exact.

    It keeps no rows; a row costs O(d^2).

    Examples
    --------
    >>> from nystream.river import LinearRlsRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(LinearRlsRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.75567
    """


@regressor
class RunningMeanRegressor(IntervalRegressor, WeightedRegressor):
    """The mean of the labels so far: what every regressor has to beat.

    Examples
    --------
    >>> from nystream.river import RunningMeanRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(RunningMeanRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.885104
    """
