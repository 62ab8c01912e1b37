"""Regressors whose dictionary grows by approximate linear dependence (ALD)."""

from __future__ import annotations

from nystream._learners.ald import KrlsAldParameters, RidgeAldParameters
from nystream._learners.paper import AogdAldParameters, NonsAldParameters
from nystream.river._base import IntervalRegressor, KernelRegressor, WeightedRegressor, regressor

__all__ = ["AogdAldRegressor", "KrlsAldRegressor", "NonsAldRegressor", "RidgeAldRegressor"]


@regressor
class NonsAldRegressor(NonsAldParameters, KernelRegressor):
    """NONS-ALD, the online Newton step on an ALD dictionary.

    Labels should be within ``bound``: scale them, as in the example.

    Examples
    --------
    >>> from nystream.river import NonsAldRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(NonsAldRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.80506
    """

    bound: float = 1.0
    max_basis: int | None = 300


@regressor
class AogdAldRegressor(AogdAldParameters, KernelRegressor):
    """AOGD-ALD, gradient descent on an ALD dictionary.

    Labels should be of the order of ``bound``: scale them, as in the example.

    Parameters
    ----------
    max_basis
        The most rows to keep. At the cap the dictionary stops growing and further rows are learned
        through their projection. None: no cap, and memory that may grow with the stream. It has
        to be None where ``switch_at`` is given.

    Examples
    --------
    >>> from nystream.river import AogdAldRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(AogdAldRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.686828
    """

    bound: float = 2.0
    max_basis: int | None = 300


@regressor
class RidgeAldRegressor(RidgeAldParameters, KernelRegressor, IntervalRegressor, WeightedRegressor):
    """Recursive least squares with a ridge on an ALD dictionary: the one to tune first.

    Parameters
    ----------
    max_basis
        The most rows to keep. At the cap the dictionary stops growing and further rows are learned
        through their projection, or take the place of others, as ``policy`` says. None: no cap,
        and memory that may grow with the stream.

    Examples
    --------
    >>> from nystream.river import RidgeAldRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(RidgeAldRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.585325
    """

    max_basis: int | None = 300


@regressor
class KrlsAldRegressor(KrlsAldParameters, KernelRegressor, IntervalRegressor, WeightedRegressor):
    """KRLS, kernel recursive least squares on an ALD dictionary.

    Examples
    --------
    >>> from nystream.river import KrlsAldRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(KrlsAldRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.737376
    """

    max_basis: int | None = 300
