"""The base of all estimators: validation, weights, targets, and the learner behind them."""

from __future__ import annotations

import math
from dataclasses import field
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

import nystream
from nystream._core import default_params
from nystream._parameters import dataclass_transform, document, parameters, store

try:
    from scipy.sparse import issparse
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.utils import _safe_indexing, check_array, check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError(
        "nystream.sklearn needs scikit-learn 1.6 or newer: pip install 'nystream[sklearn]'"
    ) from error

from nystream.sklearn import _kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from nystream import Learner

E = TypeVar("E", bound="OnlineRegressor")

# The core reads both without a copy, and computes in float64.
DTYPES = (np.float64, np.float32)


class OnlineRegressor(RegressorMixin, BaseEstimator):
    """A learner as an estimator; the constructor of a subclass only stores its arguments.

    Parameters
    ----------
    bound
        Positive: predictions stay within [-bound, bound]. None: the largest magnitude of the first
        labels.
    random_state
        Seed of the draws: a whole number, which gives the same draws on every platform, or a
        random state of NumPy. None: another seed for each ``fit``.
    kors_mu
        Regularisation of the leverage scores, positive; the larger, the fewer rows are kept. The
        learner may call it ``gamma``.

    Attributes
    ----------
    learner_
        The learner behind it.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.
    """

    _learner: ClassVar[Any]
    # Its parameters and their defaults, as the core has them.
    _defaults: ClassVar[dict[str, Any]]
    # Where the learner's own name for a parameter means another thing here.
    _learner_names: ClassVar[dict[str, str]] = {}
    # Whether the defaults miss an R^2 of 0.5 on the two hundred rows of scikit-learn's check.
    _poor_score: ClassVar[bool] = False

    learner_: Learner
    # The shape of the labels of one row, as `fit` was given them: () or (k,), where k may be 1.
    _label_shape: tuple[int, ...] = ()

    @property
    def _takes_targets(self) -> bool:
        """True if labels may have several columns, one for each target."""
        return "n_targets" in self._defaults

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the labels of rows; nothing changes.

        Parameters
        ----------
        X
            Rows, of shape (n_samples, n_features).

        Returns
        -------
        ndarray
            Predictions, of shape (n_samples,); or (n_samples, n_targets), if labels had columns.
        """
        rows = self._rows(X)
        return self.learner_.predict_many(rows).reshape(len(rows), *self._label_shape)

    def _rows(self, X: Any) -> Any:
        """Return the rows to predict; refuse them if nothing is learned, or if they are others."""
        check_is_fitted(self, "learner_")
        return validate_data(self, X, reset=False, dtype=DTYPES)

    def _learn(self, X: Any, y: Any, sample_weight: Any, *, afresh: bool) -> Self:
        X, y = self._rows_and_labels(X, y, reset=afresh)
        shape = y.shape[1:] if afresh else self._as_before(y)
        y = y[:, 0] if y.shape[1:] == (1,) else y
        weights = None
        if sample_weight is not None:
            X, y, weights = _counted(X, y, sample_weight)
        learner = self._new_learner(X, y, weights) if afresh else self.learner_
        if weights is None:
            learner.learn_many(X, y)
        elif len(y):
            learner.learn_many(X, y, sample_weight=weights)
        self._set_learner(learner)
        self._label_shape = shape
        return self

    def _rows_and_labels(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        """Return the rows and labels to learn; refuse those that are not fit to be learned."""
        X, y = validate_data(self, X, y, reset=reset, dtype=DTYPES, **self._label_checks(y))
        return X, y

    def _label_checks(self, y: Any) -> dict[str, Any]:
        """Return how scikit-learn is to check the labels."""
        # Sparse ones are refused where there is one target, and let through otherwise.
        return {"y_numeric": True, "multi_output": self._takes_targets and not issparse(y)}

    def _as_before(self, y: NDArray[Any]) -> tuple[int, ...]:
        """Return the shape that labels had in `fit`; refuse another number of targets."""
        expected, found = math.prod(self._label_shape), math.prod(y.shape[1:])
        if found != expected:
            raise ValueError(
                f"y should have as many targets as before, {expected}, but has {found}"
            )
        return self._label_shape

    def _set_learner(self, learner: Learner) -> None:
        self.learner_ = learner
        if "kernel" in learner.params:
            self.kernel_ = learner.params["kernel"]

    def _new_learner(self, X: Any, y: NDArray[Any], weights: NDArray[np.float64] | None) -> Learner:
        if not len(y):
            raise ValueError("sample_weight should be positive for at least one row, but is zero")
        params = self.get_params(deep=False)
        if "kernel" in params:
            values = {name: params.pop(name) for name in _kernels.PARAMETERS}
            params["kernel"] = _kernels.resolve(X, weights, **values)
        for name, learners_name in self._learner_names.items():
            params[learners_name] = params.pop(name)
        if "random_state" in params:
            params["random_state"] = _seed(params["random_state"])
        if "bound" in params:
            params["bound"] = self._bound(y)
        if self._takes_targets:
            params["n_targets"] = math.prod(y.shape[1:])
        learner: Learner = self._learner(**params)
        return learner

    def _bound(self, y: NDArray[Any]) -> Any:
        if self.bound is not None:
            return self.bound
        largest = max(float(y.max()), -float(y.min()))  # the magnitude of -128 is no int8
        # The default is meant for labels within [-1, 1].
        return (self._defaults["bound"] or 1.0) * (largest or 1.0)

    def __getstate__(self) -> dict[str, Any]:
        # Plain values, for those who store estimators otherwise than by pickle, such as skops.
        state: dict[str, Any] = dict(super().__getstate__())
        if "kernel" in state:
            state["kernel"] = _kernels.to_plain(state["kernel"])
        if "learner_" in state:
            state["learner_"] = state["learner_"].to_bytes()
            state.pop("kernel_", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "kernel" in state:
            self.kernel = _kernels.from_plain(state["kernel"])
        if "learner_" in state:
            self._set_learner(self._learner.from_bytes(state["learner_"]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self._poor_score
        tags.target_tags.multi_output = self._takes_targets
        return tags


EXAMPLE = """\
>>> import nystream
>>> from nystream.sklearn import {name}
>>> X, y = nystream.datasets.mackey_glass(1000)
>>> model = {name}({given}).fit(X[:800], y[:800])
>>> bool(model.score(X[800:], y[800:]) > {score})
True"""


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def estimator(given: str = "", *, score: float = math.nan) -> Callable[[type[E]], type[E]]:
    """Make an estimator of the learner of the same name: its constructor and its docstring.

    ``given`` are the parameters of the example, which has at least this score; a docstring with
    an example of its own needs neither.
    """

    def complete(cls: type[E]) -> type[E]:
        learner = cls.__name__.removesuffix("Regressor")
        cls._learner = getattr(nystream, learner)
        cls._defaults = default_params(learner)
        store(cls)
        cls.__module__ = "nystream.sklearn"
        remarks = (
            f":class:`nystream.{learner}` as an estimator; its documentation has the mathematics."
        )
        if "n_targets" in cls._defaults:
            remarks += "\nLabels may have several columns."
        example = EXAMPLE.format(name=cls.__name__, given=given, score=score)
        document(cls, OnlineRegressor, remarks, example)
        return cls

    return complete


@parameters
class KernelRegressor(OnlineRegressor):
    """An estimator whose learner compares rows by a kernel.

    Parameters
    ----------
    kernel
        The name of a kernel, such as "rbf" or "laplacian", of which :mod:`nystream.sklearn` has a
        list; or a :class:`nystream.Kernel`, which has its own parameters.
    gamma
        "median", "scale" or a positive number: how narrow the kernel is; :mod:`nystream.sklearn`
        tells what it means for each.
    sigma
        The width of a kernel of distances, in place of ``gamma``.
    degree, coef0
        Of the kernel "poly".

    Attributes
    ----------
    kernel_
        The kernel of the learner, with the width that ``gamma`` came to.
    """

    kernel: str | nystream.Kernel = "rbf"
    gamma: float | str = "median"
    sigma: float | None = None
    degree: int = 3
    coef0: float = 1.0


class IntervalRegressor(OnlineRegressor):
    """An estimator whose learner has prediction intervals."""

    def predict_interval(self, X: ArrayLike, level: float = 0.9) -> NDArray[np.float64]:
        """Predict where the labels of rows are likely to be; nothing changes.

        The middle is the prediction, unless that was clipped. The length follows how little is
        known about a row, and how far the last thousand predictions were off. Ends are infinite
        while too few rows are learned to tell, fewer than 9 for a level of 0.9.

        Parameters
        ----------
        X
            Rows, of shape (n_samples, n_features).
        level
            The part of labels that the intervals should hold, more than 0 and less than 1.

        Returns
        -------
        ndarray
            The two ends of each, of shape (n_samples, 2); or (n_samples, n_targets, 2), if labels
            had columns.
        """
        rows = self._rows(X)
        ends = self.learner_.predict_interval(rows, level)
        return ends.reshape(len(rows), *self._label_shape, 2)


class UnweightedRegressor(OnlineRegressor):
    """An estimator whose learner takes no weights."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Forget everything and learn the rows once, in their order; return the estimator.

        Parameters
        ----------
        X
            Rows, of shape (n_samples, n_features).
        y
            Labels, of shape (n_samples,).
        """
        return self._learn(X, y, None, afresh=True)

    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn further rows once, in their order; return the estimator.

        Parameters
        ----------
        X
            Rows, of shape (n_samples, n_features).
        y
            Labels, of shape (n_samples,).
        """
        return self._learn(X, y, None, afresh=not hasattr(self, "learner_"))


