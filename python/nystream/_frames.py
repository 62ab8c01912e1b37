"""Data frames as rows and column names; narwhals reads pandas, polars, pyarrow and their like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


@dataclass(frozen=True)
class NamedRows:
    """Rows whose columns have names, where no library of data frames is at hand."""

    columns: list[str]
    rows: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, places: slice | NDArray[np.intp]) -> NamedRows:
        return NamedRows(self.columns, self.rows[places])


def is_frame(value: Any) -> bool:
    """Tell whether a value has columns rather than numbers alone."""
    return hasattr(type(value), "columns")


def read(argument: str, value: Any) -> tuple[list[str] | None, NDArray[Any]] | None:
    """Return the names of the columns and the rows, or None for what is no data frame.

    The rows are a view of the frame's own memory where it has one. Columns without names of their
    own, as pandas numbers them, have none.
    """
    if isinstance(value, NamedRows):
        return value.columns, value.rows
    frame = _frame(argument, value) if is_frame(value) else None
    if frame is None:
        return None
    for name, dtype in frame.schema.items():
        if not (dtype.is_numeric() or dtype == _narwhals().Boolean):
            raise TypeError(
                f"column {name!r} of {argument} should hold real numbers, but holds {dtype}"
            )
    return _text(frame.columns), _rows(frame)


def is_table(value: Any) -> bool:
    """Tell whether rows may hold more than numbers: a data frame, or a list of dicts."""
    return is_frame(value) or (isinstance(value, list) and isinstance((value or [0])[0], dict))


def take(rows: Any, places: slice | NDArray[np.intp]) -> Any:
    """Return some of many rows, in the form that they have."""
    if isinstance(rows, list):
        return rows[places] if isinstance(places, slice) else [rows[place] for place in places]
    if isinstance(rows, (np.ndarray, NamedRows)):
        return rows[places]
    return _frame("X", rows)[places].to_native()


def sorted_by_name(argument: str, value: Any) -> Any:
    """Return a data frame of the same library whose columns are in the order of their names."""
    if hasattr(type(value), "iloc"):  # of pandas, where names may be anything
        value = value.rename(columns=str)
        return value[sorted(value.columns)]
    frame = _frame(argument, value)
    return frame.select(sorted(frame.columns)).to_native()


def row_names(value: Any) -> list[str] | None:
    """Return the names that a series of pandas has for its numbers; None for what has none."""
    # Tuples and other things have an `index` too, which is something else.
    return _text(value.index) if hasattr(type(value), "iloc") else None


def _text(names: Iterable[Any]) -> list[str] | None:
    names = list(names)
    return names if all(isinstance(name, str) for name in names) else None


def _frame(argument: str, value: Any) -> Any:
    """Return what narwhals makes of a data frame; None for one that is an array to all others."""
    narwhals = _narwhals()
    try:
        frame = narwhals.from_native(value, eager_only=True, pass_through=True)
        if frame is value:  # none that narwhals knows, but Arrow may
            frame = narwhals.from_arrow(value, backend="pyarrow")
        _ = frame.schema  # complains of two columns with one name
    except TypeError as error:
        if hasattr(value, "__array__"):
            return None
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise TypeError(
            f"{argument} should be an array or a data frame in memory "
            f"(pandas, polars, pyarrow), but is a {kind}"
        ) from error
    except narwhals.exceptions.DuplicateError as error:
        raise ValueError(f"two columns of {argument} have the same name: {error}") from error
    return frame


def _rows(frame: Any) -> NDArray[Any]:
    rows: NDArray[Any] = frame.to_numpy()
    if rows.dtype != object:
        return rows
    # Booleans beside numbers, for one: column by column they are numbers.
    columns = [column.to_numpy().astype(np.float64) for column in frame.iter_columns()]
    return np.column_stack(columns)


def _narwhals() -> Any:
    try:
        import narwhals
    except ImportError as error:
        raise ImportError("data frames need narwhals: pip install 'nystream[frames]'") from error
    return narwhals
