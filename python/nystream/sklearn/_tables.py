"""Estimators that take tables: columns of text, categories, times and gaps beside numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_X_y
from sklearn.utils.validation import check_is_fitted, validate_data

from nystream._frames import is_frame
from nystream._learners.tabular import ColumnParameters
from nystream._parameters import parameters
from nystream.sklearn._base import DTYPES, OnlineRegressor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nystream import Learner


@parameters
class TableRegressor(ColumnParameters, OnlineRegressor):
    """An estimator whose learner has columns.

    Parameters
    ----------
    on_new_columns
        What a column does that comes or goes after ``fit``. ``"error"`` raises ``ValueError``, and
        so does another order of columns. ``"ignore"`` leaves new ones out; ``"add"`` lets them
        join in ``partial_fit``. With the last two, columns that do not come any more have missing
        values, and columns may come in any order.
    """

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self, "learner_")
        if not _is_table(X):
            return validate_data(self, X, reset=False, dtype=DTYPES, **self._gaps())
        self._check_columns(X, reset=False)
        return _with_names(X)

    def _rows_and_labels(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        checks = self._label_checks(y)
        if not _is_table(X):
            X, y = validate_data(self, X, y, reset=reset, dtype=DTYPES, **self._gaps(), **checks)
            return X, y
        self._check_columns(X, y, reset=reset)
        places = np.arange(X.shape[0], dtype=np.float64)[:, None]
        return _with_names(X), check_X_y(places, y, estimator=self, **checks)[1]

    def _gaps(self) -> dict[str, Any]:
        """Return how scikit-learn is to check numbers: they may be missing."""
        return {"ensure_all_finite": "allow-nan" if self.missing == "fill" else True}

    def _check_columns(self, X: Any, y: Any = "no_validation", *, reset: bool) -> None:
        """Remember the columns, or refuse other ones, unless the learner sees to it."""
        if reset or self.on_new_columns == "error":
            validate_data(self, X, y, reset=reset, skip_check_array=True)

    def _set_learner(self, learner: Learner) -> None:
        super()._set_learner(learner)
        if hasattr(self, "feature_names_in_") and self.on_new_columns == "add":
            self.feature_names_in_ = np.array(learner.feature_names, dtype=object)
            self.n_features_in_ = len(self.feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "fill"
        tags.input_tags.categorical = True
        return tags


def _is_table(X: Any) -> bool:
    """Tell whether rows may hold something else than numbers."""
    if isinstance(X, np.ndarray) and X.ndim == 2:
        is_text = X.dtype.kind == "U"
        return is_text or (X.dtype == object and any(isinstance(v, str) for v in X.flat))
    return is_frame(X)


def _with_names(X: Any) -> Any:
    """Return rows in a form that has names; columns of arrays have their numbers."""
    if not isinstance(X, np.ndarray):
        return X
    names = [str(column) for column in range(X.shape[1])]
    return [dict(zip(names, row, strict=True)) for row in X.tolist()]
