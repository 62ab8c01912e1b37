"""Regressors that store every row, up to a limit: for short streams, and to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import nystream
from nystream.river._base import CappedRegressor, IntervalRegressor, WeightedRegressor

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nystream import Kernel


class KogdRegressor(CappedRegressor):
    """KOGD, kernel online gradient descent, exact.

    :class:`nystream.Kogd` for river. Labels should be of the order of ``bound``: scale them, as in
    the example.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    bound
        As in :class:`nystream.Kogd`.
    max_rows
        The most rows to store. When there are so many, the model is full: it predicts further rows
        but learns them no more. None: no limit, and a cost that grows with the stream.

    Examples
    --------
    >>> from nystream.river import KogdRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(KogdRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.686842
    """

    __module__ = "nystream.river"

    _kind = nystream.Kogd
    _cap, _count = "max_rows", "n_seen"

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        bound: float = 2.0,
        max_rows: int | None = 1000,
    ) -> None:
        self._begin(
            kernel=kernel,
            bound=bound,
            max_rows=max_rows,
        )


class KonsRegressor(CappedRegressor):
    """KONS, the kernel online Newton step, exact.

    :class:`nystream.Kons` for river. Labels should be of the order of 1, or of ``bound``: scale
    them, as in the example.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    mu, eta, bound
        As in :class:`nystream.Kons`.
    max_rows
        The most rows to store. When there are so many, the model is full: it predicts further rows
        but learns them no more. None: no limit, and a cost that grows with the stream.

    Examples
    --------
    >>> from nystream.river import KonsRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(KonsRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.805626
    """

    __module__ = "nystream.river"

    _kind = nystream.Kons
    _cap, _count = "max_rows", "n_seen"

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        mu: float = 1.0,
        eta: float | None = None,
        bound: float | None = None,
        max_rows: int | None = 1000,
    ) -> None:
        self._begin(
            kernel=kernel,
            mu=mu,
            eta=eta,
            bound=bound,
            max_rows=max_rows,
        )


class KaarRegressor(CappedRegressor, IntervalRegressor, WeightedRegressor):
    """KAAR, the kernel forecaster of Vovk, Azoury and Warmuth, exact.

    :class:`nystream.Kaar` for river. Predictions shrink towards 0: centre the labels, as in the
    example. Rows may have weights.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    ridge
        As in :class:`nystream.Kaar`.
    max_rows
        The most rows to store. When there are so many, the model is full: it predicts further rows
        but learns them no more. None: no limit, and a cost that grows with the stream.

    Examples
    --------
    >>> from nystream.river import KaarRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(KaarRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 1.506741
    """

    __module__ = "nystream.river"

    _kind = nystream.Kaar
    _cap, _count = "max_rows", "n_seen"

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        ridge: float = 0.01,
        max_rows: int | None = 1000,
    ) -> None:
        self._begin(
            kernel=kernel,
            ridge=ridge,
            max_rows=max_rows,
        )


class OnlineKrrRegressor(CappedRegressor, IntervalRegressor, WeightedRegressor):
    """Kernel ridge regression, exact.

    :class:`nystream.OnlineKrr` for river. Rows may have weights.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    ridge
        As in :class:`nystream.OnlineKrr`.
    max_rows
        The most rows to store. When there are so many, the model is full: it predicts further rows
        but learns them no more. None: no limit, and a cost that grows with the stream.

    Examples
    --------
    >>> from nystream.river import OnlineKrrRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(OnlineKrrRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.585515
    """

    __module__ = "nystream.river"

    _kind = nystream.OnlineKrr
    _cap, _count = "max_rows", "n_seen"

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        ridge: float = 0.01,
        max_rows: int | None = 1000,
    ) -> None:
        self._begin(
            kernel=kernel,
            ridge=ridge,
            max_rows=max_rows,
        )


class SketchedKonsRegressor(CappedRegressor):
    """Sketched-KONS, the kernel online Newton step with a sampled matrix.

    :class:`nystream.SketchedKons` for river. Labels should be within ``bound``: scale them, as in
    the example.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    mu, gamma, beta, epsilon, bound, eta
        As in :class:`nystream.SketchedKons`.
    random_state, uniforms
        Seed of the draws, or the draws themselves, one for each row learned.
    max_rows
        The most rows to store. When there are so many, the model is full: it predicts further rows
        but learns them no more. None: no limit, and a cost that grows with the stream.

    Examples
    --------
    >>> from nystream.river import SketchedKonsRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(SketchedKonsRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 1.067736
    """

    __module__ = "nystream.river"

    _kind = nystream.SketchedKons
    _cap, _count = "max_rows", "n_seen"

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        mu: float = 1.0,
        gamma: float = 0.1,
        beta: float = 1.0,
        epsilon: float = 0.5,
        bound: float = 1.0,
        eta: float | None = None,
        random_state: int = 0,
        uniforms: ArrayLike | None = None,
        max_rows: int | None = 1000,
    ) -> None:
        self._begin(
            kernel=kernel,
            mu=mu,
            gamma=gamma,
            beta=beta,
            epsilon=epsilon,
            bound=bound,
            eta=eta,
            random_state=random_state,
            uniforms=uniforms,
            max_rows=max_rows,
        )


class PkawvRegressor(CappedRegressor, IntervalRegressor):
    """PKAWV, the forecaster of Vovk, Azoury and Warmuth on the span of sampled rows.

    :class:`nystream.Pkawv` for river. Predictions shrink towards 0: centre the labels, as in the
    example.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    ridge, kors_mu, beta, epsilon
        As in :class:`nystream.Pkawv`.
    random_state, uniforms
        Seed of the draws, or the draws themselves, one for each row learned.
    max_rows
        The most rows to store. When there are so many, the model is full: it predicts further rows
        but learns them no more. None: no limit, and a cost that grows with the stream.

    Examples
    --------
    >>> from nystream.river import PkawvRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(PkawvRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 1.065412
    """

    __module__ = "nystream.river"

    _kind = nystream.Pkawv
    _cap, _count = "max_rows", "n_seen"

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        ridge: float = 0.01,
        kors_mu: float = 1.0,
        beta: float = 1.0,
        epsilon: float = 0.5,
        random_state: int = 0,
        uniforms: ArrayLike | None = None,
        max_rows: int | None = 1000,
    ) -> None:
        self._begin(
            kernel=kernel,
            ridge=ridge,
            kors_mu=kors_mu,
            beta=beta,
            epsilon=epsilon,
            random_state=random_state,
            uniforms=uniforms,
            max_rows=max_rows,
        )
