"""Parquet files and Arrow IPC files and streams, through pyarrow."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from nystream._core import Table
from nystream._tables.columns import Columns
from nystream._tables.keys import EXPECTED
from nystream._tables.stored_table import StoredTable
from nystream._tables.values import label, no_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nystream._tables.selection import Selection
    from nystream._tables.stored_table import Rows
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

    def blocks(self, selection: Selection, n_rows: int) -> Iterator[Any]:
        """Yield the wanted columns of all rows, batch by batch."""
        features = () if selection.is_tabular else selection.features
        for i in (*features, *selection.targets):
            self._check_type(i, i in selection.targets, selection.reading.advice)
        if selection.key is not None:
            self._check_key(selection.key)
        return self._read([self._batches.schema.names[i] for i in selection.wanted], n_rows)

    def _check_type(self, i: int, is_label: bool, advice: str) -> None:
        """Refuse a column in which there can be no number; texts may hold labels."""
        kind = self._batches.schema.types[i]
        if not (is_number(self._arrow, kind) or (is_label and is_text(self._arrow, kind))):
            what = f"{self.columns.describe(i)} should hold numbers, but holds {kind}; {advice}"
            raise ValueError(f"{self._name}: {what}")

    def _check_key(self, i: int) -> None:
        """Refuse a column in which there can be no key."""
        kind, types = self._batches.schema.types[i], self._arrow.types
        tests = (types.is_integer, types.is_floating, types.is_null)
        if not (any(test(kind) for test in tests) or is_text(self._arrow, kind)):
            what = f"{self.columns.describe(i)} {EXPECTED}, but holds {kind}"
            raise ValueError(f"{self._name}: {what}")

    def without_numbers(self, wanted: Sequence[int]) -> list[int]:
        """Return those of some columns in which there can be no number."""
        types = self._batches.schema.types
        return [i for i in wanted if not is_number(self._arrow, types[i])]

    def _read(self, names: list[str], n_rows: int) -> Iterator[Any]:
        try:
            for batch in self._batches.read(names, n_rows):
                yield self._arrow.Table.from_batches([batch]).select(names)
        except self._damaged as error:
            raise self._unsound(error) from error

    def joined(self, blocks: list[Any]) -> Any:
        """Return blocks as one."""
        return blocks[0] if len(blocks) == 1 else self._arrow.concat_tables(blocks)

    def to_bytes(self, block: Any) -> bytes:
        """Return bytes that are the same on every machine: numbers row by row, then all else."""
        numbers = [c for c in block.columns if is_number(self._arrow, c.type)]
        others = [c for c in block.columns if not is_number(self._arrow, c.type)]
        values = self._floats(numbers, len(block)).astype("<f8", copy=False).tobytes()
        texts = [json.dumps(column.to_pylist(), default=str) for column in others]
        return values + "\n".join(texts).encode()

    def read(self, block: Any, selection: Selection) -> Rows:
        """Return features and labels of a block, and what is wrong with rows of it."""
        n_features = len(selection.features)
        columns, targets = block.columns[:n_features], block.columns[n_features:]
        targets = targets[: len(selection.targets)]
        labels, faults = self._labels(targets, len(block), selection)
        if selection.is_tabular:
            names = list(selection.feature_names or ())
            faults = self.number_faults(labels, selection.targets, may_miss=True) | faults
            return Table(self._arrow.table(columns, names=names)), selection.labels(labels), faults
        X = self._floats(columns, len(block))
        faults = self.number_faults(labels, selection.targets, may_miss=True) | faults
        faults |= self.number_faults(X, selection.features, may_miss=False)
        return selection.named(X), selection.labels(labels), faults

    def keys(self, block: Any) -> list[Any]:
        """Return the keys of rows as they are stored."""
        values: list[Any] = block.columns[-1].to_pylist()
        return values

    def _labels(
        self, columns: list[Any], n_rows: int, selection: Selection
    ) -> tuple[Values, dict[int, str]]:
        """Return labels, and what is wrong with texts that should be some."""
        faults: dict[int, str] = {}
        labels = [np.empty((n_rows, 0))]
        for i, column in zip(selection.targets, columns, strict=True):
            if is_number(self._arrow, column.type):
                labels.append(self._floats([column], n_rows))
                continue
            found = [label(text) for text in column.to_pylist()]
            labels.append(np.array([[nan if value is None else value] for value in found]))
            for row in (row for row, value in enumerate(found) if value is None):
                what = no_number(repr(column[row].as_py()))
                faults.setdefault(row, f"{self.columns.describe(i)} {what}")
        return np.hstack(labels), faults

    def _floats(self, columns: list[Any], n_rows: int) -> Values:
        """Return columns as numbers, in which NaN stands for what is missing."""
        values = np.empty((n_rows, len(columns)))
        for j, column in enumerate(columns):
            numbers = column.cast(self._arrow.float64(), safe=False)
            values[:, j] = numbers.to_numpy()
        return values


def is_number(arrow: Any, kind: Any) -> bool:
    """Tell whether a type of Arrow holds what can be a number."""
    types = arrow.types
    # A column without any value has a type of its own.
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    return any(test(kind) for test in tests)


def is_text(arrow: Any, kind: Any) -> bool:
    """Tell whether a type of Arrow holds texts."""
    if arrow.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(arrow.types.is_string(kind) or arrow.types.is_large_string(kind))


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
