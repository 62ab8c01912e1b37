"""The time between two rows of a series, and how it is found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from nystream._tables.times import DAY, HOUR, SECOND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nystream._tables.times import Moments

MINUTE = 60 * SECOND
UNITS = {"w": 7 * DAY, "d": DAY, "h": HOUR, "min": MINUTE, "s": SECOND, "ms": 1000}
MONTHS = {"y": 12, "q": 3, "mo": 1}
NICE = tuple(
    n * unit
    for unit, counts in (
        (SECOND, (1, 2, 5, 10, 15, 20, 30)),
        (MINUTE, (1, 2, 5, 10, 15, 20, 30)),
        (HOUR, (1, 2, 3, 4, 6, 8, 12)),
        (DAY, (1, 7)),
    )
    for n in counts
)
WORDS = {DAY: "a day", 7 * DAY: "a week", 365 * DAY: "a year"}


def months_of(step: str) -> int:
    """Return the months of a step, 0 if it is counted in shorter units."""
    count, unit = parts(step)
    return count * MONTHS.get(unit, 0)


def micros_of(step: str) -> int:
    """Return the microseconds of a step, about so many if it is counted in months."""
    count, unit = parts(step)
    return count * UNITS[unit] if unit in UNITS else count * MONTHS[unit] * 365 * DAY // 12


def parts(step: str) -> tuple[int, str]:
    """Return the number and the unit of a step such as 15min."""
    match = re.fullmatch(r"(\d*)(\w+?)", step)
    assert match is not None, step
    return int(match[1] or 1), match[2]


def found_step(times: Sequence[Moments]) -> str | None:
    """Return the step of series whose times increase: the median distance, if there is one.

    One that is hardly off a usual step, as the times of sensors are, is that step.
    """
    distances = np.concatenate([np.diff(own) for own in times] or [np.empty(0, np.int64)])
    distances = distances[distances > 0]
    if not len(distances):
        return None
    median = int(np.median(distances))
    if median >= 28 * DAY and (months := months_between(times)):
        return in_months(months)
    near = [step for step in NICE if abs(step - median) <= step // 100]
    return in_units(near[0] if near else median)


def months_between(times: Sequence[Moments]) -> int:
    """Return the median distance of months; 0 if some months come twice."""
    months = [np.unique(own.astype("datetime64[us]").astype("datetime64[M]")) for own in times]
    if sum(map(len, months)) < sum(len(np.unique(own)) for own in times):
        return 0
    return int(np.median(np.concatenate([np.diff(own.astype(np.int64)) for own in months])))


def in_months(months: int) -> str:
    """Write months, by years or quarters where they are whole ones."""
    unit = next(unit for unit, length in MONTHS.items() if months % length == 0)
    return f"{months // MONTHS[unit]}{unit}"


def in_units(micros: int) -> str | None:
    """Write microseconds in the largest unit that they are whole ones of."""
    units = (unit for unit, length in UNITS.items() if micros % length == 0)
    unit = next(units, None)
    return None if unit is None else f"{micros // UNITS[unit]}{unit}"


def season_in_words(season: int, step: str | None) -> str:
    """Say how long a season is."""
    if step is None:
        return f"{season} rows"
    if months := months_of(step):
        return "a year" if season * months == 12 else f"{season} x {step}"
    length = season * micros_of(step)
    return WORDS.get(length) or in_units(length) or f"{season} x {step}"


def slots(times: Moments, step: str, origin: int) -> Moments:
    """Return how many steps moments are after the origin, to the nearest."""
    if months := months_of(step):
        own = np.append(times, origin).astype("datetime64[us]").astype("datetime64[M]")
        numbers = own.astype(np.int64)
        after: Moments = (numbers[:-1] - numbers[-1]) // months
    else:
        length = micros_of(step)
        after = (times - origin + length // 2) // length
    return after
