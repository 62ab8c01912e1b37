"""The state of the service, which a checkpoint holds beside the model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from nystream import Learner
from nystream._runs.checkpoint import Checkpoint
from nystream.serve._facts import listed, part
from nystream.serve._packed import pack, unpack
from nystream.serve._pending import Row
from nystream.serve._record import Progress, Running
from nystream.serve._rows import Columns
from nystream.serve._tables import MAX_TEXT, columns_of

MODEL = "model"
S = TypeVar("S", bound="State")


@dataclass(frozen=True)
class State:
    """The service at one moment, apart from the model and its progress."""

    columns: Columns
    served: Running
    pending: list[tuple[str, Row]]
    kind: ClassVar[str] = "nystream serve"
    model: ClassVar[type] = Learner

    def write(self, path: Path, model: Any, progress: Progress) -> None:
        """Write a checkpoint."""
        # Of rows that were queued before it, the model may have refused the first.
        is_settled = model.n_features is not None or self.pending
        columns = self.columns if is_settled else self.columns.unknown()
        state = {
            "kind": self.kind,
            "columns": [columns.n_features, columns.names],
            "served": [self.served.count, self.served.total],
            "pending": self._packed(),
            "progress": progress.state(),
        }
        Checkpoint({MODEL: self._stored(model)}, state).write(path)

    def _stored(self, model: Any) -> Any:
        """Return a model as a checkpoint has it."""
        return model.to_bytes()

    def _packed(self) -> dict[str, Any]:
        return pack(self.pending)

    @staticmethod
    def _unpacked(packed: dict[str, Any], n_features: int, model: Any) -> list[tuple[str, Row]]:
        return unpack(packed, n_features, model)

    @classmethod
    def read(cls: type[S], path: Path, max_text: int = MAX_TEXT) -> tuple[S, Any, Progress]:
        """Read a checkpoint, or raise ``ValueError`` that says why it is none of a service."""
        checkpoint = Checkpoint.read(path)
        facts = checkpoint.state
        if not isinstance(facts, dict) or facts.get("kind") != cls.kind:
            raise ValueError(f"{path} is a checkpoint, but none of {cls.kind}")
        try:
            if list(checkpoint.models) != [MODEL]:
                raise ValueError(f"it should hold one model, but has {len(checkpoint.models)}")
            model: Any = cls.model
            model = model.from_bytes(checkpoint.models.pop(MODEL))
            progress = Progress.restored(part(facts, "progress", dict))
            return cls._restored(facts, model, max_text), model, progress
        except (OverflowError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is not a sound checkpoint: {error}") from error

    @classmethod
    def _restored(cls: type[S], facts: dict[str, Any], model: Any, max_text: int) -> S:
        """Return the service as it was with this model."""
        known = columns_of(model, max_text)
        columns = known.restored(*listed("columns", facts.get("columns"), 2))
        if not columns.agrees_with(known):
            raise ValueError("its columns should be those of its model")
        served = Running.restored("served", facts.get("served"))
        packed = part(facts, "pending", dict)
        return cls(columns, served, cls._unpacked(packed, columns.n_features or 0, model))
