"""Files of NumPy arrays: X and y, and what is known of them."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from nystream._tables.join import join
from nystream._tables.npz_table import LABELS, NpzTable

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Arrays:
    """Features, labels, and what a file says of them."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    feature_names: tuple[str, ...] | None = None
    target_name: str | None = None
    target_range: tuple[float, float] | None = None
    source: str = ""
    note: str = ""

    def write(self, file: BinaryIO) -> None:
        """Write what there is."""
        known: dict[str, Any] = {
            key: value for key, value in vars(self).items() if value is not None
        }
        np.savez_compressed(file, **known)


def read(path: Path, target: str | None = None) -> Arrays:
    """Read features and labels, and the rest if it is there."""
    with open(path, "rb") as file, closing(NpzTable(file, str(path), target=target)) as table:
        if len(table.arrays) < 2:
            raise ValueError(table.lacks(target or LABELS))
        features, labels = (array.header.shape for array in table.arrays)
        if len(labels) != 1:
            what = f"{table.arrays[1].name} of {path} should be one-dimensional"
            raise ValueError(f"{what}, but has the shape {labels}")
        if 0 in features:
            what = "should have at least one row and one feature, but X is empty"
            raise ValueError(f"{path} {what}")
        return Arrays(*join(table, range(features[1]), features[1]), **table.facts)
