"""The paper's scaling: features to [-1, 1], the target to [0, 1]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nystream._tables.values import NUMERIC, check_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def scale_as_paper(X: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Stretch every feature to [-1, 1] and the target to [0, 1], by their ranges over all rows.

    A constant feature becomes 0, and so does a constant target. The ranges are those of all rows,
    which have to be known before the first is learned: the paper did so, but a stream cannot.

    Parameters
    ----------
    X
        Features of shape (rows, features).
    y
        Labels of shape (rows,).

    Returns
    -------
    X, y
        New arrays of the same shapes.

    Examples
    --------
    >>> from nystream.datasets import scale_as_paper
    >>> X, y = scale_as_paper([[0.0, 7.0], [5.0, 7.0], [10.0, 7.0]], [10.0, 20.0, 50.0])
    >>> X
    array([[-1.,  0.],
           [ 0.,  0.],
           [ 1.,  0.]])
    >>> y
    array([0.  , 0.25, 1.  ])
    """
    rows, labels = as_floats(X, "X", 2), as_floats(y, "y", 1)
    if not rows.size:
        raise ValueError("X should have at least one row and one feature, but is empty")
    if len(labels) != len(rows):
        count = f"{len(rows)}, but has {len(labels)}"
        raise ValueError(f"y should have as many labels as X has rows, {count}")
    check_numbers({"X": rows, "y": labels})
    scaled = 2 * to_unit_interval(rows) - 1
    scaled[:, constant(rows)] = 0
    return scaled, to_unit_interval(labels)


def as_floats(values: ArrayLike, name: str, n_dims: int) -> NDArray[np.float64]:
    """Return a float64 array in C order of so many dimensions."""
    array = np.asarray(values)
    if array.dtype.kind not in NUMERIC:
        raise TypeError(f"{name} should hold real numbers, but has the dtype {array.dtype}")
    if array.ndim != n_dims:
        words = {1: "one-dimensional", 2: "two-dimensional"}[n_dims]
        raise ValueError(f"{name} should be {words}, but has the shape {array.shape}")
    return np.ascontiguousarray(array, dtype=np.float64)


def constant(array: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which columns hold one value only."""
    return np.asarray(array.max(axis=0) == array.min(axis=0))


def to_unit_interval(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Stretch each column to [0, 1]; a constant one becomes 0."""
    low = array.min(axis=0)
    width = array.max(axis=0) - low
    return np.asarray((array - low) / np.where(width > 0, width, 1.0))
