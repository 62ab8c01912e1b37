"""Rows of tables as JSON has them: values by the names of their columns."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from nystream import Keyed, Learner
from nystream._checks import FIT
from nystream._core import LARGEST
from nystream.serve._http import RefusedError
from nystream.serve._rows import Array, Columns, Rows, Values, finite, numbers, shown

MAX_TEXT = 20_000  # characters of a row
MAX_CELLS = 1_000_000  # values of a request in which some are missing without being named
WANTED = "a number, a text, true, false or null"


@dataclass(frozen=True)
class TableColumns(Columns):
    """Columns of a model that takes tables: values may be of any kind, or missing.

    Rows that are lists are numbers, of which null is a missing one. Where columns have names, they
    are rows by name, too.
    """

    on_new: str = "error"
    max_text: int = MAX_TEXT

    @property
    def array_names(self) -> None:
        """None: rows with names are not arrays here."""
        return

    def of(self, place: str, X: list[Any], most: int) -> Columns:
        """Return the same, or what rows tell of columns that are not known yet."""
        is_first = self.n_features is None and isinstance(X[0], dict)
        if not (is_first or (self.names is not None and self.on_new == "add")):
            return super().of(place, X, most)
        names = dict.fromkeys(self.names or ())
        for x in X:
            names.update(dict.fromkeys(x if isinstance(x, dict) else ()))
        new = [*names][self.n_features or 0 :]
        if self.names and not new:
            return self
        place = place.removesuffix("[0]")
        columns = self.settled(place, len(names), [*names], most)
        check_names(place, new, self.max_text)
        return columns

    def agrees_with(self, known: Columns) -> bool:
        """Tell whether these may be the columns of a service whose model knows those.

        Rows that were remembered may have columns that no row learned has.
        """
        if known.names is None or self.names is None:
            return super().agrees_with(known)
        return self._known >= known._known

    def merged(self, other: Columns) -> Columns:
        """Return what is known after rows that were read when perhaps less was known."""
        if self.on_new != "add" or self.names is None or other.names is None:
            return super().merged(other)
        names = [*dict.fromkeys((*self.names, *other.names))]
        return self if names == self.names else replace(self, n_features=len(names), names=names)

    def one(self, place: str, x: Any) -> Rows:
        """Read a row to be learned, as many rows."""
        row = self.row(place, x)
        return [row] if self.names else finite(place, row, gaps=True)[None]

    def whole(self, place: str, parts: list[Any]) -> Rows:
        """Join what :meth:`rows` has read of a request.

        A name that some rows do not have is a missing value of theirs.
        """
        if not self.names:
            return finite(place, np.concatenate(parts), gaps=True)
        rows: list[Values] = [row for part in parts for row in part]
        n_names = len(self.names)
        if all(len(row) == n_names for row in rows):
            return rows
        if len(rows) * n_names > MAX_CELLS:
            what = f"at most {MAX_CELLS} values, with those that are missing"
            raise RefusedError(413, f"{place} should have {what}: {len(rows)} times {n_names}")
        if self.on_new != "error":
            return rows
        self._refuse_missing(place, set().union(*rows))
        gaps = dict.fromkeys(self.names)
        return [gaps | row for row in rows]

    def row(self, place: str, x: Any) -> Any:
        """Read a list of numbers, or values by name."""
        if not self.names:
            return self._array(place, x)
        row = self._by_name(place, x)
        if self.on_new == "error" and len(row) < len(self.names):
            self._refuse_missing(place, row)
        return row

    def rows(self, X: list[Any], start: int = 0) -> Rows:
        """Read rows, all alike; the first of them has the number ``start``."""
        if not self.names:
            return super().rows(X, start)
        return [self._by_name(f"X[{i}]", x) for i, x in enumerate(X, start)]

    def _by_name(self, place: str, x: Any) -> Values:
        names = self.names or []
        if not isinstance(x, dict):
            x = dict(zip(names, self._array(place, x).tolist(), strict=True))
        check_values(place, x, self.max_text)
        if self.on_new == "error":
            if not x.keys() <= self._known:
                self._refuse_names(place, x)
            row: Values = x
            return row
        known = {name: value for name, value in x.items() if name in self._known}
        return known or {names[0]: None}  # a row has at least one value, which may be missing

    def _refuse_missing(self, place: str, found: Iterable[str]) -> None:
        known = set(found)
        for name in self.names or ():
            if name not in known:
                raise RefusedError(422, f"{place} has no feature {shown(name)}")

    def _refuse_names(self, place: str, x: Values) -> NoReturn:
        name = next(name for name in x if name not in self._known)
        raise RefusedError(422, f"{place} has an unknown feature {shown(name)}")

    def _numbers(self, place: str, values: list[Any]) -> Array:
        try:
            return numbers(place, values)
        except RefusedError:
            if None not in values:
                raise
            return numbers(place, [math.nan if value is None else value for value in values])


def columns_of(learner: Learner | Keyed, max_text: int = MAX_TEXT) -> Columns:
    """Return what a learner knows of its columns."""
    known = learner.n_features, learner.feature_names
    if learner.schema is None:
        return Columns(*known)
    # Models by key have the columns of the model of each.
    params = learner.params["model"].params if isinstance(learner, Keyed) else learner.params
    return TableColumns(*known, params["on_new_columns"], max_text)


def check_names(place: str, names: list[str], most: int) -> None:
    """Refuse names that are too long together, or no text."""
    if not names:
        raise RefusedError(422, f"{place} should have at least one feature, but is empty")
    text = "".join(names)
    if len(text) > most:
        what = f"at most {most} characters in new names of features, but has {len(text)}"
        raise RefusedError(413, f"{place} should have {what}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RefusedError(422, f"{place} should have names that are valid Unicode") from None


def check_values(place: str, x: Values, most: int) -> None:
    """Refuse values that no column holds, numbers that are too large, and too much text."""
    length = 0
    for name, value in x.items():
        kind = type(value)
        if kind is str:
            length += len(value)
        elif kind is float or kind is int:
            if abs(value) > LARGEST:
                raise wrong(place, name, FIT, value)
        elif value is not None and kind is not bool:
            raise wrong(place, name, WANTED, value)
    if length > most:
        what = f"at most {most} characters of text, but has {length}"
        raise RefusedError(413, f"{place} should have {what}")


def check_numbers(place: str, rows: Rows, names: list[str]) -> None:
    """Refuse texts in columns that are known to hold numbers."""
    for i, row in enumerate(rows):
        for name in names:
            value = row.get(name)
            if type(value) is str:
                where = place if place == "x" else f"{place}[{i}]"
                raise wrong(where, name, "a number", value)


def wrong(place: str, name: str, wanted: str, value: Any) -> RefusedError:
    """Refuse a value of a column."""
    found = shown(value)
    return RefusedError(422, f"{place}[{shown(name)}] should be {wanted}, but is {found}")
