"""A shard, which runs in a process of its own."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

import nystream
from nystream._frames import NamedRows, is_table, read, take
from nystream._runs.checkpoint import Checkpoint
from nystream.ray._keys import home

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from nystream.ray._keys import Part


class Shard:
    """A model for each key, and the number of rows of the stream that they have behind them.

    A call that fails may leave some keys with rows learned and others without: then the shard is
    of no more use, and another one begins with the last file.
    """

    def __init__(self, model: nystream.Learner) -> None:
        nystream.set_num_threads(1)  # the other shards are for the other cores
        self._model = model
        self._models: dict[str, nystream.Learner] = {}
        self._position = 0

    def restore(self, files: list[Path], position: int, shard: int, n_shards: int) -> None:
        """Take those models from files whose keys are this shard's."""
        for file in files:
            checkpoint = Checkpoint.read(file)
            if checkpoint.state != {"position": position}:
                raise ValueError(f"{file} should be of row {position}, but is of another moment")
            for key in checkpoint.models:
                if home(key, n_shards) == shard:
                    self._models[key] = checkpoint.learner(key, file)
        self._position = position

    def save(self, file: Path) -> None:
        """Write all models and the position into one file."""
        models = {key: model.to_bytes() for key, model in self._models.items()}
        Checkpoint(models, {"position": self._position}).write(file)

    def models(self) -> dict[str, nystream.Learner]:
        """Return the model of each key."""
        return self._models

    def progressive(
        self,
        span: tuple[int, int],
        part: Part,
        X: Any,
        y: NDArray[Any],
    ) -> NDArray[np.float64]:
        """Predict and learn the rows of this shard between two positions of the stream."""
        start, stop = span
        if start != self._position:
            raise ValueError(f"rows from {start} on do not follow those up to {self._position}")
        predictions = blank(self._model, len(X))
        for key, rows in part.groups():
            if key not in self._models:
                self._models[key] = copy.deepcopy(self._model)
            predictions[rows] = self._models[key].progressive(take(X, rows), y[rows])
        self._position = stop
        return predictions

    def predict_many(self, part: Part, X: Any) -> NDArray[np.float64]:
        """Predict rows; of a key without a model, as its model would begin."""
        predictions = blank(self._model, len(X))
        for key, rows in part.groups():
            model = self._models.get(key, self._model)
            predictions[rows] = model.predict_many(take(X, rows))
        return predictions


def sendable(X: Any, model: nystream.Learner) -> Any:
    """Return rows in a form that can be sent and divided: tables for a model that has columns."""
    if isinstance(X, nystream.Table):
        raise TypeError(
            "X should be a data frame or a list of dicts, but is a Table: it stays here"
        )
    return X if model.schema is not None and is_table(X) else named(*numbers(X))


def numbers(X: Any) -> tuple[list[str] | None, NDArray[Any]]:
    """Return the names of columns, where they have names, and the numbers in them."""
    return read("X", X) or (None, np.asarray(X))


def named(columns: list[str] | None, X: NDArray[Any]) -> Any:
    """Return rows with the names of their columns, where they have names."""
    return X if columns is None else NamedRows(columns, X)


def blank(model: nystream.Learner, n_rows: int) -> NDArray[np.float64]:
    """Return NaN in place of each prediction that a model would make."""
    return np.full((n_rows, model.n_targets) if model.n_targets > 1 else n_rows, np.nan)
