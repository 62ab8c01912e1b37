"""Estimators on a dictionary that grows by approximate linear dependence (ALD)."""

from __future__ import annotations

import nystream
from nystream.sklearn._base import IntervalRegressor, UnweightedRegressor, WeightedRegressor


class NonsAldRegressor(UnweightedRegressor):
    """Online Newton step on a dictionary of few rows.

    :class:`nystream.NonsAld` as an estimator; its documentation has the mathematics.

    Parameters
    ----------
    kernel
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", or a
        :class:`nystream.Kernel`, which has its own parameters.
    gamma
        "median", "scale" or a positive number: how narrow the kernel is; :mod:`nystream.sklearn`
        tells what it means for each.
    sigma
        The width of a kernel of distances, in place of ``gamma``.
    degree, coef0
        Of the kernel "poly".
    alpha
        Threshold of the dictionary, 1e-10 to 1: the smaller, the more rows are kept.
    mu
        Regularisation: what the matrix of the Newton step starts as.
    bound
        Predictions stay within [-bound, bound]. None: the largest magnitude of the first labels.
    target_bound
        Bound on the labels. None: as ``bound``.
    eta
        Weight of squared gradients. None: from ``bound`` and ``target_bound``.
    max_basis
        The most rows to keep. None: no cap.

    Attributes
    ----------
    learner_
        The :class:`nystream.NonsAld` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import NonsAldRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = NonsAldRegressor(alpha=1e-2).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.8)
    True
    >>> model.learner_.n_basis < 100
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.NonsAld

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        alpha: float = 1e-3,
        mu: float = 1.0,
        bound: float | None = None,
        target_bound: float | None = None,
        eta: float | None = None,
        max_basis: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.mu = mu
        self.bound = bound
        self.target_bound = target_bound
        self.eta = eta
        self.max_basis = max_basis


class AogdAldRegressor(UnweightedRegressor):
    """Gradient descent on a dictionary of few rows.

    :class:`nystream.AogdAld` as an estimator; its documentation has the mathematics.

    Parameters
    ----------
    kernel
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", or a
        :class:`nystream.Kernel`, which has its own parameters.
    gamma
        "median", "scale" or a positive number: how narrow the kernel is; :mod:`nystream.sklearn`
        tells what it means for each.
    sigma
        The width of a kernel of distances, in place of ``gamma``.
    degree, coef0
        Of the kernel "poly".
    alpha
        Threshold of the dictionary, 1e-10 to 1: the smaller, the more rows are kept.
    bound
        Radius of the ball in which the function stays. None: twice the largest magnitude of the
        first labels.
    switch_at
        From this many rows on every row is stored. None: never.
    max_basis
        The most rows to keep. None: no cap.

    Attributes
    ----------
    learner_
        The :class:`nystream.AogdAld` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import AogdAldRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = AogdAldRegressor().fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.85)
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.AogdAld
    _unit_bound = 2.0

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        alpha: float = 1e-3,
        bound: float | None = None,
        switch_at: int | None = None,
        max_basis: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.bound = bound
        self.switch_at = switch_at
        self.max_basis = max_basis


class RidgeAldRegressor(IntervalRegressor, WeightedRegressor):
    """Ridge regression on a dictionary of few rows: the one to tune first.

    :class:`nystream.RidgeAld` as an estimator; its documentation has the mathematics. Labels may
    have several columns.

    Parameters
    ----------
    kernel
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", or a
        :class:`nystream.Kernel`, which has its own parameters.
    gamma
        "median", "scale" or a positive number: how narrow the kernel is; :mod:`nystream.sklearn`
        tells what it means for each.
    sigma
        The width of a kernel of distances, in place of ``gamma``.
    degree, coef0
        Of the kernel "poly".
    alpha
        Threshold of the dictionary, 1e-10 to 1: the smaller, the more rows are kept.
    ridge
        Regularisation: the penalty on the squared norm of the function.
    forward
        Whether to predict as Vovk, Azoury and Warmuth do; labels should then be centred.
    clip
        Whether to keep predictions within the range of the labels seen so far.
    max_basis
        The most rows to keep. None: no cap.
    policy
        What happens at the cap. "freeze": the rows kept stay. "replace": a row that should join
        takes the place of the one that is missed least.
    forgetting
        How much a row counts a row later, 0.5 to 1: with 0.999, half after 693 rows. 1 forgets
        nothing.

    Attributes
    ----------
    learner_
        The :class:`nystream.RidgeAld` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import RidgeAldRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = RidgeAldRegressor(alpha=1e-2).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.97)
    True
    >>> model.learner_.n_basis < 100
    True
    >>> model.partial_fit(X[800:], y[800:]).learner_.n_seen
    1000
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.RidgeAld
    _several_targets = True

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        alpha: float = 1e-3,
        ridge: float = 1e-2,
        forward: bool = False,
        clip: bool = False,
        max_basis: int | None = None,
        policy: str = "freeze",
        forgetting: float = 1.0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.ridge = ridge
        self.forward = forward
        self.clip = clip
        self.max_basis = max_basis
        self.policy = policy
        self.forgetting = forgetting


class KrlsAldRegressor(IntervalRegressor, WeightedRegressor):
    """Kernel recursive least squares, without a ridge, on a dictionary of few rows.

    :class:`nystream.KrlsAld` as an estimator; its documentation has the mathematics.

    Parameters
    ----------
    kernel
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", or a
        :class:`nystream.Kernel`, which has its own parameters.
    gamma
        "median", "scale" or a positive number: how narrow the kernel is; :mod:`nystream.sklearn`
        tells what it means for each.
    sigma
        The width of a kernel of distances, in place of ``gamma``.
    degree, coef0
        Of the kernel "poly".
    alpha
        Threshold of the dictionary, 1e-10 to 1: the smaller, the more rows are kept.
    max_basis
        The most rows to keep. None: no cap.

    Attributes
    ----------
    learner_
        The :class:`nystream.KrlsAld` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import KrlsAldRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = KrlsAldRegressor(alpha=1e-2).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.97)
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.KrlsAld

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        alpha: float = 1e-3,
        max_basis: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.max_basis = max_basis
