"""Rows without a label among others: they are predicted in their turn, and not learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nystream._core import Keyed

if TYPE_CHECKING:
    from nystream._core import Learner, Scorer
    from nystream._tables.table import Chunk
    from nystream._tables.values import Values


def progressive(model: Learner | Keyed, part: Chunk, delay: int) -> Values:
    """Predict each row, then learn its label unless that is NaN."""
    y = part.y
    is_known = np.asarray(~np.isnan(y.reshape(len(y), -1)).any(axis=1))
    if is_known.all():
        return learned(model, part, delay)
    if not isinstance(model, Keyed) and model.takes_weights:
        # A row without weight is only predicted.
        labels = np.where(is_known if y.ndim == 1 else is_known[:, None], y, 0.0)
        return model.progressive(part.X, labels, is_known.astype(np.float64), delay=delay)
    ends = np.flatnonzero(np.diff(is_known)) + 1
    runs = np.split(np.arange(len(y)), ends)
    return np.concatenate(
        [
            learned(model, part.take(run), delay)
            if is_known[run[0]]
            else predicted(model, part.take(run))
            for run in runs
        ]
    )


def learned(model: Learner | Keyed, part: Chunk, delay: int) -> Values:
    """Predict and learn rows that all have labels; models by key know no delay."""
    if isinstance(model, Keyed):
        return model.progressive(part.keys or [], part.X, part.y)
    return model.progressive(part.X, part.y, delay=delay)


def predicted(model: Learner | Scorer | Keyed, part: Chunk) -> Values:
    """Predict rows and learn nothing."""
    if isinstance(model, Keyed):
        return model.predict_many(part.keys or [], part.X)
    return model.predict_many(part.X)
