"""Regressors whose learners have columns: text, times, truths and gaps beside numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nystream import _frames
from nystream._learners.tabular import ColumnParameters
from nystream._parameters import parameters
from nystream.river._base import LeastSquaresRegressor
from nystream.river._batches import dense, read_labels
from nystream.river._columns import by_text

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray


@parameters
class TableRegressor(ColumnParameters, LeastSquaresRegressor):
    """A regressor whose learner has columns.

    A name that is absent, None and NaN are missing values. Names are known by their text.

    Parameters
    ----------
    on_new_columns
        What a name does that is new. ``"add"`` lets it join; ``"ignore"`` leaves it out. With
        ``"error"`` it raises ``ValueError``, and so does a name that is absent.
    """

    on_new_columns: str = "add"

    @property
    def features(self) -> list[Hashable]:
        """The names of the features learned so far.

        Examples
        --------
        >>> from nystream.river import AutoRegressor
        >>> model = AutoRegressor()
        >>> model.learn_one({"town": "Ulm", "rooms": 2}, 3.0)
        >>> model.features
        ['rooms', 'town']
        """
        return list(self._learner.feature_names or ())

    def _predict(self, x: dict[Hashable, Any]) -> float:
        return float(self._learner.predict_one(self._row(x)))

    def _interval(self, x: dict[Hashable, Any], level: float) -> NDArray[np.float64]:
        ends: NDArray[np.float64] = self._learner.predict_interval([self._row(x)], level)[0]
        return ends

    def _predict_frame(self, X: Any) -> NDArray[np.float64]:
        return self._learner.predict_many(self._frame(X)) if len(X) else np.zeros(0)

    def _learn(self, x: dict[Hashable, Any], y: float, *weight: float) -> None:
        if not self._is_full:
            self._learner.learn_one(self._row(x), y, *weight)

    def _learn_frame(self, X: Any, y: Any, weights: Any = None) -> None:
        self._learn_rows(self._frame(X), *read_labels(y, weights, len(X)))
        self._y_name = getattr(y, "name", None)

    def _row(self, x: Any) -> dict[str, Any]:
        return by_text("x", x)

    def _frame(self, X: Any) -> Any:
        """Return a frame in the same order."""
        if not _frames.is_frame(X):
            raise TypeError(f"X should be a data frame, but is {X!r:.100}")
        return _frames.sorted_by_name("X", dense(X))
