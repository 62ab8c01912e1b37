"""Learners whose dictionary grows by approximate linear dependence (ALD)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from nystream._core import (
    SMALLEST_ALPHA,
    Learner,
    aogd_ald_settings,
    merge_learners,
    nons_ald_settings,
)
from nystream._kernels import Gaussian

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from typing_extensions import Self

    from nystream._core import Kernel


class NonsAld(Learner):
    """NONS-ALD: Nyström online Newton step with an ALD dictionary, Algorithm 3 of [1]_.

    A row joins the dictionary if its kernel function is far from the span of those kept before;
    an online Newton step learns on the coordinates that the dictionary gives. A row costs
    O(dJ + J^2) with J rows kept, however long the stream.

    With the settings of :meth:`for_horizon`, a kernel that is 1 between a row and itself, labels
    within ``target_bound``, at most ``bound``, and no cap, the regret against any function of norm
    at most ``bound`` is nearly the best possible: O(ln^2 T) for exponentially decaying eigenvalues
    of the kernel matrix. A larger ``alpha``, as in the paper's experiments, keeps fewer rows and
    gives up that guarantee.

    Parameters
    ----------
    kernel
        The kernel.
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
        Weight of squared gradients, positive. None: 1 / (4 (U^2 + Y^2)).
    max_basis
        The most rows to keep. At the cap the dictionary stops growing and further rows are
        learned through their projection. None: no cap.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(2000)
    >>> model = nystream.NonsAld(nystream.Gaussian(sigma=1.0), alpha=1e-2)
    >>> predictions = model.progressive(X, y)
    >>> model.n_seen, model.n_features
    (2000, 8)
    >>> bool(((predictions - y) ** 2).mean() < 0.01)
    True
    """

    __module__ = "nystream"
    __slots__ = ()

    def __new__(
        cls,
        kernel: Kernel = Gaussian(),
        *,
        alpha: float = 1e-3,
        mu: float = 1.0,
        bound: float = 1.0,
        target_bound: float | None = None,
        eta: float | None = None,
        max_basis: int | None = None,
    ) -> Self:
        return super().__new__(
            cls,
            "NonsAld",
            kernel=kernel,
            alpha=alpha,
            mu=mu,
            bound=bound,
            target_bound=target_bound,
            eta=eta,
            max_basis=max_basis,
        )

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

        Corollary 4.7: if the eigenvalues of the kernel matrix decay exponentially,
        ``alpha = (ln T / T)^4`` and any ``mu``, here 1, give a regret of O(ln^2 T). Corollary 4.8:
        if they decay like ``i^-p``, ``alpha = T^(-4p / (1 + p))`` and ``mu = T^(1 / (1 + p))``
        give O(T^(1 / (1 + p)) ln T).

        An ``alpha`` too small for float64 is raised to 1e-10, with a warning: for exponential
        decay this is so from about 2,500 rows on, and the corollary no longer applies.

        Parameters
        ----------
        T
            Number of rows to come.
        decay
            How the eigenvalues of the kernel matrix decay.
        p
            Degree of polynomial decay, at least 1.
        kernel, bound, target_bound, max_basis
            As in the constructor.

        Examples
        --------
        >>> import nystream
        >>> model = nystream.NonsAld.for_horizon(1000)
        >>> round(model.params["alpha"] * 1e9, 3)
        2.277
        >>> nystream.NonsAld.for_horizon(81, "polynomial", p=1).params["mu"]
        9.0
        """
        alpha, mu = nons_ald_settings(T, decay, p)
        return cls(
            kernel,
            alpha=_resolvable(alpha),
            mu=mu,
            bound=bound,
            target_bound=target_bound,
            max_basis=max_basis,
        )


class AogdAld(Learner):
    """AOGD-ALD: kernel gradient descent with an ALD dictionary, Algorithm 1 of [1]_.

    A row joins the dictionary if its kernel function is far from the span of those kept before;
    gradient descent with an adaptive rate learns on the coordinates that the dictionary gives. A
    row costs O(dJ + J^2) with J rows kept.

    With the settings of :meth:`for_horizon` and a kernel that is 1 between a row and itself, the
    regret against any function f of norm at most ``bound`` is O(sqrt(L(f))), where L(f) is its
    loss: small on streams that some f fits well. A larger ``alpha``, as in the paper's
    experiments, keeps fewer rows and gives up that guarantee.

    Parameters
    ----------
    kernel
        The kernel.
    alpha
        Threshold of approximate linear dependence (ALD), 1e-10 to 1: a row joins the dictionary
        if the squared distance is more than ``alpha`` times the kernel of the row with itself.
        The paper's experiments use 25 / T.
    bound
        U, positive: the hypothesis stays in the ball of this radius.
    switch_at
        B_0: from this many rows on every row is stored, which costs O(dt), and ALD is no longer
        asked. None: never. Cannot be given together with ``max_basis``.
    max_basis
        The most rows to keep. At the cap the dictionary stops growing and further rows are
        learned through their projection. None: no cap.

    References
    ----------
    .. [1] Junfan Li and Shizhong Liao. Nearly Optimal Algorithms with Sublinear Computational
       Complexity for Online Kernel Regression. ICML 2023.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(2000)
    >>> model = nystream.AogdAld(nystream.Gaussian(sigma=1.0), alpha=1e-2)
    >>> predictions = model.progressive(X, y)
    >>> bool(((predictions - y) ** 2).mean() < 0.02)
    True
    """

    __module__ = "nystream"
    __slots__ = ()

    def __new__(
        cls,
        kernel: Kernel = Gaussian(),
        *,
        alpha: float = 1e-3,
        bound: float = 2.0,
        switch_at: int | None = None,
        max_basis: int | None = None,
    ) -> Self:
        return super().__new__(
            cls,
            "AogdAld",
            kernel=kernel,
            alpha=alpha,
            bound=bound,
            switch_at=switch_at,
            max_basis=max_basis,
        )

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


