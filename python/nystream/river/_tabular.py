"""Any regressor on any row."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

import nystream
from nystream._learners._columns import column_parameters
from nystream._parameters import document, store
from nystream.river._base import Regressor
from nystream.river._regressors import RidgeAldRegressor
from nystream.river._tables import TableRegressor

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TabularRegressor"]


class TabularRegressor(TableRegressor):
    """Any regressor on any row: text, times and gaps become features, on line.

    :class:`AutoRegressor` has such columns by itself. Here they stand in front of another
    regressor, as in :class:`nystream.Tabular`, which brings their features to one scale. A row has
    a weight, or a prediction an interval, if the regressor has it.

    Parameters
    ----------
    model
        A regressor of this module that takes numbers alone and has learned nothing. It stays as it
        is: what is learned is in ``learner``.

    Examples
    --------
    >>> import nystream
    >>> from nystream.river import RidgeAldRegressor, TabularRegressor
    >>> model = TabularRegressor(RidgeAldRegressor(nystream.Gaussian(3.0)), missing_values=[-1.0])
    >>> for n, town in enumerate(["Ulm", "Bonn", None] * 40):
    ...     model.learn_one({"town": town, "rooms": n % 5}, n % 5 + 3 * (town == "Ulm"))
    >>> round(model.predict_one({"town": "Ulm", "rooms": 2}), 1)
    5.0
    >>> model.features
    ['rooms', 'town']
    """

    model: Regressor = field(kw_only=False)

    def __post_init__(self) -> None:
        """Make the learner, after the parameters have been stored under their names."""
        if not isinstance(self.model, Regressor) or isinstance(self.model, TableRegressor):
            raise TypeError(
                "model should be a regressor of nystream.river that takes numbers alone, "
                f"but is {self.model!r:.100}"
            )
        self._learner = nystream.Tabular(self.model.learner, **column_parameters(vars(self)))
        self._y_name = None

    def _room(self, learner: nystream.Learner) -> int | None:
        return self.model._room(learner)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": RidgeAldRegressor()}


store(TabularRegressor)
TabularRegressor.__module__ = "nystream.river"
document(TabularRegressor, Regressor)
