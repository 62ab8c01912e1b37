"""Which rows go where: by the key to a shard, and there to the model of the key."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Part:
    """The rows of a batch that are for one shard, those of a key side by side and in order."""

    places: NDArray[np.intp]
    keys: list[str]
    counts: list[int]

    def groups(self) -> Iterator[tuple[str, slice]]:
        """Yield each key and where its rows are in the part."""
        start = 0
        for key, count in zip(self.keys, self.counts, strict=True):
            yield key, slice(start, start + count)
            start += count


def home(key: str, n_shards: int) -> int:
    """Return the shard of a key; Python's own hash would differ from process to process."""
    return zlib.crc32(key.encode()) % n_shards


def parts(keys: NDArray[Any], n_shards: int) -> list[Part]:
    """Share the rows of a batch out among the shards."""
    unique, codes, counts = np.unique(keys, return_inverse=True, return_counts=True)
    names = [str(key) for key in unique.tolist()]
    homes = np.array([home(name, n_shards) for name in names], dtype=np.intp)
    order = np.argsort(homes[codes] * len(names) + codes, kind="stable")
    shared = []
    for shard in range(n_shards):
        mine = np.flatnonzero(homes == shard)
        size = counts[mine].sum()
        shared.append(Part(order[:size], [names[i] for i in mine], counts[mine].tolist()))
        order = order[size:]
    return shared


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
