"""Data frames in, series of the same library out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nystream import _frames
from nystream._core import LARGEST

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray


def read_frame(X: Any) -> tuple[list[Hashable], NDArray[Any]]:
    """Return names and rows of a data frame, or refuse the first value that is not finite."""
    read = _frames.read("X", _dense(X))
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


def _dense(X: Any) -> Any:
    """Return a frame of pandas with dense columns; counts of words come in sparse ones."""
    try:
        return X.sparse.to_dense()
    except AttributeError:  # not of pandas, or dense already
        return X
