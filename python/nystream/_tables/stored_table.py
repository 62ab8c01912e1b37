"""Tables that are stored as numbers: blocks of any length, cut anew into chunks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from nystream._core import LARGEST
from nystream._tables.hashing import RunningHash
from nystream._tables.table import BadRow, Chunk, Fault, Position, changed, fewer
from nystream._tables.values import too_large

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nystream._tables.columns import Columns
    from nystream._tables.values import Values


class StoredTable(ABC):
    """A table of numbers in a file; ``n_rows`` is None where that is not known."""

    columns: Columns
    n_rows: int | None = None

    def __init__(self, file: BinaryIO, name: str, resumable: bool = False) -> None:
        self._file, self._name = file, name
        self._running = RunningHash() if resumable else None

    @abstractmethod
    def blocks(self, wanted: Sequence[int], n_rows: int) -> Iterator[Values]:
        """Return all rows, about so many at a time; what is missing is NaN."""

    def chunks(self, wanted: Sequence[int], n_rows: int, start: Position) -> Iterator[Chunk]:
        """Return as many rows at a time, from a position on; the last chunk may have fewer."""
        rest = self._after(start, self.blocks(wanted, n_rows))
        pieces = recut(rest, start.row, n_rows, start.row)
        return (self._chunk(row, values, wanted) for row, values in pieces)

    def _after(self, start: Position, blocks: Iterator[Values]) -> Iterator[Values]:
        """Read up to a row, and return the blocks from there on; refuse rows that have changed."""
        left = start.row
        while left:
            block = next(blocks, None)
            if block is None:
                raise fewer(self._name, "rows")
            self._hash(block[:left])
            if len(after := block[left:]):
                blocks = chain([after], blocks)
            left -= min(left, len(block))
        if self._running is not None and start.digest not in (None, self._running.digest()):
            raise changed(self._name, f"{start.row:,} rows")
        return blocks

    def _hash(self, values: Values) -> str | None:
        """Return the hash of all rows so far, the same on every machine, if it is wanted."""
        if self._running is None:
            return None
        self._running.add(values.astype("<f8", copy=False).tobytes())
        return self._running.digest()

    def _chunk(self, row: int, values: Values, wanted: Sequence[int]) -> Chunk:
        """Tell good rows from bad ones."""
        end = Position(row + len(values), digest=self._hash(values))
        rows = np.arange(row, end.row)
        fit = np.abs(values) <= LARGEST  # NaN is unfit too
        good = fit.all(axis=1)
        bad = []
        for i in np.flatnonzero(~good):
            j = int(np.argmin(fit[i]))
            what = "missing or NaN" if np.isnan(values[i, j]) else f"{values[i, j]:g}"
            problem = f"{self.columns.describe(wanted[j])} {too_large(what)}"
            bad.append(BadRow(f"row {row + i}", Fault(problem, wanted[j])))
        return (
            Chunk(rows[good], values[good], tuple(bad), end)
            if bad
            else Chunk(rows, values, (), end)
        )

    def unread(self) -> str:
        """Say nothing: a file without its end is refused."""
        return ""

    def fraction(self, position: Position) -> float | None:
        """Return how much of the table lies before a position, where its length is known."""
        return position.row / self.n_rows if self.n_rows else None

    def close(self) -> None:
        """Close the file."""
        self._file.close()


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
