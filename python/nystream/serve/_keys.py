"""Keys as JSON has them, and rows that have keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from nystream.serve._http import RefusedError
from nystream.serve._rows import Rows, shown

Key: TypeAlias = str | int
INTS = range(-(2**63), 2**63)


class KeyedRow(NamedTuple):
    """A row, and the key that it belongs to."""

    key: Key
    x: Any


@dataclass(frozen=True)
class KeyedRows:
    """Rows, and the key of each."""

    keys: list[Key]
    X: Rows

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, part: slice) -> KeyedRows:
        return KeyedRows(self.keys[part], self.X[part])

    def __iter__(self) -> Iterator[KeyedRow]:
        return map(KeyedRow, self.keys, self.X)


def key_of(place: str, value: Any, most: int) -> Key:
    """Read a key: a text, or a whole number, of which a text is another."""
    if type(value) is str:
        check_text(place, value, most)
        return value
    if type(value) is not int:
        what = "a text or a whole number"
        raise RefusedError(422, f"{place} should be {what}, but is {shown(value)}")
    if value not in INTS:
        what = "a whole number from -2^63 to 2^63 - 1"
        raise RefusedError(422, f"{place} should be {what}, but is {shown(value)}")
    return value


def check_text(place: str, key: str, most: int) -> None:
    """Refuse a key that is too long, or no text."""
    if len(key) > most:
        raise RefusedError(413, f"{place} should have at most {most} characters, not {len(key)}")
    try:
        key.encode()
    except UnicodeEncodeError:
        raise RefusedError(422, f"{place} should be valid Unicode, but is {shown(key)}") from None


def keys_of(values: Any, n_rows: int, most: int) -> list[Key]:
    """Read a key for each row."""
    if not isinstance(values, list):
        raise RefusedError(422, f"keys should be a list of {n_rows} keys, but is {shown(values)}")
    if len(values) != n_rows:
        what = f"as many keys as there are rows, {n_rows}"
        raise RefusedError(422, f"keys should have {what}, but has {len(values)}")
    return [key_of(f"keys[{i}]", value, most) for i, value in enumerate(values)]
