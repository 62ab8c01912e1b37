"""Any estimator on any table."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if

import nystream
from nystream._learners._columns import column_parameters, encoded
from nystream._parameters import document, store
from nystream.sklearn import _kernels
from nystream.sklearn._base import IntervalRegressor, OnlineRegressor, WeightedRegressor
from nystream.sklearn._tables import TableRegressor

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TabularRegressor"]


def _has_intervals(regressor: TabularRegressor) -> bool:
    return isinstance(regressor.model, IntervalRegressor)


class TabularRegressor(TableRegressor, WeightedRegressor):
    """Any estimator on any table: columns of text, times and gaps become features, on line.

    :class:`AutoRegressor` has such columns by itself. Here they stand in front of another
    estimator, as in :class:`nystream.Tabular`, which brings their features to one scale.
    Parameters of the estimator have the prefix ``model__``.

    Parameters
    ----------
    model
        An estimator of this module that takes numbers alone. It stays as it is: what is learned is
        in ``learner_``. Its ``gamma`` is settled on 300 rows at even steps, as it gets them.

    Attributes
    ----------
    kernel_
        The kernel of the learner, if it has one, with the width that ``gamma`` came to.

    Examples
    --------
    >>> import pandas as pd
    >>> from nystream.sklearn import RidgeAldRegressor, TabularRegressor
    >>> X = pd.DataFrame({"town": ["Ulm", "Bonn", None] * 40, "rooms": [1, 2, 3, 4, 5] * 24})
    >>> y = X["rooms"] + 2 * (X["town"] == "Ulm")
    >>> model = TabularRegressor(RidgeAldRegressor(alpha=0.01)).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    >>> model.set_params(model__alpha=0.1)
    TabularRegressor(model=RidgeAldRegressor(alpha=0.1))
    """

    _learner = nystream.Tabular

    model: OnlineRegressor = field(kw_only=False)

    @property
    def _takes_targets(self) -> bool:
        return isinstance(self.model, OnlineRegressor) and self.model._takes_targets

    predict_interval = available_if(_has_intervals)(IntervalRegressor.predict_interval)

    def _learn(self, X: Any, y: Any, sample_weight: Any, *, afresh: bool) -> Any:
        if not isinstance(self.model, OnlineRegressor) or isinstance(self.model, TableRegressor):
            raise TypeError(
                "model should be an estimator of nystream.sklearn that takes numbers alone, "
                f"but is {self.model!r:.100}"
            )
        if sample_weight is not None and not isinstance(self.model, WeightedRegressor):
            raise ValueError(f"sample_weight should be None: {self.model!r:.100} takes no weights")
        return super()._learn(X, y, sample_weight, afresh=afresh)

    def _new_learner(
        self, X: Any, y: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> nystream.Tabular:
        columns = column_parameters(vars(self))
        if hasattr(self.model, "kernel") and len(y):
            X, weights = _encoded(X, y, weights, columns)
        return nystream.Tabular(self.model._new_learner(X, y, weights), **columns)

    def _set_learner(self, learner: nystream.Learner) -> None:
        super()._set_learner(learner)
        params = learner.params["model"].params
        if "kernel" in params:
            self.kernel_ = params["kernel"]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = getattr(self.model, "_poor_score", False)
        return tags


def _encoded(
    X: Any, y: NDArray[Any], weights: NDArray[np.float64] | None, columns: dict[str, Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return some rows as a learner behind such columns gets them, and their weights."""
    if len(y) > _kernels.SAMPLE:
        places = _kernels.evenly(np.ones(len(y)) if weights is None else weights)
        X, y, weights = _safe_indexing(X, places), y[places], None
    return encoded(X, y if y.ndim == 1 else y[:, 0], columns), weights


store(TabularRegressor)
TabularRegressor.__module__ = "nystream.sklearn"
document(TabularRegressor, OnlineRegressor)
