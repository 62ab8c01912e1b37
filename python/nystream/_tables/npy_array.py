"""Arrays of an ``.npz`` archive, whose headers are not believed before their sizes agree."""

from __future__ import annotations

import io
import math
import struct
import warnings
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, KeyError, IndexError, ValueError),
    *(OverflowError, RuntimeError, OSError),
)
LONGEST = 10_000  # bytes of a header, as NumPy has it
DENSEST = 1100  # bytes that one byte can stand for: deflate manages 1032
READERS = {
    (1, 0): (2, np.lib.format.read_array_header_1_0),
    (2, 0): (4, np.lib.format.read_array_header_2_0),
}


@dataclass(frozen=True)
class Header:
    """The shape, order and type that an array says it has."""

    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        """Number of bytes of its values."""
        return math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True)
class Array:
    """An array in an archive."""

    archive: zipfile.ZipFile
    name: str

    @property
    def is_there(self) -> bool:
        """True if the archive has an array of that name."""
        return f"{self.name}.npy" in self.archive.NameToInfo

    @cached_property
    def header(self) -> Header:
        """Shape, order and type, once the size of the array bears them out."""
        info = self.archive.getinfo(f"{self.name}.npy")
        if info.file_size > DENSEST * (info.compress_size + 1):
            raise ValueError(f"{self.name} is said to be larger than it can be")
        with self.open() as file:
            header, length = read_header(file)
        if header.nbytes + length != info.file_size and not header.dtype.hasobject:
            size = f"{header.nbytes:,} bytes, but has {info.file_size - length:,}"
            raise ValueError(f"{self.name} should have {size}")
        return header

    @property
    def n_columns(self) -> int:
        """The number of columns; a vector is one."""
        return math.prod(self.header.shape[1:])

    def open(self) -> IO[bytes]:
        """Open the array's own file."""
        return self.archive.open(f"{self.name}.npy")

    def whole(self) -> NDArray[Any]:
        """Return all of it."""
        if self.header.dtype.hasobject:
            raise ValueError(f"Object arrays are not read, and {self.name} is one")
        with self.open() as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.lib.format.read_array(file, allow_pickle=False)

    def blocks(self, n_rows: int) -> Iterator[NDArray[np.float64]]:
        """Yield so many rows at a time."""
        header = self.header
        if header.is_fortran:  # its rows are spread over the file
            whole = self.whole()
            for start in range(0, len(whole), n_rows):
                yield np.asarray(whole[start : start + n_rows], np.float64)
            return
        with self.open() as file:
            read_header(file)
            for start in range(0, header.shape[0], n_rows):
                count = min(n_rows, header.shape[0] - start)
                size = count * self.n_columns * header.dtype.itemsize
                values = np.frombuffer(read_all(file, size), header.dtype)
                yield values.reshape(count, self.n_columns).astype(np.float64)


def read_header(file: IO[bytes]) -> tuple[Header, int]:
    """Read the header of an array, and return how long it was, too."""
    version = np.lib.format.read_magic(file)
    if version not in READERS:
        raise ValueError(f"an array has the format {version}")
    width, read = READERS[version]
    size = read_all(file, width)
    length = int.from_bytes(size, "little")
    if length > LONGEST:
        raise ValueError(f"the header of an array has {length:,} bytes")
    text = size + read_all(file, length)
    header = parsed(read, text)
    if not all(type(n) is int and n >= 0 for n in header.shape):
        raise ValueError(f"an array has the shape {header.shape}")
    return header, np.lib.format.MAGIC_LEN + len(text)


def parsed(read: Any, text: bytes) -> Header:
    """Have NumPy read a header, which it does with Python's own parser: that may say anything."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that Python 2 has written it
            return Header(*read(io.BytesIO(text)))
    except Exception as error:
        raise ValueError(f"the header of an array cannot be read: {error!r:.100}") from error


def read_all(file: IO[bytes], size: int) -> bytes:
    """Read as many bytes as there should be."""
    data = file.read(size)
    if len(data) < size:
        raise EOFError("an array is shorter than its header says")
    return data
