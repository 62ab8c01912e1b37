"""Frames and series of pandas as arrays that the core reads; pandas itself is not imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

# What a column is made of: "numbers" (float64), "truths" (bool), "times" (microseconds as int64),
# "objects" (a list), "arrow" (an Arrow stream), or "categories" (codes and values).
Values = tuple[str, Any]


def columns(frame: Any) -> tuple[list[str], list[Values]] | None:
    """Return names and values of the columns; None for numbers whose columns have no names."""
    if not hasattr(frame, "columns"):
        return None
    names = _names(frame.columns, all(dtype.kind in "biuf" for dtype in frame.dtypes))
    return None if names is None else (names, [_values(column) for _, column in frame.items()])


def row(series: Any) -> tuple[list[str], list[Any]] | None:
    """Return names and values of a series; None for numbers without names."""
    if hasattr(series, "columns"):
        return None
    names = _names(series.index, series.dtype.kind in "biuf")
    return None if names is None else (names, series.tolist())


def _names(names: Iterable[Any], are_numbers: bool) -> list[str] | None:
    names = list(names)
    if are_numbers and not all(isinstance(name, str) for name in names):
        return None
    return [str(name) for name in names]


def _values(column: Any) -> Values:
    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        return _array(column.to_numpy())
    if type(dtype).__name__ == "CategoricalDtype":
        categories = column.cat.categories.to_series()
        return "categories", (column.cat.codes.to_numpy(np.int64), _values(categories))
    if type(dtype).__name__ == "DatetimeTZDtype":
        return _array(column.dt.tz_localize(None).to_numpy())
    if type(dtype).__name__ == "ArrowDtype" or getattr(dtype, "storage", None) == "pyarrow":
        return "arrow", column.array.__arrow_array__()
    if dtype.kind in "iuf":
        return "numbers", column.to_numpy(np.float64, na_value=np.nan)
    return "objects", column.tolist()


def _array(array: Any) -> Values:
    match array.dtype.kind:
        case "i" | "u" | "f":
            return "numbers", array.astype(np.float64, copy=False)
        case "b":
            return "truths", array
        case "M":
            return "times", array.astype("datetime64[us]").view(np.int64)
        case "m":
            return "numbers", array / np.timedelta64(1, "s")
        case _:
            return "objects", array.tolist()
