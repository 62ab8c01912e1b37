"""What a forecaster says of its errors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Errors", "Report"]

Counted = tuple[int, Sequence[float], Sequence[float], Sequence[float]]


@dataclass(frozen=True)
class Errors:
    """The errors of the forecasts of one horizon, in the unit of the values.

    Attributes
    ----------
    horizon
        The steps ahead.
    n
        Number of values that were forecast.
    mae, rmse
        Mean absolute and root mean squared error.
    no_change
        The mean absolute error of repeating the last value that was known.
    seasonal
        For each season, the mean absolute error of repeating the value of the same place in it.
    coverage, width
        The part of the values within the interval of the level 0.9, and its mean width.

    Examples
    --------
    >>> import nystream
    >>> model = nystream.Forecaster(nystream.RunningMean(), horizon=1, season=2)
    >>> model.learn_many([1.0, 5.0] * 50)
    >>> errors = model.report[1]
    >>> errors.no_change, errors.seasonal
    (4.0, {2: 0.0})
    """

    horizon: int
    n: int
    mae: float
    rmse: float
    no_change: float
    seasonal: dict[int, float]
    coverage: float
    width: float


class Report(Mapping[int, Errors]):
    """The errors of a forecaster by horizon; prints as a table.

    Examples
    --------
    >>> import nystream
    >>> model = nystream.Forecaster(nystream.RunningMean(), horizon=[1, 2], season=2)
    >>> model.learn_many([1.0, 5.0] * 50)
    >>> list(model.report)
    [1, 2]
    """

    def __init__(self, errors: Sequence[Errors]) -> None:
        self._errors = {one.horizon: one for one in errors}

    def __getitem__(self, horizon: int) -> Errors:
        return self._errors[horizon]

    def __iter__(self) -> Iterator[int]:
        return iter(self._errors)

    def __len__(self) -> int:
        return len(self._errors)

    def rows(self) -> list[dict[str, float]]:
        """Return a dict for each horizon, which any data frame takes.

        Examples
        --------
        >>> import nystream
        >>> model = nystream.Forecaster(nystream.RunningMean(), horizon=1)
        >>> list(model.report.rows()[0])
        ['horizon', 'n', 'MAE', 'RMSE', 'no change', 'coverage', 'width']
        """
        return [_row(one) for one in self.values()]

    def __str__(self) -> str:
        rows = self.rows()
        cells = [list(rows[0]), *([_shown(*item) for item in row.items()] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ("  ".join(map(str.rjust, row, widths)) for row in cells)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def report_of(seasons: Sequence[int], counted: Sequence[Counted]) -> Report:
    """Return the report of what was counted for each horizon."""
    return Report([_errors_of(seasons, one) for one in counted])


def _errors_of(seasons: Sequence[int], counted: Counted) -> Errors:
    """Return the means of what was counted."""
    horizon, (count, absolute, squared), plain, (n_intervals, within, widths) = counted
    means = [_mean(total, count) for total in plain]
    return Errors(
        horizon=horizon,
        n=int(count),
        mae=_mean(absolute, count),
        rmse=math.sqrt(_mean(squared, count)),
        no_change=means[0],
        seasonal=dict(zip(seasons, means[1:], strict=True)),
        coverage=_mean(within, n_intervals),
        width=_mean(widths, n_intervals),
    )


def _row(one: Errors) -> dict[str, float]:
    seasonal = {f"{season} before": error for season, error in one.seasonal.items()}
    return {
        "horizon": one.horizon,
        "n": one.n,
        "MAE": one.mae,
        "RMSE": one.rmse,
        "no change": one.no_change,
        **seasonal,
        "coverage": one.coverage,
        "width": one.width,
    }


def _shown(name: str, value: float) -> str:
    if name in ("horizon", "n"):
        return f"{value:,.0f}"
    if math.isnan(value):
        return "-"
    return f"{value:.1%}" if name == "coverage" else f"{value:.4g}"


def _mean(total: float, count: float) -> float:
    return total / count if count else math.nan
