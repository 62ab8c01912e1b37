"""Rows of a series as JSON has them, checked before anything else sees them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from nystream.serve._http import RefusedError
from nystream.serve._rows import Array, finite, numbers, shown
from nystream.serve._tables import check_values

FARTHEST = 10**15  # numbers of rows


@dataclass(frozen=True)
class Limits:
    """How many features and characters a row may have."""

    max_features: int
    max_text: int


def values(y: list[Any]) -> Array:
    """Read values; null is one that has not come."""
    return finite("y", numbers("y", [math.nan if one is None else one for one in y]), gaps=True)


def times(found: Any, n_rows: int, most: int) -> list[Any]:
    """Read as many times as there are rows: texts, or whole numbers."""
    if not isinstance(found, list) or len(found) != n_rows:
        what = f"a list of as many times as y has values, {n_rows}"
        raise RefusedError(422, f"time should be {what}, but is {shown(found)}")
    for i, time in enumerate(found):
        is_text = isinstance(time, str) and len(time) <= most
        if not (is_text or (type(time) is int and abs(time) < FARTHEST)):
            what = "a text or a whole number"
            raise RefusedError(422, f"time[{i}] should be {what}, but is {shown(time)}")
    return found


def features(X: Any, n_rows: int | None, limits: Limits) -> list[dict[str, Any]]:
    """Read features by name, of as many rows as there are values."""
    if not isinstance(X, list) or not X or n_rows not in (None, len(X)):
        what = "a list of objects, one for each row"
        raise RefusedError(422, f"X should be {what}, but is {shown(X)}")
    for i, row in enumerate(X):
        if not isinstance(row, dict) or not row:
            raise RefusedError(422, f"X[{i}] should be an object of features, but is {shown(row)}")
        if len(row) > limits.max_features:
            what = f"at most {limits.max_features} features, but has {len(row)}"
            raise RefusedError(413, f"X[{i}] should have {what}")
        if sum(map(len, row)) > limits.max_text:
            what = f"at most {limits.max_text} characters in names of features"
            raise RefusedError(413, f"X[{i}] should have {what}")
        check_values(f"X[{i}]", row, limits.max_text)
    return X


def level_of(document: dict[str, Any]) -> float:
    """Read the level of intervals; 0.9 unless the client says."""
    level = document.get("level", 0.9)
    if type(level) is not float or not 0 < level < 1:
        what = "a number between 0 and 1"
        raise RefusedError(422, f"level should be {what}, but is {shown(level)}")
    return level


def ends(intervals: Array) -> list[list[float | None]]:
    """Return intervals as JSON has them; infinite ends are null."""
    return [[end if math.isfinite(end) else None for end in pair] for pair in intervals.tolist()]
