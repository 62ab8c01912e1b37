"""Parquet tables, through pyarrow."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._checks import FIT
from nystream.datasets._columns import Choice, Columns, UnfitColumnError
from nystream.datasets._scaling import ADVICE, first_unfit

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def read(
    path: Path, choose: Callable[[Columns], Choice]
) -> tuple[NDArray[np.float64], NDArray[np.float64], Choice]:
    """Read features and labels, and tell which columns they are."""
    try:
        arrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        needed = "pip install 'nystream[bench]'"
        raise ImportError(f"reading {path} needs pyarrow: {needed}") from error
    with open(path, "rb") as file:
        try:
            source = parquet.ParquetFile(file)
            names = tuple(source.schema_arrow.names)
            if len(set(names)) < len(names):
                raise ValueError(f"{path} should have columns of different names")
            choice = choose(Columns(len(names), names))
            wanted = [names[i] for i in (*choice.features, choice.target)]
            table = source.read(columns=wanted)
        except (arrow.ArrowException, OSError) as error:
            raise ValueError(f"{path} is not a sound Parquet file: {error}") from error
    if not table.num_rows:
        raise ValueError(f"{path} should have at least one row, but has none")
    values = np.empty((table.num_rows, len(wanted)))
    for j, i in enumerate((*choice.features, choice.target)):
        try:
            values[:, j] = floats(arrow, table.column(names[i]))
        except ValueError as error:
            what = f"{path}, {choice.columns.describe(i)} {error}"
            raise UnfitColumnError(what, i, len(names)) from None
    return np.ascontiguousarray(values[:, :-1]), values[:, -1].copy(), choice


def floats(arrow: Any, column: Any) -> NDArray[np.float64]:
    """Return a column as numbers, all of them there."""
    kind = column.type
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy()))
        raise ValueError(f"has no value in row {row}; {ADVICE}")
    if not is_number(arrow, kind):
        value = column[0].as_py()
        raise ValueError(f"should be a number, but is {value!r} in row 0; {ADVICE}")
    values = np.array(column.cast(arrow.float64(), safe=False).to_numpy())
    if (unfit := first_unfit(values)) is not None:
        raise ValueError(f"should be {FIT}, but is {values[unfit]:g} in row {unfit[0]}")
    return values


def is_number(arrow: Any, kind: Any) -> bool:
    """Tell whether a type of Arrow holds what can be a number."""
    types = arrow.types
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    return any(test(kind) for test in tests)
