"""Regressors without a kernel, to compare with."""

from __future__ import annotations

import nystream
from nystream.river._base import IntervalRegressor, WeightedRegressor


class LinearRlsRegressor(IntervalRegressor, WeightedRegressor):
    """Linear ridge regression, exact.

    :class:`nystream.LinearRls` for river. It keeps no rows; a row costs O(d^2). Rows may have
    weights.

    Parameters
    ----------
    ridge, intercept, forward, clip, forgetting
        As in :class:`nystream.LinearRls`.

    Examples
    --------
    >>> from nystream.river import LinearRlsRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(LinearRlsRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.75567
    """

    __module__ = "nystream.river"

    _kind = nystream.LinearRls

    def __init__(
        self,
        *,
        ridge: float = 0.01,
        intercept: bool = True,
        forward: bool = False,
        clip: bool = False,
        forgetting: float = 1.0,
    ) -> None:
        self._begin(
            ridge=ridge,
            intercept=intercept,
            forward=forward,
            clip=clip,
            forgetting=forgetting,
        )


class RunningMeanRegressor(IntervalRegressor, WeightedRegressor):
    """The mean of the labels so far: what every regressor has to beat.

    :class:`nystream.RunningMean` for river. Rows may have weights.

    Examples
    --------
    >>> from nystream.river import RunningMeanRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(RunningMeanRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.885104
    """

    __module__ = "nystream.river"

    _kind = nystream.RunningMean

    def __init__(self) -> None:
        self._begin()
