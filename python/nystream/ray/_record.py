"""The record of a folder of shards: which files belong together, and what rows they have seen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import nystream
from nystream._checks import whole
from nystream._learners._columns import column_parameters
from nystream._runs.checkpoint import Checkpoint
from nystream._runs.keyed import Model, new_learner
from nystream.ray._rows import named

if TYPE_CHECKING:
    from pathlib import Path

NAME = "shards.ckpt"
MODEL, VALIDATOR = "model", "gate"  # as files name them
SHARD = re.compile(r"shard-\d+-\d+\.(ckpt|nys)")


@dataclass(frozen=True)
class Record:
    """The moment to which all shards can return together.

    Parameters
    ----------
    model
        What the model of a new key begins with.
    validator
        A small learner that has seen all rows, and refuses those that do not go with them.
    position
        How many rows of the stream were learned.
    files
        The names of the shards' files, in order; none at the beginning.
    """

    model: Model
    validator: nystream.Learner
    position: int
    files: list[str]

    @classmethod
    def first(cls, model: Model) -> Record:
        """Return the beginning."""
        own = new_learner(model)
        validator: nystream.Learner = nystream.RidgeAld(max_basis=1, n_targets=own.n_targets)
        if own.schema is not None:
            validator = nystream.Tabular(validator, **column_parameters(own.params))
        elif own.n_features is not None:
            zeros = np.zeros((1, own.n_features))
            y = np.zeros((1, own.n_targets) if own.n_targets > 1 else 1)
            validator.learn_many(named(own.feature_names, zeros), y)
        return cls(model, validator, 0, [])

    @classmethod
    def read(cls, folder: Path) -> Record | None:
        """Return what a folder holds; None for a folder without shards."""
        if not (folder / NAME).exists():
            return None
        path = folder / NAME
        checkpoint = Checkpoint.read(path)
        try:
            position = whole("position", checkpoint.state["position"], 0)
            files = [file_name(name) for name in checkpoint.state["files"]]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is not a record of shards: {error!r}") from error
        model: Any = checkpoint.model(MODEL, path)
        return cls(model, checkpoint.learner(VALIDATOR, path), position, files)

    def write(self, folder: Path) -> None:
        """Put this in the place of what the folder held before, and remove all else of it."""
        models = {MODEL: self.model.to_bytes(), VALIDATOR: self.validator.to_bytes()}
        Checkpoint(models, {"position": self.position, "files": self.files}).write(folder / NAME)
        # What was not yet a file when a process was killed is no use, either.
        for file in (*folder.glob("shard-*.*"), *folder.glob(".nystream-*.tmp")):
            if file.name not in self.files:
                file.unlink(missing_ok=True)


def file_name(name: Any) -> str:
    """Return the name of a shard's file, which lies in the same folder."""
    if not isinstance(name, str) or not SHARD.fullmatch(name):
        raise ValueError(f"files should be those of shards, but one is {name!r:.100}")
    return name
