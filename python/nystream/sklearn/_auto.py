"""An estimator that needs no tuning."""

from __future__ import annotations

import nystream
from nystream.sklearn._base import IntervalRegressor, WeightedRegressor


class AutoRegressor(IntervalRegressor, WeightedRegressor):
    """Good predictions without tuning, from many experts: start here.

    :class:`nystream.Auto` as an estimator; its documentation has the mathematics. Features and
    labels may have any scale, memory stops growing, and streams that change are followed. Labels
    may have several columns.

    Parameters
    ----------
    warm_up
        Number of rows from which scales and widths are taken, at least 8.
    max_basis
        The most rows to keep for each width of the kernel.
    policy
        "replace" or "freeze": whether rows may take the place of others at the cap.
    forgetting
        How much a row counts a row later where experts are compared, 0.5 to 1: the less, the
        faster a stream that changes is followed.

    Attributes
    ----------
    learner_
        The :class:`nystream.Auto` behind it.
    experts_
        What it combines, a list of :class:`nystream.Expert`.
    n_features_in_, feature_names_in_
        Width of the rows, and their names if they came with names.

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

    __module__ = "nystream.sklearn"
    _learner = nystream.Auto
    _several_targets = True

    learner_: nystream.Auto

    def __init__(
        self,
        *,
        warm_up: int = 300,
        max_basis: int = 150,
        policy: str = "replace",
        forgetting: float = 0.999,
    ) -> None:
        self.warm_up = warm_up
        self.max_basis = max_basis
        self.policy = policy
        self.forgetting = forgetting

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
        return self.learner_.experts
