"""Rows and labels as JSON has them, checked before anything else sees them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nystream._checks import FIT, whole
from nystream._core import LARGEST
from nystream.serve._http import RefusedError

NUMBERS = {int, float}
PIECES = json.JSONEncoder().iterencode  # of which no more are made than are asked for

Array = NDArray[np.float64]
Values: TypeAlias = dict[str, Any]  # of a row of a table, by the names of its columns
Rows: TypeAlias = Array | list[Values]


@dataclass(frozen=True)
class Columns:
    """The number of features of a row, and their names; None if they are not known yet."""

    n_features: int | None = None
    names: list[str] | None = None

    def restored(self, n_features: Any, names: Any) -> Columns:
        """Return what a checkpoint says, or raise ``ValueError`` if it makes no sense."""
        if n_features is None and names is None:
            return self.unknown()
        n_features = whole("the number of features", n_features)
        columns = replace(self, n_features=n_features, names=names)
        if names is not None and not columns._has_good_names():
            raise ValueError(f"there should be {n_features} different names of features")
        return columns

    def _has_good_names(self) -> bool:
        names = self.names
        is_text = isinstance(names, list) and all(isinstance(name, str) for name in names)
        return is_text and len(self._known) == len(names or ()) == self.n_features

    @property
    def array_names(self) -> list[str] | None:
        """The names of features where rows are arrays, which do not tell them."""
        return self.names

    def agrees_with(self, known: Columns) -> bool:
        """Tell whether these may be the columns of a service whose model knows those."""
        return known.n_features is None or self == known

    def unknown(self) -> Columns:
        """Return what is known before the first row."""
        return replace(self, n_features=None, names=None)

    def of(self, place: str, X: list[Any], most: int) -> Columns:
        """Return the same, or, where nothing is known yet, what the first of these rows tells."""
        x = X[0]
        if self.n_features is not None or not isinstance(x, dict | list):
            return self
        return self.settled(place, len(x), list(x) if isinstance(x, dict) else None, most)

    def settled(self, place: str, n_features: int, names: list[str] | None, most: int) -> Columns:
        """Return what is known once rows have so many features."""
        if n_features > most:
            what = f"at most {most} features, but has {n_features}"
            raise RefusedError(413, f"{place} should have {what}")
        return replace(self, n_features=n_features, names=names)

    def merged(self, other: Columns) -> Columns:
        """Return what is known after rows that were read when perhaps less was known."""
        if other != self:
            reason = "another request has settled what the features are: send this one again"
            raise RefusedError(409, reason)
        return self

    def one(self, place: str, x: Any) -> Rows:
        """Read a row to be learned, as many rows."""
        return finite(place, self.row(place, x))[None]

    def whole(self, place: str, parts: list[Any]) -> Rows:
        """Join what :meth:`rows` has read of a request."""
        return finite(place, np.concatenate(parts))

    def row(self, place: str, x: Any) -> Any:
        """Read a list of numbers, or numbers by name."""
        return self._array(place, x)

    def _array(self, place: str, x: Any) -> Array:
        if isinstance(x, dict):
            x = self._in_order(place, x)
        if not isinstance(x, list):
            what = "a list of numbers or an object of numbers by name"
            raise RefusedError(422, f"{place} should be {what}, but is {shown(x)}")
        row = self._numbers(place, x)
        if len(row) == 0:
            raise RefusedError(422, f"{place} should have at least one feature, but is empty")
        if self.n_features not in (None, len(row)):
            raise RefusedError(
                422, f"{place} should have {self.n_features} features, but has {len(row)}"
            )
        return row

    def rows(self, X: list[Any], start: int = 0) -> Rows:
        """Read rows, all alike; the first of them has the number ``start``."""
        return np.array([self._array(f"X[{i}]", x) for i, x in enumerate(X, start)])

    def _numbers(self, place: str, values: list[Any]) -> Array:
        return numbers(place, values)

    def _in_order(self, place: str, x: dict[str, Any]) -> list[Any]:
        if self.names is None:
            if self.n_features is None:
                return list(x.values())
            what = f"a list of {self.n_features} numbers: the model knows no names"
            raise RefusedError(422, f"{place} should be {what}")
        if x.keys() != self._known:
            self._refuse_names(place, x)
        return [x[name] for name in self.names]

    @cached_property
    def _known(self) -> set[str]:
        return set(self.names or ())

    def _refuse_names(self, place: str, x: dict[str, Any]) -> NoReturn:
        for name in self.names or ():
            if name not in x:
                raise RefusedError(422, f"{place} has no feature {shown(name)}")
        name = next(name for name in x if name not in self._known)
        raise RefusedError(422, f"{place} has an unknown feature {shown(name)}")


def numbers(place: str, values: list[Any]) -> Array:
    """Return a list of numbers as an array; true and false are none."""
    if not NUMBERS.issuperset(map(type, values)):
        i = next(i for i, value in enumerate(values) if type(value) not in NUMBERS)
        raise RefusedError(422, f"{place}[{i}] should be a number, but is {shown(values[i])}")
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        raise RefusedError(422, f"{place} holds a whole number that is too large") from None


def number(place: str, value: Any) -> Array:
    """Return a number as an array without dimensions."""
    if type(value) not in NUMBERS:
        raise RefusedError(422, f"{place} should be a number, but is {shown(value)}")
    return np.array(numbers(place, [value])[0])


def label(place: str, y: Any, n_targets: int) -> Array:
    """Read the label of one row: a number, or, with several targets, a list of them."""
    if n_targets == 1:
        return finite(place, number(place, y))
    if not isinstance(y, list) or len(y) != n_targets:
        what = f"a list of {n_targets} numbers, one for each target"
        raise RefusedError(422, f"{place} should be {what}, but is {shown(y)}")
    return finite(place, numbers(place, y))


def labels(y: Any, n_rows: int, n_targets: int) -> Array:
    """Read a label for each row."""
    if not isinstance(y, list):
        raise RefusedError(422, f"y should be a list of {n_rows} labels, but is {shown(y)}")
    if len(y) != n_rows:
        what = f"as many labels as there are rows, {n_rows}"
        raise RefusedError(422, f"y should have {what}, but has {len(y)}")
    if n_targets == 1:
        return finite("y", numbers("y", y))
    return np.array([label(f"y[{i}]", row, n_targets) for i, row in enumerate(y)])


def finite(place: str, values: Array, *, gaps: bool = False) -> Array:
    """Refuse what the learner would refuse; with ``gaps``, NaN stands for a missing number."""
    good = np.abs(values) <= LARGEST  # not so for NaN
    if gaps:
        good |= np.isnan(values)
    if not good.all():
        i = tuple(int(k) for k in np.argwhere(~good)[0])
        where = place + "".join(f"[{k}]" for k in i)
        raise RefusedError(422, f"{where} should be {FIT}, but is {values[i]:g}")
    return values


def alone(row: Any) -> Rows:
    """Return a row as many rows."""
    return row[None] if isinstance(row, np.ndarray) else [row]


def shown(value: Any) -> str:
    """Show a value as the client wrote it, or its beginning."""
    text = ""
    for piece in PIECES(value):
        text += piece
        if len(text) > 60:
            return text[:60] + "..."
    return text
