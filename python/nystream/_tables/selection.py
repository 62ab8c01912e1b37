"""The columns of a table that are read: features, then targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nystream._frames import NamedRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nystream._tables.columns import Columns
    from nystream._tables.values import Values


@dataclass(frozen=True)
class Selection:
    """The columns that are read: features first, then targets."""

    columns: Columns
    features: tuple[int, ...]
    targets: tuple[int, ...]

    @property
    def wanted(self) -> tuple[int, ...]:
        """All columns that are read."""
        return (*self.features, *self.targets)

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features, if there are any."""
        names = self.columns.names
        return None if names is None else tuple(names[i] for i in self.features)

    def rows(self, values: Values) -> NamedRows | Values:
        """Return the features of some rows, with their names if there are any."""
        X = np.ascontiguousarray(values[:, : len(self.features)])
        names = self.feature_names
        return X if names is None else NamedRows(list(names), X)

    def labels(self, values: Values) -> Values:
        """Return the labels of some rows: a column a target, or one for all if there is one."""
        y = values[:, len(self.features) :]
        return y[:, 0].copy() if len(self.targets) == 1 else np.ascontiguousarray(y)

    def target_names(self) -> list[str]:
        """Return what the targets are called, by their numbers if they have no names."""
        names = self.columns.names
        return [names[i] if names else str(j) for j, i in enumerate(self.targets)]

    def described(self) -> dict[str, list[str]]:
        """Return the columns by name or index, to be compared with those of another run."""
        names = self.columns.names
        return {
            "features": [names[i] if names else str(i) for i in self.features],
            "target": [names[i] if names else str(i) for i in self.targets],
        }


def select(
    columns: Columns,
    *,
    targets: Sequence[str] | NDArray[np.int64],
    features: Sequence[str] | None,
    drop: Sequence[str] | None,
    known: Sequence[str] | None,
) -> Selection:
    """Find the columns that were asked for.

    Features are those that are named, else those that the model has ``known`` by name, else all
    that are neither targets nor dropped.
    """
    chosen = tuple(columns.find("--target", column) for column in targets)
    if columns.names is not None and known is not None and not (features or drop):
        features = known
    if features is not None:
        found = tuple(columns.find("--features", column) for column in features)
    else:
        left_out = {*chosen, *(columns.find("--drop", column) for column in drop or ())}
        found = tuple(i for i in range(columns.count) if i not in left_out)
    check(columns, found, chosen)
    return Selection(columns, found, chosen)


def check(columns: Columns, features: tuple[int, ...], targets: tuple[int, ...]) -> None:
    """Refuse columns that are chosen twice, and no feature at all."""
    wanted = (*features, *targets)
    twice = next((i for i in wanted if wanted.count(i) > 1), None)
    if twice is not None:
        raise ValueError(f"{columns.describe(twice)} is chosen twice")
    if not features:
        raise ValueError("there should be at least one feature, but there is none")
