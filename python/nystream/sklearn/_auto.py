"""An estimator that needs no tuning."""

from __future__ import annotations

from typing import cast

import nystream
from nystream._learners.auto import AutoParameters
from nystream.sklearn._base import IntervalRegressor, WeightedRegressor, estimator

__all__ = ["AutoRegressor"]


@estimator
class AutoRegressor(AutoParameters, IntervalRegressor, WeightedRegressor):
    """Good predictions without tuning, from many experts: start here.

    Features and labels may have any scale, memory stops growing, and streams that change are
    followed.

    Attributes
    ----------
    experts_
        What it combines, a list of :class:`nystream.Expert`.

    Examples
    --------
    >>> import nystream
    >>> from nystream.sklearn import AutoRegressor
    >>> X, y = nystream.datasets.mackey_glass(1000)
    >>> model = AutoRegressor().fit(1000 * X[:800], y[:800])
    >>> bool(model.score(1000 * X[800:], y[800:]) > 0.99)
    True
    >>> low, high = model.predict_interval(1000 * X[800:], level=0.9).T
    >>> bool(((low < y[800:]) & (y[800:] < high)).mean() > 0.85)
    True
    """

    @property
    def experts_(self) -> list[nystream.Expert]:
        """The experts that it combines; none before 8 rows are learned.

        Examples
        --------
        >>> import nystream
        >>> from nystream.sklearn import AutoRegressor
        >>> model = AutoRegressor().fit(*nystream.datasets.friedman(500))
        >>> best = min(model.experts_, key=lambda expert: expert.loss)
        >>> best.weight > 0
        True
        """
        return cast("nystream.Auto", self.learner_).experts
