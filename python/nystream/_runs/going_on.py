"""Rows that a forecaster has learned already, told from new ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nystream._tables import steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nystream import Forecaster
    from nystream._tables.series import Series


def starts_of(models: Mapping[str, Forecaster]) -> dict[str, int]:
    """Return the last times that forecasters have learned, by key."""
    lasts = ((key, model._last()) for key, model in models.items())
    return {key: last for key, last in lasts if last is not None}


def rest(own: Series, starts: Mapping[str, int], every: str | None) -> Series:
    """Return the rows after the last time that was learned; without times, they are numbered on."""
    if own.key not in starts:
        return own
    last = starts[own.key]
    if every is None:
        return replace(own, times=own.times + last + 1)
    is_new = steps.slots(own.times, every, last) > 0
    return own.take(int((~is_new).sum()), len(own))
