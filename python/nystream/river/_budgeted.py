"""Regressors of bounded cost without ALD: random features, first rows, sampled rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import nystream
from nystream._checks import whole
from nystream.river._base import CappedRegressor, Regressor
from nystream.river._columns import Columns

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nystream import Kernel


class FogdRegressor(Regressor):
    """FOGD, gradient descent on random Fourier features.

    :class:`nystream.Fogd` for river. A new feature gets frequencies of its own. It keeps no rows.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    n_frequencies, eta, random_state
        As in :class:`nystream.Fogd`.
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

    __module__ = "nystream.river"

    _kind = nystream.Fogd

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        n_frequencies: int = 400,
        eta: float = 0.1,
        random_state: int = 0,
        frequencies: ArrayLike | None = None,
    ) -> None:
        self._begin(
            kernel=kernel,
            n_frequencies=n_frequencies,
            eta=eta,
            random_state=random_state,
            frequencies=frequencies,
        )
        if frequencies is not None:
            self._columns = Columns(width=np.shape(frequencies)[1])

    def _norm_of_new_features(self, kernel: Kernel | None) -> None:
        """Return None: no norm stands for features that have frequencies of their own."""


class NogdRegressor(Regressor):
    """NOGD, gradient descent on the Nyström features of the first rows.

    :class:`nystream.Nogd` for river. What the first ``budget`` rows do not show is never
    represented, new features above all.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    budget, rank, eta
        As in :class:`nystream.Nogd`.

    Examples
    --------
    >>> from nystream.river import NogdRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(NogdRegressor())
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.768164
    """

    __module__ = "nystream.river"

    _kind = nystream.Nogd

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        budget: int = 400,
        rank: int | None = None,
        eta: float = 0.1,
    ) -> None:
        self._begin(
            kernel=kernel,
            budget=budget,
            rank=rank,
            eta=eta,
        )


class ProsNKonsRegressor(CappedRegressor):
    """PROS-N-KONS, the online Newton step on sampled rows, with restarts.

    :class:`nystream.ProsNKons` for river. Labels should be within ``bound``: scale them, as in the
    example.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    mu, gamma, beta, epsilon, bound, eta
        As in :class:`nystream.ProsNKons`.
    random_state, uniforms
        Seed of the draws, or the draws themselves, one for each row learned.
    max_basis
        The most rows to keep. When there are so many, the model is full: it predicts further rows
        but learns them no more. None: no cap, and memory that may grow with the stream.

    Examples
    --------
    >>> from nystream.river import ProsNKonsRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(ProsNKonsRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 1.296469
    """

    __module__ = "nystream.river"

    _kind = nystream.ProsNKons
    _cap, _count = "max_basis", "n_basis"

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        mu: float = 1.0,
        gamma: float = 1.0,
        beta: float = 1.0,
        epsilon: float = 0.5,
        bound: float = 1.0,
        eta: float | None = None,
        random_state: int = 0,
        uniforms: ArrayLike | None = None,
        max_basis: int | None = 300,
    ) -> None:
        self.max_basis = max_basis if max_basis is None else whole("max_basis", max_basis)
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
        )


class ConKonsRegressor(CappedRegressor):
    """CON-KONS, the online Newton step on sampled rows, without restarts.

    :class:`nystream.ConKons` for river. Labels should be within ``bound``: scale them, as in the
    example.

    Parameters
    ----------
    kernel
        The kernel. None: ``nystream.Gaussian()``.
    mu, gamma, beta, epsilon, bound, eta
        As in :class:`nystream.ConKons`.
    random_state, uniforms
        Seed of the draws, or the draws themselves, one for each row learned.
    max_basis
        The most rows to keep. When there are so many, the model is full: it predicts further rows
        but learns them no more. None: no cap, and memory that may grow with the stream.

    Examples
    --------
    >>> from nystream.river import ConKonsRegressor
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> regressor = preprocessing.TargetStandardScaler(ConKonsRegressor(bound=3.0))
    >>> model = preprocessing.StandardScaler() | regressor
    >>> evaluate.progressive_val_score(datasets.TrumpApproval().take(300), model, metrics.MAE())
    MAE: 0.865523
    """

    __module__ = "nystream.river"

    _kind = nystream.ConKons
    _cap, _count = "max_basis", "n_basis"

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        mu: float = 1.0,
        gamma: float = 1.0,
        beta: float = 1.0,
        epsilon: float = 0.5,
        bound: float = 1.0,
        eta: float | None = None,
        random_state: int = 0,
        uniforms: ArrayLike | None = None,
        max_basis: int | None = 300,
    ) -> None:
        self.max_basis = max_basis if max_basis is None else whole("max_basis", max_basis)
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
        )
