"""Rows of tables that a model refuses, told apart from those that it takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nystream._core import Table
from nystream._tables.table import BadRow

if TYPE_CHECKING:
    from nystream._core import Learner, Scorer
    from nystream._tables.table import Chunk


def fitted(model: Learner | Scorer, part: Chunk) -> Chunk:
    """Return rows that a model takes; those that it refuses are bad, too."""
    if not isinstance(part.X, Table):
        return part
    left, refused = model._fit(part.X)
    if left is None:
        return part
    bad = [
        BadRow(int(part.rows[i]), part.place(i), problem(column, expected, value))
        for i, column, expected, value in refused
    ]
    good = np.setdiff1d(np.arange(len(part.rows)), [i for i, *_ in refused])
    both = sorted((*part.bad, *bad), key=lambda row: row.row)
    return replace(part.take(good), bad=tuple(both))


def problem(column: str, expected: str | None, value: str) -> str:
    """Say what is wrong with a value."""
    what = "has no value" if expected is None else f"should be {expected}, but is {value}"
    return f"column {column!r} {what}"
