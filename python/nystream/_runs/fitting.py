"""Rows of tables that a model refuses, told apart from those that it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nystream._core import Keyed, Table

if TYPE_CHECKING:
    from nystream._core import Learner, Scorer
    from nystream._tables.table import Chunk


def fitted(model: Learner | Scorer | Keyed, part: Chunk) -> Chunk:
    """Return rows that a model takes; those that it refuses are bad, too."""
    if isinstance(model, Keyed) or not isinstance(part.X, Table):
        return part
    left, refused = model._fit(part.X)
    if left is None:
        return part
    return part.without(
        {i: problem(column, expected, value) for i, column, expected, value in refused}
    )


def problem(column: str, expected: str | None, value: str) -> str:
    """Say what is wrong with a value."""
    what = "has no value" if expected is None else f"should be {expected}, but is {value}"
    return f"column {column!r} {what}"
