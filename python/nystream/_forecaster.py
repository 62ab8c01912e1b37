"""Forecasts of series some steps ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream import _core
from nystream._learners import Auto
from nystream._report import Report, report_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from nystream._core import Learner

__all__ = ["Forecaster"]


class Forecaster(_core.Forecaster):
    """Forecasts a series some steps ahead, and learns its values as they come.

    What people build by hand is made on line: the last values, those of the same time of the day
    and of the week, running means and changes, and the calendar of the time that is forecast. Each
    horizon has a model of its own, which is judged by what it said when the value was not known.
    Its forecast is combined with plain ones, no change and no change since the last season, so
    that the mean absolute error is small: the result is near the median, and a few outliers do
    little.

    Rows come in order of time. Where some are missing, what was forecast stands for them. A value
    that comes late, up to 24 steps beyond the longest horizon, is learned then; one that comes
    twice corrects the first, in all that looks back to it.

    Parameters
    ----------
    model
        A learner that has seen nothing, of which each horizon has one. None: :class:`Auto`. A
        :class:`LinearRls` takes a twentieth of its time, and is often nearly as good a day ahead.
    horizon
        The steps ahead: 24 forecasts the next 24 values, [1, 24] the first and the last of them.
    every
        The time between two rows, such as ``"15min"``, ``"1h"``, ``"1d"``, ``"1w"`` or ``"1mo"``.
        None: rows have no times; one comes after the other, or ``time`` counts them.
    season
        The lengths of seasons in rows, the shortest first, a number or a list. ``"auto"``: those
        of the calendar, which are the day and the week for rows of hours. None: no seasons.
    ahead
        Names of the columns of ``X`` whose values are known ahead, such as holidays. What is known
        of the next rows is given to :meth:`predict`, or learned before with the value NaN; in
        calls of many rows, those that follow are known. Other columns are known up to now.
    half_life
        The time after which a value counts half, such as ``"30d"``. None: as the model has it.

    Examples
    --------
    >>> import numpy as np
    >>> import nystream
    >>> hours = np.arange("2024-01-01", "2024-03-01", dtype="datetime64[h]")
    >>> load = 50 + 20 * np.sin(np.arange(len(hours)) * 2 * np.pi / 24)
    >>> model = nystream.Forecaster(nystream.LinearRls(), horizon=24, every="1h")
    >>> forecasts = model.progressive(load, time=hours)  # forecasts[i] were made for load[i]
    >>> bool(abs(forecasts[-1] - load[-1]).max() < 1)
    True
    >>> model.predict()[[0, 11, 23]].round()
    array([50., 55., 45.])
    >>> str(model.next_times[0])
    '2024-03-01T00:00:00.000000'
    """

    __slots__ = ()

    def __new__(
        cls,
        model: Learner | None = None,
        horizon: int | Sequence[int] = 24,
        *,
        every: str | None = None,
        season: str | int | Sequence[int] | None = "auto",
        ahead: Sequence[str] = (),
        half_life: str | None = None,
    ) -> Self:
        """Check the arguments and make a forecaster that has seen nothing."""
        return super().__new__(
            cls,
            Auto() if model is None else model,
            _horizons(horizon),
            every,
            _seasons(season),
            [ahead] if isinstance(ahead, str) else [str(name) for name in ahead],
            half_life,
        )

    @property
    def next_times(self) -> NDArray[Any]:
        """The times of the next forecasts, one for each horizon; numbers of rows without times.

        Examples
        --------
        >>> import nystream
        >>> model = nystream.Forecaster(nystream.RunningMean(), horizon=2, every="1d")
        >>> model.learn_one(3.0, time="2024-02-28")
        >>> [str(time.astype("datetime64[D]")) for time in model.next_times]
        ['2024-02-29', '2024-03-01']
        """
        is_time, numbers = self._next()
        slots = np.array(numbers, dtype=np.int64)
        return slots.astype("datetime64[us]") if is_time else slots

    @property
    def report(self) -> Report:
        """The errors of all forecasts so far, beside no change and no change since a season.

        Examples
        --------
        >>> import nystream
        >>> model = nystream.Forecaster(nystream.RunningMean(), horizon=2, season=2)
        >>> model.learn_many([1.0, 5.0] * 50)
        >>> model.report[2].mae < 0.1 < model.report[1].no_change
        True
        """
        return report_of(self.seasons, self._tallies())


def _horizons(horizon: int | Sequence[int]) -> list[int]:
    if isinstance(horizon, int | np.integer) and not isinstance(horizon, bool):
        if not 1 <= horizon <= 1000:
            raise ValueError(f"horizon should be between 1 and 1,000, but is {horizon}")
        return list(range(1, int(horizon) + 1))
    return _whole("horizon", horizon)


def _seasons(season: str | int | Sequence[int] | None) -> list[int] | None:
    if season is None:
        return []
    if isinstance(season, str):
        if season != "auto":
            raise ValueError(f"season should be 'auto', None or whole numbers, but is {season!r}")
        return None
    return _whole("season", [season] if isinstance(season, int | np.integer) else season)


def _whole(name: str, values: Any) -> list[int]:
    try:
        numbers = [value.__index__() for value in values]
    except (AttributeError, TypeError):
        message = f"{name} should be a whole number or a list of them, but is {values!r}"
        raise TypeError(message) from None
    if any(number < 0 for number in numbers):
        raise ValueError(f"{name} should be positive, but is {values!r}")
    return numbers
