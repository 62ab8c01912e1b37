"""Refusals that name the argument and its value."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from nystream._checks import real


def deviation(name: str, value: Any, *, positive: bool = False) -> float:
    """Return a standard deviation: a finite number that is positive, or at least not negative."""
    number = real(name, value)
    if math.isfinite(number) and (number > 0 or (number == 0 and not positive)):
        return number
    sign = "positive" if positive else "not negative"
    raise ValueError(f"{name} should be {sign} and finite, but is {value}")


def path(name: str, value: Any) -> Path:
    """Return a path, with ``~`` for the home folder spelled out."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} should be a path, but is {value!r}")
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise ValueError(f"{name} should be a path, but is {value!r}: {error}") from None


def generator(random_state: Any) -> np.random.Generator:
    """Return NumPy's generator for a seed."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        message = "random_state should be a whole number that is not negative"
        raise type(error)(f"{message}, but is {random_state!r}") from None
