"""Sinks for predictions: text that can be cut back to an earlier length, or columns that cannot."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

from nystream._tables.arrow_table import pyarrow
from nystream._tables.opening import STANDARD, format_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nystream._tables.values import Values

    Format = Callable[[list[int], list[Any]], str]

TEXT = ("csv", "tsv", "jsonl")
COLUMNS = ("parquet", "arrow")
ROW_GROUP = 1 << 18  # rows: small groups make Parquet files large and slow


class Sink(Protocol):
    """Takes predictions, each with the number of its row."""

    def write(self, rows: NDArray[np.int64], predictions: Values) -> None:
        """Append predictions."""

    def close(self) -> None:
        """Finish."""


def output_format(path: str, form: str | None) -> str:
    """Return the format to write, if it is one that can be written.

    The default for a device, such as /dev/null, is CSV, as for a pipe.
    """
    is_device = path != STANDARD and Path(path).exists() and not Path(path).is_file()
    form = form or ("csv" if is_device else format_of(path))
    if form not in (*TEXT, *COLUMNS):
        raise ValueError(f"predictions are written as {', '.join((*TEXT, *COLUMNS))}, not {form}")
    return form


def open_sink(path: str, form: str | None, names: list[str], keep: int = 0) -> Sink:
    """Open a file, or the standard output, for predictions of targets with these names.

    The first ``keep`` bytes of an existing text file are kept.
    """
    form = output_format(path, form)
    if form in COLUMNS:
        return ColumnSink(path, form, names)
    return TextSink(path, form, names, keep)


class Nowhere:
    """Forgets predictions: only the model was asked for."""

    def write(self, rows: NDArray[np.int64], predictions: Values) -> None:
        """Forget."""

    def secure(self) -> int:
        """Return the number of bytes written, 0."""
        return 0

    def close(self) -> None:
        """Nothing was opened."""


class TextFile:
    """Text that is appended, of which the first ``keep`` bytes of an earlier run are kept."""

    def __init__(self, path: str, head: str, keep: int = 0) -> None:
        self._is_standard = path == STANDARD
        self._file = standard_output() if self._is_standard else cut(path, keep)
        self._length = keep
        if not keep:
            self.append(head)

    def append(self, text: str) -> None:
        """Append text; the reader of a pipe gets it at once."""
        data = text.encode()
        self._file.write(data)
        self._length += len(data)
        if self._is_standard:
            self._file.flush()

    def secure(self) -> int:
        """Bring all that was written to the disk, and return the number of bytes."""
        self._file.flush()
        if stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            os.fsync(self._file.fileno())
        return self._length

    def close(self) -> None:
        """Write what is left; the standard output stays open."""
        if self._is_standard:
            self._file.flush()
        else:
            self.secure()
            self._file.close()


class TextSink(TextFile):
    """Lines of text, one a row."""

    def __init__(self, path: str, form: str, names: list[str], keep: int = 0) -> None:
        sign = "\t" if form == "tsv" else ","
        self._format = jsonl if form == "jsonl" else separated(sign)
        super().__init__(path, "" if form == "jsonl" else sign.join(heads(names)) + "\n", keep)

    def write(self, rows: NDArray[np.int64], predictions: Values) -> None:
        """Append predictions."""
        self.append(self._format(rows.tolist(), predictions.tolist()))


def standard_output() -> BinaryIO:
    """Return the standard output as bytes."""
    if sys.stdout is None:  # as in `nystream score model.nys table.csv >&-`
        raise ValueError("the standard output is closed: predictions need a file to go to")
    return cast("BinaryIO", sys.stdout.buffer)


def cut(path: str, keep: int) -> BinaryIO:
    """Open a file of which only the first bytes are kept."""
    if not keep:
        return open(path, "wb")
    file = open(path, "r+b")  # noqa: SIM115
    size = file.seek(0, os.SEEK_END)
    if size < keep:
        file.close()
        raise ValueError(f"{path} should have at least {keep:,} bytes, but has {size:,}")
    file.seek(keep - 1)
    if file.read(1) != b"\n":
        file.close()
        raise ValueError(f"{path} should have a line end after {keep:,} bytes, but has none")
    file.truncate(keep)
    file.seek(keep)
    return file


def separated(sign: str) -> Format:
    """Return a writer of lines with a sign between columns; numbers keep every bit."""
    one = f"%d{sign}%r\n".__mod__

    def lines(rows: list[int], predictions: list[Any]) -> str:
        if predictions and isinstance(predictions[0], list):
            pairs = zip(rows, predictions, strict=True)
            return "".join(f"{row}{sign}{sign.join(map(repr, values))}\n" for row, values in pairs)
        return "".join(map(one, zip(rows, predictions, strict=True)))

    return lines


def jsonl(rows: list[int], predictions: list[Any]) -> str:
    """Write one JSON object a row."""
    one = '{"row": %d, "prediction": %r}\n'.__mod__
    return "".join(map(one, zip(rows, predictions, strict=True)))


class ColumnSink:
    """A Parquet file or an Arrow IPC stream, which is whole only when it is closed."""

    def __init__(self, path: str, form: str, names: list[str]) -> None:
        self._arrow = pyarrow(path)
        kinds = [self._arrow.int64(), *[self._arrow.float64()] * len(names)]
        self._schema = self._arrow.schema(list(zip(heads(names), kinds, strict=True)))
        self._is_standard = path == STANDARD
        self._file = standard_output() if self._is_standard else cut(path, 0)
        if form == "parquet":
            parquet = pyarrow(path, "pyarrow.parquet")
            self._writer, self._group = parquet.ParquetWriter(self._file, self._schema), ROW_GROUP
        else:
            ipc = pyarrow(path, "pyarrow.ipc")
            self._writer, self._group = ipc.new_stream(self._file, self._schema), 0
        self._waiting: list[Any] = []

    def write(self, rows: NDArray[np.int64], predictions: Values) -> None:
        """Append predictions, in Parquet when there are enough for a row group."""
        columns = [rows, *predictions.reshape(len(rows), -1).T]
        self._waiting.append(self._arrow.RecordBatch.from_arrays(columns, schema=self._schema))
        if sum(batch.num_rows for batch in self._waiting) >= self._group:
            self._write_waiting()

    def _write_waiting(self) -> None:
        self._writer.write(self._arrow.Table.from_batches(self._waiting, self._schema))
        self._waiting = []
        if self._is_standard:
            self._file.flush()

    def close(self) -> None:
        """Write the end of the file."""
        if self._waiting:
            self._write_waiting()
        self._writer.close()
        if not self._is_standard:
            self._file.close()


def heads(names: list[str]) -> list[str]:
    """Return the names of the columns; one target needs no name, as the file is about it."""
    one = len(names) == 1
    return ["row", *(["prediction"] if one else [f"prediction_{name}" for name in names])]


def same_file(one: str, other: str) -> bool:
    """Tell whether two names stand for one file, which cannot be read and written at once."""
    if STANDARD in (one, other):
        return False
    first, second = Path(one), Path(other)
    return first.exists() and second.exists() and first.samefile(second)
