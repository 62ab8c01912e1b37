"""What ``nystream forecast`` prints: errors of forecasts beside plain ones, and the next values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._runs.forecast_files import labels
from nystream._study.markdown import lay_out
from nystream._tables import steps, times

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nystream import Forecaster
    from nystream._report import Errors
    from nystream._tables.times import Moments

MOST_LINES = 8  # horizons in a table
MOST_NEXT, FIRST, LAST = 12, 6, 3  # next values: all if there are few, else the first and the last
MOST_KEYS = 10


@dataclass(frozen=True)
class Next:
    """A next value: its time or number, its distance, and its forecast with an interval."""

    moment: int
    has_times: bool
    horizon: int
    forecast: float
    lower: float
    upper: float

    def cells(self) -> tuple[Any, ...]:
        """Return the values as a file has them."""
        (when,) = labels(np.array([self.moment]), self.has_times)
        return when, self.horizon, self.forecast, self.lower, self.upper


def path(model: Forecaster, level: float) -> list[Next]:
    """Return the next forecasts; none of a forecaster that has seen nothing."""
    if not model.n_seen:
        return []
    has_times = model.params["every"] is not None
    moments, forecasts = model.next_times.astype(np.int64).tolist(), model.predict().tolist()
    ends = model.predict_interval(level=level).tolist()
    rows = zip(moments, model.horizons, forecasts, ends, strict=True)
    return [Next(when, has_times, horizon, value, *end) for when, horizon, value, end in rows]


def report_of(models: Mapping[str, Forecaster], template: Forecaster) -> str:
    """Return a table of errors, and how much better forecasts are than the best plain one."""
    every, seasons = template.params["every"], template.seasons
    reports = [model.report for model in models.values()]
    pooled = {h: Pooled.of([report[h] for report in reports]) for h in template.horizons}
    if not any(one.n for one in pooled.values()):
        return "no errors yet: there are too few rows to compare forecasts with those of a season"
    names = ["no change", *(f"{steps.season_in_words(season, every)} before" for season in seasons)]
    header = ["horizon", "rows", "MAE", "RMSE", *names, "within 90%", "width"]
    rows = [pooled[h].cells(distance(h, every)) for h in shown(template.horizons, seasons)]
    table = lay_out(header, rows, [True] * len(header))
    return f"{table}\n\n{verdict(list(pooled.values()), names)}"


def distance(horizon: int, every: str | None) -> str:
    """Write a horizon, with its time."""
    if every is None or steps.parts(every)[0] == 1:
        return f"{horizon}{'' if every is None else ' ' + every.lstrip('1')}"
    return f"{horizon} x {every}"


def shown(horizons: Sequence[int], seasons: Sequence[int]) -> list[int]:
    """Choose some horizons: the first, the last, those of seasons, and some between."""
    if len(horizons) <= MOST_LINES:
        return list(horizons)
    between = [horizons[len(horizons) * part // 4 - 1] for part in (1, 2, 3)]
    own = [season for season in seasons if season in horizons][:3]
    return sorted({horizons[0], *between, *own, horizons[-1]})


@dataclass(frozen=True)
class Pooled:
    """The errors of one horizon over all keys: their means, weighted by rows."""

    n: int
    mae: float
    rmse: float
    plain: tuple[float, ...]
    coverage: float
    width: float

    @classmethod
    def of(cls, errors: Sequence[Errors]) -> Pooled:
        """Return the means over keys."""
        known = [one for one in errors if one.n]
        weights = [one.n for one in known]
        plains = [(one.no_change, *one.seasonal.values()) for one in errors]
        return cls(
            n=sum(weights),
            mae=mean([one.mae for one in known], weights),
            rmse=math.sqrt(mean([one.rmse**2 for one in known], weights)),
            plain=tuple(
                mean(column, [one.n for one in errors]) for column in zip(*plains, strict=True)
            ),
            coverage=mean([one.coverage for one in known], weights),
            width=mean([one.width for one in known], weights),
        )

    def cells(self, horizon: str) -> list[str]:
        """Return the cells of a table."""
        numbers = (number(value) for value in (self.mae, self.rmse, *self.plain))
        within = "-" if math.isnan(self.coverage) else f"{self.coverage:.1%}"
        return [horizon, f"{self.n:,}", *numbers, within, number(self.width)]


def mean(values: Iterable[float], weights: Iterable[int]) -> float:
    """Return a mean with weights, of what is known."""
    pairs = [pair for pair in zip(values, weights, strict=True) if not math.isnan(pair[0])]
    total = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / total if total else math.nan


def number(value: float) -> str:
    """Write a number with four digits."""
    if not math.isfinite(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#.4g}"


def verdict(pooled: Sequence[Pooled], names: Sequence[str]) -> str:
    """Say how much better forecasts are than the plain one that is best over all horizons."""
    known = [one for one in pooled if one.n]
    weights = [one.n for one in known]
    own = mean([one.mae for one in known], weights)
    plain = [mean(column, weights) for column in zip(*(one.plain for one in known), strict=True)]
    best, name = min(zip(plain, names, strict=True))
    what = f"MAE over {'all horizons' if len(pooled) > 1 else 'all rows'} {number(own)}"
    if not best:
        return f"{what}; the best plain forecast, {name}, makes no error"
    change = 1 - own / best
    word = "less" if change >= 0 else "more"
    return f"{what}: {abs(change):.1%} {word} than the best plain forecast, {name} ({number(best)})"


def overview(paths: Mapping[str, Sequence[Next]], key: str | None, level: float) -> str:
    """Return the next values as a table: of one series all or some, of several the ends."""
    ends = (f"lower {level:.0%}", f"upper {level:.0%}")
    known = {name: path for name, path in paths.items() if path}
    if key is None:
        (only,) = known.values()
        times = when([row.moment for row in only], only[0].has_times)
        rows = [[time, *cells(row)] for time, row in zip(times, only, strict=True)]
        return "\n" + lay_out(["next", "forecast", *ends], some(rows), [False, True, True, True])
    rows = []
    for name, path in list(known.items())[:MOST_KEYS]:
        few = [path[0], path[-1]] if len(path) > 1 else path
        told = when([row.moment for row in few], few[0].has_times)
        rows += [[name, time, *cells(row)] for time, row in zip(told, few, strict=True)]
    table = lay_out([key, "next", "forecast", *ends], rows, [False, False, True, True, True])
    left = len(known) - MOST_KEYS
    return f"\n{table}" + (f"\n\n{left:,} more series: --predictions has all" if left > 0 else "")


def when(moments: Sequence[int], has_times: bool) -> list[str]:
    """Write times, or numbers of rows."""
    found: Moments = np.array(moments)
    if not has_times:
        return [f"row {moment}" for moment in moments]
    return times.shown(found)


def cells(row: Next) -> list[str]:
    """Write a forecast and its interval."""
    return [number(value) for value in (row.forecast, row.lower, row.upper)]


def some(rows: list[list[str]]) -> list[list[str]]:
    """Leave out those in the middle of many rows."""
    if len(rows) <= MOST_NEXT:
        return rows
    return [*rows[:FIRST], ["..."] + [""] * (len(rows[0]) - 1), *rows[-LAST:]]
