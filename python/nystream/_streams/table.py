"""What every table has in common, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from nystream._checks import FIT, LARGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from nystream.datasets._columns import Columns

    Values = NDArray[np.float64]


@dataclass(frozen=True)
class Position:
    """How much of a table has been read: rows, good or bad, and of a text lines and bytes."""

    row: int = 0
    line: int = 0
    byte: int = 0


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used, and why."""

    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


@dataclass(frozen=True)
class Chunk:
    """Rows that follow each other: the good ones as numbers, the bad ones by name."""

    rows: NDArray[np.int64]
    values: Values
    bad: tuple[BadRow, ...]
    end: Position


class Table(Protocol):
    """Columns, and rows that can be read once, from a position on."""

    @property
    def columns(self) -> Columns:
        """All columns, of which only those that are wanted are read."""

    def chunks(self, wanted: Sequence[int], n_rows: int, start: Position) -> Iterator[Chunk]:
        """Yield as many rows at a time; the last chunk may have fewer."""

    def fraction(self, position: Position) -> float | None:
        """Return how much of the table lies before a position, where that is known."""

    def close(self) -> None:
        """Close the file."""


def numeric_chunks(
    blocks: Iterable[Values],
    first_row: int,
    n_rows: int,
    columns: Columns,
    wanted: Sequence[int],
    start: Position,
) -> Iterator[Chunk]:
    """Yield chunks of a table that is stored as numbers, in blocks of any length."""
    for row, values in recut(blocks, first_row, n_rows, start.row):
        yield numeric_chunk(row, values, columns, wanted)


def recut(
    blocks: Iterable[Values], first_row: int, n_rows: int, start: int
) -> Iterator[tuple[int, Values]]:
    """Cut blocks anew into pieces of as many rows each, the last aside, from a row on."""
    waiting: list[Values] = []
    n_waiting = 0
    for block in blocks:
        rest = block[max(start - first_row, 0) :]  # what lies before has been read already
        first_row += len(block)
        while n_waiting + len(rest) >= n_rows:
            piece = np.concatenate([*waiting, rest[: n_rows - n_waiting]])
            rest = rest[n_rows - n_waiting :]
            waiting, n_waiting = [], 0
            yield start, piece
            start += n_rows
        if len(rest):
            waiting.append(rest)
            n_waiting += len(rest)
    if waiting:
        yield start, np.concatenate(waiting)


def numeric_chunk(row: int, values: Values, columns: Columns, wanted: Sequence[int]) -> Chunk:
    """Tell good rows from bad ones; a missing value is NaN."""
    end = Position(row + len(values))
    rows = np.arange(row, end.row)
    fit = np.abs(values) <= LARGEST  # NaN is unfit too
    good = fit.all(axis=1)
    if good.all():
        return Chunk(rows, values, (), end)
    bad = []
    for i in np.flatnonzero(~good):
        j = int(np.argmin(fit[i]))
        what = "missing or NaN" if np.isnan(values[i, j]) else f"{values[i, j]:g}"
        problem = f"{columns.describe(wanted[j])} should be {FIT}, but is {what}"
        bad.append(BadRow(f"row {row + i}", problem))
    return Chunk(rows[good], values[good], tuple(bad), end)
