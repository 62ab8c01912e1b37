"""Lines of a text file, packed or not, with their numbers and a hash of what was read."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections import deque
from typing import TYPE_CHECKING, BinaryIO, cast

from nystream._tables.hashing import RunningHash
from nystream._tables.table import Position, changed, fewer

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 1 << 24  # bytes of a line: without a limit, a file without line ends would fill memory
BLOCK = 1 << 20  # bytes that are read at a time of what is not kept
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NO_ARCHIVE = (EOFError, gzip.BadGzipFile, zlib.error)


class Overlong(bytes):
    """Stands for a line that is too long to be kept; ``size`` is that of the line."""

    size: int
    after: RunningHash | None  # of the file up to the end of the line


class Lines:
    """Lines of a file, with their numbers, and where the file stands.

    If reading is to be ``resumable``, what is read is hashed, and a last line without its end is
    not read: whoever writes it may not be done.
    """

    is_whole = False

    def __init__(self, file: BinaryIO, name: str, resumable: bool = False) -> None:
        self.name = name
        self._raw = file
        # Told by its first bytes: a pipe has no name that ends with .gz.
        is_packed = cast("bytes", file.peek(2)[:2]) == b"\x1f\x8b"  # type: ignore[attr-defined]
        self._file = cast("BinaryIO", gzip.GzipFile(fileobj=file)) if is_packed else file
        self.can_seek = not is_packed and file.seekable()
        self._origin = file.tell() if self.can_seek else 0
        self._running = RunningHash() if resumable else None
        self._ahead: deque[bytes] = deque()
        self._parts: deque[bytes] = deque()  # of a line with several ends
        self.is_unfinished = False
        self.line = self.byte = 0

    def __next__(self) -> bytes:
        line = self._ahead.popleft() if self._ahead else self._read()
        if not line:
            raise StopIteration
        self.line += 1
        if isinstance(line, Overlong):
            self.byte += line.size
            self._running = line.after and line.after.copy()
        else:
            self.byte += len(line)
            if self._running is not None:
                self._running.add(line)
        return line

    def __iter__(self) -> Lines:
        return self

    def ahead(self) -> Iterator[bytes]:
        """Yield the next lines, which are still to come afterwards."""
        while line := self._read():
            self._ahead.append(line)
            yield line

    def _read(self) -> bytes:
        line = b"" if self.is_unfinished else self._part(LONGEST + 1)
        if len(line) > LONGEST:
            line = self._overlong(line)
        elif self._running is not None and line and not line.endswith(b"\n"):
            self.is_unfinished = True
        return b"" if self.is_unfinished else line

    def _part(self, size: int) -> bytes:
        """Read a line, or no more of it than so many bytes."""
        try:
            return self._file.readline(size)
        except NO_ARCHIVE as error:
            raise ValueError(f"{self.name} is not a sound gzip file: {error}") from error

    def _overlong(self, part: bytes) -> Overlong:
        """Read a line that is too long to its end."""
        line = Overlong(b"?")  # neither blank nor a row
        line.size, line.after = 0, self._hash_ahead()
        while part:
            line.size += len(part)
            if line.after is not None:
                line.after.add(part)
            if part.endswith(b"\n"):
                return line
            part = self._part(BLOCK)
        self.is_unfinished = self._running is not None
        return line

    def _hash_ahead(self) -> RunningHash | None:
        """Return the hash of all lines so far, those that are still to come included."""
        if self._running is None:
            return None
        running = self._running.copy()
        for line in self._ahead:
            if isinstance(line, Overlong) and line.after is not None:
                running = line.after.copy()
            else:
                running.add(line)
        return running

    def go_to(self, position: Position) -> None:
        """Read up to a position that was reached before, and refuse what has changed since."""
        if self.can_seek:
            self._read_blocks(position)
        else:
            self._read_lines(position)
        is_known = self._running is not None and position.digest is not None
        if self.byte != position.byte or (is_known and self.at(0).digest != position.digest):
            raise changed(self.name, f"{position.line:,} lines")

    def _read_lines(self, position: Position) -> None:
        while self.line < position.line:
            if next(self, None) is None:
                raise fewer(self.name, "lines")

    def _read_blocks(self, position: Position) -> None:
        """Read a file anew, much quicker than line by line."""
        self._file.seek(self._origin)
        self._ahead.clear()
        self.is_unfinished = False
        self._running = self._running and RunningHash()
        left, block = position.byte, b"\n"
        while left:
            block = self._file.read(min(left, BLOCK))
            if not block:
                raise fewer(self.name, "bytes")
            if self._running is not None:
                self._running.add(block)
            left -= len(block)
        self.line, self.byte = position.line, position.byte
        following = self._file.peek(1)[:1]  # type: ignore[attr-defined]
        if not block.endswith(b"\n") and following not in (b"", b"\n"):
            raise changed(self.name, f"{position.line:,} lines")

    def at(self, row: int) -> Position:
        """Return how much has been read, which is so many rows."""
        digest = None if self._running is None else self._running.digest()
        return Position(row, self.line, self.byte, digest)

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


class WholeLines(Lines):
    """Lines of a file that is read at once: of any length, and with the ends of any system."""

    is_whole = True

    def _read(self) -> bytes:
        if not self._parts:
            self._parts.extend(self._file.readline().splitlines(keepends=True))
        return self._parts.popleft() if self._parts else b""


def too_long() -> str:
    """Say what is wrong with a line that is too long."""
    return f"should be at most {LONGEST:,} bytes, but is longer"


def is_filled(line: bytes) -> bool:
    """Tell whether there is anything in a line, be it only tabs."""
    return bool(line.removeprefix(BYTE_ORDER_MARK).strip(b" \r\n"))
