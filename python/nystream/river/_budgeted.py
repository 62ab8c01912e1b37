"""Regressors of bounded cost without ALD: random features, first rows, sampled rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nystream._learners.budgeted import (
    ConKonsParameters,
    FogdParameters,
    NogdParameters,
    ProsNKonsParameters,
)
from nystream.river._base import KernelRegressor, SampledRegressor, regressor
from nystream.river._columns import Columns

if TYPE_CHECKING:
    from nystream import Kernel

__all__ = ["ConKonsRegressor", "FogdRegressor", "NogdRegressor", "ProsNKonsRegressor"]


@regressor
class FogdRegressor(FogdParameters, KernelRegressor):
    """FOGD, gradient descent on random Fourier features.

    A new feature gets frequencies of its own. It keeps no rows.

    Parameters
    ----------
    frequencies
        The frequencies themselves, of shape (D, d), for d features at most: names have the columns
        of :attr:`features`. None: drawn from ``random_state``.

    Examples
    --------
    >>> from nystream.river import FogdRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(FogdRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.740422
    """

    random_state: int = 0

    def __post_init__(self) -> None:
        """Make the learner; given frequencies say how many columns there are."""
        super().__post_init__()
        if self.frequencies is not None:
            self._columns = Columns(width=np.shape(self.frequencies)[1])

    def _norm_of_new_features(self, kernel: Kernel | None) -> None:
        """Return None: no norm stands for features that have frequencies of their own."""


@regressor
class NogdRegressor(NogdParameters, KernelRegressor):
    """NOGD, gradient descent on the Nyström features of the first rows.

    What the first ``budget`` rows do not show is never represented, new features above all.

    Examples
    --------
    >>> from nystream.river import NogdRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(NogdRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.768164
    """


@regressor
class ProsNKonsRegressor(SampledRegressor, ProsNKonsParameters, KernelRegressor):
    """PROS-N-KONS, the online Newton step on sampled rows, with restarts.

    Labels should be within ``bound``: scale them, as in the example.

    Examples
    --------
    >>> from nystream.river import ProsNKonsRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(ProsNKonsRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 1.296469
    """

    gamma: float = 1.0
    bound: float = 1.0
    random_state: int = 0


@regressor
class ConKonsRegressor(SampledRegressor, ConKonsParameters, KernelRegressor):
    """CON-KONS, the online Newton step on sampled rows, without restarts.

    Labels should be within ``bound``: scale them, as in the example.

    Examples
    --------
    >>> from nystream.river import ConKonsRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(ConKonsRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.865523
    """

    gamma: float = 1.0
    bound: float = 1.0
    random_state: int = 0
