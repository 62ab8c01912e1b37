"""Learners of bounded cost without ALD: random features, first rows, sampled rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nystream._learners._base import KernelLearner, Parameters, learner
from nystream._parameters import parameters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from nystream._losses import Loss

__all__ = ["ConKons", "Fogd", "Nogd", "ProsNKons"]


@parameters
class FogdParameters(Parameters):
    """Parameters of :class:`Fogd`.

    Parameters
    ----------
    kernel
        The kernel, shift-invariant: Gaussian, Laplacian, Matern32, Matern52 or RationalQuadratic.
        Others raise ValueError.
    n_frequencies
        D, the number of frequencies.
    eta
        Rate, positive. Above 1 the descent diverges.
    random_state
        Seed of the frequencies, a whole number, not negative. The same number gives the same
        frequencies on every platform, and so the same result to rounding.
    frequencies
        The frequencies themselves, of shape (D, d); ``n_frequencies`` and ``random_state`` are
        then not used. None: drawn from ``random_state``.
    """

    __slots__ = ()

    n_frequencies: int = 400
    eta: float = 0.1
    random_state: int | np.random.RandomState | None = 0
    frequencies: ArrayLike | None = None
    loss: Loss | str = "squared"


@learner()
class Fogd(FogdParameters, KernelLearner):
    """FOGD: gradient descent on random Fourier features [1]_.

    D frequencies drawn from the spectral density of the kernel give 2D features, cosines and
    sines divided by sqrt(D), whose inner products are the kernel on average; gradient descent with
    a constant rate learns on them. It keeps no rows; a row costs O(dD).

    With a suitable ``eta``, of the order of 1 / sqrt(T), the regret against a function f with loss
    L(f) is with high probability O(sqrt(T L(f) / D)) up to logarithms: for the regret of
    :class:`Kogd` D would have to grow like T.

    References
    ----------
    .. [1] Jing Lu, Steven C. H. Hoi, Jialei Wang, Peilin Zhao and Zhi-Yong Liu. Large Scale Online
       Kernel Learning. JMLR 17(47), 2016.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = nystream.Fogd(nystream.Gaussian(sigma=1.0), n_frequencies=100)
    >>> predictions = model.progressive(X, y)
    >>> bool(((predictions - y) ** 2).mean() < 0.02)
    True
    >>> model.n_basis
    0
    >>> model = nystream.Fogd(frequencies=[[1.0], [2.0]], eta=0.1)
    >>> model.learn_one([0.0], 1.0)
    >>> round(model.predict_one([0.0]), 6)
    0.2
    """

    __slots__ = ()

    random_state: int = 0


@parameters
class NogdParameters(Parameters):
    """Parameters of :class:`Nogd`.

    Parameters
    ----------
    budget
        B, the number of rows to keep.
    rank
        r, the number of features: those of the largest eigenvalues of the kernel matrix. None:
        all eigenvalues above 1e-10 of the largest.
    eta
        Rate, positive. If it is above 1 over the kernel value of a row with itself, the descent
        diverges.
    """

    __slots__ = ()

    budget: int = 400
    rank: int | None = None
    eta: float = 0.1
    loss: Loss | str = "squared"


@learner("budget=100", mse=0.01)
class Nogd(NogdParameters, KernelLearner):
    """NOGD: gradient descent on the Nyström features of the first rows [1]_.

    The first B = ``budget`` rows are all kept, and kernel gradient descent with a constant rate
    learns them. Then their kernel matrix is decomposed, which costs O(B^3) once, and gradient
    descent goes on from the same function on the r = ``rank`` features that it gives: a row costs
    O(dB + rB). Features of later rows that the first rows lack are never represented.

    With ``eta`` of the order of 1 / sqrt(T) the regret against functions of the features is
    O(sqrt(T)). Against other functions the error of the features comes on top, which nothing
    bounds on an arbitrary stream.

    References
    ----------
    .. [1] Jing Lu, Steven C. H. Hoi, Jialei Wang, Peilin Zhao and Zhi-Yong Liu. Large Scale Online
       Kernel Learning. JMLR 17(47), 2016.
    """

    __slots__ = ()


@parameters
class ProsNKonsParameters(Parameters):
    """Parameters of :class:`ProsNKons`.

    Parameters
    ----------
    eta
        Weight of squared gradients, positive. None: 1 / (16 bound^2).
    """

    __slots__ = ()

    mu: float = 1.0
    beta: float = 1.0
    epsilon: float = 0.5
    bound: float | None = None
    eta: float | None = None
    random_state: int | np.random.RandomState | None = 0
    uniforms: ArrayLike | None = None
    loss: Loss | str = "squared"


@learner("uniforms=[0.5] * 1000", mse=0.03)
class ProsNKons(ProsNKonsParameters, KernelLearner):
    """PROS-N-KONS: online Newton step on sampled rows, with restarts [1]_.

    Kernel online row sampling (KORS) keeps a row with probability ``min(beta tau, 1)``, where tau
    is its ridge leverage score; an online Newton step learns in the Nyström space of the rows
    kept. When a row is kept the space changes and the Newton step starts again from 0, so that
    all it has learned is forgotten: on short streams it restarts too often to learn much. A row
    costs O(dJ + J^2) with J rows kept; nothing limits J, but leverage scores fall as it grows.

    A kept row that lies in the span of those kept before, to one part in 1e8 of its kernel value,
    counts for the probabilities but adds no dimension: float64 could not tell it from rounding.

    With labels within ``bound`` and ``beta`` of the order of ln T, the regret is with high
    probability that of :class:`Kons` times about the number of restarts: O(ln^5 T) for
    exponentially decaying eigenvalues of the kernel matrix. A smaller ``beta`` gives up that
    guarantee.

    References
    ----------
    .. [1] Daniele Calandriello, Alessandro Lazaric and Michal Valko. Efficient Second-Order Online
       Kernel Learning with Adaptive Embedding. NeurIPS 2017.
    """

    __slots__ = ()

    gamma: float = 1.0
    bound: float = 1.0
    random_state: int = 0


@parameters
class ConKonsParameters(ProsNKonsParameters):
    """Parameters of :class:`ConKons`.

    Parameters
    ----------
    bound
        Positive: predictions stay within [-bound, bound], but for the round after a row was kept,
        which does not project.
    """

    __slots__ = ()


@learner(mse=0.01)
class ConKons(ConKonsParameters, KernelLearner):
    """CON-KONS: online Newton step on sampled rows, without restarts [1]_.

    As :class:`ProsNKons`, but when a row is kept, matrix and weights of the Newton step are
    carried over to the new space. A row costs O(dJ + J^2) with J rows kept. It is the variant of
    the experiments in [1]_: often far better, but without a known guarantee.

    References
    ----------
    .. [1] Daniele Calandriello, Alessandro Lazaric and Michal Valko. Efficient Second-Order Online
       Kernel Learning with Adaptive Embedding. NeurIPS 2017.
    """

    __slots__ = ()

    gamma: float = 1.0
    bound: float = 1.0
    random_state: int = 0
