"""A forecaster as an estimator: rows of X have times, and are predicted some steps ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

import nystream
from nystream._ahead import places_of, rows_for
from nystream.sklearn._base import DTYPES
from nystream.sklearn._tables import _is_table, _with_names

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

__all__ = ["Forecaster"]


class Forecaster(RegressorMixin, BaseEstimator):
    """Forecasts a series some steps ahead: X has times and features, y the values.

    This is :class:`nystream.Forecaster` as an estimator; its documentation tells what it makes of
    the past. Rows come in order of time, and what is predicted are rows after those learned: which
    ones, their times say. A value of NaN has not come; the row tells what is known ahead of it.

    Parameters
    ----------
    model
        A learner of nystream that has seen nothing, of which each horizon has one. None:
        :class:`nystream.Auto`. A :class:`nystream.LinearRls` takes a twentieth of its time.
    horizon
        The steps ahead: 24 forecasts the next 24 rows, [1, 24] the first and the last of them.
    every
        The time between two rows, such as ``"15min"``, ``"1h"``, ``"1d"``, ``"1w"`` or ``"1mo"``.
        None: one row comes after the other, or ``time`` counts them.
    season
        The lengths of seasons in rows, the shortest first, a number or a list. ``"auto"``: those
        of the calendar, which are the day and the week for rows of hours. None: no seasons.
    ahead
        Names of the columns of X whose values are known ahead, such as holidays; numbers for those
        of arrays. Others are known up to the last row that was learned.
    half_life
        The time after which a value counts half, such as ``"30d"``. None: as the model has it.
    time
        The column of X that is the time: a name, or a number for those of arrays. None: rows have
        no times, and those to predict follow the last one learned.

    Attributes
    ----------
    forecaster_
        The forecaster behind it, with a report of errors and a learner for each horizon.
    n_features_in_, feature_names_in_
        Number of columns of X with the time, and their names if they came with names.

    Examples
    --------
    >>> import nystream
    >>> import numpy as np
    >>> import pandas as pd
    >>> from nystream.sklearn import Forecaster
    >>> X = pd.DataFrame({"hour": pd.date_range("2024-01-01", periods=600, freq="h")})
    >>> y = 50 + 20 * np.sin(np.arange(600) * 2 * np.pi / 24)
    >>> model = Forecaster(nystream.LinearRls(), horizon=24, every="1h", time="hour")
    >>> round(model.fit(X[:576], y[:576]).score(X[576:], y[576:]), 2)
    1.0
    """

    forecaster_: nystream.Forecaster

    def __init__(
        self,
        model: nystream.Learner | None = None,
        horizon: int | Sequence[int] = 24,
        *,
        every: str | None = None,
        season: str | int | Sequence[int] | None = "auto",
        ahead: Sequence[str | int] = (),
        half_life: str | None = None,
        time: str | int | None = None,
    ) -> None:
        self.model, self.horizon, self.every, self.season = model, horizon, every, season
        self.ahead, self.half_life, self.time = ahead, half_life, time

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Forget everything and learn the rows once, in their order; return the estimator.

        Parameters
        ----------
        X
            Rows, of shape (n_samples, n_features): a time and features of any kind.
        y
            Values, of shape (n_samples,); NaN for those that have not come.

        Examples
        --------
        >>> import nystream
        >>> from nystream.sklearn import Forecaster
        >>> X, y = [[n] for n in range(100)], [n % 4 for n in range(100)]
        >>> model = Forecaster(nystream.LinearRls(), horizon=3, season=4, time=0)
        >>> model.fit(X, y).forecaster_.n_seen
        100
        """
        return self._learn(X, y, afresh=True)

    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn further rows once, in their order; return the estimator.

        Parameters
        ----------
        X
            Rows, of shape (n_samples, n_features). A time that is past corrects a value, or brings
            one that is late.
        y
            Values, of shape (n_samples,); NaN for those that have not come.

        Examples
        --------
        >>> import nystream
        >>> from nystream.sklearn import Forecaster
        >>> X, y = [[n] for n in range(100)], [n % 4 for n in range(100)]
        >>> model = Forecaster(nystream.LinearRls(), horizon=3, season=4, time=0)
        >>> model.fit(X[:90], y[:90]).partial_fit(X[90:], y[90:]).forecaster_.n_seen
        100
        """
        return self._learn(X, y, afresh=not hasattr(self, "forecaster_"))

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Forecast rows after those learned; nothing changes.

        Parameters
        ----------
        X
            Rows, of shape (n_samples, n_features), in any order. Their times are those of horizons
            after the last value learned; without times they are the next rows. Of features, only
            those count that are known ahead.

        Returns
        -------
        ndarray
            Forecasts, of shape (n_samples,).

        Examples
        --------
        >>> import nystream
        >>> from nystream.sklearn import Forecaster
        >>> X, y = [[n] for n in range(100)], [n % 4 for n in range(100)]
        >>> model = Forecaster(nystream.LinearRls(), horizon=3, season=4, time=0)
        >>> model.fit(X, y).predict([[100], [102]]).round() + 0.0
        array([0., 2.])
        """
        places, rows = self._asked(X)
        forecasts: NDArray[np.float64] = self.forecaster_.predict(rows)[places]
        return forecasts

    def predict_interval(self, X: ArrayLike, level: float = 0.9) -> NDArray[np.float64]:
        """Forecast where rows after those learned are likely to be; nothing changes.

        Parameters
        ----------
        X
            Rows, as for :meth:`predict`.
        level
            The part of values that the intervals should hold, more than 0 and less than 1.

        Returns
        -------
        ndarray
            The two ends of each, of shape (n_samples, 2); infinite while too little is known.

        Examples
        --------
        >>> import nystream
        >>> from nystream.sklearn import Forecaster
        >>> X, y = [[n] for n in range(100)], [n % 4 for n in range(100)]
        >>> model = Forecaster(nystream.LinearRls(), horizon=3, season=4, time=0)
        >>> model.fit(X, y).predict_interval([[100], [102]]).shape
        (2, 2)
        """
        places, rows = self._asked(X)
        ends: NDArray[np.float64] = self.forecaster_.predict_interval(rows, level)[places]
        return ends

    def _learn(self, X: Any, y: Any, *, afresh: bool) -> Self:
        X = self._checked(X, reset=afresh)
        y = _values(y)
        check_consistent_length(X, y)
        rows, time = self._split(X)
        forecaster = self._new() if afresh else self.forecaster_
        forecaster.learn_many(y, rows, time=time)
        self.forecaster_ = forecaster
        return self

    def _new(self) -> nystream.Forecaster:
        return nystream.Forecaster(
            self.model,
            self.horizon,
            every=self.every,
            season=self.season,
            ahead=[str(name) for name in self.ahead],
            half_life=self.half_life,
        )

    def _checked(self, X: Any, *, reset: bool) -> Any:
        if _is_numbered(X):
            X = np.asarray(X)
        if not _is_table(X):
            return validate_data(self, X, reset=reset, dtype=DTYPES, ensure_all_finite="allow-nan")
        validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _split(self, X: Any) -> tuple[list[dict[str, Any]] | None, list[Any] | None]:
        """Return features as rows, if there are any, and times, if rows have such."""
        named = _with_names(X)
        table = (
            nystream.Table.from_rows(named) if isinstance(named, list) else nystream.Table(named)
        )
        columns = table.to_dict()
        time = None
        if self.time is not None:
            time = columns.pop(str(self.time), None)
            if time is None:
                raise ValueError(f"X should have the column {self.time!r}, the time, but has not")
        if not columns:
            return None, time
        values = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in values], time

    def _asked(self, X: Any) -> tuple[list[int], list[dict[str, Any]] | None]:
        """Return the places of rows among the horizons, and what is known of the next rows."""
        check_is_fitted(self, "forecaster_")
        X = self._checked(X, reset=False)
        rows, time = self._split(X)
        horizons = self.forecaster_.horizons
        if time is None:
            first = self.forecaster_.next_times[0] - horizons[0]
            time = [first + step for step in range(1, len(X) + 1)]
            name = "the numbers of rows"
        else:
            name = f"X[{self.time!r}]"
        places = places_of(name, self.forecaster_, time)
        if rows is None or not self.ahead:
            return places, None
        return places, [rows[row] for row in rows_for([horizons[place] for place in places])]

    def __getstate__(self) -> dict[str, Any]:
        # Plain values, for those who store estimators otherwise than by pickle, such as skops.
        state: dict[str, Any] = dict(super().__getstate__())
        for name in {"model", "forecaster_"} & state.keys():
            if state[name] is not None:
                state[name] = state[name].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if isinstance(self.model, bytes):
            self.model = nystream.Learner.from_bytes(self.model)
        if "forecaster_" in state:
            self.forecaster_ = nystream.Forecaster.from_bytes(state["forecaster_"])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # rows to predict come after those learned
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _values(y: Any) -> NDArray[np.float64]:
    """Return values as numbers; NaN is one that has not come."""
    if y is None:
        raise ValueError("Forecaster requires y to be passed, but the target y is None")
    values = check_array(
        y, ensure_2d=False, dtype=np.float64, ensure_all_finite="allow-nan", input_name="y"
    )
    vector: NDArray[np.float64] = column_or_1d(values, warn=True)
    return vector


def _is_numbered(X: Any) -> bool:
    """Tell whether a frame has no names of columns, but the numbers that pandas gives them."""
    return hasattr(X, "iloc") and not any(isinstance(name, str) for name in X.columns)


Forecaster.__module__ = "nystream.sklearn"
