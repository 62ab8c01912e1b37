"""Regressors whose dictionary grows by approximate linear dependence (ALD)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import nystream
from nystream.river._base import IntervalRegressor, Regressor, WeightedRegressor

if TYPE_CHECKING:
    from nystream import Kernel


class NonsAldRegressor(Regressor):
    """NONS-ALD, the online Newton step on an ALD dictionary.

    :class:`nystream.NonsAld` for river. Labels should be within ``bound``: scale them, as in the
    example.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    alpha, mu, bound, target_bound, eta
        As in :class:`nystream.NonsAld`.
    max_basis
        The most rows to keep. At the cap the dictionary stops growing and further rows are learned
        through their projection. None: no cap, and memory that may grow with the stream.

    Examples
    --------
    >>> from nystream.river import NonsAldRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(NonsAldRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.80506
    """

    __module__ = "nystream.river"

    _kind = nystream.NonsAld

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        alpha: float = 0.001,
        mu: float = 1.0,
        bound: float = 1.0,
        target_bound: float | None = None,
        eta: float | None = None,
        max_basis: int | None = 300,
    ) -> None:
        self._begin(
            kernel=kernel,
            alpha=alpha,
            mu=mu,
            bound=bound,
            target_bound=target_bound,
            eta=eta,
            max_basis=max_basis,
        )


class AogdAldRegressor(Regressor):
    """AOGD-ALD, gradient descent on an ALD dictionary.

    :class:`nystream.AogdAld` for river. Labels should be of the order of ``bound``: scale them, as
    in the example.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    alpha, bound, switch_at
        As in :class:`nystream.AogdAld`.
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

    __module__ = "nystream.river"

    _kind = nystream.AogdAld

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        alpha: float = 0.001,
        bound: float = 2.0,
        switch_at: int | None = None,
        max_basis: int | None = 300,
    ) -> None:
        self._begin(
            kernel=kernel,
            alpha=alpha,
            bound=bound,
            switch_at=switch_at,
            max_basis=max_basis,
        )


class RidgeAldRegressor(IntervalRegressor, WeightedRegressor):
    """Recursive least squares with a ridge on an ALD dictionary: the one to tune first.

    :class:`nystream.RidgeAld` for river. Rows may have weights.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    alpha, ridge, forward, clip, policy, forgetting
        As in :class:`nystream.RidgeAld`.
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

    __module__ = "nystream.river"

    _kind = nystream.RidgeAld

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        alpha: float = 0.001,
        ridge: float = 0.01,
        forward: bool = False,
        clip: bool = False,
        max_basis: int | None = 300,
        policy: str = "freeze",
        forgetting: float = 1.0,
    ) -> None:
        self._begin(
            kernel=kernel,
            alpha=alpha,
            ridge=ridge,
            forward=forward,
            clip=clip,
            max_basis=max_basis,
            policy=policy,
            forgetting=forgetting,
        )


class KrlsAldRegressor(IntervalRegressor, WeightedRegressor):
    """KRLS, kernel recursive least squares on an ALD dictionary.

    :class:`nystream.KrlsAld` for river. Rows may have weights.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    alpha
        As in :class:`nystream.KrlsAld`.
    max_basis
        The most rows to keep. At the cap the dictionary stops growing and further rows are learned
        through their projection. None: no cap, and memory that may grow with the stream.

    Examples
    --------
    >>> from nystream.river import KrlsAldRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(KrlsAldRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.737376
    """

    __module__ = "nystream.river"

    _kind = nystream.KrlsAld

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        alpha: float = 0.001,
        max_basis: int | None = 300,
    ) -> None:
        self._begin(
            kernel=kernel,
            alpha=alpha,
            max_basis=max_basis,
        )
