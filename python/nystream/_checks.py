"""Refusals that every module shares: they name the argument, what it should be, what it is."""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any

from nystream._core import LARGEST

FIT = f"a finite number of magnitude at most {LARGEST:g}".replace("e+", "e")


def whole(name: str, value: Any, minimum: int = 1) -> int:
    """Return a whole number that is large enough."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name} should be a whole number, but is {value!r:.100}")
    if number < minimum:
        raise ValueError(f"{name} should be at least {minimum}, but is {number}")
    return number


def real(name: str, value: Any) -> float:
    """Return a number, which may be NaN or infinite."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} should be a number, but is {value!r:.100}")
    return float(value)
