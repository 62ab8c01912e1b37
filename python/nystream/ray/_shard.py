"""A shard, which runs in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nystream
from nystream._runs.keyed import Model, new_learner
from nystream.ray._keys import home
from nystream.ray._models import keys_of, new_models, restored, write_models
from nystream.ray._rows import blank

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from nystream.ray._keys import Part


class Shard:
    """Models of keys, and the number of rows of the stream that they have behind them.

    A call that fails may leave some keys with rows learned and others without: then the shard is
    of no more use, and another one begins with the last file.
    """

    def __init__(self, model: Model) -> None:
        nystream.set_num_threads(1)  # the other shards are for the other cores
        self._model = model
        self._models = new_models(model)
        self._nothing = blank(new_learner(model), 0)
        self._position = 0

    def restore(self, files: list[Path], position: int, shard: int, n_shards: int) -> None:
        """Take those models from files whose keys are this shard's."""
        is_mine = lambda key: home(key, n_shards) == shard  # noqa: E731
        self._models = restored(self._model, files, position, is_mine)
        self._position = position

    def save(self, path: Path) -> str:
        """Write all models into one file, and return its name, which has an ending."""
        return write_models(self._models, path, self._position)

    def models(self) -> dict[str, nystream.Learner]:
        """Return the model of each key."""
        return {key: self._models.model(key) for key in keys_of(self._models)}

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
        self._position = stop
        if not len(X):
            return self._nothing
        return self._models.progressive(part.keys, X, y)

    def predict_many(self, part: Part, X: Any) -> NDArray[np.float64]:
        """Predict rows; of a key without a model, as its model would begin."""
        return self._models.predict_many(part.keys, X) if len(X) else self._nothing
