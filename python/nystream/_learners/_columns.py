"""The parameters of columns, taken from those of something that has columns."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from nystream._learners.tabular import ColumnParameters

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def column_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the parameters that say how columns are treated."""
    return {one.name: params[one.name] for one in fields(ColumnParameters)}
