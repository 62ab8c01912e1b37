"""The learners of the paper, on a dictionary that grows by approximate linear dependence (ALD)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from nystream._core import SMALLEST_ALPHA, aogd_ald_settings, nons_ald_settings
from nystream._kernels import Gaussian
from nystream._learners._base import KernelLearner, Parameters, learner
from nystream._parameters import parameters

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import Self

    from nystream._core import Kernel
    from nystream._losses import Loss

__all__ = ["AogdAld", "NonsAld"]


@parameters
class NonsAldParameters(Parameters):
    """Parameters of :class:`NonsAld`.

    Parameters
    ----------
    alpha
        Threshold of approximate linear dependence (ALD), 1e-10 to 1: a row joins the dictionary
        if the squared distance is more than ``alpha`` times the kernel of the row with itself.
        The paper's experiments use 25 / T.
    mu
        Regularisation, 1e-10 to 1e100: the matrix of the Newton step starts as ``mu`` times
        identity. Rows whose kernel value with themselves is more than about 5e13 ``mu`` are
        refused, because float64 could not follow them: scale the features or normalise the kernel.
    bound
        U, positive: predictions stay within [-bound, bound].
    target_bound
        Y, positive: bound on the labels. None: as ``bound``.
    eta
        Weight of squared gradients, positive. None: 1 / (4 (bound^2 + target_bound^2)).
    """

    __slots__ = ()

    alpha: float = 1e-3
    mu: float = 1.0
    bound: float | None = None
    target_bound: float | None = None
    eta: float | None = None
    max_basis: int | None = None
    loss: Loss | str = "squared"


@learner("alpha=1e-2", mse=0.01)
class NonsAld(NonsAldParameters, KernelLearner):
    """NONS-ALD: Nyström online Newton step with an ALD dictionary, Algorithm 3 of [1]_.

    A row joins the dictionary if its kernel function is far from the span of those kept before;
    an online Newton step learns on the coordinates that the dictionary gives. A row costs
    O(dJ + J^2) with J rows kept, however long the stream.

    With the settings of :meth:`for_horizon`, a kernel that is 1 between a row and itself, labels
    within ``target_bound``, at most ``bound``, and no cap, the regret against any function of norm
    at most ``bound`` is nearly the best possible: O(ln^2 T) for exponentially decaying eigenvalues
    of the kernel matrix. A larger ``alpha``, as in the paper's experiments, keeps fewer rows and
    gives up that guarantee.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.
    """

    __slots__ = ()

    bound: float = 1.0

    @classmethod
    def for_horizon(
        cls,
        T: int,
        decay: Literal["exponential", "polynomial"] = "exponential",
        p: float | None = None,
        *,
        kernel: Kernel = Gaussian(),
        bound: float = 1.0,
        target_bound: float | None = None,
        max_basis: int | None = None,
    ) -> Self:
        """Make the learner with the paper's settings for a stream of ``T`` rows.

        If the eigenvalues of the kernel matrix decay exponentially, ``alpha = (ln T / T)^4`` and
        any ``mu``, here 1, give a regret of O(ln^2 T) (Corollary 4.7); if they decay like ``i^-p``,
        ``alpha = T^(-4p / (1 + p))`` and ``mu = T^(1 / (1 + p))`` one of O(T^(1 / (1 + p)) ln T)
        (4.8). An ``alpha`` too small for float64 is raised to 1e-10, with a warning: for
        exponential decay from about 2,500 rows on, where the corollary no longer applies.

        Parameters
        ----------
        T
            Number of rows to come.
        decay, p
            How the eigenvalues decay, and the degree of polynomial decay, at least 1.
        kernel, bound, target_bound, max_basis
            As in the constructor.

        Examples
        --------
        >>> import nystream
        >>> nystream.NonsAld.for_horizon(81, "polynomial", p=1).params["mu"]
        9.0
        """
        alpha, mu = nons_ald_settings(T, decay, p)
        alpha = _resolvable(alpha)
        return cls(
            kernel, alpha=alpha, mu=mu, bound=bound, target_bound=target_bound, max_basis=max_basis
        )


@parameters
class AogdAldParameters(Parameters):
    """Parameters of :class:`AogdAld`.

    Parameters
    ----------
    alpha
        Threshold of approximate linear dependence (ALD), 1e-10 to 1: a row joins the dictionary
        if the squared distance is more than ``alpha`` times the kernel of the row with itself.
        The paper's experiments use 25 / T.
    bound
        U, positive: the hypothesis stays in the ball of this radius.
    switch_at
        B_0: from this many rows on every row is stored, which costs O(dt), and ALD is no longer
        asked. None: never. Cannot be given together with ``max_basis``.
    """

    __slots__ = ()

    alpha: float = 1e-3
    bound: float | None = None
    switch_at: int | None = None
    max_basis: int | None = None
    loss: Loss | str = "squared"


@learner("alpha=1e-2", mse=0.01)
class AogdAld(AogdAldParameters, KernelLearner):
    """AOGD-ALD: kernel gradient descent with an ALD dictionary, Algorithm 1 of [1]_.

    A row joins the dictionary if its kernel function is far from the span of those kept before;
    gradient descent with an adaptive rate learns on the coordinates that the dictionary gives. A
    row costs O(dJ + J^2) with J rows kept.

    With the settings of :meth:`for_horizon` and a kernel that is 1 between a row and itself, the
    regret against any function f of norm at most ``bound`` is O(sqrt(L(f))), where L(f) is its
    loss: small on streams that some f fits well. A larger ``alpha``, as in the paper's
    experiments, keeps fewer rows and gives up that guarantee.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.
    """

    __slots__ = ()

    bound: float = 2.0

    @classmethod
    def for_horizon(
        cls,
        T: int,
        n_features: int,
        *,
        kernel: Kernel = Gaussian(),
        bound: float = 2.0,
    ) -> Self:
        """Make the learner with the paper's settings for a stream of ``T`` rows.

        Theorem 3.2: ``alpha = 1 / T`` and ``switch_at`` at the :meth:`switch_point`.

        Parameters
        ----------
        T
            Number of rows to come.
        n_features
            Their width.
        kernel, bound
            As in the constructor.

        Examples
        --------
        >>> import nystream
        >>> model = nystream.AogdAld.for_horizon(10_000, 8)
        >>> model.params["alpha"], model.params["switch_at"]
        (0.0001, 278)
        """
        alpha, switch_at = aogd_ald_settings(n_features, T)
        return cls(kernel, alpha=_resolvable(alpha), bound=bound, switch_at=switch_at)

    @staticmethod
    def switch_point(n_features: int, T: int) -> int:
        """Size of the dictionary from which it is cheaper to store every row.

        ``B_0 = floor((sqrt(d^2 + 4 d T) - d) / 2)``, of Theorem 3.2.

        Parameters
        ----------
        n_features
            Width of the rows.
        T
            Number of rows to come.

        Examples
        --------
        >>> import nystream
        >>> nystream.AogdAld.switch_point(18, 16599)
        537
        """
        return aogd_ald_settings(n_features, T)[1]


def _resolvable(alpha: float) -> float:
    """Raise an ``alpha`` that float64 cannot tell from 0 to one that it can."""
    if alpha < SMALLEST_ALPHA:
        warnings.warn(
            f"the paper's alpha, {alpha:.3g}, is below what float64 can resolve: "
            f"using {SMALLEST_ALPHA:g}",
            UserWarning,
            stacklevel=3,
        )
    return max(alpha, SMALLEST_ALPHA)
