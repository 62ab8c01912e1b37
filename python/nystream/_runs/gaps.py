"""Rows without a label among others: they are predicted in their turn, and not learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._tables.table import taken

if TYPE_CHECKING:
    from nystream._core import Learner
    from nystream._tables.values import Values


def progressive(model: Learner, X: Any, y: Values, delay: int) -> Values:
    """Predict each row, then learn its label unless that is NaN."""
    is_known = np.asarray(~np.isnan(y.reshape(len(y), -1)).any(axis=1))
    if is_known.all():
        return model.progressive(X, y, delay=delay)
    if model.takes_weights:  # a row without weight is only predicted
        labels = np.where(is_known if y.ndim == 1 else is_known[:, None], y, 0.0)
        return model.progressive(X, labels, is_known.astype(np.float64), delay=delay)
    ends = np.flatnonzero(np.diff(is_known)) + 1
    runs = zip([0, *ends.tolist()], [*ends.tolist(), len(y)], strict=True)
    return np.concatenate(
        [
            model.progressive(taken(X, np.arange(*run)), y[slice(*run)], delay=delay)
            if is_known[run[0]]
            else model.predict_many(taken(X, np.arange(*run)))
            for run in runs
        ]
    )
