"""A forecaster of river."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nystream
from nystream._ahead import places_of, rows_for
from nystream.river._base import time_series
from nystream.river._columns import by_text

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from nystream import Learner

__all__ = ["Forecaster"]


class Forecaster(time_series.base.Forecaster):
    """Forecasts a series some steps ahead, and learns its values as they come.

    This is :class:`nystream.Forecaster`, whose documentation tells what it makes of the past.
    Values that are missing, late or corrected are told by their times. Names of features that are
    new join, and those that are absent are missing values.

    Parameters
    ----------
    model
        A learner of nystream that has seen nothing, of which each horizon has one. None:
        :class:`nystream.Auto`. A :class:`nystream.LinearRls` takes a twentieth of its time.
    horizon
        The most steps ahead.
    every
        The time between two rows, such as ``"15min"``, ``"1h"``, ``"1d"``, ``"1w"`` or ``"1mo"``,
        where rows have times. None: one comes after the other, or ``time`` counts them.
    season
        The lengths of seasons in rows, the shortest first, a number or a list. ``"auto"``: those
        of the calendar, which are the day and the week for rows of hours. None: no seasons.
    ahead
        Names of features whose values are known ahead, such as holidays: those of the next rows
        are given to :meth:`forecast`. Others are known up to now. None: no names.
    half_life
        The time after which a value counts half, such as ``"30d"``. None: as the model has it.
    time
        The name of the feature that is the time of a row. None: rows have no times.

    Examples
    --------
    >>> import nystream
    >>> from nystream.river import Forecaster
    >>> from river import datasets, evaluate, metrics
    >>> model = Forecaster(nystream.LinearRls(), horizon=13, every="1mo", time="month")
    >>> passengers = datasets.AirlinePassengers()
    >>> error = evaluate.evaluate(passengers, model, metrics.MAE(), horizon=12)
    >>> error.metrics[0].get() < 20
    True
    """

    def __init__(
        self,
        model: Learner | None = None,
        horizon: int = 24,
        *,
        every: str | None = None,
        season: str | int | Sequence[int] | None = "auto",
        ahead: Sequence[str] | None = None,
        half_life: str | None = None,
        time: Hashable = None,
    ) -> None:
        if every is not None and time is None:
            raise ValueError("time should be the name of a feature, since every is given")
        self.model, self.horizon, self.every, self.season = model, horizon, every, season
        self.ahead, self.half_life, self.time = ahead, half_life, time
        self._forecaster = nystream.Forecaster(
            _with_columns(model),
            horizon,
            every=every,
            season=season,
            ahead=ahead or (),
            half_life=half_life,
        )

    @property
    def forecaster(self) -> nystream.Forecaster:
        """The forecaster underneath, with intervals, a report of errors, a learner for each step.

        Examples
        --------
        >>> import nystream
        >>> from nystream.river import Forecaster
        >>> model = Forecaster(nystream.LinearRls(), horizon=2, season=2)
        >>> for n in range(100):
        ...     model.learn_one(n % 2)
        >>> model.forecaster.predict_interval().shape
        (2, 2)
        >>> model.forecaster.report[1].mae < model.forecaster.report[1].no_change
        True
        """
        return self._forecaster

    def learn_one(self, y: float | None, x: dict[Hashable, Any] | None = None) -> None:
        """Learn the value of a row.

        Parameters
        ----------
        y
            The value. None says that it has not come: the row tells what is known ahead of it.
        x
            The features by name, among them the time, if rows have times.

        Examples
        --------
        >>> import datetime as dt
        >>> import nystream
        >>> from nystream.river import Forecaster
        >>> model = Forecaster(nystream.LinearRls(), horizon=2, every="1d", time="day")
        >>> model.learn_one(3.0, {"day": dt.date(2024, 2, 28)})
        >>> model.learn_one(5.0, {"day": "2024-03-01"})
        >>> str(model.forecaster.next_times[0])
        '2024-03-02T00:00:00.000000'
        """
        row, time = self._split("x", x)
        self._forecaster.learn_one(y, row or None, time=time)

    def forecast(
        self, horizon: int, xs: Sequence[dict[Hashable, Any]] | None = None
    ) -> list[float]:
        """Forecast the next values; 0 before any was learned. Nothing changes.

        Parameters
        ----------
        horizon
            The number of values.
        xs
            The features of their rows. If rows have times, these say which values are meant, up to
            the longest horizon after the last value that was learned.

        Examples
        --------
        >>> import nystream
        >>> from nystream.river import Forecaster
        >>> model = Forecaster(nystream.LinearRls(), horizon=3, season=4)
        >>> for n in range(200):
        ...     model.learn_one(n % 4)
        >>> [round(value) for value in model.forecast(3)]
        [0, 1, 2]
        """
        if xs is not None and len(xs) != horizon:
            raise ValueError(f"xs should have {horizon} rows, as horizon says, but has {len(xs)}")
        if not 0 <= horizon <= self.horizon:
            raise ValueError(f"horizon should be between 0 and {self.horizon}, but is {horizon}")
        if not xs or not self._forecaster.n_seen:
            return [float(value) for value in self._forecaster.predict()[:horizon]]
        rows, times = zip(*(self._split(f"xs[{i}]", x) for i, x in enumerate(xs)), strict=True)
        places = list(range(horizon))
        if self.time is not None:
            places = places_of(f"the {self.time!r} of xs", self._forecaster, times)
        X = None
        if self.ahead:
            X = [rows[row] for row in rows_for([place + 1 for place in places])]
        return [float(value) for value in self._forecaster.predict(X)[places]]

    def _split(self, name: str, x: Mapping[Hashable, Any] | None) -> tuple[dict[str, Any], Any]:
        """Return the features without the time, and the time."""
        row = dict(x or {})
        if self.time is not None and self.time not in row:
            raise ValueError(f"{name} should have the time {self.time!r}, but has not")
        time = None if self.time is None else row.pop(self.time)
        return by_text(name, row), time

    def __sizeof__(self) -> int:
        # River adds up the sizes of Python objects, and cannot see into the core.
        return object.__sizeof__(self) + self._forecaster.nbytes

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": nystream.LinearRls(), "horizon": 3}


def _with_columns(model: Any) -> Any:
    """Return a learner to which features may come and go, as they do in river."""
    if model is None:
        return nystream.Auto(on_new_columns="add")
    if isinstance(model, nystream.Learner) and model.schema is None:
        return nystream.Tabular(model, on_new_columns="add")
    return model


Forecaster.__module__ = "nystream.river"
