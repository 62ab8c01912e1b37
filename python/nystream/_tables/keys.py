"""The column of keys: what a row belongs to, a text or a whole number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nystream._core import Keyed as KeyedModel
    from nystream._core import Learner, Scorer
    from nystream._tables.table import Chunk

    Key = str | int
    AnyModel = Learner | Scorer | KeyedModel

EXACT = 1 << 53  # whole numbers up to here are numbers of floating point, each its own
WHOLE = re.compile(r"0|-?[1-9][0-9]*")
DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+")
EXPECTED = "should be a text or a whole number"


def with_keys(chunk: Chunk, values: Sequence[Any], column: str, most: float = math.inf) -> Chunk:
    """Return rows with their keys; those without a key, or with a wrong one, are bad.

    ``values`` are as the file has them. Whole numbers beyond ``most`` are wrong.
    """
    known = {value: attempt(value, most) for value in set(values)}
    found = [known[value] for value in values]
    faults = {i: f"{column} {key}" for i, key in enumerate(found) if isinstance(key, Wrong)}
    return replace(chunk, keys=found).without(faults)


class Wrong(str):
    """What is wrong with a key."""


def attempt(value: Any, most: float) -> Key | Wrong:
    """Return the key that a value is, or what is wrong with it."""
    if value is None or value != value:
        return Wrong("has no value, where the key of the row should be")
    key = of_text(value, most) if isinstance(value, str) else of_number(value, most)
    return Wrong(f"{EXPECTED}, but is {value!s:.100}") if key is None else key


def of_text(text: str, most: float) -> Key | None:
    """Return a text as a key; one that writes a whole number as numbers are written is that."""
    if DECIMAL.fullmatch(text):
        return of_number(float(text), most)
    if not WHOLE.fullmatch(text):
        return text
    if len(text) > 20 or not -(1 << 63) <= int(text) < 1 << 63:
        return text if math.isinf(most) else None
    return int(text) if abs(int(text)) <= most else None


def of_number(number: float, most: float) -> int | None:
    """Return a number as a key if it is whole; one of floating point up to where it is exact."""
    limit = min(EXACT, most) if isinstance(number, float) else min((1 << 63) - 1, most)
    is_whole = abs(number) <= limit and number == int(number)
    return int(number) if is_whole else None
