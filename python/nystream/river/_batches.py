"""Data frames in, series of the same library out."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream import _frames
from nystream._core import LARGEST
from nystream.river._columns import check_number

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from numpy.typing import NDArray

    from nystream import Learner


def read_frame(X: Any) -> tuple[list[Hashable], NDArray[Any]]:
    """Return names and rows of a data frame, or refuse the first value that is not finite."""
    read = _frames.read("X", dense(X))
    if read is None:
        raise TypeError(f"X should be a data frame, but is {X!r:.100}")
    # Only pandas has names that are not text.
    names: list[Hashable] = list(read[0] or X.columns)
    rows = read[1]
    for row, column in _not_finite(rows):
        raise _refusal(f"X[{names[column]!r}]", rows[row, column], row)
    return names, rows


def read_series(argument: str, values: Any, n_rows: int) -> NDArray[Any]:
    """Return the numbers of a series, one for each row."""
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.shape != (n_rows,):
        raise ValueError(
            f"{argument} should be a series with a value for each row of X, {n_rows}, "
            f"but has the shape {array.shape}"
        )
    if not (np.issubdtype(array.dtype, np.number) or array.dtype == bool):
        raise TypeError(f"{argument} should hold real numbers, but holds {array.dtype}")
    for (row,) in _not_finite(array):
        raise _refusal(argument, array[row], row)
    return array


def read_labels(y: Any, w: Any, n_rows: int) -> list[NDArray[Any]]:
    """Return the labels of rows, and their weights unless these are None."""
    labels = read_series("y", y, n_rows)
    return [labels] if w is None else [labels, _weights(w, n_rows)]


def _weights(w: Any, n_rows: int) -> NDArray[Any]:
    """Return a weight for each row, of a series or of one number for all rows."""
    if np.ndim(w) == 0:
        return np.full(n_rows, check_weight(w), dtype=np.float64)
    weights = read_series("w", w, n_rows)
    for row in np.flatnonzero(weights < 0):
        raise ValueError(f"w should hold numbers from 0 on, but has {weights[row]} in row {row}")
    return weights


def check_weight(w: Any) -> Any:
    """Return a weight, or refuse what is none."""
    check_number("w", w)
    if w < 0:
        raise ValueError(f"w should be 0 or positive, but is {w!r:.100}")
    return w


def learned(
    learner: Learner, room: Callable[[Learner], int | None], arrays: tuple[Any, ...]
) -> Any:
    """Learn rows, labels and weights while there is room; return the learner, or a copy of it.

    ``room`` tells how many rows can surely be learned before a learner is full; None: no limit.
    """
    n_rows = room(learner)
    if n_rows is not None and n_rows < len(arrays[0]):
        learner = copy.deepcopy(learner)  # so that an error in a later part undoes all
    while len(arrays[0]) and (n_rows := room(learner)) != 0:
        learner.learn_many(*(array[:n_rows] for array in arrays))
        arrays = tuple(array[len(arrays[0]) if n_rows is None else n_rows :] for array in arrays)
    return learner


def like(X: Any, values: NDArray[np.float64], name: Any) -> Any:
    """Return a series of the library of a data frame, with its index where it has one."""
    import narwhals

    frame = narwhals.from_native(X, eager_only=True, pass_through=True)
    # A frame that narwhals does not know has been read through Arrow.
    backend: Any = getattr(frame, "implementation", "pyarrow")
    series = narwhals.new_series(name, values, backend=backend).to_native()
    if backend != "pyarrow" and (index := narwhals.maybe_get_index(frame)) is not None:
        series.index = index
    return series


def _not_finite(array: NDArray[Any]) -> NDArray[np.intp]:
    # As float64: in a narrower type the limit would be infinite.
    return np.argwhere(~(np.abs(array) <= np.float64(LARGEST)))


def _refusal(argument: str, value: Any, row: int) -> ValueError:
    return ValueError(
        f"{argument} should hold finite numbers of magnitude at most 1e100, "
        f"but has {value} in row {row}"
    )


def dense(X: Any) -> Any:
    """Return a frame of pandas with dense columns; counts of words come in sparse ones."""
    try:
        return X.sparse.to_dense()
    except AttributeError:  # not of pandas, or dense already
        return X
