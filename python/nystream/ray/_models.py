"""The models of the keys of a shard, and files of them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

import nystream
from nystream._frames import take
from nystream._runs.checkpoint import Checkpoint
from nystream._runs.keyed import Model, new_learner
from nystream.ray._rows import blank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

KEYED, LEARNERS = ".nys", ".ckpt"  # how the names of files end


class Learners:
    """A learner for each key, of a kind that :class:`nystream.Keyed` does not take.

    Those have several targets, a bound on the number of their rows, or have learned before. Or they
    take tables: a Keyed would learn the columns from the rows of all its keys together.
    """

    def __init__(self, model: nystream.Learner) -> None:
        self._model = model
        self._models: dict[str, nystream.Learner] = {}

    def keys(self) -> list[str]:
        """Return the keys that have a learner."""
        return list(self._models)

    def model(self, key: str) -> nystream.Learner:
        """Return the learner of a key."""
        return self._models[key]

    def insert(self, key: str, model: nystream.Learner) -> None:
        """Give a key its learner."""
        self._models[key] = model

    def progressive(self, keys: NDArray[Any], X: Any, y: NDArray[Any]) -> NDArray[np.float64]:
        """Predict and learn rows, those of a key in one call."""
        predictions = blank(self._model, len(X))
        for key, rows in groups(keys):
            if key not in self._models:
                self._models[key] = copy.deepcopy(self._model)
            predictions[rows] = self._models[key].progressive(take(X, rows), y[rows])
        return predictions

    def predict_many(self, keys: NDArray[Any], X: Any) -> NDArray[np.float64]:
        """Predict rows; of a key without a model, as its model would begin."""
        predictions = blank(self._model, len(X))
        for key, rows in groups(keys):
            model = self._models.get(key, self._model)
            predictions[rows] = model.predict_many(take(X, rows))
        return predictions


Models: TypeAlias = "Learners | nystream.Keyed"


def groups(keys: NDArray[Any]) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Return each key and where its rows are, in order."""
    names, codes, counts = np.unique(keys, return_inverse=True, return_counts=True)
    places = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
    return zip(names.tolist(), places, strict=True)


def new_models(model: Model) -> Models:
    """Return models of keys of which none has had a row."""
    if isinstance(model, nystream.Keyed):
        return copy.deepcopy(model)
    if model.n_seen or model.schema is not None:
        return Learners(model)
    try:
        return nystream.Keyed(model, shared=False)
    except ValueError:  # of several targets, or with a bound on its rows
        return Learners(model)


def stand_alone(model: Model) -> bool:
    """Tell whether keys have nothing in common, so that each may go to another shard."""
    if isinstance(model, nystream.Learner):
        return True
    return model.params["shared"] is None and model.schema is None


def keys_of(models: Models) -> list[str]:
    """Return the keys of models."""
    return list(map(str, models.keys()))


def restored(
    model: Model, files: list[Path], position: int, is_mine: Callable[[str], bool]
) -> Models:
    """Return the models of those keys in files that are a shard's."""
    models = new_models(model)
    for file in files:
        some = read_models(file, position, model)
        mine = [key for key in keys_of(some) if is_mine(key)]
        if len(files) == 1 and mine == keys_of(some) and type(some) is type(models):
            return some
        for key in mine:
            models.insert(key, some.model(key))
    return models


def read_models(file: Path, position: int, model: Model) -> Models:
    """Return the models in a file."""
    if file.suffix == KEYED:
        keyed = nystream.load(file)
        if not isinstance(keyed, nystream.Keyed):
            raise ValueError(f"{file} should hold models by key, but holds {keyed!r:.100}")
        return keyed
    checkpoint = Checkpoint.read(file)
    if checkpoint.state != {"position": position}:
        raise ValueError(f"{file} should be of row {position}, but is of another moment")
    learners = Learners(new_learner(model))
    for key in checkpoint.models:
        learners.insert(key, checkpoint.learner(key, file))
    return learners


def write_models(models: Models, path: Path, position: int) -> str:
    """Write all models into one file, and return its name, which has an ending."""
    if isinstance(models, nystream.Keyed):
        file = path.with_suffix(KEYED)
        models.save(file)
    else:
        file = path.with_suffix(LEARNERS)
        learners = {key: models.model(key).to_bytes() for key in keys_of(models)}
        Checkpoint(learners, {"position": position}).write(file)
    return file.name
