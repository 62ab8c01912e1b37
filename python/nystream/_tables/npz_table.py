"""Files of NumPy arrays: ``X``, whose columns come first, and labels if they are there."""

from __future__ import annotations

import math
import zipfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.lib.format import MAGIC_PREFIX

from nystream._tables.columns import Columns
from nystream._tables.npy_array import DAMAGED, Array
from nystream._tables.stored_table import StoredTable
from nystream._tables.table import BadRow
from nystream._tables.values import NUMERIC, check_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from nystream._tables.selection import Selection
    from nystream._tables.stored_table import Rows
    from nystream._tables.values import Values

LABELS = "y"  # the array of labels, unless another is named
WORDS = ("target_name", "source", "note")
MOST_WORDS = 1 << 24  # bytes


class NpzTable(StoredTable):
    """Features and labels side by side; without names, the last columns are the labels.

    ``facts`` are what the file says of its arrays: names, the range of labels, where it is from.
    """

    def __init__(
        self, file: BinaryIO, name: str, resumable: bool = False, target: str | None = None
    ) -> None:
        super().__init__(file, name, resumable)
        try:
            archive = opened(file)
            self.held = [name.removesuffix(".npy") for name in archive.namelist()]
            arrays = [Array(archive, name) for name in ("X", target or LABELS)]
            self.arrays = [array for array in arrays if array.is_there]
            self.n_rows = math.prod(self.arrays[0].header.shape[:1]) if self.arrays else 0
            problem = self._problem()
            facts = read_facts(archive)
        except DAMAGED as error:
            raise ValueError(f"{name} is not a sound .npz file: {error}") from error
        if problem:
            raise ValueError(problem)
        n_features = self.arrays[0].n_columns
        self.facts = checked(facts, n_features)
        n_targets = sum(array.n_columns for array in self.arrays[1:])
        self.targets = [str(i - n_targets) for i in range(n_targets)]  # counted from the end
        self.label = target or self.facts.get("target_name") or LABELS
        self.columns = self._columns(n_features, self.label, n_targets)

    def _problem(self) -> str:
        """Say what is wrong with the arrays, if anything is."""
        if not self.arrays or self.arrays[0].name != "X":
            return self.lacks("X")
        for array in self.arrays:
            shape, dtype = array.header.shape, array.header.dtype
            what = f"{array.name} of {self._name} should"
            if dtype.hasobject:
                raise ValueError(f"Object arrays are not read, and {array.name} is one")
            if dtype.kind not in NUMERIC:
                return f"{what} hold real numbers, but has the dtype {dtype}"
            if len(shape) != 2 and (array.name == "X" or len(shape) != 1):
                words = "two-dimensional" if array.name == "X" else "one-dimensional"
                return f"{what} be {words}, but has the shape {shape}"
            if shape[0] != self.n_rows:
                return f"{what} have {self.n_rows} labels, but has {shape[0]}"
        return ""

    def lacks(self, name: str) -> str:
        """Say that an array is missing."""
        return f"{self._name} should hold an array {name}, but holds {', '.join(self.held)}"

    def _columns(self, n_features: int, label: str, n_targets: int) -> Columns:
        names = self.facts.get("feature_names")
        if names is None:
            return Columns(n_features + n_targets, None)
        labels = [label] if n_targets == 1 else [f"{label}{i}" for i in range(n_targets)]
        return Columns(n_features + n_targets, (*names, *labels))

    def blocks(self, selection: Selection, n_rows: int) -> Iterator[Values]:
        """Yield all rows, so many at a time."""
        wanted = list(selection.wanted)
        try:
            for blocks in zip(*(array.blocks(n_rows) for array in self.arrays), strict=True):
                sides = [block.reshape(len(block), -1) for block in blocks]
                yield np.hstack(sides)[:, wanted].astype(np.float64, copy=False)
        except DAMAGED as error:
            raise ValueError(f"{self._name} is not a sound .npz file: {error}") from error

    def joined(self, blocks: list[Values]) -> Values:
        """Return blocks as one."""
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def to_bytes(self, block: Values) -> bytes:
        """Return bytes that are the same on every machine, to be hashed."""
        return block.astype("<f8", copy=False).tobytes()

    def read(self, block: Values, selection: Selection) -> Rows:
        """Return features and labels of a block, and what is wrong with rows of it."""
        n_features = len(selection.features)
        n_columns = n_features + len(selection.targets)
        X, y = np.ascontiguousarray(block[:, :n_features]), block[:, n_features:n_columns]
        faults = self.number_faults(y, selection.targets, may_miss=True)
        faults |= self.number_faults(X, selection.features, may_miss=selection.is_tabular)
        return selection.named(X), selection.labels(y), faults

    def keys(self, block: Values) -> list[float]:
        """Return the keys of rows as they are stored."""
        values: list[float] = block[:, -1].tolist()
        return values

    def refusal(self, bad: BadRow) -> ValueError:
        """Return the error of whoever needs all rows: the first number that no learner takes."""
        try:
            arrays = {array.name: array.whole().astype(np.float64) for array in self.arrays}
            check_numbers(arrays, f" of {self._name}")
        except ValueError as error:
            return error
        return ValueError(f"{self._name}, {bad}")


def opened(file: BinaryIO) -> zipfile.ZipFile:
    """Open an archive, or refuse what is none."""
    if file.peek(len(MAGIC_PREFIX)).startswith(MAGIC_PREFIX):  # type: ignore[attr-defined]
        raise ValueError("it is one array")
    return zipfile.ZipFile(file)


def read_facts(archive: zipfile.ZipFile) -> dict[str, NDArray[Any]]:
    """Return those of small arrays that can be read: without the others only words are lost."""
    found = {}
    for array in (Array(archive, name) for name in (*WORDS, "feature_names", "target_range")):
        with suppress(*DAMAGED):
            if array.is_there and array.header.nbytes <= MOST_WORDS:
                found[array.name] = array.whole()
    return found


def checked(facts: dict[str, NDArray[Any]], n_features: int) -> dict[str, Any]:
    """Return what a file says of its arrays, where it is of the right form."""
    found: dict[str, Any] = {}
    for key in WORDS:
        if key in facts and facts[key].shape == ():
            found[key] = str(facts[key])
    if (names := facts.get("feature_names")) is not None and names.shape == (n_features,):
        found["feature_names"] = tuple(map(str, names))
    if (limits := facts.get("target_range")) is not None and limits.shape == (2,):
        found["target_range"] = (float(limits[0]), float(limits[1]))
    return found
