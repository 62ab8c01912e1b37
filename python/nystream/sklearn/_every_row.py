"""Estimators that store every row: exact, or nearly so, and for few rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import nystream
from nystream.sklearn._base import IntervalRegressor, UnweightedRegressor, WeightedRegressor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class KogdRegressor(UnweightedRegressor):
    """Kernel gradient descent on every row.

    :class:`nystream.Kogd` as an estimator; its documentation has the mathematics.

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
    bound
        Radius of the ball in which the function stays. None: twice the largest magnitude of the
        first labels.
    max_rows
        The most rows to store; a call that would go beyond it raises ValueError. None: no limit.

    Attributes
    ----------
    learner_
        The :class:`nystream.Kogd` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import KogdRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = KogdRegressor().fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.Kogd
    _unit_bound = 2.0

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        bound: float | None = None,
        max_rows: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.bound = bound
        self.max_rows = max_rows


class KonsRegressor(UnweightedRegressor):
    """Kernel online Newton step on every row.

    :class:`nystream.Kons` as an estimator; its documentation has the mathematics.

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
    eta
        Weight of squared gradients. None: from ``bound``.
    bound
        Predictions stay within [-bound, bound]; infinity: they are not bounded. None: the largest
        magnitude of the first labels.
    max_rows
        The most rows to store; a call that would go beyond it raises ValueError. None: no limit.

    Attributes
    ----------
    learner_
        The :class:`nystream.Kons` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import KonsRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = KonsRegressor(kernel="laplacian", gamma="median").fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.Kons

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        mu: float = 1.0,
        eta: float | None = None,
        bound: float | None = None,
        max_rows: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.mu = mu
        self.eta = eta
        self.bound = bound
        self.max_rows = max_rows

    def _bound(self, y: NDArray[Any]) -> Any:
        bound = super()._bound(y)
        return None if bound == math.inf else bound


class KaarRegressor(IntervalRegressor, WeightedRegressor):
    """Kernel forecaster of Vovk, Azoury and Warmuth on every row; labels should be centred.

    :class:`nystream.Kaar` as an estimator; its documentation has the mathematics.

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
    ridge
        Regularisation: the penalty on the squared norm of the function.
    max_rows
        The most rows to store; a call that would go beyond it raises ValueError. None: no limit.

    Attributes
    ----------
    learner_
        The :class:`nystream.Kaar` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import KaarRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> y -= y.mean()
    >>> model = KaarRegressor().fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.Kaar

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        ridge: float = 1e-2,
        max_rows: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.ridge = ridge
        self.max_rows = max_rows


class OnlineKrrRegressor(IntervalRegressor, WeightedRegressor):
    """Exact kernel ridge regression.

    :class:`nystream.OnlineKrr` as an estimator; its documentation has the mathematics.

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
    ridge
        Regularisation: the penalty on the squared norm of the function.
    max_rows
        The most rows to store; a call that would go beyond it raises ValueError. None: no limit.

    Attributes
    ----------
    learner_
        The :class:`nystream.OnlineKrr` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import OnlineKrrRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = OnlineKrrRegressor(kernel="matern52").fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.99)
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.OnlineKrr

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        ridge: float = 1e-2,
        max_rows: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.ridge = ridge
        self.max_rows = max_rows


class SketchedKonsRegressor(UnweightedRegressor):
    """Kernel online Newton step with a sampled matrix.

    :class:`nystream.SketchedKons` as an estimator; its documentation has the mathematics.

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
    min_probability
        The least probability with which a gradient enters the matrix: the learner's ``gamma``.
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
    max_rows
        The most rows to store; a call that would go beyond it raises ValueError. None: no limit.

    Attributes
    ----------
    learner_
        The :class:`nystream.SketchedKons` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import SketchedKonsRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = SketchedKonsRegressor(min_probability=0.5).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.7)
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.SketchedKons
    _learner_names: ClassVar = {"min_probability": "gamma"}
    # With the learner's defaults few gradients enter the matrix in as many rows as the check has.
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
        min_probability: float = 0.1,
        beta: float = 1.0,
        epsilon: float = 0.5,
        bound: float | None = None,
        eta: float | None = None,
        random_state: int | np.random.RandomState | None = 0,
        uniforms: ArrayLike | None = None,
        max_rows: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.mu = mu
        self.min_probability = min_probability
        self.beta = beta
        self.epsilon = epsilon
        self.bound = bound
        self.eta = eta
        self.random_state = random_state
        self.uniforms = uniforms
        self.max_rows = max_rows


class PkawvRegressor(IntervalRegressor, UnweightedRegressor):
    """Forecaster of Vovk, Azoury and Warmuth on sampled rows; labels should be centred.

    :class:`nystream.Pkawv` as an estimator; its documentation has the mathematics.

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
    ridge
        Regularisation: the penalty on the squared norm of the function.
    kors_mu
        Regularisation of the leverage scores: the larger, the fewer rows are kept.
    beta
        Factor of the leverage scores in the probabilities.
    epsilon
        Accuracy of the leverage scores.
    random_state
        Seed of the draws. None: another one for each ``fit``.
    uniforms
        The draws themselves, one for each row to come. None: drawn from ``random_state``.
    max_rows
        The most rows to store; a call that would go beyond it raises ValueError. None: no limit.

    Attributes
    ----------
    learner_
        The :class:`nystream.Pkawv` behind it.
    kernel_
        Its kernel, with the width that ``gamma`` came to.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import PkawvRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> y -= y.mean()
    >>> model = PkawvRegressor().fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.9)
    True
    >>> model.learner_.n_basis < 300
    True
    """

    __module__ = "nystream.sklearn"
    _learner = nystream.Pkawv

    def __init__(
        self,
        *,
        kernel: str | nystream.Kernel = "rbf",
        gamma: float | str = "median",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        ridge: float = 1e-2,
        kors_mu: float = 1.0,
        beta: float = 1.0,
        epsilon: float = 0.5,
        random_state: int | np.random.RandomState | None = 0,
        uniforms: ArrayLike | None = None,
        max_rows: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.ridge = ridge
        self.kors_mu = kors_mu
        self.beta = beta
        self.epsilon = epsilon
        self.random_state = random_state
        self.uniforms = uniforms
        self.max_rows = max_rows
