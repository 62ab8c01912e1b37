"""Parquet files and Arrow IPC files and streams, through pyarrow."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from nystream._tables.columns import Columns, UnfitColumnError
from nystream._tables.stored_table import StoredTable
from nystream._tables.table import CHUNK, BadRow
from nystream._tables.values import ADVICE, first_unfit, no_number, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nystream._tables.values import Values

IPC_FILE = b"ARROW1"
BUFFER = 1 << 18  # bytes that are read at a time of each column of a Parquet file


def pyarrow(name: str, module: str = "pyarrow") -> Any:
    """Import pyarrow, or say what is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{name} needs pyarrow: pip install 'nystream[stream]'") from error


@dataclass(frozen=True)
class Batches:
    """Batches of columns in a file: ``read`` returns those of some columns, in order."""

    schema: Any
    n_rows: int | None
    read: Callable[[list[str], int], Iterable[Any]]


class ArrowTable(StoredTable):
    """A table that is stored in columns; ``open_batches`` opens it in its format."""

    def __init__(
        self,
        file: BinaryIO,
        name: str,
        resumable: bool,
        kind: str,
        open_batches: Callable[[BinaryIO, str], Batches],
    ) -> None:
        super().__init__(file, name, resumable)
        self._arrow, self._kind = pyarrow(name), kind
        # A length that is damaged may be more than there is memory for.
        self._damaged = (self._arrow.ArrowException, OSError, MemoryError)
        try:
            self._batches = open_batches(file, name)
        except self._damaged as error:
            raise self._unsound(error) from error
        names = tuple(self._batches.schema.names)
        if len(set(names)) < len(names):
            raise ValueError(f"{name} should have columns of different names")
        self.columns, self.n_rows = Columns(len(names), names), self._batches.n_rows

    def _unsound(self, error: Exception) -> ValueError:
        return ValueError(f"{self._name} is not a sound {self._kind}: {error}")

    def blocks(self, wanted: Sequence[int], n_rows: int) -> Iterator[Values]:
        """Return all rows, batch by batch, of columns that hold numbers."""
        for i in wanted:
            kind = self._batches.schema.types[i]
            if not is_number(self._arrow, kind):
                what = f"{self.columns.describe(i)} should hold numbers, but holds {kind}"
                raise UnfitColumnError(f"{self._name}: {what}", i, self.columns.count)
        return map(self._block, self._read(wanted, n_rows))

    def _read(self, wanted: Sequence[int], n_rows: int) -> Iterator[list[Any]]:
        """Yield the wanted columns of each batch."""
        names = [self._batches.schema.names[i] for i in wanted]
        try:
            for batch in self._batches.read(names, n_rows):
                yield [batch.column(name) for name in names]
        except self._damaged as error:
            raise self._unsound(error) from error

    def _block(self, columns: list[Any]) -> Values:
        values = np.empty((len(columns[0]), len(columns)))
        for j, column in enumerate(columns):
            values[:, j] = self._floats(column)
        return values

    def _floats(self, column: Any) -> Values:
        """Return a column as numbers, in which NaN stands for what is missing."""
        numbers = column.cast(self._arrow.float64(), safe=False)
        return cast("Values", numbers.to_numpy(zero_copy_only=False))

    def refusal(self, wanted: Sequence[int], bad: BadRow | None) -> ValueError:
        """Return the error of whoever needs all rows: read again, column by column."""
        for i in wanted:
            row = 0
            for (column,) in self._read([i], CHUNK):
                if problem := self._problem(column, row):
                    what = f"{self._name}, {self.columns.describe(i)} {problem}"
                    return UnfitColumnError(what, i, self.columns.count)
                row += len(column)
        return ValueError(f"{self._name} should have at least one row, but has none")

    def _problem(self, column: Any, row: int) -> str:
        """Say what is wrong with a part of a column, which begins at a row, if anything is."""
        if column.null_count:
            first = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
            return f"has no value in row {row + first}; {ADVICE}"
        if not is_number(self._arrow, column.type):
            return f"{no_number(repr(column[0].as_py()))} in row {row}; {ADVICE}"
        values = self._floats(column)
        if (unfit := first_unfit(values)) is None:
            return ""
        return f"{too_large(f'{values[unfit]:g}')} in row {row + unfit[0]}"


def is_number(arrow: Any, kind: Any) -> bool:
    """Tell whether a type of Arrow holds what can be a number."""
    types = arrow.types
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    return any(test(kind) for test in tests)


def parquet_batches(file: BinaryIO, name: str) -> Batches:
    """Open a Parquet file, of which the columns that are wanted alone are read."""
    # Without these, whole row groups are read ahead, and all of the file stays in memory.
    options = {"pre_buffer": False, "buffer_size": BUFFER}
    reader = pyarrow(name, "pyarrow.parquet").ParquetFile(file, **options)

    def read(names: list[str], n_rows: int) -> Iterable[Any]:
        return cast("Iterable[Any]", reader.iter_batches(n_rows, columns=names))

    return Batches(reader.schema_arrow, reader.metadata.num_rows, read)


def file_batches(file: BinaryIO, name: str) -> Batches:
    """Open an Arrow IPC file, also called Feather; batches come as they are stored."""
    reader = pyarrow(name, "pyarrow.ipc").open_file(file)
    numbers = range(reader.num_record_batches)
    return Batches(reader.schema, None, lambda *_: map(reader.get_batch, numbers))


def stream_batches(file: BinaryIO, name: str) -> Batches:
    """Open an Arrow IPC stream, as it comes through a pipe."""
    reader = pyarrow(name, "pyarrow.ipc").open_stream(file)
    return Batches(reader.schema, None, lambda *_: reader)


def arrow(file: BinaryIO, name: str, resumable: bool = False) -> ArrowTable:
    """Open an Arrow IPC file or stream, whichever the first bytes say."""
    if file.peek(len(IPC_FILE)).startswith(IPC_FILE):  # type: ignore[attr-defined]
        return ArrowTable(file, name, resumable, "Arrow IPC file", file_batches)
    return ArrowTable(file, name, resumable, "Arrow IPC stream", stream_batches)


def parquet(file: BinaryIO, name: str, resumable: bool = False) -> ArrowTable:
    """Open a Parquet file."""
    return ArrowTable(file, name, resumable, "Parquet file", parquet_batches)