class RidgeAld(Learner):
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

    Parameters
    ----------
    kernel
        The kernel.
    alpha
        Threshold of approximate linear dependence (ALD), 1e-10 to 1: a row joins the dictionary
        if the squared distance is more than ``alpha`` times the kernel of the row with itself.
    ridge
        Regularisation, 1e-10 to 1e100: the penalty is ``ridge`` times the squared norm of the
        function.
    forward
        Whether to predict as Vovk, Azoury and Warmuth do: the prediction of least squares divided
        by 1 + q, where q is larger the less is known about the row. It shrinks towards 0, so that
        labels should be centred.
    clip
        Whether to keep predictions within the range of the labels seen so far.
    max_basis
        The most rows to keep. None: no cap.
    policy
        What happens at the cap. ``"freeze"``: the dictionary stays as it is, and further rows are
        learned through their projection. ``"replace"``: a row that should join takes the place of
        the one whose removal raises the regularised squared error of the past least; what was
        learned is projected onto the others, exactly. This costs O(J^3) whenever it happens, and
        follows rows that move to where none were kept.
    forgetting
        How much a row counts a row later, 0.5 to 1: with 0.999, half after 693 rows. 1 forgets
        nothing. The ridge is not forgotten: it stays between half of ``ridge`` and ``ridge``, so
        that nothing fades away where no rows come, however long the stream.
    n_targets
        Number of labels that a row has. They share dictionary and matrices, so that a target more
        costs O(J) a row.

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

    __module__ = "nystream"
    __slots__ = ()

    def __new__(
        cls,
        kernel: Kernel = Gaussian(),
        *,
        alpha: float = 1e-3,
        ridge: float = 1e-2,
        forward: bool = False,
        clip: bool = False,
        max_basis: int | None = None,
        policy: str = "freeze",
        forgetting: float = 1.0,
        n_targets: int = 1,
    ) -> Self:
        return super().__new__(
            cls,
            "RidgeAld",
            kernel=kernel,
            alpha=alpha,
            ridge=ridge,
            forward=forward,
            clip=clip,
            max_basis=max_basis,
            policy=policy,
            forgetting=forgetting,
            n_targets=n_targets,
        )

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


class KrlsAld(Learner):
    """KRLS: kernel recursive least squares with an ALD dictionary [1]_.

    A row joins the dictionary if its kernel function is far from the span of those kept before; a
    row that joins is fitted exactly, and least squares learns the others. Only the dictionary
    regularises: if labels are noisy or ``alpha`` is small, :class:`RidgeAld` is the safer choice.
    A row costs O(dJ + J^2) with J rows kept, however long the stream. No regret bound is known.

    Parameters
    ----------
    kernel
        The kernel.
    alpha
        Threshold of approximate linear dependence (ALD), 1e-10 to 1: a row joins the dictionary
        if the squared distance is more than ``alpha`` times the kernel of the row with itself.
    max_basis
        The most rows to keep. At the cap the dictionary stops growing and further rows are
        learned through their projection. None: no cap.

    References
    ----------
    .. [1] Yaakov Engel, Shie Mannor and Ron Meir. The Kernel Recursive Least-Squares Algorithm.
       IEEE Transactions on Signal Processing 52(8), 2004.

    Examples
    --------
    >>> import nystream
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = nystream.KrlsAld(nystream.Gaussian(sigma=1.0), alpha=1e-2)
    >>> predictions = model.progressive(X, y)
    >>> bool(((predictions - y) ** 2).mean() < 0.002)
    True
    """

    __module__ = "nystream"
    __slots__ = ()

    def __new__(
        cls,
        kernel: Kernel = Gaussian(),
        *,
        alpha: float = 1e-3,
        max_basis: int | None = None,
    ) -> Self:
        return super().__new__(
            cls,
            "KrlsAld",
            kernel=kernel,
            alpha=alpha,
            max_basis=max_basis,
        )


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
