"""Estimators of bounded cost: random features, first rows, sampled rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import nystream
from nystream.sklearn._base import UnweightedRegressor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike


class FogdRegressor(UnweightedRegressor):
    """Gradient descent on random Fourier features.

    :class:`nystream.Fogd` as an estimator; its documentation has the mathematics.

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
    n_frequencies
        Number of frequencies.
    eta
        Rate of the descent.
    random_state
        Seed of the frequencies. None: another one for each ``fit``.
    frequencies
        The frequencies themselves. None: drawn from ``random_state``.

    Attributes
    ----------
    learner_
        The :class:`nystream.Fogd` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import FogdRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = FogdRegressor(n_frequencies=100).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.Fogd

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        n_frequencies: int = 400,
        eta: float = 0.1,
        random_state: int | np.random.RandomState | None = 0,
        frequencies: ArrayLike | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.n_frequencies = n_frequencies
        self.eta = eta
        self.random_state = random_state
        self.frequencies = frequencies


class NogdRegressor(UnweightedRegressor):
    """Gradient descent on the Nyström features of the first rows.

    :class:`nystream.Nogd` as an estimator; its documentation has the mathematics.

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
    budget
        Number of rows to keep.
    rank
        Number of features. None: all that float64 can tell from nothing.
    eta
        Rate of the descent.

    Attributes
    ----------
    learner_
        The :class:`nystream.Nogd` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import NogdRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = NogdRegressor(budget=100).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    >>> model.learner_.n_basis
    100
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.Nogd

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int = 400,
        rank: int | None = None,
        eta: float = 0.1,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.rank = rank
        self.eta = eta


class ProsNKonsRegressor(UnweightedRegressor):
    """Online Newton step on sampled rows, with restarts.

    :class:`nystream.ProsNKons` as an estimator; its documentation has the mathematics.

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
    mu
        Regularisation: what the matrix of the Newton step starts as.
    kors_mu
        Regularisation of the leverage scores: the larger, the fewer rows are kept; the learner's
        ``gamma``.
    beta
        Factor of the leverage scores in the probabilities.
    epsilon
        Accuracy of the leverage scores.
    bound
        Predictions stay within [-bound, bound]. None: the largest magnitude of the first labels.
    eta
        Weight of squared gradients. None: from ``bound``.
    random_state
        Seed of the draws. None: another one for each ``fit``.
    uniforms
        The draws themselves, one for each row to come. None: drawn from ``random_state``.

    Attributes
    ----------
    learner_
        The :class:`nystream.ProsNKons` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import ProsNKonsRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = ProsNKonsRegressor(kors_mu=100.0).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.3)
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.ProsNKons
    _learner_names: ClassVar = {"kors_mu": "gamma"}
    # It forgets all it has learned with every row that it keeps: two hundred rows are too few.
    _poor_score = True

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        mu: float = 1.0,
        kors_mu: float = 1.0,
        beta: float = 1.0,
        epsilon: float = 0.5,
        bound: float | None = None,
        eta: float | None = None,
        random_state: int | np.random.RandomState | None = 0,
        uniforms: ArrayLike | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.mu = mu
        self.kors_mu = kors_mu
        self.beta = beta
        self.epsilon = epsilon
        self.bound = bound
        self.eta = eta
        self.random_state = random_state
        self.uniforms = uniforms


class ConKonsRegressor(UnweightedRegressor):
    """Online Newton step on sampled rows, without restarts.

    :class:`nystream.ConKons` as an estimator; its documentation has the mathematics.

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
    mu
        Regularisation: what the matrix of the Newton step starts as.
    kors_mu
        Regularisation of the leverage scores: the larger, the fewer rows are kept; the learner's
        ``gamma``.
    beta
        Factor of the leverage scores in the probabilities.
    epsilon
        Accuracy of the leverage scores.
    bound
        Predictions stay within [-bound, bound]. None: the largest magnitude of the first labels.
    eta
        Weight of squared gradients. None: from ``bound``.
    random_state
        Seed of the draws. None: another one for each ``fit``.
    uniforms
        The draws themselves, one for each row to come. None: drawn from ``random_state``.

    Attributes
    ----------
    learner_
        The :class:`nystream.ConKons` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import ConKonsRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = ConKonsRegressor().fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.8)
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.ConKons
    _learner_names: ClassVar = {"kors_mu": "gamma"}

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        mu: float = 1.0,
        kors_mu: float = 1.0,
        beta: float = 1.0,
        epsilon: float = 0.5,
        bound: float | None = None,
        eta: float | None = None,
        random_state: int | np.random.RandomState | None = 0,
        uniforms: ArrayLike | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.mu = mu
        self.kors_mu = kors_mu
        self.beta = beta
        self.epsilon = epsilon
        self.bound = bound
        self.eta = eta
        self.random_state = random_state
        self.uniforms = uniforms
