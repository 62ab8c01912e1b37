"""The base of all regressors for river: dicts and frames in, the learner's numbers out."""

from __future__ import annotations

import copy
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np

import nystream
from nystream._core import default_params
from nystream._kernels import norm_of_new_features
from nystream.river._batches import check_weight, learned, like, read_frame, read_labels
from nystream.river._columns import Columns, check_features, check_number, numbers

try:
    from river import base, conf
    from river import time_series as time_series
except ImportError as error:
    raise ImportError("nystream.river needs river: pip install 'nystream[river]'") from error

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

# By kernel: the norm that stands for all features that no stored row has; None if there is none.
_NORMS = {
    type(k): norm_of_new_features(k) for k in (getattr(nystream, n)() for n in nystream.kernels())
}


class Regressor(base.MiniBatchRegressor):
    """A learner as a regressor of river.

    A name that is new gets a new column, in which all rows learned before are 0; a name that is
    absent counts as 0. If the kernel needs only a norm of new features, the learner has one column
    more than there are names: it is 0 in rows learned, and holds that norm in rows predicted.

    Parameters
    ----------
    max_basis
        The most rows to keep. At the cap the dictionary stops growing and further rows are learned
        through their projection. None: no cap, and memory that may grow with the stream.
    """

    _kind: ClassVar[type[Any]]

    def __post_init__(self) -> None:
        """Make the learner, after the parameters have been stored under their names."""
        known = default_params(self._kind.__name__)
        names = [parameter.name for parameter in fields(self)]  # type: ignore[arg-type]
        params = {name: getattr(self, name) for name in names if name in known}
        self._learner: nystream.Learner = self._kind(**params)
        self._norm = self._norm_of_new_features(params.get("kernel"))
        self._columns = Columns()
        self._y_name: Any = None

    def _norm_of_new_features(self, kernel: nystream.Kernel | None) -> int | None:
        return 2 if kernel is None else _NORMS.get(type(kernel))

    @property
    def learner(self) -> nystream.Learner:
        """The learner underneath, to look at: what it keeps, weighs and has seen.

        Its first columns are those of :attr:`features`; any others are 0 in every row learned.

        Examples
        --------
        >>> from nystream.river import RidgeAldRegressor
        >>> model = RidgeAldRegressor()
        >>> model.learn_one({"b": 1.0, "a": 2.0}, 3.0)
        >>> model.learner.n_seen, model.learner.n_basis
        (1, 1)
        """
        return self._learner

    @property
    def features(self) -> list[Hashable]:
        """The names of the features learned so far, in the order of their columns.

        Examples
        --------
        >>> from nystream.river import RidgeAldRegressor
        >>> model = RidgeAldRegressor()
        >>> model.learn_one({"b": 1.0, "a": 2.0}, 3.0)
        >>> model.features
        ['a', 'b']
        """
        return list(self._columns.names)

    def learn_one(self, x: dict[Hashable, Any], y: float) -> None:
        """Learn one row.

        Parameters
        ----------
        x
            The features by name: numbers, of which absent ones count as 0. Text, None and NaN are
            refused, and the model stays as it was. Regressors of tables, :class:`AutoRegressor` and
            :class:`TabularRegressor`, take text and times too; what is absent is missing to them.
        y
            The label.

        Examples
        --------
        >>> from nystream.river import NonsAldRegressor
        >>> model = NonsAldRegressor()
        >>> model.learn_one({"a": 1.0}, 0.5)
        >>> model.learn_one({"a": 1.0, "b": 2.0}, 0.7)
        >>> model.learn_one({"city": "Paris"}, 0.7)
        Traceback (most recent call last):
            ...
        TypeError: x['city'] should be a real number, but is 'Paris'
        """
        self._learn(x, y)

    def predict_one(self, x: dict[Hashable, Any]) -> float:
        """Predict the label of one row; 0 before any was learned.

        Nothing changes. A name that the model has not learned counts all the same: it makes the
        row more distant from all rows learned. A regressor of tables leaves it out.

        Parameters
        ----------
        x
            The features by name.

        Examples
        --------
        >>> from nystream.river import RidgeAldRegressor
        >>> model = RidgeAldRegressor(ridge=1.0)
        >>> model.predict_one({"a": 1.0})
        0.0
        >>> model.learn_one({"a": 1.0}, 0.5)
        >>> model.predict_one({"a": 1.0})
        0.25
        >>> round(model.predict_one({"a": 1.0, "b": 2.0}), 4)
        0.0338
        """
        return self._predict(x)

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn the rows of a data frame, in order: the same as the loop of :meth:`learn_one`.

        Parameters
        ----------
        X
            The features, a data frame of pandas, polars, pyarrow or their like.
        y
            The labels, a series. Predictions of many rows take its name.

        Examples
        --------
        >>> import pandas as pd
        >>> from nystream.river import LinearRlsRegressor
        >>> model = LinearRlsRegressor(ridge=1e-6)
        >>> model.learn_many(pd.DataFrame({"a": [0.0, 1.0, 2.0]}), pd.Series([1.0, 3.0, 5.0]))
        >>> round(model.predict_one({"a": 10.0}), 3)
        21.0
        """
        self._learn_frame(X, y)

    def predict_many(self, X: Any) -> Any:
        """Predict the labels of the rows of a data frame.

        Parameters
        ----------
        X
            The features, a data frame of pandas, polars, pyarrow or their like.

        Returns
        -------
        A series of the same library, with the frame's index where it has one.

        Examples
        --------
        >>> import pandas as pd
        >>> from nystream.river import RunningMeanRegressor
        >>> model = RunningMeanRegressor()
        >>> X = pd.DataFrame({"a": [0.0, 1.0]}, index=["first", "second"])
        >>> model.learn_many(X, pd.Series([3.0, 5.0], name="price"))
        >>> model.predict_many(X)
        first     4.0
        second    4.0
        Name: price, dtype: float64
        """
        return like(X, self._predict_frame(X), self._y_name)

    def _predict_frame(self, X: Any) -> NDArray[np.float64]:
        learner, rows = self._placed(*read_frame(X))
        return learner.predict_many(rows) if len(rows) else np.zeros(0)

    def _predict(self, x: dict[Hashable, Any]) -> float:
        row = self._columns.row(x)
        if row is None:
            rows = numbers(x)
            learner, rows = self._placed(list(x), rows)
            return float(learner.predict_one(rows[0]))
        try:
            prediction: float = self._learner.predict_one(row)
        except ValueError:
            check_features(x)
            raise
        return prediction

    def _learn(self, x: dict[Hashable, Any], y: float, *weight: float) -> None:
        row = self._columns.row(x)
        if row is None:
            rows = numbers(x)
            check_number("y", y)
            columns, rows = self._extended(list(x), rows)
            self._learner.learn_one(rows[0], y, *weight)
            self._columns = columns
            return
        try:
            self._learner.learn_one(row, y, *weight)
        except ValueError:
            check_features(x)
            raise

    def _learn_frame(self, X: Any, y: Any, weights: Any = None) -> None:
        names, rows = read_frame(X)
        series = read_labels(y, weights, len(rows))
        if weights is not None:
            rows, *series = (values[series[1] > 0] for values in (rows, *series))
        if len(rows) and not self._is_full:
            columns, rows = self._extended(names, rows)
            self._learn_rows(rows, *series)
            self._columns = columns
        self._y_name = getattr(y, "name", None)

    def _learn_rows(self, *arrays: Any) -> None:
        self._learner = learned(self._learner, self._room, arrays)

    def _extended(
        self, names: Sequence[Hashable], rows: NDArray[Any]
    ) -> tuple[Columns, NDArray[np.float64]]:
        """Return columns for all names and the rows in them; the learner is made wide enough."""
        columns = self._columns.extended(names, self._spare)
        if (self._learner.n_features or columns.width) < columns.width:
            self._learner.widen(columns.width)
            # If the rows are refused, their names stay unknown; width changes no prediction.
            self._columns = Columns(self._columns.names, columns.width)
        return columns, columns.place(names, rows)

    def _placed(
        self, names: Sequence[Hashable], rows: NDArray[Any]
    ) -> tuple[nystream.Learner, NDArray[np.float64]]:
        """Return a learner that can predict the rows, and the rows in its columns."""
        columns, learner = self._columns, self._learner
        new = [place for place in columns.unknown(names) if rows[:, place].any()]
        if not (new and learner.n_seen):
            return learner, columns.place(names, rows)
        if self._norm is None:
            columns = columns.extended(names, 0)
            return _widened(learner, columns.width), columns.place(names, rows)
        placed = columns.place(names, rows)
        placed[:, -1] = np.linalg.norm(rows[:, new], self._norm, axis=1)
        return learner, placed

    @property
    def _is_full(self) -> bool:
        return self._room(self._learner) == 0

    def _room(self, learner: nystream.Learner) -> int | None:
        """Return how many rows can surely be learned before it is full; None: no limit."""
        return None

    @property
    def _spare(self) -> int:
        return int(self._norm is not None)

    def __sizeof__(self) -> int:
        # River adds up the sizes of Python objects, and cannot see into the learner.
        return object.__sizeof__(self) + self._learner.nbytes


class WeightedRegressor(Regressor):
    """A regressor whose rows may have weights."""

    def learn_one(self, x: dict[Hashable, Any], y: float, w: float = 1.0) -> None:
        """Learn one row.

        Parameters
        ----------
        x
            The features by name: numbers, of which absent ones count as 0. Text, None and NaN are
            refused, and the model stays as it was. Regressors of tables, :class:`AutoRegressor` and
            :class:`TabularRegressor`, take text and times too; what is absent is missing to them.
        y
            The label.
        w
            The weight: how many times the loss of the row counts, 0 or more. With 0 the row is
            skipped.

        Examples
        --------
        >>> from nystream.river import RunningMeanRegressor
        >>> model = RunningMeanRegressor()
        >>> model.learn_one({"a": 1.0}, 2.0)
        >>> model.learn_one({"a": 1.0}, 5.0, w=2.0)
        >>> model.predict_one({"a": 1.0})
        4.0
        """
        if w == 1.0:
            self._learn(x, y)
        elif check_weight(w) > 0:
            self._learn(x, y, w)

    def learn_many(self, X: Any, y: Any, w: Any = 1.0) -> None:
        """Learn the rows of a data frame, in order: the same as the loop of :meth:`learn_one`.

        Parameters
        ----------
        X
            The features, a data frame of pandas, polars, pyarrow or their like.
        y
            The labels, a series. Predictions of many rows take its name.
        w
            The weights, a series, or one number for all rows.

        Examples
        --------
        >>> import pandas as pd
        >>> from nystream.river import RunningMeanRegressor
        >>> model = RunningMeanRegressor()
        >>> X = pd.DataFrame({"a": [0.0, 1.0]})
        >>> model.learn_many(X, pd.Series([2.0, 5.0]), w=pd.Series([1.0, 2.0]))
        >>> model.predict_one({"a": 1.0})
        4.0
        """
        self._learn_frame(X, y, None if isinstance(w, float) and w == 1.0 else w)


class IntervalRegressor(Regressor):
    """A regressor that also predicts intervals, which labels are likely to be in."""

    @overload
    def predict_one(self, x: dict[Hashable, Any]) -> float: ...
    @overload
    def predict_one(
        self, x: dict[Hashable, Any], *, with_interval: Literal[False], level: float = 0.9
    ) -> float: ...
    @overload
    def predict_one(
        self, x: dict[Hashable, Any], *, with_interval: Literal[True], level: float = 0.9
    ) -> conf.interval.Interval: ...
    def predict_one(
        self, x: dict[Hashable, Any], *, with_interval: bool = False, level: float = 0.9
    ) -> float | conf.interval.Interval:
        """Predict the label of one row, or an interval that it is likely to be in.

        Nothing changes. A name that the model has not learned counts all the same: it makes the
        row more distant from all rows learned. A regressor of tables leaves it out. Before any row
        was learned the prediction is 0; the ends of an interval are infinite while there are too
        few rows to tell, fewer than 9 for a level of 0.9.

        Parameters
        ----------
        x
            The features by name.
        with_interval
            True to return an interval, as river's ``conf.RegressionJackknife`` does, with
            ``lower`` and ``upper`` end. Pipelines pass it on.
        level
            The part of labels that intervals should hold, more than 0 and less than 1.

        Examples
        --------
        >>> from nystream.river import RunningMeanRegressor
        >>> model = RunningMeanRegressor()
        >>> for y in range(100):
        ...     model.learn_one({"a": 1.0}, y % 10)
        >>> round(model.predict_one({"a": 1.0}), 3)
        4.5
        >>> interval = model.predict_one({"a": 1.0}, with_interval=True, level=0.9)
        >>> 0.5 in interval, 20.0 in interval
        (True, False)
        """
        if not with_interval:
            return self._predict(x)
        low, high = self._interval(x, level)
        return conf.interval.Interval(float(low), float(high))

    def _interval(self, x: dict[Hashable, Any], level: float) -> NDArray[np.float64]:
        learner, rows = self._placed(list(x), numbers(x))
        return learner.predict_interval(rows[0], level)


class LeastSquaresRegressor(IntervalRegressor, WeightedRegressor):
    """A regressor by least squares: it has intervals, and rows may have weights."""


def _widened(learner: nystream.Learner, width: int) -> nystream.Learner:
    learner = copy.deepcopy(learner)
    learner.widen(width)
    return learner
