"""The kernel of an estimator, from its parameters and the first rows."""

from __future__ import annotations

import math
import re
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import pdist

import nystream
from nystream._kernels import norm_of_new_features

if TYPE_CHECKING:
    from numpy.typing import NDArray

PARAMETERS = ("kernel", "gamma", "sigma", "degree", "coef0")
SAMPLE = 300  # the most rows whose distances are looked at

CLASSES: dict[str, Any] = {name: getattr(nystream, name) for name in nystream.kernels()}
# What scikit-learn calls otherwise.
SHORT = {"Gaussian": "rbf", "Polynomial": "poly"}


def _named(name: str) -> str:
    return SHORT.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


NAMES = {_named(name): make for name, make in CLASSES.items()}


def resolve(
    X: NDArray[Any],
    weights: NDArray[np.float64] | None,
    *,
    kernel: Any,
    gamma: Any,
    sigma: Any,
    degree: Any,
    coef0: Any,
) -> nystream.Kernel:
    """Return the kernel; weights are positive, and ``None`` stands for 1 each."""
    _check(kernel, gamma, sigma)
    if isinstance(kernel, nystream.Kernel):
        return kernel
    make = NAMES[kernel]
    takes = make().params
    if sigma is not None:
        given = {"sigma": sigma}
    elif takes.keys() & {"gamma", "sigma"}:
        gamma = _gamma(X, weights, kernel, gamma)
        width = 1 / gamma if _sums(kernel) else 1 / math.sqrt(2 * gamma)
        given = {"gamma": gamma, "sigma": width, "degree": degree, "coef0": coef0}
    else:
        given = {}
    made: nystream.Kernel = make(**{name: given[name] for name in given if name in takes})
    return made


def to_plain(kernel: Any) -> Any:
    """Return name and parameters of a kernel; a name, or one of a user's own class, as it is."""
    name = type(kernel).__name__
    return (name, kernel.params) if CLASSES.get(name) is type(kernel) else kernel


def from_plain(value: Any) -> Any:
    """Return the kernel that :func:`to_plain` has made plain."""
    if not isinstance(value, tuple):
        return value
    name, params = value
    return CLASSES[name](**params)


def _check(kernel: Any, gamma: Any, sigma: Any) -> None:
    known = isinstance(kernel, nystream.Kernel) or (isinstance(kernel, str) and kernel in NAMES)
    if not known:
        raise ValueError(
            f"kernel should be one of {', '.join(map(repr, NAMES))} or a nystream.Kernel, "
            f"but is {kernel!r}"
        )
    by_rule = isinstance(gamma, str) and gamma in ("scale", "median")
    if not (by_rule or (_is_number(gamma) and 0 < gamma < math.inf)):
        raise ValueError(
            f"gamma should be 'median', 'scale' or a positive number, but is {gamma!r}"
        )
    if sigma is None:
        return
    if not (by_rule and gamma == "median"):
        raise ValueError(
            f"gamma and sigma should not both be given, but are {gamma!r} and {sigma!r}"
        )
    if not (isinstance(kernel, str) and "sigma" in NAMES[kernel]().params):
        raise ValueError(f"sigma should be None with the kernel {kernel!r}, but is {sigma!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _gamma(X: NDArray[Any], weights: NDArray[np.float64] | None, kernel: str, gamma: Any) -> float:
    if not isinstance(gamma, str):
        return float(gamma)
    if (X[0] == X).all():  # one row, or as good as one: nothing tells a width
        return 1.0
    if gamma == "scale":
        return float(1 / (X.shape[1] * _variance(X, weights)))
    if _sums(kernel):
        return 1 / _median_distance(X, weights, "cityblock")
    return 0.5 / _median_distance(X, weights, "euclidean") ** 2


def _sums(kernel: str) -> bool:
    """Tell whether a kernel compares rows by sums of absolute differences, like the Laplacian."""
    return norm_of_new_features(NAMES[kernel]()) == 1


def _variance(X: NDArray[Any], weights: NDArray[np.float64] | None) -> float:
    """Return the variance of all entries, those of a row counted as often as its weight says."""
    mean = np.average(X.mean(axis=1, dtype=np.float64), weights=weights)
    squares = np.subtract(X, mean, dtype=np.float64) ** 2
    return float(np.average(squares.mean(axis=1), weights=weights))


def _median_distance(X: NDArray[Any], weights: NDArray[np.float64] | None, metric: str) -> float:
    """Return the median distance of rows that differ; equal ones say nothing about a width."""
    if weights is None:
        weights = np.ones(len(X))
    # By a power of two, which is exact: the product of two small weights must not be 0.
    weights = np.ldexp(weights, -np.frexp(weights.max())[1])
    if len(X) > SAMPLE:
        X = X[evenly(weights)]
        weights = np.ones(SAMPLE)
    distances = pdist(X.astype(np.float64), metric)
    first, second = np.triu_indices(len(X), 1)
    counts = np.where(distances > 0, weights[first] * weights[second], 0.0)
    return _weighted_median(distances, counts) if counts.any() else 1.0


def evenly(weights: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return rows at even steps of the sum of weights: repeated rows and weights give the same."""
    total = np.cumsum(weights)
    steps = (np.arange(SAMPLE) + 0.5) / SAMPLE
    rows: NDArray[np.intp] = np.searchsorted(total, steps * total[-1], side="right")
    return rows


def _weighted_median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, total[-1] / 2)])
