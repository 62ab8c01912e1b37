"""Rows in a form that can be sent and divided, and predictions that are not made yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import nystream
from nystream._frames import NamedRows, is_table, read

if TYPE_CHECKING:
    from numpy.typing import NDArray


def sendable(X: Any, model: nystream.Learner) -> Any:
    """Return rows in a form that can be sent and divided: tables for a model that has columns."""
    if isinstance(X, nystream.Table):
        raise TypeError(
            "X should be a data frame or a list of dicts, but is a Table: it stays here"
        )
    return X if model.schema is not None and is_table(X) else named(*numbers(X))


def numbers(X: Any) -> tuple[list[str] | None, NDArray[Any]]:
    """Return the names of columns, where they have names, and the numbers in them."""
    return read("X", X) or (None, np.asarray(X))


def named(columns: list[str] | None, X: NDArray[Any]) -> Any:
    """Return rows with the names of their columns, where they have names."""
    return X if columns is None else NamedRows(columns, X)


def blank(model: nystream.Learner, n_rows: int) -> NDArray[np.float64]:
    """Return NaN in place of each prediction that a model would make."""
    return np.full((n_rows, model.n_targets) if model.n_targets > 1 else n_rows, np.nan)
