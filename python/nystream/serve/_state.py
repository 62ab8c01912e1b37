"""The state of the service, which a checkpoint holds beside the model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nystream import Learner
from nystream._runs.checkpoint import Checkpoint
from nystream.serve._facts import listed, part
from nystream.serve._packed import pack, unpack
from nystream.serve._pending import Row
from nystream.serve._record import Progress, Running
from nystream.serve._rows import Columns
from nystream.serve._tables import MAX_TEXT, columns_of

KIND = "nystream serve"
MODEL = "model"


@dataclass(frozen=True)
class State:
    """The service at one moment, apart from the learner and its progress."""

    columns: Columns
    served: Running
    pending: list[tuple[str, Row]]

    def write(self, path: Path, learner: Learner, progress: Progress) -> None:
        """Write a checkpoint."""
        # Of rows that were queued before it, the learner may have refused the first.
        is_settled = learner.n_features is not None or self.pending
        columns = self.columns if is_settled else self.columns.unknown()
        state = {
            "kind": KIND,
            "columns": [columns.n_features, columns.names],
            "served": [self.served.count, self.served.total],
            "pending": pack(self.pending),
            "progress": progress.state(),
        }
        Checkpoint({MODEL: learner.to_bytes()}, state).write(path)


def read(path: Path, max_text: int = MAX_TEXT) -> tuple[State, Learner, Progress]:
    """Read a checkpoint, or raise ``ValueError`` that says why it is none of a service."""
    checkpoint = Checkpoint.read(path)
    facts = checkpoint.state
    if not isinstance(facts, dict) or facts.get("kind") != KIND:
        raise ValueError(f"{path} is a checkpoint, but none of nystream serve")
    try:
        if list(checkpoint.models) != [MODEL]:
            raise ValueError(f"it should hold one model, but has {len(checkpoint.models)}")
        learner = Learner.from_bytes(checkpoint.models[MODEL])
        progress = Progress.restored(part(facts, "progress", dict))
        return restored(facts, learner, max_text), learner, progress
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a sound checkpoint: {error}") from error


def restored(facts: dict[str, Any], learner: Learner, max_text: int) -> State:
    """Return the service as it was with this learner."""
    known = columns_of(learner, max_text)
    columns = known.restored(*listed("columns", facts.get("columns"), 2))
    if not columns.agrees_with(known):
        raise ValueError("its columns should be those of its model")
    served = Running.restored("served", facts.get("served"))
    packed = part(facts, "pending", dict)
    return State(columns, served, unpack(packed, columns.n_features or 0, learner))
