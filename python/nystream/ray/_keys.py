"""Which rows go where: by the key to a shard."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Part:
    """The rows of a batch that are for one shard, in order, and the text of the key of each."""

    places: NDArray[np.intp]
    keys: NDArray[np.str_]


def home(key: str, n_shards: int) -> int:
    """Return the shard of a key; Python's own hash would differ from process to process."""
    return zlib.crc32(key.encode()) % n_shards


def parts(keys: NDArray[Any], n_shards: int) -> list[Part]:
    """Share the rows of a batch out among the shards."""
    unique, codes = np.unique(keys, return_inverse=True)
    names = unique.astype(np.str_)
    homes = np.array([home(name, n_shards) for name in names.tolist()], dtype=np.intp)[codes]
    places = [np.flatnonzero(homes == shard) for shard in range(n_shards)]
    return [Part(mine, names[codes[mine]]) for mine in places]


def checked(keys: Any) -> NDArray[Any]:
    """Return keys as an array of text or whole numbers."""
    array = np.asarray(keys)
    if array.ndim != 1:
        raise ValueError(f"keys should be one-dimensional, but has the shape {array.shape}")
    if array.dtype == object:
        array = np.array([_text(i, key) for i, key in enumerate(array)], dtype=np.str_)
    if array.size and array.dtype.kind not in "iuU":
        raise TypeError(f"keys should be text or whole numbers, but has the dtype {array.dtype}")
    return array


def _text(i: int, key: Any) -> str:
    if isinstance(key, bool) or not isinstance(key, str | int | np.integer):
        raise TypeError(f"keys[{i}] should be text or a whole number, but is {key!r:.100}")
    return str(key)
