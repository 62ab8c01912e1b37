"""Tables of text in which each line is a row, or some lines are: CSV and JSON lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from nystream._tables.columns import UnfitColumnError
from nystream._tables.lines import Overlong, is_filled, too_long
from nystream._tables.table import BadRow, Chunk, Fault, Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nystream._tables.columns import Columns
    from nystream._tables.lines import Lines
    from nystream._tables.values import Values


class LineTable(ABC):
    """A table of text, of which blank lines are no rows."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.columns: Columns = self.read_columns()

    @abstractmethod
    def read_columns(self) -> Columns:
        """Read up to the first row, and return the columns."""

    def rows(self) -> Iterable[bytes]:
        """Return the text of each row that is left: a line."""
        return self._lines

    def no_columns(self) -> ValueError:
        """Return the error for a file without a first line."""
        what = "has no line with an end yet" if self._lines.is_unfinished else "is empty"
        return ValueError(f"{self._lines.name} {what}")

    @abstractmethod
    def parse(self, lines: list[bytes], wanted: Sequence[int]) -> Values | None:
        """Return the values of some rows, or None if something is wrong with any of them."""

    @abstractmethod
    def parse_one(self, line: bytes, wanted: Sequence[int]) -> list[float] | Fault:
        """Return the values of a row, or its fault."""

    def chunks(self, wanted: Sequence[int], n_rows: int, start: Position) -> Iterator[Chunk]:
        """Return as many rows at a time, from a position on; the last chunk may have fewer."""
        if start.line > self._lines.line:
            self._lines.go_to(start)
        return self._chunks(wanted, n_rows, start.row)

    def _chunks(self, wanted: Sequence[int], n_rows: int, row: int) -> Iterator[Chunk]:
        while taken := self._take(n_rows):
            yield self._chunk(row, taken, wanted)
            row += len(taken)

    def _take(self, n_rows: int) -> list[tuple[int, bytes]]:
        """Read so many rows, each with the number of its line."""
        filled = ((self._lines.line, line) for line in self.rows() if is_filled(line))
        return list(islice(filled, n_rows))

    def _chunk(self, row: int, taken: list[tuple[int, bytes]], wanted: Sequence[int]) -> Chunk:
        end = self._lines.at(row + len(taken))
        rows, lines = np.arange(row, end.row), [line for _, line in taken]
        is_short = not any(isinstance(line, Overlong) for line in lines)
        values = self.parse(lines, wanted) if is_short else None
        if values is not None:
            return Chunk(rows, values, (), end)
        good, found, bad = [], [], []
        for i, (number, line) in enumerate(taken):
            is_long = isinstance(line, Overlong)
            one = Fault(too_long()) if is_long else self.parse_one(line, wanted)
            if isinstance(one, Fault):
                bad.append(BadRow(f"line {number}", one))
            else:
                good.append(i)
                found.append(one)
        table = np.array(found).reshape(len(good), len(wanted))
        return Chunk(rows[good], table, tuple(bad), end)

    def refusal(self, wanted: Sequence[int], bad: BadRow | None) -> ValueError:
        """Return the error of whoever needs all rows: the first that is bad."""
        name, fault = self._lines.name, bad.fault if bad else Fault("should hold numbers")
        if fault.cause is not None:
            return ValueError(f"{name} could not be read as UTF-8 text: {fault.cause}")
        if fault.column is None:
            return ValueError(f"{name}, {bad}")
        return UnfitColumnError(f"{name}, {bad}", fault.column, self.columns.count)

    def unread(self) -> str:
        """Say that the last line has no end, if it was left unread for that."""
        number = self._lines.line + 1
        return f"line {number} has no line end" if self._lines.is_unfinished else ""

    def fraction(self, position: Position) -> float | None:
        """Return how much of the file lies before a position, where its length tells."""
        return self._lines.fraction(position)

    def close(self) -> None:
        """Close the file."""
        self._lines.close()
