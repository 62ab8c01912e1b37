"""The bytes of a text file, packed or not, and a hash of what was read."""

from __future__ import annotations

import gzip
import importlib
import os
import stat
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from nystream._tables.hashing import RunningHash
from nystream._tables.table import Position, changed, fewer

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK = 1 << 18  # bytes that are read at a time
SAMPLE = 1 << 22  # the most bytes that are read ahead of a file
SAMPLE_LINES = 512
LONGEST = 1 << 24  # bytes of a line: without a limit, a file without line ends would fill memory
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
NO_ARCHIVE = (EOFError, gzip.BadGzipFile, zlib.error)


class Source:
    """Bytes of a file, block by block, and where the file stands.

    If reading is to be ``resumable``, what is read is hashed, and a last line without its end is
    not read: whoever writes it may not be done.
    """

    def __init__(self, file: BinaryIO, name: str, resumable: bool = False) -> None:
        self.name, self.resumable = name, resumable
        self._raw = file
        # Told by its first bytes: a pipe has no name that ends with .gz.
        first = cast("bytes", file.peek(4)[:4])  # type: ignore[attr-defined]
        self._packing = "gzip" if first[:2] == GZIP else "zstd" if first == ZSTD else ""
        self._file, self._errors = unpacked(file, self._packing, name)
        # A pipe gives what has come, where a file would be read until there is enough.
        self._read_some = cast(
            "Callable[[int], bytes]", getattr(self._file, "read1", self._file.read)
        )
        self._ahead = b""
        self._running = RunningHash() if resumable else None
        self._unhashed = bytearray()
        self._hashed = 0
        self._before_long: tuple[int, RunningHash] | None = None

    @property
    def is_file(self) -> bool:
        """Tell a file, which can be read ahead, from a pipe."""
        try:
            return stat.S_ISREG(os.fstat(self._raw.fileno()).st_mode)
        except OSError:  # a file in memory
            return True

    def read_ahead(self) -> bool:
        """Read more of the beginning, which is still to come afterwards; False at the end."""
        block = self._read()
        self._ahead += block
        while self.is_file and block and len(self._ahead) < SAMPLE:
            if self._ahead.count(b"\n") >= SAMPLE_LINES:
                break
            block = self._read()
            self._ahead += block
        return bool(block)

    @property
    def ahead(self) -> bytes:
        """The beginning, as far as it was read ahead."""
        return self._ahead

    def block(self, size: int = BLOCK) -> bytes:
        """Return the next bytes; none at the end."""
        block, self._ahead = self._ahead[:size], self._ahead[size:]
        block = block or self._read(size)
        if self._running is not None:
            self._unhashed += block
        return block

    def _read(self, size: int = BLOCK) -> bytes:
        try:
            return self._read_some(size)
        except self._errors as error:
            what = f"{self.name} is not a sound {self._packing} file"
            raise ValueError(f"{what}: {error}") from error

    def hash_to(self, byte: int) -> None:
        """Hash what was read up to the end of a row."""
        if self._running is None:
            return
        if byte > self._hashed:
            n_new = byte - self._hashed
            self._running.add(bytes(self._unhashed[:n_new]))
            del self._unhashed[:n_new]
            self._hashed, self._before_long = byte, None
        if len(self._unhashed) > 2 * (
            LONGEST + BLOCK
        ):  # part of a line that is too long to be kept
            self._before_long = self._before_long or (self._hashed, self._running.copy())
            self._running.add(bytes(self._unhashed))
            self._hashed += len(self._unhashed)
            self._unhashed.clear()

    def at(self, row: int, line: int, byte: int) -> Position:
        """Return how much has been read up to the end of a row."""
        self.hash_to(byte)
        running = self._running
        if self._before_long is not None and self._before_long[0] == byte:
            running = self._before_long[1]
        return Position(row, line, byte, None if running is None else running.digest())

    def go_to(self, position: Position) -> None:
        """Read up to a position that was reached before, and refuse what has changed since."""
        left, block = position.byte, b"\n"
        while left:
            block = self.block(min(left, BLOCK))
            if not block:
                raise fewer(self.name, "bytes")
            left -= len(block)
            self.hash_to(position.byte - left)
        now = self.at(position.row, position.line, position.byte)
        is_known = self.resumable and position.digest is not None
        is_other = is_known and now.digest != position.digest
        if is_other or (position.row and not self._ends_line(block)):
            raise changed(self.name, f"{position.line:,} lines")

    def _ends_line(self, block: bytes) -> bool:
        """Tell whether a line ends with a block."""
        if not self._ahead:
            self._ahead = self._read()
        return block.endswith(b"\n") or self._ahead[:1] in (b"", b"\n")

    def fraction(self, position: Position) -> float | None:
        """Return how much of the file lies before a position, where its length tells."""
        if self._packing or not self.is_file:
            return None
        try:
            size = os.fstat(self._raw.fileno()).st_size
        except OSError:
            return None
        return position.byte / size if size else None

    def close(self) -> None:
        """Close the file."""
        self._raw.close()


def unpacked(file: BinaryIO, packing: str, name: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """Return a file with its contents unpacked, and the errors of contents that are not sound."""
    if packing == "gzip":
        return gzip.GzipFile(fileobj=file), NO_ARCHIVE
    if packing == "zstd":
        return zstd(file, name)
    return file, ()


def zstd(file: BinaryIO, name: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """Open a file that Zstandard has packed, with whatever library is there."""
    for library in ("compression.zstd", "zstandard", "pyarrow"):
        try:
            module: Any = importlib.import_module(library)
        except ImportError:
            continue
        if library == "compression.zstd":
            return module.ZstdFile(file), (module.ZstdError, EOFError)
        if library == "zstandard":
            reader = module.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            return reader, (module.ZstdError,)
        return module.CompressedInputStream(module.PythonFile(file), "zstd"), (OSError,)
    raise ImportError(f"{name} needs pyarrow or zstandard: pip install 'nystream[stream]'")
