"""Tables that are stored in columns: blocks of any length, cut anew into chunks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from nystream._core import LARGEST
from nystream._tables.hashing import RunningHash
from nystream._tables.keys import with_keys
from nystream._tables.table import BadRow, Chunk, Position, changed, fewer, taken
from nystream._tables.values import too_large

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from nystream._tables.columns import Columns
    from nystream._tables.selection import Selection
    from nystream._tables.values import Values

    Rows: TypeAlias = tuple[Any, Values, dict[int, str]]


class StoredTable(ABC):
    """A table in a file; ``n_rows`` is None where that is not known."""

    columns: Columns
    n_rows: int | None = None

    def __init__(self, file: BinaryIO, name: str, resumable: bool = False) -> None:
        self._file, self._name = file, name
        self._running = RunningHash() if resumable else None

    @abstractmethod
    def blocks(self, selection: Selection, n_rows: int) -> Iterator[Any]:
        """Return all rows, about so many at a time; they can be cut and counted."""

    @abstractmethod
    def joined(self, blocks: list[Any]) -> Any:
        """Return blocks as one."""

    @abstractmethod
    def read(self, block: Any, selection: Selection) -> Rows:
        """Return features and labels of a block, and what is wrong with rows of it."""

    @abstractmethod
    def keys(self, block: Any) -> list[Any]:
        """Return the keys of rows as they are stored: the last column of a block."""

    @abstractmethod
    def to_bytes(self, block: Any) -> bytes:
        """Return bytes that are the same on every machine, to be hashed."""

    def chunks(self, selection: Selection, n_rows: int, start: Position) -> Iterator[Chunk]:
        """Return as many rows at a time, from a position on; the last chunk may have fewer."""
        rest = self._after(start, self.blocks(selection, n_rows))
        pieces = self._recut(rest, n_rows)
        return self._chunks(pieces, start.row, selection)

    def _after(self, start: Position, blocks: Iterator[Any]) -> Iterator[Any]:
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

    def _hash(self, block: Any) -> str | None:
        """Return the hash of all rows so far, if it is wanted."""
        if self._running is None:
            return None
        self._running.add(self.to_bytes(block))
        return self._running.digest()

    def _recut(self, blocks: Iterable[Any], n_rows: int) -> Iterator[Any]:
        """Cut blocks anew into pieces of as many rows each, the last aside."""
        waiting: list[Any] = []
        n_waiting = 0
        for block in blocks:
            rest = block
            while n_waiting + len(rest) >= n_rows:
                yield self.joined([*waiting, rest[: n_rows - n_waiting]])
                rest = rest[n_rows - n_waiting :]
                waiting, n_waiting = [], 0
            if len(rest):
                waiting.append(rest)
                n_waiting += len(rest)
        if waiting:
            yield self.joined(waiting)

    def _chunks(self, pieces: Iterable[Any], row: int, selection: Selection) -> Iterator[Chunk]:
        """Tell good rows from bad ones."""
        for piece in pieces:
            X, y, faults = self.read(piece, selection)
            end = Position(row + len(piece), digest=self._hash(piece))
            rows = np.arange(row, end.row)
            bad = tuple(BadRow(row + i, f"row {row + i}", faults[i]) for i in sorted(faults))
            if faults:
                good = np.setdiff1d(np.arange(len(piece)), list(faults))
                X, y, rows = taken(X, good), y[good], rows[good]
            chunk = Chunk(rows, X, y, bad, end)
            if selection.key is not None:
                keys = self.keys(piece)
                found = [keys[i] for i in (rows - row).tolist()]
                chunk = with_keys(chunk, found, selection.key_column)
            yield chunk
            row = end.row

    def without_numbers(self, wanted: Sequence[int]) -> list[int]:
        """Return none of some columns: all are numbers, unless a format says otherwise."""
        return []

    def refusal(self, bad: BadRow) -> ValueError:
        """Return the error of whoever needs all rows: the first that is bad."""
        return ValueError(f"{self._name}, {bad}")

    def number_faults(
        self, values: Values, wanted: Sequence[int], may_miss: bool
    ) -> dict[int, str]:
        """Return what is wrong with rows of numbers in columns that are wanted."""
        fit = np.abs(values) <= LARGEST  # NaN is unfit, too
        if may_miss:
            fit |= np.isnan(values)
        faults = {}
        for i in np.flatnonzero(~fit.all(axis=1)).tolist():
            j = int(np.argmin(fit[i]))
            what = "missing or NaN" if np.isnan(values[i, j]) else f"{values[i, j]:g}"
            faults[i] = f"{self.columns.describe(wanted[j])} {too_large(what)}"
        return faults

    def unread(self) -> str:
        """Say nothing: a file without its end is refused."""
        return ""

    def fraction(self, position: Position) -> float | None:
        """Return how much of the table lies before a position, where its length is known."""
        return position.row / self.n_rows if self.n_rows else None

    def close(self) -> None:
        """Close the file."""
        self._file.close()
