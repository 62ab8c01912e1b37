"""What a folder of shards holds: which files belong together, and what rows they have seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import nystream
from nystream._checkpoint import Checkpoint
from nystream.ray._shard import named

if TYPE_CHECKING:
    from pathlib import Path

NAME = "shards.ckpt"


@dataclass(frozen=True)
class Record:
    """The moment to which all shards can return together.

    Parameters
    ----------
    model
        What the model of a new key begins with.
    gate
        A small learner that has seen all rows, and refuses those that do not go with them.
    position
        How many rows of the stream were learned.
    files
        The names of the shards' files, in order; none at the beginning.
    """

    model: nystream.Learner
    gate: nystream.Learner
    position: int
    files: list[str]

    @classmethod
    def first(cls, model: nystream.Learner) -> Record:
        """Return the beginning."""
        gate = nystream.RidgeAld(max_basis=1, n_targets=model.n_targets)
        if model.n_features is not None:
            zeros = np.zeros((1, model.n_features))
            y = np.zeros((1, model.n_targets) if model.n_targets > 1 else 1)
            gate.learn_many(named(model.feature_names, zeros), y)
        return cls(model, gate, 0, [])

    @classmethod
    def read(cls, folder: Path) -> Record | None:
        """Return what a folder holds; None for a folder without shards."""
        if not (folder / NAME).exists():
            return None
        checkpoint = Checkpoint.read(folder / NAME)
        model, gate = map(nystream.Learner.from_bytes, checkpoint.models.values())
        return cls(model, gate, **checkpoint.state)

    def write(self, folder: Path) -> None:
        """Put this in the place of what the folder held before, and remove all else of it."""
        models = {"model": self.model.to_bytes(), "gate": self.gate.to_bytes()}
        Checkpoint(models, {"position": self.position, "files": self.files}).write(folder / NAME)
        # What was not yet a file when a process was killed is no use, either.
        for file in (*folder.glob("shard-*.ckpt"), *folder.glob(".nystream-*.tmp")):
            if file.name not in self.files:
                file.unlink(missing_ok=True)
