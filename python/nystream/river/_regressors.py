"""The regressors: a class for each learner, with the defaults that differ from the learner's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import nystream
from nystream._learners import ald, auto, baselines, budgeted, every_row, paper
from nystream.river._base import IntervalRegressor, LeastSquaresRegressor
from nystream.river._columns import Columns
from nystream.river._kinds import EveryRowRegressor, KernelRegressor, SampledRegressor, regressor
from nystream.river._tables import TableRegressor

if TYPE_CHECKING:
    from nystream import Kernel

__all__ = sorted(f"{name}Regressor" for name in nystream.algorithms())


@regressor()
class AutoRegressor(TableRegressor, auto.AutoParameters):
    """Good predictions without tuning, from many experts: start here.

    Features and labels may have any scale, so that no scaler has to come before. Features may be
    text, categories, times, truths and numbers, as they are; what is absent is missing.

    Examples
    --------
    >>> from nystream.river import AutoRegressor
    >>> from river import datasets, evaluate, metrics
    >>> model = AutoRegressor()
    >>> rows = datasets.TrumpApproval().take(300)
    >>> evaluate.progressive_val_score(rows, model, metrics.MAE()).get() < 0.5
    True
    >>> len(model.learner.experts)
    28
    """


@regressor("bound=3.0", mae="0.80506")
class NonsAldRegressor(paper.NonsAldParameters, KernelRegressor):
    """NONS-ALD, the online Newton step on an ALD dictionary.

    Labels should be within ``bound``: scale them, as in the example.
    """

    bound: float = 1.0
    max_basis: int | None = 300


@regressor("bound=3.0", mae="0.686828")
class AogdAldRegressor(paper.AogdAldParameters, KernelRegressor):
    """AOGD-ALD, gradient descent on an ALD dictionary.

    Labels should be of the order of ``bound``: scale them, as in the example.

    Parameters
    ----------
    max_basis
        The most rows to keep. At the cap the dictionary stops growing and further rows are learned
        through their projection. None: no cap, and memory that may grow with the stream. It has
        to be None if ``switch_at`` is given.
    """

    bound: float = 2.0
    max_basis: int | None = 300


@regressor(mae="0.585325")
class RidgeAldRegressor(ald.RidgeAldParameters, KernelRegressor, LeastSquaresRegressor):
    """Recursive least squares with a ridge on an ALD dictionary: the one to tune first.

    Parameters
    ----------
    max_basis
        The most rows to keep. At the cap the dictionary stops growing and further rows are learned
        through their projection, or take the place of others, as ``policy`` says. None: no cap,
        and memory that may grow with the stream.
    """

    max_basis: int | None = 300


@regressor(mae="0.737376")
class KrlsAldRegressor(ald.KrlsAldParameters, KernelRegressor, LeastSquaresRegressor):
    """KRLS, kernel recursive least squares on an ALD dictionary."""

    max_basis: int | None = 300


@regressor(mae="0.740422")
class FogdRegressor(budgeted.FogdParameters, KernelRegressor):
    """FOGD, gradient descent on random Fourier features.

    A new feature gets frequencies of its own. It keeps no rows.

    Parameters
    ----------
    frequencies
        The frequencies themselves, of shape (D, d), for d features at most: names have the columns
        of :attr:`features`. None: drawn from ``random_state``.
    """

    random_state: int = 0

    def __post_init__(self) -> None:
        """Make the learner; given frequencies say how many columns there are."""
        super().__post_init__()
        if self.frequencies is not None:
            self._columns = Columns(width=np.shape(self.frequencies)[1])

    def _norm_of_new_features(self, kernel: Kernel | None) -> None:
        """Return None: no norm stands for features that have frequencies of their own."""


@regressor(mae="0.768164")
class NogdRegressor(budgeted.NogdParameters, KernelRegressor):
    """NOGD, gradient descent on the Nyström features of the first rows.

    Directions that the first ``budget`` rows lack, such as new features, are never represented.
    """


@regressor("bound=3.0", mae="1.296469")
class ProsNKonsRegressor(SampledRegressor, budgeted.ProsNKonsParameters, KernelRegressor):
    """PROS-N-KONS, the online Newton step on sampled rows, with restarts.

    Labels should be within ``bound``: scale them, as in the example.
    """

    gamma: float = 1.0
    bound: float = 1.0
    random_state: int = 0


@regressor("bound=3.0", mae="0.865523")
class ConKonsRegressor(SampledRegressor, budgeted.ConKonsParameters, KernelRegressor):
    """CON-KONS, the online Newton step on sampled rows, without restarts.

    Labels should be within ``bound``: scale them, as in the example.
    """

    gamma: float = 1.0
    bound: float = 1.0
    random_state: int = 0


@regressor("bound=3.0", mae="0.686842")
class KogdRegressor(EveryRowRegressor, every_row.KogdParameters, KernelRegressor):
    """KOGD, kernel online gradient descent, exact.

    Labels should be of the order of ``bound``: scale them, as in the example.
    """

    bound: float = 2.0


@regressor("bound=3.0", mae="0.805626")
class KonsRegressor(EveryRowRegressor, every_row.KonsParameters, KernelRegressor):
    """KONS, the kernel online Newton step, exact.

    Labels should be of the order of 1, or of ``bound``: scale them, as in the example.
    """


@regressor(mae="1.506741")
class KaarRegressor(
    EveryRowRegressor, every_row.KaarParameters, KernelRegressor, LeastSquaresRegressor
):
    """KAAR, the kernel forecaster of Vovk, Azoury and Warmuth, exact.

    Predictions shrink towards 0: centre the labels, as in the example.
    """


@regressor(mae="0.585515")
class OnlineKrrRegressor(
    EveryRowRegressor, every_row.OnlineKrrParameters, KernelRegressor, LeastSquaresRegressor
):
    """Kernel ridge regression, exact."""


@regressor("bound=3.0", mae="1.067736")
class SketchedKonsRegressor(EveryRowRegressor, every_row.SketchedKonsParameters, KernelRegressor):
    """Sketched-KONS, the kernel online Newton step with a sampled matrix.

    Labels should be within ``bound``: scale them, as in the example.
    """

    gamma: float = 0.1
    bound: float = 1.0
    random_state: int = 0


@regressor(mae="1.065412")
class PkawvRegressor(
    EveryRowRegressor, every_row.PkawvParameters, KernelRegressor, IntervalRegressor
):
    """PKAWV, the forecaster of Vovk, Azoury and Warmuth on the span of sampled rows.

    Predictions shrink towards 0: centre the labels, as in the example.
    """

    random_state: int = 0


@regressor(mae="0.75567")
class LinearRlsRegressor(baselines.LinearRlsParameters, LeastSquaresRegressor):
    """Linear ridge regression, exact.

    It keeps no rows; a row costs O(d^2).
    """


@regressor(mae="0.885104")
class RunningMeanRegressor(LeastSquaresRegressor):
    """The mean of the labels so far: what every regressor has to beat."""
