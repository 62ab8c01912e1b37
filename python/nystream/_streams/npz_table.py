"""Files of NumPy arrays: ``X``, whose columns come first, and ``y`` if it is there."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from nystream._streams.hashing import RunningHash
from nystream._streams.table import Chunk, Position, numeric_chunks
from nystream.datasets._columns import Columns
from nystream.datasets._npy import DAMAGED, Array
from nystream.datasets._npz import known, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nystream._streams.table import Values


class NpzTable:
    """Features and labels side by side; without names, the last columns are the labels."""

    def __init__(self, file: BinaryIO, name: str, resumable: bool = False) -> None:
        self._file, self._name = file, name
        self._running = RunningHash() if resumable else None
        try:
            archive = zipfile.ZipFile(file)
            arrays = [Array(archive, name) for name in ("X", "y")]
            self._arrays = [array for array in arrays if array.is_there]
            self._check()
            self.columns = self._read_columns(archive)
        except DAMAGED as error:
            raise ValueError(f"{name} is not a sound .npz file: {error}") from error
        n_targets = sum(array.n_columns for array in self._arrays[1:])
        self.targets = [str(i - n_targets) for i in range(n_targets)]  # counted from the end

    def _check(self) -> None:
        if not self._arrays or self._arrays[0].name != "X":
            raise ValueError("it should hold an array X")
        for array in self._arrays:
            shape, dtype = array.header.shape, array.header.dtype
            if dtype.kind not in "fiub":
                raise ValueError(f"{array.name} should hold numbers, but has the dtype {dtype}")
            if len(shape) > 2 or len(shape) < (2 if array.name == "X" else 1):
                raise ValueError(f"{array.name} should hold rows, but has the shape {shape}")
            if shape[0] != self._n_rows:
                raise ValueError(
                    f"{array.name} should have {self._n_rows} rows, but has {shape[0]}"
                )

    @property
    def _n_rows(self) -> int:
        return self._arrays[0].header.shape[0]

    def _read_columns(self, archive: zipfile.ZipFile) -> Columns:
        n_features = self._arrays[0].n_columns
        count = sum(array.n_columns for array in self._arrays)
        found = known(words(archive, ("feature_names", "target_name")), n_features)
        if "feature_names" not in found:
            return Columns(count, None)
        target = found.get("target_name") or "y"
        labels = (
            [target]
            if count == n_features + 1
            else [f"{target}{i}" for i in range(count - n_features)]
        )
        return Columns(count, (*found["feature_names"], *labels))

    def chunks(self, wanted: Sequence[int], n_rows: int, start: Position) -> Iterator[Chunk]:
        """Return as many rows at a time, from a position on; the last chunk may have fewer."""
        blocks = self._blocks(wanted, n_rows)
        return numeric_chunks(
            blocks, n_rows, self.columns, wanted, start, self._name, self._running
        )

    def _blocks(self, wanted: Sequence[int], n_rows: int) -> Iterator[Values]:
        try:
            for blocks in zip(*(array.blocks(n_rows) for array in self._arrays), strict=True):
                sides = [block.reshape(len(block), -1) for block in blocks]
                yield np.hstack(sides)[:, list(wanted)]
        except DAMAGED as error:
            raise ValueError(f"{self._name} is not a sound .npz file: {error}") from error

    def unread(self) -> str:
        """Say nothing: a file without its end is refused."""
        return ""

    def fraction(self, position: Position) -> float | None:
        """Return how much of the table lies before a position."""
        return position.row / self._n_rows if self._n_rows else None

    def close(self) -> None:
        """Close the file."""
        self._file.close()
