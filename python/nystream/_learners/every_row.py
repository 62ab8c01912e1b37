"""Learners that store every row: exact, or nearly so, and for short streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nystream._learners._base import KernelLearner, Parameters, learner
from nystream._parameters import parameters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from nystream._losses import Loss

__all__ = ["Kaar", "Kogd", "Kons", "OnlineKrr", "Pkawv", "SketchedKons"]


@parameters
class KogdParameters(Parameters):
    """Parameters of :class:`Kogd`.

    Parameters
    ----------
    bound
        U, positive: the hypothesis stays in the ball of this radius.
    """

    __slots__ = ()

    bound: float | None = None
    max_rows: int | None = None
    loss: Loss | str = "squared"


@learner("max_rows=1000", mse=0.01)
class Kogd(KogdParameters, KernelLearner):
    """KOGD: kernel online gradient descent in a ball, with an adaptive rate [1]_, [2]_.

    It stores every row, and the cost of a row grows with the stream: O(dt) for row t.
    :class:`AogdAld` approximates it with few rows.

    With a kernel that is 1 between a row and itself, the regret against any function f of norm at
    most ``bound`` is O(sqrt(L(f))), where L(f) is its loss: small on streams that some f fits well.

    References
    ----------
    .. [1] Martin Zinkevich. Online Convex Programming and Generalized Infinitesimal Gradient
       Ascent. ICML 2003.
    .. [2] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023, section 3.
    """

    __slots__ = ()

    bound: float = 2.0


@parameters
class KonsParameters(Parameters):
    """Parameters of :class:`Kons`.

    Parameters
    ----------
    eta
        Weight of squared gradients, positive. None: 1 / (8 bound^2), or 1 / 8 without a bound.
    bound
        Positive: predictions stay within [-bound, bound]. None: they are not bounded, as in
        the algorithm of the paper.
    """

    __slots__ = ()

    mu: float = 1.0
    eta: float | None = None
    bound: float | None = None
    max_rows: int | None = None
    loss: Loss | str = "squared"


@learner("bound=1.0", mse=0.01)
class Kons(KonsParameters, KernelLearner):
    """KONS: kernel online Newton step, exact [1]_, Algorithm 2 of [2]_.

    It stores every row, and the cost of a row grows with the stream: O(dt + t^2) for row t.
    :class:`NonsAld` approximates it with few rows.

    With a ``bound`` and labels within it, the regret against any function f that stays within it
    on the rows is O(mu ||f||^2 + d_eff(mu) ln T), where d_eff(mu) is the effective dimension of
    the kernel matrix: O(ln^2 T) for exponentially decaying eigenvalues. Without a ``bound`` there
    is no guarantee.

    References
    ----------
    .. [1] Daniele Calandriello, Alessandro Lazaric and Michal Valko. Second-Order Kernel Online
       Convex Optimization with Adaptive Sketching. ICML 2017.
    .. [2] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.
    """

    __slots__ = ()


@parameters
class KaarParameters(Parameters):
    """Parameters of :class:`Kaar`."""

    __slots__ = ()

    ridge: float = 1e-2
    max_rows: int | None = None


@learner()
class Kaar(KaarParameters, KernelLearner):
    """KAAR: the kernel form of the forecaster of Vovk, Azoury and Warmuth, exact [1]_.

    A prediction is that of ridge regression on all rows so far and, with the label 0, the row
    itself. It shrinks towards 0, so that labels should be centred.

    It stores every row, and the cost of a row grows with the stream: O(dt + t^2) for row t, to
    predict as well as to learn.

    With labels within [-Y, Y] the regret against any function f is
    O(ridge ||f||^2 + Y^2 d_eff(ridge) ln T), where d_eff(ridge) is the effective dimension of the
    kernel matrix: O(ln^2 T) for exponentially decaying eigenvalues. Y need not be known.

    References
    ----------
    .. [1] Alexander Gammerman, Yuri Kalnishkan and Vladimir Vovk. On-line Prediction with Kernels
       and the Complexity Approximation Principle. UAI 2004.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(500)
    >>> y -= 0.6  # about centred
    >>> model = nystream.Kaar(nystream.Gaussian(sigma=1.0), ridge=0.1)
    >>> predictions = model.progressive(X, y)
    >>> bool(((predictions - y) ** 2).mean() < 0.01)
    True
    """

    __slots__ = ()


@parameters
class OnlineKrrParameters(Parameters):
    """Parameters of :class:`OnlineKrr`."""

    __slots__ = ()

    ridge: float = 1e-2
    max_rows: int | None = None


@learner(mse=0.002)
class OnlineKrr(OnlineKrrParameters, KernelLearner):
    """Exact online kernel ridge regression [1]_.

    A prediction is that of kernel ridge regression on all rows so far, with which approximations
    on few rows, such as :class:`RidgeAld`, can be compared.

    It stores every row, and the cost of a row grows with the stream: O(dt + t^2) for row t.

    With labels within [-Y, Y] and predictions clipped to that range, the regret against any
    function f is O(ridge ||f||^2 + Y^2 d_eff(ridge) ln T), where d_eff(ridge) is the effective
    dimension of the kernel matrix: O(ln^2 T) for exponentially decaying eigenvalues. The learner
    does not clip; its predictions can be clipped afterwards, which does not change what it learns.

    ``predict_one`` and ``predict_many`` cost O(dt): they evaluate a kernel expansion, whose digits
    go with the ridge (with 1e-9 there are about six).

    References
    ----------
    .. [1] Fedor Zhdanov and Yuri Kalnishkan. An Identity for Kernel Ridge Regression. Theoretical
       Computer Science 473, 2013.
    """

    __slots__ = ()


@parameters
class SketchedKonsParameters(Parameters):
    """Parameters of :class:`SketchedKons`.

    Parameters
    ----------
    gamma
        The least probability with which a gradient enters the matrix, above 0 and at most 1.
    eta
        Weight of squared gradients, positive. None: 1 / (8 bound^2).
    uniforms
        The draws themselves, a number in [0, 1) for each row: the gradient of row t enters the
        matrix if ``uniforms[t]`` is below its probability. There must be one for every row
        learned; otherwise learning raises ValueError. None: drawn from ``random_state``.
    """

    __slots__ = ()

    mu: float = 1.0
    beta: float = 1.0
    epsilon: float = 0.5
    bound: float | None = None
    eta: float | None = None
    random_state: int | np.random.RandomState | None = 0
    uniforms: ArrayLike | None = None
    max_rows: int | None = None


@learner("gamma=0.5", mse=0.01)
class SketchedKons(SketchedKonsParameters, KernelLearner):
    """Sketched-KONS: kernel online Newton step with a sampled matrix [1]_.

    As :class:`Kons` with a bound, but a gradient enters the matrix of the Newton step only with
    probability ``max(min(beta tau, 1), gamma)``, where tau is its ridge leverage score.

    It stores every row, and the cost of a row grows with the stream: O(dt + m^2) for row t with m
    gradients in the matrix, which are at least about ``gamma`` t.

    With labels within ``bound`` and ``beta`` of the order of ln T, the regret is with high
    probability 1 / ``gamma`` times that of :class:`Kons`: O(ln^2 T / gamma) for exponentially
    decaying eigenvalues of the kernel matrix. A smaller ``beta`` gives up that guarantee.

    References
    ----------
    .. [1] Daniele Calandriello, Alessandro Lazaric and Michal Valko. Second-Order Kernel Online
       Convex Optimization with Adaptive Sketching. ICML 2017.
    """

    __slots__ = ()

    gamma: float = 0.1
    bound: float = 1.0
    random_state: int = 0


@parameters
class PkawvParameters(Parameters):
    """Parameters of :class:`Pkawv`.

    Parameters
    ----------
    kors_mu
        Regularisation of the leverage scores, positive; the larger, the fewer rows are sampled.
        Other learners call it ``gamma``.
    """

    __slots__ = ()

    ridge: float = 1e-2
    kors_mu: float = 1.0
    beta: float = 1.0
    epsilon: float = 0.5
    random_state: int | np.random.RandomState | None = 0
    uniforms: ArrayLike | None = None
    max_rows: int | None = None


@learner()
class Pkawv(PkawvParameters, KernelLearner):
    """PKAWV: the forecaster of Vovk, Azoury and Warmuth on the span of sampled rows [1]_.

    Kernel online row sampling (KORS) chooses rows by their ridge leverage scores; ``basis`` has
    the chosen ones. A prediction is that of ridge regression, over functions in their span, on
    all rows so far and, with the label 0, the row itself. It shrinks towards 0, so that labels
    should be centred.

    It stores every row, because the past is embedded anew when the span grows, and the cost of a
    row grows with the stream: with J rows sampled, O(dt + tJ) for row t if it is sampled, to
    predict as well as to learn, and O(dJ + J^2) if not. A row that is sampled but, to one part in
    1e8 of its kernel value, in the span of those sampled before adds no dimension to it.

    With bounded labels, ``beta`` of the order of ln T and ``kors_mu`` small enough, the regret is
    with high probability that of :class:`Kaar`: O(ln^2 T) for exponentially decaying eigenvalues
    of the kernel matrix. A smaller ``beta`` or a larger ``kors_mu`` keeps fewer rows and gives up
    that guarantee.

    References
    ----------
    .. [1] Rémi Jézéquel, Pierre Gaillard and Alessandro Rudi. Efficient Online Learning with
       Kernels for Adversarial Large Scale Problems. NeurIPS 2019.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(500)
    >>> y -= 0.6  # about centred
    >>> model = nystream.Pkawv(nystream.Gaussian(sigma=1.0))
    >>> predictions = model.progressive(X, y)
    >>> bool(((predictions - y) ** 2).mean() < 0.01)
    True
    >>> model.n_basis < 200
    True
    """

    __slots__ = ()

    random_state: int = 0
