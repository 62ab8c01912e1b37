"""Columns in front of a learner: their parameters, and rows as the learner gets them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from nystream._learners.every_row import OnlineKrr
from nystream._learners.tabular import ColumnParameters, Tabular

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from nystream._core import Learner


def column_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the parameters that say how columns are treated."""
    return {one.name: params[one.name] for one in fields(ColumnParameters)}


def with_columns(model: Learner, columns: Mapping[str, Any]) -> Learner:
    """Return a new learner that takes tables: of the same class if that has columns by itself."""
    if model.schema is None:
        return Tabular(model, **columns)
    make: Callable[..., Learner] = type(model)
    return make(**{**model.params, **columns})


def encoded(X: Any, y: NDArray[Any], columns: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return rows of a table as a learner behind such columns gets them."""
    every_row = Tabular(OnlineKrr(), **columns)
    every_row.learn_many(X, y)
    return every_row.basis
