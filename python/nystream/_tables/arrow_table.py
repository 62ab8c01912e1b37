"""Parquet files and Arrow IPC files and streams, through pyarrow."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from nystream._tables.blocks import numeric_chunks
from nystream._tables.columns import Columns, UnfitColumnError
from nystream._tables.hashing import RunningHash
from nystream._tables.table import CHUNK, BadRow, Chunk, Position
from nystream._tables.values import ADVICE, first_unfit, no_number, too_large

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nystream._tables.values import Values

IPC_FILE = b"ARROW1"
BUFFER = 1 << 18  # bytes that are read at a time of each column of a Parquet file


def pyarrow(name: str, module: str = "pyarrow") -> Any:
    """Import pyarrow, or say what is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{name} needs pyarrow: pip install 'nystream[stream]'") from error


class ArrowTable:
    """A table that is stored in columns; ``source`` opens it in its format."""

    def __init__(
        self, file: BinaryIO, name: str, source: type[_Source], resumable: bool = False
    ) -> None:
        self._file, self._name = file, name
        self._running = RunningHash() if resumable else None
        self._arrow = pyarrow(name)
        # A length that is damaged may be more than there is memory for.
        self._damaged = (self._arrow.ArrowException, OSError, MemoryError)
        try:
            self._source = source(file, name)
        except self._damaged as error:
            raise ValueError(f"{name} is not a sound {source.FORMAT}: {error}") from error
        names = tuple(self._source.schema.names)
        if len(set(names)) < len(names):
            raise ValueError(f"{name} should have columns of different names")
        self.columns = Columns(len(names), names)

    def chunks(self, wanted: Sequence[int], n_rows: int, start: Position) -> Iterator[Chunk]:
        """Return as many rows at a time, from a position on; the last chunk may have fewer."""
        for i in wanted:
            self._check_type(i)
        names = [self._source.schema.names[i] for i in wanted]
        blocks = map(self._block(names), self._sound(self._source.batches(names, n_rows)))
        return numeric_chunks(
            blocks, n_rows, self.columns, wanted, start, self._name, self._running
        )

    def _check_type(self, i: int) -> None:
        kind = self._source.schema.types[i]
        if not is_number(self._arrow, kind):
            what = f"{self.columns.describe(i)} should hold numbers, but holds {kind}"
            raise UnfitColumnError(f"{self._name}: {what}", i, self.columns.count)

    def _block(self, names: list[str]) -> Any:
        def block(batch: Any) -> Values:
            values = np.empty((batch.num_rows, len(names)))
            for j, name in enumerate(names):
                values[:, j] = self._floats(batch.column(name))
            return values

        return block

    def _floats(self, column: Any) -> Values:
        """Return a column as numbers, in which NaN stands for what is missing."""
        numbers = column.cast(self._arrow.float64(), safe=False)
        return cast("Values", numbers.to_numpy(zero_copy_only=False))

    def refusal(self, wanted: Sequence[int], bad: BadRow | None) -> ValueError:
        """Return the error of whoever needs all rows: read again, column by column."""
        for i in wanted:
            row = 0
            name = self._source.schema.names[i]
            for batch in self._sound(self._source.batches([name], CHUNK)):
                if problem := self._problem(batch.column(name), row):
                    what = f"{self._name}, {self.columns.describe(i)} {problem}"
                    return UnfitColumnError(what, i, self.columns.count)
                row += batch.num_rows
        return ValueError(f"{self._name} should have at least one row, but has none")

    def _problem(self, column: Any, row: int) -> str:
        """Say what is wrong with a part of a column, which begins at a row, if anything is."""
        if column.null_count:
            first = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
            return f"has no value in row {row + first}; {ADVICE}"
        if len(column) and not is_number(self._arrow, column.type):
            return f"{no_number(repr(column[0].as_py()))} in row {row}; {ADVICE}"
        values = self._floats(column) if len(column) else np.empty(0)
        if (unfit := first_unfit(values)) is None:
            return ""
        return f"{too_large(f'{values[unfit]:g}')} in row {row + unfit[0]}"

    def _sound(self, batches: Iterable[Any]) -> Iterator[Any]:
        try:
            yield from batches
        except self._damaged as error:
            what = self._source.FORMAT
            raise ValueError(f"{self._name} is not a sound {what}: {error}") from error

    def unread(self) -> str:
        """Say nothing: a file without its end is refused."""
        return ""

    def fraction(self, position: Position) -> float | None:
        """Return how much of the table lies before a position, where its length is known."""
        n_rows = self._source.n_rows
        return position.row / n_rows if n_rows else None

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _Source(ABC):
    """A way to store batches of columns."""

    FORMAT: str
    schema: Any
    n_rows: int | None = None

    @abstractmethod
    def __init__(self, file: BinaryIO, name: str) -> None:
        """Open a file."""

    @abstractmethod
    def batches(self, names: list[str], n_rows: int) -> Iterable[Any]:
        """Return all batches, in order."""


class Parquet(_Source):
    """A Parquet file."""

    FORMAT = "Parquet file"

    def __init__(self, file: BinaryIO, name: str) -> None:
        # Without these, whole row groups are read ahead, and all of the file stays in memory.
        self._reader = pyarrow(name, "pyarrow.parquet").ParquetFile(
            file, pre_buffer=False, buffer_size=BUFFER
        )
        self.schema = self._reader.schema_arrow
        self.n_rows = self._reader.metadata.num_rows

    def batches(self, names: list[str], n_rows: int) -> Iterable[Any]:
        """Return all batches, of the columns that are wanted alone."""
        return cast("Iterable[Any]", self._reader.iter_batches(n_rows, columns=names))


class ArrowFile(_Source):
    """An Arrow IPC file, also called Feather."""

    FORMAT = "Arrow IPC file"

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._reader = pyarrow(name, "pyarrow.ipc").open_file(file)
        self.schema = self._reader.schema

    def batches(self, names: list[str], n_rows: int) -> Iterable[Any]:
        """Return all batches, as they are stored."""
        return map(self._reader.get_batch, range(self._reader.num_record_batches))


class ArrowStream(_Source):
    """An Arrow IPC stream, as it comes through a pipe."""

    FORMAT = "Arrow IPC stream"

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._reader = pyarrow(name, "pyarrow.ipc").open_stream(file)
        self.schema = self._reader.schema

    def batches(self, names: list[str], n_rows: int) -> Iterable[Any]:
        """Return all batches, as they come."""
        return cast("Iterable[Any]", self._reader)


def is_number(arrow: Any, kind: Any) -> bool:
    """Tell whether a type of Arrow holds what can be a number."""
    types = arrow.types
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    return any(test(kind) for test in tests)


def arrow(file: BinaryIO, name: str, resumable: bool = False) -> ArrowTable:
    """Open an Arrow IPC file or stream, whichever the first bytes say."""
    is_file = file.peek(len(IPC_FILE)).startswith(IPC_FILE)  # type: ignore[attr-defined]
    return ArrowTable(file, name, ArrowFile if is_file else ArrowStream, resumable)


def parquet(file: BinaryIO, name: str, resumable: bool = False) -> ArrowTable:
    """Open a Parquet file."""
    return ArrowTable(file, name, Parquet, resumable)
