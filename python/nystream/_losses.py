"""The losses: signatures and documentation; the core computes them."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from nystream import _core
from nystream._parameters import Constructed, construct, dataclass_transform, document, parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Absolute",
    "EpsilonInsensitive",
    "Hinge",
    "Huber",
    "Logistic",
    "Loss",
    "Poisson",
    "Quantile",
    "Squared",
    "SquaredHinge",
]

T = TypeVar("T", bound="Loss")


@parameters
class Loss(Constructed, _core.Loss):
    """The cost of a value that a learner has for a row, given the label. Immutable.

    A learner computes a value for each row. For most losses that is its prediction; `Logistic` and
    `Poisson` have a link from the one to the other. Numbers and arrays of any shapes that fit
    together are taken.

    Examples
    --------
    >>> import nystream
    >>> nystream.Huber(delta=2.0)([0.0, 0.0], [1.0, 5.0])
    array([0.5, 8. ])
    >>> nystream.RidgeAld(loss="absolute").params["loss"]
    Absolute()
    """

    __slots__ = ()

    def __call__(self, v: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Return the loss of each value, given its label.

        Examples
        --------
        >>> import nystream
        >>> nystream.Quantile(0.9)([1.0, 5.0], 3.0)
        array([1.8, 0.2])
        """
        return _each(self._values, v, y)

    def derivative(self, v: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Return the derivative of the loss with respect to each value, given its label.

        Examples
        --------
        >>> import nystream
        >>> nystream.Hinge().derivative([0.0, 2.0], 1.0)
        array([-1., -0.])
        """
        return _each(self._derivatives, v, y)

    def curvature(self, v: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Return the second derivative of the loss, 0 at a kink.

        Examples
        --------
        >>> import nystream
        >>> nystream.Logistic().curvature(0.0, 1.0)
        array(0.25)
        """
        return _each(self._curvatures, v, y)

    def prediction(self, v: ArrayLike) -> NDArray[np.float64]:
        """Return the prediction that belongs to each value.

        Examples
        --------
        >>> import nystream
        >>> nystream.Logistic().prediction([-2.0, 0.0, 2.0]).round(3)
        array([0.119, 0.5  , 0.881])
        """
        return _each(lambda v, _: self._predictions(v), v, 0.0)


def _each(function: Callable[[Any, Any], Any], v: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    values, labels = np.broadcast_arrays(np.asarray(v, float), np.asarray(y, float))
    result: NDArray[np.float64] = function(values.ravel(), labels.ravel())
    return result.reshape(values.shape)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def loss(cls: type[T]) -> type[T]:
    """Make the loss of this name in the core public: its constructor and its docstring."""
    construct(cls, _core.Loss)
    document(cls, _core.Loss)
    return cls


@loss
class Squared(Loss):
    """The squared loss, ``(v - y)^2``: predictions go to the mean of the labels.

    Examples
    --------
    >>> import nystream
    >>> nystream.Squared()([1.0, 4.0], 2.0)
    array([1., 4.])
    """

    __slots__ = ()


@loss
class Absolute(Loss):
    """The absolute loss, ``abs(v - y)``: predictions go to the median of the labels.

    A label far off pulls no more than one close by.

    Examples
    --------
    >>> import nystream
    >>> nystream.Absolute()([1.0, 4.0], 2.0)
    array([1., 2.])
    """

    __slots__ = ()


@loss
class Quantile(Loss):
    """The quantile or pinball loss: predictions go to the quantile ``q`` of the labels.

    It is ``q (y - v)`` for a value below the label and ``(1 - q) (v - y)`` above it.

    Parameters
    ----------
    q
        The part of the labels that are below the prediction, more than 0 and less than 1.

    Examples
    --------
    >>> import nystream
    >>> nystream.Quantile(0.9)([1.0, 5.0], 3.0)
    array([1.8, 0.2])
    """

    __slots__ = ()

    q: float = field(default=0.5, kw_only=False)


@loss
class Huber(Loss):
    """Huber's loss: ``(v - y)^2 / 2`` while that is at most `delta` apart, then a line.

    Parameters
    ----------
    delta
        The difference from which on the loss is straight, positive, in the unit of the labels.

    Examples
    --------
    >>> import nystream
    >>> nystream.Huber(delta=2.0)([0.0, 0.0], [1.0, 5.0])
    array([0.5, 8. ])
    """

    __slots__ = ()

    delta: float = field(default=1.0, kw_only=False)


@loss
class EpsilonInsensitive(Loss):
    """The loss of support vector regression: errors up to `epsilon` cost nothing.

    It is ``abs(v - y) - epsilon``, but at least 0.

    Parameters
    ----------
    epsilon
        The error that costs nothing, 0 or positive, in the unit of the labels.

    Examples
    --------
    >>> import nystream
    >>> nystream.EpsilonInsensitive(epsilon=0.5)([1.25, 3.0], 1.0)
    array([0. , 1.5])
    """

    __slots__ = ()

    epsilon: float = field(default=0.1, kw_only=False)


@loss
class Logistic(Loss):
    """The logistic loss, ``ln(1 + exp(v)) - y v``, for labels from 0 to 1.

    Predictions, ``1 / (1 + exp(-v))``, go to the probability of the label 1.

    Examples
    --------
    >>> import nystream
    >>> nystream.Logistic()([0.0, 2.0], [1.0, 1.0]).round(4)
    array([0.6931, 0.1269])
    """

    __slots__ = ()


@loss
class SquaredHinge(Loss):
    """The squared hinge loss, ``(1 - y v)^2`` where ``y v < 1``, for the labels -1 and 1.

    The sign of a prediction says which label. A label between the two counts for less.

    Examples
    --------
    >>> import nystream
    >>> nystream.SquaredHinge()([-1.0, 2.0], 1.0)
    array([4., 0.])
    """

    __slots__ = ()


@loss
class Hinge(Loss):
    """The hinge loss, ``1 - y v`` where ``y v < 1``, for the labels -1 and 1.

    The sign of a prediction says which label. A label between the two counts for less.

    Examples
    --------
    >>> import nystream
    >>> nystream.Hinge()([-1.0, 2.0], 1.0)
    array([2., 0.])
    """

    __slots__ = ()


@loss
class Poisson(Loss):
    """The loss of Poisson regression, ``exp(v) - y v``, for labels from 0 on, such as counts.

    Predictions, ``exp(v)``, go to the mean of the labels.

    Examples
    --------
    >>> import nystream
    >>> nystream.Poisson()([0.0, 1.0], 3.0).round(4)
    array([ 1.    , -0.2817])
    """

    __slots__ = ()
