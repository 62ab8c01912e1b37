"""Facts of a checkpoint, checked before use: a file may be damaged, or made to deceive."""

from __future__ import annotations

import base64
import math
from typing import Any, TypeVar

import numpy as np

from nystream._checks import real, whole
from nystream.serve._rows import Array

T = TypeVar("T")
MOST = 2**53  # whole numbers up to which float64 knows all
WORDS: dict[type, str] = {dict: "an object", list: "a list", str: "text"}


def part(known: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a member of an object, of the kind that it should be."""
    return of_kind(name, known.get(name), kind)


def of_kind(name: str, value: Any, kind: type[T]) -> T:
    """Return a value of the kind that it should be."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} should be {WORDS[kind]}, but is {value!r:.50}")
    return value


def listed(name: str, value: Any, length: int) -> list[Any]:
    """Return a list of a known length."""
    values = of_kind(name, value, list)
    if len(values) != length:
        raise ValueError(f"{name} should have {length} members, but has {len(values)}")
    return values


def number_of(name: str, value: Any, minimum: int = 0) -> int:
    """Return how many there are of something."""
    number = whole(name, value, minimum)
    if number > MOST:
        raise ValueError(f"{name} should be at most {MOST}, but is larger")
    return number


def amount(name: str, value: Any) -> float:
    """Return a finite number that is not negative."""
    number = real(name, value)
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} should be finite and not negative, but is {number}")
    return number


def table(
    name: str, text: Any, shape: tuple[int, int], largest: float, *, gaps: bool = False
) -> Array:
    """Return an array from the text of its bytes; with ``gaps``, numbers may be missing."""
    data = base64.b64decode(of_kind(name, text, str), validate=True)
    expected = 8 * shape[0] * shape[1]
    if len(data) != expected:
        raise ValueError(f"{name} should have {expected} bytes, but has {len(data)}")
    numbers: Array = np.frombuffer(data, dtype=np.float64).reshape(shape)
    present = numbers[~np.isnan(numbers)] if gaps else numbers
    if not (np.abs(present) <= largest).all():  # not so for NaN
        raise ValueError(f"{name} should hold finite numbers of magnitude at most {largest:g}")
    return numbers
