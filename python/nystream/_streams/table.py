"""What every table has in common, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Protocol

import numpy as np

from nystream._checks import FIT, LARGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from nystream._streams.hashing import RunningHash
    from nystream.datasets._columns import Columns

    Values = NDArray[np.float64]

ADVICE = "give the same input, or start anew with another --checkpoint"


@dataclass(frozen=True)
class Position:
    """How much of a table has been read: rows, good or bad, and of a text lines and bytes.

    ``digest`` is a hash of it: of a text its bytes, of other tables the numbers that were wanted.
    """

    row: int = 0
    line: int = 0
    byte: int = 0
    digest: str | None = None


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
        """Return as many rows at a time, from a position on; the last chunk may have fewer.

        What lies before the position is read at once: ``ValueError`` if it is not what it was.
        """

    def unread(self) -> str:
        """Say what was left unread at the end, if anything was."""

    def fraction(self, position: Position) -> float | None:
        """Return how much of the table lies before a position, where that is known."""

    def close(self) -> None:
        """Close the file."""


def fewer(name: str, what: str) -> ValueError:
    """Say that an input is shorter than it was."""
    return ValueError(f"{name} has fewer {what} than when it was read before: {ADVICE}")


def changed(name: str, amount: str) -> ValueError:
    """Say that an input is not what it was."""
    return ValueError(f"{name} is not what was read before, its first {amount} differ: {ADVICE}")


def numeric_chunks(
    blocks: Iterator[Values],
    n_rows: int,
    columns: Columns,
    wanted: Sequence[int],
    start: Position,
    name: str,
    running: RunningHash | None,
) -> Iterator[Chunk]:
    """Return chunks of a table that is stored as numbers, in blocks of any length."""
    rest = skip(blocks, start, name, running)
    return (
        numeric_chunk(row, values, columns, wanted, running)
        for row, values in recut(rest, start.row, n_rows, start.row)
    )


def skip(
    blocks: Iterator[Values], start: Position, name: str, running: RunningHash | None
) -> Iterator[Values]:
    """Read up to a row, and return the blocks from there on; refuse rows that have changed."""
    left = start.row
    while left:
        block = next(blocks, None)
        if block is None:
            raise fewer(name, "rows")
        before, after = block[:left], block[left:]
        if running is not None:
            running.add(data_of(before))
        left -= len(before)
        if len(after):
            blocks = chain([after], blocks)
    if running is not None and start.digest not in (None, running.digest()):
        raise changed(name, f"{start.row:,} rows")
    return blocks


def data_of(values: Values) -> bytes:
    """Return numbers as bytes, row after row, the same on every machine."""
    return values.astype("<f8", copy=False).tobytes()


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


def numeric_chunk(
    row: int, values: Values, columns: Columns, wanted: Sequence[int], running: RunningHash | None
) -> Chunk:
    """Tell good rows from bad ones; a missing value is NaN."""
    digest = None
    if running is not None:
        running.add(data_of(values))
        digest = running.digest()
    end = Position(row + len(values), digest=digest)
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
