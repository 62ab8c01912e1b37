"""Files of NumPy arrays: X and y, and what is known of them."""

from __future__ import annotations

import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from nystream.datasets._scaling import as_floats, check_numbers

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, ValueError)
WORDS = ("target_name", "source", "note")


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
    # Opened here, since NumPy leaves a file that is no archive open.
    with open(path, "rb") as file:
        try:
            archive = np.load(file, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise ValueError("it is one array")
            contents = {name: archive[name] for name in ("X", target) if name in archive}
            for name in (*WORDS, "feature_names", "target_range"):
                with suppress(KeyError, *DAMAGED):  # nothing is lost but words
                    contents[name] = archive[name]
        except DAMAGED as error:
            raise ValueError(f"{path} is not a sound .npz file: {error}") from error
    for name in ("X", target):
        if name not in contents:
            held = ", ".join(archive.files)
            raise ValueError(f"{path} should hold an array {name}, but holds {held}")
    return contents


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
