"""Times as tables have them, read as moments on the wall clock."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Moments = NDArray[np.int64]

DATE = re.compile(r"\s*(\d{1,4})([-./])(\d{1,2})(?:\2(\d{1,4}))?(?:(?:T|\s+|$)(.*))?$", re.ASCII)
CLOCK = re.compile(
    r"(\d{1,2})(?:[:.](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?)?\s*([ap]m)?"
    r"(?:\s*(?:Z|[+-]\d{2}(?::?\d{2})?))?\s*$",
    re.ASCII | re.IGNORECASE,
)
SECOND = 1_000_000
HOUR, DAY = 3600 * SECOND, 86_400 * SECOND
NONE = np.iinfo(np.int64).min  # stands for what is no time
EPOCH = date(1970, 1, 1).toordinal()
YEARS = (1000, 2999)  # whole numbers in this range are years


def moments(columns: Sequence[Sequence[Any]]) -> Moments:
    """Return microseconds since 1970, `NONE` for rows without a time with a date.

    A second column has the time of the day, or its hours as a number. Offsets from UTC are left
    out: a moment is that of the wall clock.
    """
    found = dates_of(columns[0])
    for column in columns[1:]:
        clocks = [clock_of(value) for value in column]
        known = np.array([NONE if clock is None else clock for clock in clocks], dtype=np.int64)
        found = np.where((found == NONE) | (known == NONE), NONE, found + known)
    return found


def dates_of(values: Sequence[Any]) -> Moments:
    """Return the moments of a column: times, texts, years, or seconds since 1970."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return numbers_as_moments(np.array([np.nan if v is None else v for v in values], float))
    texts = {v for v in values if isinstance(v, str)}
    known = read_with_best_order(texts)
    return np.array([known[v] if isinstance(v, str) else moment_of(v) for v in values], np.int64)


def moment_of(value: Any) -> int:
    """Return the moment of a value that is no text."""
    if isinstance(value, datetime):
        clock = value.replace(tzinfo=None) - datetime(1970, 1, 1)
        return (clock.days * 86_400 + clock.seconds) * SECOND + clock.microseconds
    if isinstance(value, date):
        return (value.toordinal() - EPOCH) * DAY
    return NONE


def numbers_as_moments(numbers: NDArray[np.float64]) -> Moments:
    """Read years, or seconds since 1970, or if they are large thousandths of them, and so on."""
    is_known = np.isfinite(numbers) & (np.abs(numbers) < 9e18)
    known = numbers[is_known]
    found = np.full(len(numbers), NONE)
    if are_years(known):
        years = (known.astype(np.int64) - 1970).astype("datetime64[Y]")
        found[is_known] = years.astype("datetime64[us]").astype(np.int64)
        return found
    sizes = np.abs(known)
    factors = np.select([sizes < 1e11, sizes < 1e14, sizes < 1e17], [1e6, 1e3, 1.0], 1e-3)
    found[is_known] = np.round(known * factors).astype(np.int64)
    return found


def are_years(numbers: NDArray[np.float64]) -> bool:
    """Tell whether numbers are years of the calendar."""
    least, greatest = YEARS
    fit = (numbers == np.round(numbers)) & (numbers >= least) & (numbers <= greatest)
    return bool(len(numbers) and fit.all())


def read_with_best_order(texts: set[str]) -> dict[str, int]:
    """Read texts with the order of day and month in which most are times, and span fewest days."""
    read = [{text: moment(text, is_day_first) for text in texts} for is_day_first in (False, True)]
    return min(read, key=lambda known: n_wrong_and_span(list(known.values())))


def n_wrong_and_span(found: list[int]) -> tuple[int, int]:
    """Return the number of texts that are no times, and the days from the first to the last."""
    known = [value for value in found if value != NONE]
    return len(found) - len(known), (max(known) - min(known)) // DAY if known else 0


def moment(text: str, is_day_first: bool) -> int:
    """Return the moment of a text with a date; day and month come in this order around slashes."""
    if not (match := DATE.match(text)):
        return NONE
    first, sign, second, third, rest = match.groups()
    if len(first) == 4:
        parts = (first, second, third or "1")
    elif third is None or len(third) != 4:
        return NONE
    elif sign == "/" and not is_day_first:
        parts = (third, first, second)
    else:
        parts = (third, second, first)
    clock = clock_of(rest) if rest and rest.strip() else 0
    try:
        day = date(*map(int, parts)).toordinal() - EPOCH
    except ValueError:
        return NONE
    return NONE if clock is None else day * DAY + clock


def clock_of(value: Any) -> int | None:
    """Return microseconds since midnight: a number counts hours."""
    if isinstance(value, int | float):
        return round(value * HOUR) if 0 <= value <= 24 else None
    if isinstance(value, time):
        value = value.isoformat()
    match = CLOCK.match(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    hour, minute, second, fraction, half = match.groups()
    hours = int(hour) if half is None else int(hour) % 12 + 12 * (half.lower() == "pm")
    minutes, seconds = int(minute or 0), int(second or 0)
    if hours > 24 or minutes > 59 or seconds > 59 or (half and not 1 <= int(hour) <= 12):
        return None
    micros = int((fraction or "").ljust(6, "0")[:6])
    return (hours * 3600 + minutes * 60 + seconds) * SECOND + micros


def shown(moments: Moments) -> list[str]:
    """Write moments, as dates alone if all are at midnight."""
    is_date = bool((moments % DAY == 0).all())
    return [text[:10] if is_date else text.replace("T", " ") for text in iso(moments)]


def iso(moments: Moments) -> list[str]:
    """Write moments in ISO 8601, to the second unless they have parts of them."""
    unit = "s" if (moments % SECOND == 0).all() else "us"
    return [str(time) for time in moments.astype("datetime64[us]").astype(f"datetime64[{unit}]")]
