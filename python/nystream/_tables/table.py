"""Tables of any format: columns, and rows that are read once, a chunk at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from nystream._core import Table as TableOfCore
from nystream._frames import NamedRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from nystream._tables.columns import Columns
    from nystream._tables.selection import Selection
    from nystream._tables.values import Values

CHUNK = 8192  # rows: a multiple of every learner's block, so that cutting changes no bit
ADVICE = "give the same input, or start anew with another --checkpoint"


@dataclass(frozen=True)
class Position:
    """The part of a table that has been read: rows, good or bad, and of a text lines and bytes.

    ``digest`` is a hash of it: of a text its bytes, of other tables the numbers that were wanted.
    """

    row: int = 0
    line: int = 0
    byte: int = 0
    digest: str | None = None


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used, and why; ``place`` names it."""

    row: int
    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


@dataclass(frozen=True)
class Chunk:
    """Rows that follow each other: the good ones for a learner, the bad ones by name.

    A label that is missing is NaN. Of a text, ``lines`` are those of the good rows. ``keys`` are
    theirs, if a column of keys is read.
    """

    rows: NDArray[np.int64]
    X: Any
    y: Values
    bad: tuple[BadRow, ...]
    end: Position
    lines: NDArray[np.int64] | None = None
    keys: list[Any] | None = None

    def take(self, places: NDArray[np.intp]) -> Chunk:
        """Return some of the good rows, beside the same bad ones."""
        lines = None if self.lines is None else self.lines[places]
        keys = None if self.keys is None else [self.keys[i] for i in places.tolist()]
        X = taken(self.X, places)
        return replace(self, rows=self.rows[places], X=X, y=self.y[places], lines=lines, keys=keys)

    def without(self, faults: Mapping[int, str]) -> Chunk:
        """Return the chunk with some of its good rows among the bad ones."""
        if not faults:
            return self
        bad = [BadRow(int(self.rows[i]), self.place(i), fault) for i, fault in faults.items()]
        good = np.setdiff1d(np.arange(len(self.rows)), list(faults))
        both = sorted((*self.bad, *bad), key=lambda row: row.row)
        return replace(self.take(good), bad=tuple(both))

    def place(self, i: int) -> str:
        """Name a good row."""
        return f"row {self.rows[i]}" if self.lines is None else f"line {self.lines[i]}"


class Table(Protocol):
    """Columns, and rows that can be read once, from a position on."""

    @property
    def columns(self) -> Columns:
        """All columns, of which only those that are wanted are read."""

    def chunks(self, selection: Selection, n_rows: int, start: Position) -> Iterator[Chunk]:
        """Return as many rows at a time, from a position on; the last chunk may have fewer.

        Rows before the position are read at once: ``ValueError`` if they are not what they were.
        """

    def without_numbers(self, wanted: Sequence[int]) -> list[int]:
        """Return those of some columns that hold no number, as far as the beginning tells."""

    def refusal(self, bad: BadRow) -> ValueError:
        """Return the error of whoever needs all rows."""

    def unread(self) -> str:
        """Say what was left unread at the end, if anything was."""

    def fraction(self, position: Position) -> float | None:
        """Return how much of the table lies before a position, where that is known."""

    def close(self) -> None:
        """Close the file."""


def fewer(name: str, what: str) -> ValueError:
    """Return the error for an input that is shorter than it was."""
    return ValueError(f"{name} has fewer {what} than when it was read before: {ADVICE}")


def changed(name: str, amount: str) -> ValueError:
    """Return the error for an input that is not what it was."""
    return ValueError(f"{name} is not what was read before, its first {amount} differ: {ADVICE}")


def taken(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a table, or of numbers with names or without."""
    if isinstance(X, NamedRows):
        return NamedRows(X.columns, X.rows[rows])
    return X._take(rows.tolist()) if isinstance(X, TableOfCore) else X[rows]
