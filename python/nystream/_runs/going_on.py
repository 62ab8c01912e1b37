"""Rows that a forecaster has learned already, told from new ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nystream._tables import steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nystream import Forecaster
    from nystream._tables.series import Series


def starts_of(models: Mapping[str, Forecaster]) -> dict[str, int]:
    """Return the last times that forecasters have learned, by key."""
    return {key: last_time(model) for key, model in models.items() if model.n_seen}


def rest(own: Series, starts: Mapping[str, int], every: str | None) -> Series:
    """Return the rows after the last time that was learned; without times, they are numbered on."""
    if own.key not in starts:
        return own
    last = starts[own.key]
    if every is None:
        return replace(own, times=own.times + last + 1)
    is_new = steps.slots(own.times, every, last) > 0
    return own.take(int((~is_new).sum()), len(own))


def last_time(model: Forecaster) -> int:
    """Return the last time that was learned, in microseconds since 1970 or as a row's number."""
    every, following = model.params["every"], model.next_times[0]
    ahead = int(model.horizons[0])
    if every is None:
        return int(following) - ahead
    if months := steps.months_of(every):
        start = following.astype("datetime64[M]") - np.timedelta64(months * ahead, "M")
        return int(start.astype("datetime64[us]").astype(np.int64).item())
    return int(following.astype(np.int64).item()) - steps.micros_of(every) * ahead
