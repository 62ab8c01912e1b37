"""Least squares on a dictionary that grows by approximate linear dependence (ALD)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nystream._core import merge_learners
from nystream._learners._base import KernelLearner, Parameters, learner
from nystream._parameters import parameters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Self

    from nystream._losses import Loss

__all__ = ["KrlsAld", "RidgeAld"]


@parameters
class RidgeAldParameters(Parameters):
    """Parameters of :class:`RidgeAld`.

    Parameters
    ----------
    max_basis
        The most rows to keep. None: no cap.
    policy
        What happens at the cap. ``"freeze"``: the dictionary stays as it is, and further rows are
        learned through their projection. ``"replace"``: a row that should join takes the place of
        the one whose removal raises the regularised squared error of the past least; what was
        learned is projected onto the others, exactly. This costs O(J^3) whenever it happens, and
        follows rows that move to where none were kept.
    n_targets
        Number of labels that a row has. They share dictionary and matrices, so that a target more
        costs O(J) a row.
    """

    __slots__ = ()

    alpha: float = 1e-3
    ridge: float = 1e-2
    forward: bool = False
    clip: bool = False
    max_basis: int | None = None
    policy: str = "freeze"
    forgetting: float = 1.0
    loss: Loss | str = "squared"


@learner()
class RidgeAld(RidgeAldParameters, KernelLearner):
    """Recursive least squares with a ridge on an ALD dictionary.

    A row joins the dictionary if its kernel function is far from the span of those kept before;
    ridge regression, updated row by row, learns on the coordinates that the dictionary gives. The
    square loss is not linearised, and no bound on labels or functions has to be known. A row costs
    O(dJ + J^2) with J rows kept, however long the stream.

    With ``forward=True``, a kernel that is 1 between a row and itself and labels within [-Y, Y],
    the regret against any function f of the dictionary's coordinates is at most
    ``ridge ||f||^2 + Y^2 J ln(1 + T / (J ridge))`` [1]_, [2]_: logarithmic in T once J has stopped
    growing. Without it nothing is promised, but labels need not be centred and predictions are
    often better.

    References
    ----------
    .. [1] Volodya Vovk. Competitive On-line Statistics. International Statistical Review 69(2),
       2001.
    .. [2] Katy S. Azoury and Manfred K. Warmuth. Relative Loss Bounds for On-line Density
       Estimation with the Exponential Family of Distributions. Machine Learning 43(3), 2001.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = nystream.RidgeAld(nystream.Gaussian(sigma=1.0), alpha=1e-2)
    >>> predictions = model.progressive(X, y)
    >>> bool(((predictions - y) ** 2).mean() < 0.002)
    True
    >>> model.n_basis < 200
    True
    """

    __slots__ = ()

    n_targets: int = 1

    @classmethod
    def merge(cls, models: Iterable[RidgeAld]) -> Self:
        """Make one model of several that have learned parts of a stream, side by side.

        It predicts nearly as one that has learned all rows, and goes on learning. Of the rows
        that the models keep it keeps as many as ALD takes, at most ``max_basis``: those without
        which the regularised squared error would rise most. What each model has learned is
        projected onto their span and added up, so that rows count as they do in the models. This
        costs O(J^3) with the J rows of all models together, and leaves the models as they are.

        With ``forgetting`` the models are taken to be up to date at the same time: their last rows
        count once. So two models remember twice as many rows as one; what is learned after the
        merge is one stream again. ``clip`` goes by the labels of all, and intervals by the last
        errors of each, in turn.

        Parameters
        ----------
        models
            The models: all with the same parameters, for rows of the same width, and with the same
            names of features, if any. One that has seen nothing adds nothing; one alone is copied.

        Examples
        --------
        >>> import nystream
        >>> X, y = nystream.datasets.friedman(4000)
        >>> shards = [nystream.RidgeAld(nystream.Gaussian(sigma=4.0)) for _ in range(2)]
        >>> for i, shard in enumerate(shards):
        ...     shard.learn_many(X[i:3000:2], y[i:3000:2])
        >>> model = nystream.RidgeAld.merge(shards)
        >>> model.n_seen
        3000
        >>> whole = nystream.RidgeAld(nystream.Gaussian(sigma=4.0))
        >>> whole.learn_many(X[:3000], y[:3000])
        >>> mse = [((m.predict_many(X[3000:]) - y[3000:]) ** 2).mean() for m in (model, whole)]
        >>> bool(mse[0] < 1.02 * mse[1])
        True
        """
        return merge_learners(cls, models)


@parameters
class KrlsAldParameters(Parameters):
    """Parameters of :class:`KrlsAld`."""

    __slots__ = ()

    alpha: float = 1e-3
    max_basis: int | None = None


@learner("alpha=1e-2", mse=0.002)
class KrlsAld(KrlsAldParameters, KernelLearner):
    """KRLS: kernel recursive least squares with an ALD dictionary [1]_.

    A row joins the dictionary if its kernel function is far from the span of those kept before; a
    row that joins is fitted exactly, and least squares learns the others. Only the dictionary
    regularises: if labels are noisy or ``alpha`` is small, :class:`RidgeAld` is the safer choice.
    A row costs O(dJ + J^2) with J rows kept, however long the stream. No regret bound is known.

    References
    ----------
    .. [1] Yaakov Engel, Shie Mannor and Ron Meir. The Kernel Recursive Least-Squares Algorithm.
       IEEE Transactions on Signal Processing 52(8), 2004.
    """

    __slots__ = ()
