"""Numbers that a learner takes, and what is wrong with a value that is none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from nystream._checks import FIT
from nystream._core import LARGEST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Values = NDArray[np.float64]

NUMERIC = "fiub"  # kinds of NumPy's types that are real numbers
ADVICE = "drop leaves a column out"
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "?", "-")
TRUTHS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def first_unfit(array: Values) -> tuple[int, ...] | None:
    """Return the index of the first value that no learner takes, row by row, or None."""
    unfit = ~(np.abs(array) <= LARGEST)  # NaN is unfit too
    if not unfit.any():
        return None
    return tuple(int(i) for i in np.unravel_index(np.argmax(unfit), array.shape))


def check_numbers(arrays: Mapping[str, Values], of: str = "") -> None:
    """Refuse a value that no learner takes, naming its array, its place and, if told, its file."""
    for name, array in arrays.items():
        if (index := first_unfit(array)) is not None:
            place = ", ".join(map(str, index))
            raise ValueError(f"{name}[{place}]{of} {too_large(f'{array[index]:g}')}")


def label(text: str | None) -> float | None:
    """Return the label that a text holds, NaN if it is missing; None for what is none."""
    word = (text or "").strip()
    if word in MISSING:
        return math.nan
    if word.lower() in TRUTHS:
        return TRUTHS[word.lower()]
    try:
        return None if "_" in word else float(word)
    except ValueError:
        return None


def no_number(shown: str) -> str:
    """Say that a value is no number."""
    return f"should be a number, but is {shown}"


def too_large(shown: str) -> str:
    """Say that a number is none that a learner takes."""
    return f"should be {FIT}, but is {shown}"