class WeightedRegressor(OnlineRegressor):
    """An estimator whose learner takes weights."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything and learn the rows once, in their order; return the estimator.

        Parameters
        ----------
        X
            Rows, of shape (n_samples, n_features).
        y
            Labels, of shape (n_samples,); or (n_samples, n_targets), where several are allowed.
        sample_weight
            How often each row counts, 0 or more. None: once.
        """
        return self._learn(X, y, sample_weight, afresh=True)

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn further rows once, in their order; return the estimator.

        Parameters
        ----------
        X
            Rows, of shape (n_samples, n_features).
        y
            Labels, of shape (n_samples,); or (n_samples, n_targets), where several are allowed.
        sample_weight
            How often each row counts, 0 or more. None: once.
        """
        return self._learn(X, y, sample_weight, afresh=not hasattr(self, "learner_"))


class LeastSquaresRegressor(IntervalRegressor, WeightedRegressor):
    """An estimator by least squares: it has intervals and takes weights."""


def _counted(
    X: Any, y: NDArray[Any], sample_weight: Any
) -> tuple[Any, NDArray[Any], NDArray[np.float64]]:
    """Return the rows that count, their labels and weights: one of weight 0 is as if absent."""
    weights = _weights(sample_weight, len(y))
    counts = weights > 0
    if counts.all():
        return X, y, weights
    return _safe_indexing(X, counts), y[counts], weights[counts]


def _weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    weights: NDArray[np.float64] = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight should have the shape ({n_rows},), but has the shape {weights.shape}"
        )
    if (weights < 0).any():
        raise ValueError(f"sample_weight should be 0 or more, but holds {weights.min()}")
    return weights


def _seed(random_state: Any) -> Any:
    """Return the seed that the learner takes; it refuses whole numbers that are none itself."""
    if isinstance(random_state, Integral):
        return random_state
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
