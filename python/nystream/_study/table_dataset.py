"""Data sets whose rows are those of a table: columns of any kind, with gaps."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._learners._columns import encoded, with_columns
from nystream.datasets import Dataset

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from nystream._core import Learner

SAMPLE = 500  # rows, at most twice as many


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TableDataset(Dataset):
    """A data set of which ``X`` is a `nystream.Table`.

    ``columns`` are the parameters of columns that every learner of it has: the kinds of all of
    them are stated, so that they are the same in each order of the rows.
    """

    X: Any
    columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.X.names)

    def learner(self, model: Learner) -> Learner:
        """Return a new learner that takes these rows."""
        return with_columns(model, self.columns)

    def encoded(self) -> NDArray[np.float64]:
        """Return some rows, spread over the data, as learners get them from their columns."""
        places = np.arange(0, len(self.y), max(1, len(self.y) // SAMPLE))
        return encoded(self.X._take(places.tolist()), self.y[places], self.columns)

    def to_bytes(self) -> bytes:
        """Return bytes that are equal for equal rows and columns."""
        return json.dumps([self.X.to_dict(), self.columns], default=str, sort_keys=True).encode()
