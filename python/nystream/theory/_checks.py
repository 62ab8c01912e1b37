"""Checks of arguments; an error names the argument, what it should be and what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nystream._checks import real
from nystream._core import LARGEST, Kernel
from nystream._learners import RunningMean

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SMALLEST = 1e-100
POSITIVE = f"positive and finite ({SMALLEST:g} to {LARGEST:g})".replace("e+", "e")


def kernel(value: object) -> Kernel:
    """Return the value if it is a kernel; refuse anything else."""
    if not isinstance(value, Kernel):
        raise TypeError(
            f"kernel should be a kernel such as nystream.Gaussian(sigma=1.0), but is {value!r:.100}"
        )
    return value


def rows(X: ArrayLike) -> NDArray[np.float64]:
    """Return rows as an array of floats, after the checks that the core makes for a learner."""
    RunningMean().predict_many(X)
    return np.ascontiguousarray(X, dtype=float)


def labels(y: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    """Return a label for each row, after the checks that the core makes for a learner."""
    RunningMean().learn_many(np.zeros((n_rows, 1)), y)
    return np.asarray(y, dtype=float)


def vector(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return a one-dimensional array of finite numbers, at least one."""
    array = _array(name, value)
    if array.ndim != 1:
        raise ValueError(f"{name} should be one-dimensional, but has the shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} should have at least one number, but is empty")
    _all(np.isfinite(array), "finite", name, array)
    return array


def positives(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return an array of any shape of positive and finite numbers."""
    array = _array(name, value)
    _all((array >= SMALLEST) & (array <= LARGEST), POSITIVE, name, array)
    return array


def spectrum(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return eigenvalues in decreasing order, the largest positive and none negative."""
    array = vector(name, value)
    _all(array >= 0, "0 or positive", name, array)
    array = np.sort(array)[::-1]
    if array[0] == 0:
        raise ValueError(f"{name} should not all be 0")
    return array


def positive(name: str, value: float) -> float:
    """Return a positive number whose square float64 can hold."""
    number = real(name, value)
    if SMALLEST <= number <= LARGEST:
        return number
    raise ValueError(f"{name} should be {POSITIVE}, but is {_text(number)}")


def at_least_zero(name: str, value: float) -> float:
    """Return a finite number that is not negative."""
    number = real(name, value)
    if 0 <= number < np.inf:
        return number
    raise ValueError(f"{name} should be 0 or positive and finite, but is {_text(number)}")


def at_most(name: str, number: float, other: str, limit: float) -> float:
    """Return a number that is not above another argument."""
    if number <= limit:
        return number
    raise ValueError(f"{name} should be at most {other}, {_text(limit)}, but is {_text(number)}")


def up_to_one(name: str, value: float) -> float:
    """Return a number above 0 and at most 1."""
    number = real(name, value)
    if 0 < number <= 1:
        return number
    raise ValueError(f"{name} should be above 0 and at most 1, but is {_text(number)}")


def between(name: str, value: float, low: float, high: float) -> float:
    """Return a number within limits."""
    number = real(name, value)
    if low <= number <= high:
        return number
    limits = f"{_text(low)} to {_text(high)}"
    raise ValueError(f"{name} should be {limits}, but is {_text(number)}")


def choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse a value that is not one of the choices."""
    if value not in choices:
        options = " or ".join(repr(option) for option in choices)
        raise ValueError(f"{name} should be {options}, but is {value!r:.100}")


def _array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} should not be a masked array")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} should be an array of numbers: {error}") from error
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} should hold real numbers, but has the dtype {array.dtype}")
    return array.astype(float)


def _all(good: NDArray[np.bool_], what: str, name: str, array: NDArray[np.float64]) -> None:
    """Refuse an array that is not good everywhere, naming the first element that is not."""
    if not good.all():
        at = np.argwhere(~good)[0]
        place = f"[{', '.join(map(str, at))}]" if array.ndim else ""
        raise ValueError(f"{name}{place} should be {what}, but is {_text(array[tuple(at)])}")


def _text(number: float) -> str:
    """Write a number as the core does: -1, not -1.0, and NaN."""
    return "NaN" if np.isnan(number) else repr(float(number)).removesuffix(".0")
