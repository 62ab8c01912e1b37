"""A regressor that needs no tuning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import nystream
from nystream.river._base import IntervalRegressor, WeightedRegressor

if TYPE_CHECKING:
    from nystream import Kernel


class AutoRegressor(IntervalRegressor, WeightedRegressor):
    """Good predictions without tuning, from many experts: start here.

    :class:`nystream.Auto` for river. Features and labels may have any scale, so that no scaler has
    to come before. Rows may have weights.

    Parameters
    ----------
    warm_up, max_basis, policy, forgetting
        As in :class:`nystream.Auto`.

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

    __module__ = "nystream.river"

    _kind = nystream.Auto

    def __init__(
        self,
        *,
        warm_up: int = 300,
        max_basis: int = 150,
        policy: str = "replace",
        forgetting: float = 0.999,
    ) -> None:
        self._begin(
            warm_up=warm_up,
            max_basis=max_basis,
            policy=policy,
            forgetting=forgetting,
        )

    def _norm_of_new_features(self, kernel: Kernel | None) -> None:
        """Return none: each new feature is one scale away from the rows learned, whatever it is."""
