"""Series in a table: times, values, features and keys, in order of time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._core import Table as Rows
from nystream._tables import times
from nystream._tables.selection import Reading, Selection, repeated
from nystream._tables.table import BadRow, Position

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nystream._tables.columns import Columns
    from nystream._tables.table import Chunk, Table
    from nystream._tables.times import Moments
    from nystream._tables.values import Values

ALL = 1 << 30  # rows that are read at once: they have to be sorted


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they are for."""

    columns: Columns
    target: int
    time: tuple[int, ...] = ()
    key: int | None = None
    ahead: tuple[int, ...] = ()
    features: tuple[int, ...] = ()  # those known ahead and the others

    @property
    def read(self) -> tuple[int, ...]:
        """All columns that are read beside the target, each once."""
        key = () if self.key is None else (self.key,)
        return tuple(dict.fromkeys((*self.time, *key, *self.features)))

    def name(self, i: int) -> str:
        """Return the name of a column, its index if it has none."""
        return self.columns.names[i] if self.columns.names else str(i)

    def check(self) -> None:
        """Refuse columns that have two roles, or names that cannot be told apart."""
        key = () if self.key is None else (self.key,)
        if twice := repeated((self.target, *self.time, *key, *self.features)):
            raise ValueError(f"{self.columns.describe(twice[0])} is chosen twice")
        names = [self.name(i) for i in self.read]
        if same := repeated(names):
            raise ValueError(f"columns should have different names, but {same[0]!r} comes twice")

    def described(self) -> dict[str, Any]:
        """Return the columns by name, to be compared with those of another run."""
        return {
            "time": [self.name(i) for i in self.time],
            "target": self.name(self.target),
            "key": None if self.key is None else self.name(self.key),
            "ahead": [self.name(i) for i in self.ahead],
            "features": [self.name(i) for i in self.features],
        }


@dataclass(frozen=True)
class Series:
    """Rows in order of time; a value that is missing is NaN. Without times, rows are counted."""

    key: str
    times: Moments
    y: Values
    X: Rows | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_known(self) -> int:
        """Number of rows up to the last one that has a value: those after it announce."""
        known = np.flatnonzero(~np.isnan(self.y))
        return int(known[-1]) + 1 if len(known) else 0

    def take(self, first: int, end: int) -> Series:
        """Return some rows that follow each other."""
        X = None if self.X is None else self.X._take(list(range(first, end)))
        return Series(self.key, self.times[first:end], self.y[first:end], X)

    def to_bytes(self) -> bytes:
        """Return bytes that tell these rows from all others, row by row."""
        columns = [] if self.X is None else self.X.to_dict().values()
        cells = zip(*columns, strict=True) if columns else [()] * len(self)
        rows = zip(self.times.tolist(), self.y.tolist(), cells, strict=True)
        return "".join(json.dumps(row, default=str) + "\n" for row in rows).encode()


@dataclass(frozen=True)
class Read:
    """What was read: series by key in order of time, and whether the rows had been so."""

    series: tuple[Series, ...]
    was_sorted: bool
    bad: tuple[BadRow, ...]


def read(
    table: Table,
    roles: Roles,
    missing: tuple[float, ...],
    meet: Callable[[tuple[BadRow, ...]], None],
) -> Read:
    """Read a whole table; ``meet`` is told of bad rows, and may raise."""
    kinds = {} if roles.key is None else {roles.name(roles.key): "category"}
    reading = Reading(is_tabular=True, kinds=kinds, missing_values=missing)
    selection = Selection(table.columns, roles.read, (roles.target,), reading)
    chunks = list(table.chunks(selection, ALL, Position()))
    if not chunks:
        return Read((), True, ())
    (chunk,) = chunks
    columns = columns_of(chunk, selection)
    found, wrong = moments_of(columns, roles, chunk)
    bad = tuple(sorted((*chunk.bad, *wrong), key=lambda row: row.row))
    meet(bad)
    good = np.flatnonzero(found != times.NONE)
    series, was_sorted = split(columns, found, chunk.y, good, roles)
    return Read(series, was_sorted, bad)


def columns_of(chunk: Chunk, selection: Selection) -> dict[int, list[Any]]:
    """Return the values of the columns that were read."""
    if not selection.features:
        return {}
    if isinstance(chunk.X, Rows):
        lists = list(chunk.X.to_dict().values())
    else:  # numbers, with names or without
        numbers = getattr(chunk.X, "rows", chunk.X)
        lists = [[None if np.isnan(v) else v for v in column] for column in numbers.T.tolist()]
    return dict(zip(selection.features, lists, strict=True))


def moments_of(
    columns: dict[int, list[Any]], roles: Roles, chunk: Chunk
) -> tuple[Moments, list[BadRow]]:
    """Return the moments of rows, and those that have none; rows count without times."""
    if not roles.time:
        return np.arange(len(chunk.rows)), []
    found = times.moments([columns[i] for i in roles.time])
    wrong = np.flatnonzero(found == times.NONE).tolist()
    bad = (BadRow(int(chunk.rows[i]), chunk.place(i), no_time(columns, roles, i)) for i in wrong)
    return found, list(bad)


def no_time(columns: dict[int, list[Any]], roles: Roles, row: int) -> str:
    """Say what a row has where its time should be."""
    values = [columns[i][row] for i in roles.time]
    names = " and ".join(roles.columns.describe(i) for i in roles.time)
    if any(value is None for value in values):
        return f"{names} should be a time with a date, but is missing"
    shown = " and ".join(f"{v:g}" if isinstance(v, float) else repr(v) for v in values)
    return f"{names} should be a time with a date, but is {shown}"


def split(
    columns: dict[int, list[Any]], found: Moments, y: Values, good: Any, roles: Roles
) -> tuple[tuple[Series, ...], bool]:
    """Return the series of each key, in order of time, and whether rows had been in order."""
    moments, keys = found[good], [""] * len(good)
    if roles.key is not None:
        keys = [key_of(columns[roles.key][i]) for i in good.tolist()]
    names = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    numbers = np.array([names[key] for key in keys], dtype=np.int64)
    by_key = np.argsort(numbers, kind="stable")
    order = np.lexsort((moments, numbers))
    ends = np.cumsum(np.bincount(numbers, minlength=len(names)))[:-1]
    series = [
        one_series(key, columns, found, y, rows, roles)
        for key, rows in zip(names, np.split(good[order], ends), strict=bool(names))
    ]
    return tuple(series), bool((order == by_key).all())


def one_series(
    key: str, columns: dict[int, list[Any]], found: Moments, y: Values, rows: Any, roles: Roles
) -> Series:
    """Return these rows as a series."""
    own_times = found[rows] if roles.time else np.arange(len(rows))
    return Series(key, own_times, y[rows], features(columns, rows.tolist(), roles))


def features(columns: dict[int, list[Any]], rows: Sequence[int], roles: Roles) -> Rows | None:
    """Return the features of some rows; None if there are none."""
    if not roles.features or not rows:
        return None
    names = {roles.name(i): columns[i] for i in roles.features}
    return Rows.from_rows([{name: column[row] for name, column in names.items()} for row in rows])


def key_of(value: Any) -> str:
    """Return a key as a text: whole numbers have no decimals."""
    return f"{value:g}" if isinstance(value, float) else str(value)
