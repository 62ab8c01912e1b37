"""Regressors that store every row, up to a limit: for short streams, and to compare with."""

from __future__ import annotations

from nystream._learners.every_row import (
    KaarParameters,
    KogdParameters,
    KonsParameters,
    OnlineKrrParameters,
    PkawvParameters,
    SketchedKonsParameters,
)
from nystream.river._base import (
    EveryRowRegressor,
    IntervalRegressor,
    KernelRegressor,
    WeightedRegressor,
    regressor,
)

__all__ = [
    "KaarRegressor",
    "KogdRegressor",
    "KonsRegressor",
    "OnlineKrrRegressor",
    "PkawvRegressor",
    "SketchedKonsRegressor",
]


@regressor
class KogdRegressor(EveryRowRegressor, KogdParameters, KernelRegressor):
    """KOGD, kernel online gradient descent, exact.

    Labels should be of the order of ``bound``: scale them, as in the example.

    Examples
    --------
    >>> from nystream.river import KogdRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(KogdRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.686842
    """

    bound: float = 2.0


@regressor
class KonsRegressor(EveryRowRegressor, KonsParameters, KernelRegressor):
    """KONS, the kernel online Newton step, exact.

    Labels should be of the order of 1, or of ``bound``: scale them, as in the example.

    Examples
    --------
    >>> from nystream.river import KonsRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(KonsRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.805626
    """


@regressor
class KaarRegressor(
    EveryRowRegressor, KaarParameters, KernelRegressor, IntervalRegressor, WeightedRegressor
):
    """KAAR, the kernel forecaster of Vovk, Azoury and Warmuth, exact.

    Predictions shrink towards 0: centre the labels, as in the example.

    Examples
    --------
    >>> from nystream.river import KaarRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(KaarRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 1.506741
    """


@regressor
class OnlineKrrRegressor(
    EveryRowRegressor, OnlineKrrParameters, KernelRegressor, IntervalRegressor, WeightedRegressor
):
    """Kernel ridge regression, exact.

    Examples
    --------
    >>> from nystream.river import OnlineKrrRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(OnlineKrrRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.585515
    """


@regressor
class SketchedKonsRegressor(EveryRowRegressor, SketchedKonsParameters, KernelRegressor):
    """Sketched-KONS, the kernel online Newton step with a sampled matrix.

    Labels should be within ``bound``: scale them, as in the example.

    Examples
    --------
    >>> from nystream.river import SketchedKonsRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(SketchedKonsRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 1.067736
    """

    gamma: float = 0.1
    bound: float = 1.0
    random_state: int = 0


@regressor
class PkawvRegressor(EveryRowRegressor, PkawvParameters, KernelRegressor, IntervalRegressor):
    """PKAWV, the forecaster of Vovk, Azoury and Warmuth on the span of sampled rows.

    Predictions shrink towards 0: centre the labels, as in the example.

    Examples
    --------
    >>> from nystream.river import PkawvRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(PkawvRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 1.065412
    """

    random_state: int = 0
