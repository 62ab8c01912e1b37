"""The columns of a table that a model learns from, and how they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._core import Keyed
from nystream._frames import NamedRows
from nystream._tables.values import ADVICE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nystream._core import Learner, Scorer, Table
    from nystream._tables.columns import Columns
    from nystream._tables.values import Values

TYPES = {"number": "number", "category": "text", "text": "text", "unused": "skipped"}


@dataclass(frozen=True)
class Reading:
    """What a model takes: names that it knows, whether it has columns, and of which kinds."""

    known: Sequence[str] | None = None
    is_tabular: bool = False
    kinds: Mapping[str, str | None] = field(default_factory=dict)
    missing_values: tuple[float, ...] = ()
    advice: str = ADVICE

    @classmethod
    def of(cls, model: Learner | Scorer | Keyed) -> Reading:
        """Return what a model takes."""
        if isinstance(model, Keyed):
            return cls(model.feature_names)
        params = getattr(model, "params", {})
        stated = params.get("schema") or {}
        learned = {column.name: column.kind for column in model.schema or ()}
        missing = params.get("missing_values") or ()
        missing = (missing,) if isinstance(missing, int | float) else tuple(missing)
        is_tabular = model.schema is not None
        can_change = hasattr(model, "learn_many")
        advice = f"{ADVICE}, --tabular takes gaps and text" if can_change else ADVICE
        return cls(model.feature_names, is_tabular, {**learned, **stated}, missing, advice)


@dataclass(frozen=True)
class Selection:
    """The columns that are read: features first, then targets, then the key of each row."""

    columns: Columns
    features: tuple[int, ...]
    targets: tuple[int, ...]
    reading: Reading = field(default_factory=Reading)
    key: int | None = None

    @property
    def wanted(self) -> tuple[int, ...]:
        """All columns that are read."""
        return (*self.features, *self.targets, *(() if self.key is None else (self.key,)))

    @property
    def key_column(self) -> str:
        """The column of keys in words."""
        return "" if self.key is None else self.columns.describe(self.key)

    @property
    def is_tabular(self) -> bool:
        """Whether gaps and text are read, too."""
        return self.reading.is_tabular

    @property
    def missing_values(self) -> tuple[float, ...]:
        """Numbers that stand for missing labels."""
        return self.reading.missing_values

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features, if there are any: those of the model, if the file has none."""
        names, known = self.columns.names, self.reading.known
        if names is not None:
            return tuple(names[i] for i in self.features)
        is_named = self.is_tabular and known is not None and len(known) == len(self.features)
        return tuple(known) if known is not None and is_named else None

    def reader_names(self) -> list[str]:
        """Return a name for each feature, its index if it has none that a table could have."""
        names = self.feature_names
        return list(names) if names and self.is_tabular else list(map(str, self.features))

    def types(self, found: Sequence[str]) -> list[str]:
        """Return how features are read, whose types in the first rows have been found."""
        if not self.is_tabular:
            return ["strict"] * len(found)
        names = self.feature_names
        if names is None:
            return ["number"] * len(found)
        return [self._type(name, kind) for name, kind in zip(names, found, strict=True)]

    def _type(self, name: str, found: str) -> str:
        if name not in self.reading.kinds:
            return found
        kind = self.reading.kinds[name]
        return "unsettled" if kind is None else TYPES.get(kind, found)

    def rows(self, table: Table) -> Any:
        """Return the features of some rows in the form that the model takes."""
        if self.is_tabular and self.feature_names is not None:
            return table
        return self.named(table._numbers())

    def named(self, X: Values) -> NamedRows | Values:
        """Return numbers with their names if there are any."""
        names = self.feature_names
        return X if names is None else NamedRows(list(names), X)

    def labels(self, columns: Values) -> Values:
        """Return labels in the form that a model takes; a missing one is NaN."""
        y: Values = columns[:, 0].copy() if len(self.targets) == 1 else columns.copy()
        y[np.isin(y, self.missing_values)] = np.nan
        return y

    def target_names(self) -> list[str]:
        """Return what the targets are called, by their numbers if they have no names."""
        names = self.columns.names
        return [names[i] if names else str(j) for j, i in enumerate(self.targets)]

    def described(self) -> dict[str, list[str]]:
        """Return the columns by name or index, to be compared with those of another run."""
        names = self.columns.names or list(map(str, range(self.columns.count)))
        columns = {"features": self.features, "target": self.targets}
        columns |= {} if self.key is None else {"key": (self.key,)}
        return {what: [names[i] for i in indices] for what, indices in columns.items()}


def select(
    columns: Columns,
    targets: Sequence[str],
    features: Sequence[str] | None,
    drop: Sequence[str] | None,
    reading: Reading,
    empty: Sequence[int] = (),
    key: str | None = None,
) -> Selection:
    """Find the columns that were asked for.

    Features are those that are named, else those that the model knows by name, else all that are
    neither targets nor the key nor dropped. Columns without a name that are ``empty`` are left out.
    """
    chosen = tuple(columns.find("--target", column) for column in targets)
    place = None if key is None else columns.find("--key", key)
    if columns.names is not None and reading.known is not None and not (features or drop):
        features = reading.known
    if features is not None:
        found = tuple(columns.find("--features", column) for column in features)
    else:
        left_out = {*chosen, place, *(columns.find("--drop", column) for column in drop or ())}
        left_out |= {i for i in empty if columns.names and not columns.names[i]}
        # A learner without columns takes no gaps, which columns of later rows alone would have.
        count = columns.count if reading.is_tabular else columns.n_first or columns.count
        found = tuple(i for i in range(count) if i not in left_out)
    selection = Selection(columns, found, chosen, reading, place)
    check(selection)
    return selection


def check(selection: Selection) -> None:
    """Refuse columns that cannot be told apart."""
    columns, wanted = selection.columns, selection.wanted
    if twice := repeated(wanted):
        raise ValueError(f"{columns.describe(twice[0])} is chosen twice")
    if not selection.features:
        raise ValueError("there should be at least one feature, but there is none")
    if columns.names is None:
        return
    # pandas writes its index as a first column without a name.
    nameless = [str(i) for i in selection.features if i > 0 and not columns.names[i]]
    if nameless:
        raise ValueError(f"columns {', '.join(nameless)} have values, but no names; {ADVICE}")
    if same := repeated([columns.names[i] for i in selection.features]):
        listed = ", ".join(map(repr, same))
        raise ValueError(f"columns should have different names, but {listed} comes twice; {ADVICE}")


def repeated(values: Sequence[Any]) -> list[Any]:
    """Return what comes more than once."""
    return [value for value, n in Counter(values).items() if n > 1]
