"""Learners without a kernel, to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nystream._core import Learner
from nystream._learners._base import Parameters, learner
from nystream._parameters import Constructed, parameters

if TYPE_CHECKING:
    from nystream._losses import Loss

__all__ = ["LinearRls", "RunningMean"]


@parameters
class LinearRlsParameters(Parameters):
    """Parameters of :class:`LinearRls`.

    Parameters
    ----------
    ridge
        Regularisation, 1e-10 to 1e100: the penalty is ``ridge`` times the sum of squared weights.
    intercept
        Whether to add a constant feature, 1. Its weight is penalised like the others.
    n_targets
        Number of labels that a row has. They share the matrix, so that a target more costs O(d) a
        row.
    """

    __slots__ = ()

    ridge: float = 1e-2
    intercept: bool = True
    forward: bool = False
    clip: bool = False
    forgetting: float = 1.0
    loss: Loss | str = "squared"


@learner()
class LinearRls(LinearRlsParameters, Constructed, Learner):
    """Exact linear ridge regression, updated row by row.

    If it does as well as a learner with a kernel, the kernel is not needed. It keeps no rows; a
    row costs O(d^2). Features whose scales differ by 1e9 and more cost digits: scale them.

    With ``forward=True`` and bounded rows and labels, the regret against any linear function is
    O(d ln T) [1]_, [2]_.

    References
    ----------
    .. [1] Volodya Vovk. Competitive On-line Statistics. International Statistical Review 69(2),
       2001.
    .. [2] Katy S. Azoury and Manfred K. Warmuth. Relative Loss Bounds for On-line Density
       Estimation with the Exponential Family of Distributions. Machine Learning 43(3), 2001.

    Examples
    --------
    >>> import nystream
    >>> model = nystream.LinearRls(ridge=1e-6)
    >>> model.learn_many([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0])
    >>> round(model.predict_one([10.0]), 3)
    21.0
    """

    __slots__ = ()

    n_targets: int = 1


@learner()
class RunningMean(Constructed, Learner):
    """The mean of the labels so far, which every other learner should beat.

    Examples
    --------
    >>> import nystream
    >>> nystream.RunningMean().progressive([[0.0], [0.0], [0.0]], [3.0, 5.0, 1.0])
    array([0., 3., 4.])
    """

    __slots__ = ()
