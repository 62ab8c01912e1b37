"""A regressor that needs no tuning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nystream._learners.auto import AutoParameters
from nystream.river._base import IntervalRegressor, WeightedRegressor, regressor

if TYPE_CHECKING:
    from nystream import Kernel

__all__ = ["AutoRegressor"]


@regressor
class AutoRegressor(AutoParameters, IntervalRegressor, WeightedRegressor):
    """Good predictions without tuning, from many experts: start here.

    Features and labels may have any scale, so that no scaler has to come before.

    Examples
    --------
    >>> from nystream.river import AutoRegressor
    >>> from river import datasets, evaluate, metrics
    >>> model = AutoRegressor()
    >>> rows = datasets.TrumpApproval().take(300)
    >>> evaluate.progressive_val_score(rows, model, metrics.MAE()).get() < 0.5
    True
    >>> len(model.learner.experts)
    16
    """

    def _norm_of_new_features(self, kernel: Kernel | None) -> None:
        """Return none: each new feature is one scale away from the rows learned, whatever it is."""
