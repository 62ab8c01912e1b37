"""Files of NumPy arrays: X and y, and what is known of them."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.lib.format import MAGIC_PREFIX

from nystream.datasets._npy import DAMAGED, Array
from nystream.datasets._scaling import as_floats, check_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

WORDS = ("target_name", "source", "note")
MOST_WORDS = 1 << 24  # bytes


@dataclass(frozen=True)
class Arrays:
    """What a file holds, or will hold."""

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


def read(path: Path, target: str = "y") -> Arrays:
    """Read features and labels, and the rest if it is there."""
    contents = unpack(path, target)
    try:
        X = as_floats(contents["X"], f"X of {path}", 2)
        y = as_floats(contents[target], f"{target} of {path}", 1)
    except TypeError as error:  # the file is wrong, not an argument
        raise ValueError(str(error)) from None
    check(path, X, y, target)
    return Arrays(X, y, **known(contents, X.shape[1]))


def unpack(path: Path, target: str) -> dict[str, NDArray[Any]]:
    """Return the arrays that are needed, and those that tell about them."""
    with open(path, "rb") as file:
        try:
            if file.read(len(MAGIC_PREFIX)) == MAGIC_PREFIX:
                raise ValueError("it is one array")
            with zipfile.ZipFile(file) as archive:
                held = [name.removesuffix(".npy") for name in archive.namelist()]
                needed = [Array(archive, name) for name in ("X", target)]
                contents = {array.name: array.whole() for array in needed if array.is_there}
                contents |= words(archive, (*WORDS, "feature_names", "target_range"))
        except DAMAGED as error:
            raise ValueError(f"{path} is not a sound .npz file: {error}") from error
    for name in ("X", target):
        if name not in contents:
            raise ValueError(f"{path} should hold an array {name}, but holds {', '.join(held)}")
    return contents


def words(archive: zipfile.ZipFile, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Return those of small arrays that can be read: without the others only words are lost."""
    found = {}
    for array in (Array(archive, name) for name in names):
        with suppress(*DAMAGED):
            if array.is_there and array.header.nbytes <= MOST_WORDS:
                found[array.name] = array.whole()
    return found


def check(path: Path, X: NDArray[np.float64], y: NDArray[np.float64], target: str) -> None:
    """Refuse arrays that do not fit each other, or that no learner takes."""
    if not X.size:
        raise ValueError(f"{path} should have at least one row and one feature, but X is empty")
    if len(X) != len(y):
        raise ValueError(f"{target} of {path} should have {len(X)} labels, but has {len(y)}")
    check_numbers({"X": X, target: y}, f" of {path}")


def known(contents: dict[str, NDArray[Any]], n_features: int) -> dict[str, Any]:
    """Return what a file says of its arrays, where it is of the right form."""
    found: dict[str, Any] = {}
    for key in WORDS:
        if key in contents and contents[key].shape == ():
            found[key] = str(contents[key])
    if (names := contents.get("feature_names")) is not None and names.shape == (n_features,):
        found["feature_names"] = tuple(map(str, names))
    if (limits := contents.get("target_range")) is not None and limits.shape == (2,):
        found["target_range"] = (float(limits[0]), float(limits[1]))
    return found
