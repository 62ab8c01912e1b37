"""Tables of text in which each line is a row: what CSV and JSON lines have in common."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from abc import ABC, abstractmethod
from collections import deque
from typing import TYPE_CHECKING, BinaryIO, cast

import numpy as np

from nystream._streams.table import BadRow, Chunk, Position

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nystream._streams.table import Values
    from nystream.datasets._columns import Columns

LONGEST = 1 << 24  # bytes of a line: without a limit, a file without line ends would fill memory
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NO_ARCHIVE = (EOFError, gzip.BadGzipFile, zlib.error)


class Lines:
    """Lines of a file, with their numbers, and where the file stands."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self._raw = file
        # Told by its first bytes: a pipe has no name that ends with .gz.
        is_packed = cast("bytes", file.peek(2)[:2]) == b"\x1f\x8b"  # type: ignore[attr-defined]
        self._file = cast("BinaryIO", gzip.GzipFile(fileobj=file)) if is_packed else file
        self.can_seek = not is_packed and file.seekable()
        self._put_back: deque[bytes] = deque()
        self.line = self.byte = 0

    def __next__(self) -> bytes:
        line = self._put_back.popleft() if self._put_back else self._read()
        if not line:
            raise StopIteration
        self.line += 1
        self.byte += len(line)
        return line

    def __iter__(self) -> Lines:
        return self

    def _read(self) -> bytes:
        try:
            line = self._file.readline(LONGEST + 1)
        except NO_ARCHIVE as error:
            raise ValueError(f"{self.name} is not a sound gzip file: {error}") from error
        if len(line) > LONGEST:
            place = f"{self.name}, line {self.line + 1}"
            raise ValueError(f"{place}: should be at most {LONGEST:,} bytes, but is longer")
        return line

    def put_back(self, lines: Sequence[bytes]) -> None:
        """Give back the lines that were read last."""
        self._put_back.extendleft(reversed(lines))
        self.line -= len(lines)
        self.byte -= sum(map(len, lines))

    def go_to(self, position: Position) -> None:
        """Go on to a position that was reached before; what cannot seek is read up to there."""
        if position.byte <= self.byte:
            return
        if self.can_seek:
            self._file.seek(position.byte)
            self._put_back.clear()
            self.line, self.byte = position.line, position.byte
        while self.line < position.line:
            if next(self, None) is None:
                raise ValueError(f"{self.name} has fewer lines than when it was read before")

    def fraction(self, position: Position) -> float | None:
        """Return how much of the file lies before a position, where its length tells."""
        if not self.can_seek:
            return None
        status = os.fstat(self._raw.fileno())
        is_file = stat.S_ISREG(status.st_mode) and status.st_size
        return position.byte / status.st_size if is_file else None

    def close(self) -> None:
        """Close the file."""
        self._raw.close()


class LineTable(ABC):
    """A table of which each line that is not blank is a row."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.columns: Columns = self.read_columns()
        self._first = Position(0, lines.line, lines.byte)

    @abstractmethod
    def read_columns(self) -> Columns:
        """Read up to the first row, and tell what the columns are."""

    @abstractmethod
    def parse(self, lines: list[bytes], wanted: Sequence[int]) -> Values | None:
        """Return the values of some rows, or None if something is wrong with any of them."""

    @abstractmethod
    def parse_one(self, line: bytes, wanted: Sequence[int]) -> list[float] | str:
        """Return the values of a row, or what is wrong with it."""

    def chunks(self, wanted: Sequence[int], n_rows: int, start: Position) -> Iterator[Chunk]:
        """Yield as many rows at a time; the last chunk may have fewer."""
        self._lines.go_to(start if start.line > self._first.line else self._first)
        row = start.row
        while True:
            numbers, lines = self._take(n_rows)
            if not lines:
                return
            yield self._chunk(row, numbers, lines, wanted)
            row += len(lines)

    def _take(self, n_rows: int) -> tuple[list[int], list[bytes]]:
        numbers, lines = [], []
        for line in self._lines:
            if is_filled(line):
                numbers.append(self._lines.line)
                lines.append(line)
                if len(lines) == n_rows:
                    break
        return numbers, lines

    def _chunk(
        self, row: int, numbers: list[int], lines: list[bytes], wanted: Sequence[int]
    ) -> Chunk:
        end = Position(row + len(lines), self._lines.line, self._lines.byte)
        rows = np.arange(row, end.row)
        values = self.parse(lines, wanted)
        if values is not None:
            return Chunk(rows, values, (), end)
        good, found, bad = [], [], []
        for i, line in enumerate(lines):
            one = self.parse_one(line, wanted)
            if isinstance(one, str):
                bad.append(BadRow(f"line {numbers[i]}", one))
            else:
                good.append(i)
                found.append(one)
        table = np.array(found).reshape(len(good), len(wanted))
        return Chunk(rows[good], table, tuple(bad), end)

    def fraction(self, position: Position) -> float | None:
        """Return how much of the file lies before a position, where its length tells."""
        return self._lines.fraction(position)

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


def is_filled(line: bytes) -> bool:
    """Tell whether there is anything in a line, be it only tabs."""
    return bool(line.strip(b" \r\n"))
