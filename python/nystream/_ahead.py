"""Which of the next rows times are, as a forecaster counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nystream._forecaster import Forecaster


def places_of(name: str, model: Forecaster, times: Sequence[Any]) -> list[int]:
    """Return the places of times among the horizons; refuse the first that is out of reach."""
    places = {horizon: place for place, horizon in enumerate(model.horizons)}
    found = [places.get(distance) for distance in model._distances(times)]
    for i, place in enumerate(found):
        if place is None:
            raise ValueError(f"{name}[{i}] should be {_reach(model)}, but is {_shown(times[i])}")
    return [place for place in found if place is not None]


def rows_for(steps: Sequence[int]) -> list[int]:
    """Return which of the rows, so many steps ahead, stands for each of the next rows.

    Those between them are asked by nobody: the first stands for them.
    """
    rows = {step: row for row, step in enumerate(steps)}
    return [rows.get(step, 0) for step in range(1, max(steps) + 1)]


def _reach(model: Forecaster) -> str:
    horizons, times = model.horizons, model.next_times
    if horizons == list(range(1, len(horizons) + 1)):
        return f"one of the next {len(horizons)} times, {_shown(times[0])} to {_shown(times[-1])}"
    return f"one of the times {', '.join(map(_shown, times[:5]))}{', ...' * (len(times) > 5)}"


def _shown(time: Any) -> str:
    return str(time).replace("T", " ").removesuffix(".000000")
