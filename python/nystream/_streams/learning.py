"""Predicts and learns a table chunk by chunk, in a way that can stop anywhere and go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from nystream._checkpoint import Checkpoint
from nystream._streams.sinks import Nowhere, TextSink
from nystream._streams.table import Position
from nystream._streams.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nystream import Learner
    from nystream._streams.selection import Selection
    from nystream._streams.sinks import Sink
    from nystream._streams.table import BadRow, Chunk, Table

CHUNK = 8192  # rows: a multiple of every learner's block, so that cutting changes no bit
MODEL = "model"


@dataclass
class Progress:
    """How far a run has come."""

    position: Position = field(default_factory=Position)
    tally: Tally = field(default_factory=Tally)


@dataclass(frozen=True)
class BadRows:
    """What becomes of bad rows: ``stop`` ends the run, ``report`` names all, ``skip`` one."""

    policy: str
    name: str
    tell: Callable[[str], None]

    def meet(self, bad: tuple[BadRow, ...], n_before: int) -> None:
        """Do what was asked for; rows that are left out are counted by whoever calls."""
        if not bad:
            return
        if self.policy == "stop":
            raise ValueError(f"{self.name}, {bad[0]}")
        named = bad if self.policy == "report" else bad[: 1 if not n_before else 0]
        for row in named:
            self.tell(f"{self.name}, {row}")


@dataclass(frozen=True)
class Keeper:
    """Writes a checkpoint each so many rows, and knows what it has to be resumed with."""

    path: str
    every: int
    settings: Mapping[str, Any]

    def keep(self, model: Learner, progress: Progress, output_length: int) -> None:
        """Replace the checkpoint."""
        state = {
            "position": asdict(progress.position),
            "tally": progress.tally.to_json(),
            "output_length": output_length,
            "settings": self.settings,
        }
        Checkpoint({MODEL: model.to_bytes()}, state).write(self.path)


class Learning:
    """A run: a model goes through a table, predicting each row before it learns it."""

    def __init__(
        self,
        model: Learner,
        table: Table,
        selection: Selection,
        sink: Sink,
        bad_rows: BadRows,
        keeper: Keeper | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.model, self.table, self.selection = model, table, selection
        self.sink, self.bad_rows, self.keeper = sink, bad_rows, keeper
        self.progress = progress or Progress()
        self._kept = self.progress.position.row

    def run(self, chunk: int, watch: Callable[[Progress], None]) -> None:
        """Go through all that is left of the table."""
        start = self.progress.position
        for part in self.table.chunks(self.selection.wanted, chunk, start):
            try:
                self.bad_rows.meet(part.bad, self.progress.tally.bad)
            except ValueError:
                self._keep()  # once the row is mended, the run can go on from here
                raise
            self._learn(part)
            self._keep_if_due()
            watch(self.progress)
        self._keep()

    def _learn(self, part: Chunk) -> None:
        tally = self.progress.tally
        if len(part.rows):
            labels = self.selection.labels(part.values)
            predictions = self.model.progressive(self.selection.rows(part.values), labels)
            tally.add(predictions, labels)
            self.sink.write(part.rows, predictions)
        tally.bad += len(part.bad)
        self.progress.position = part.end

    def _keep_if_due(self) -> None:
        if self.keeper and self.progress.position.row - self._kept >= self.keeper.every:
            self._keep()

    def _keep(self) -> None:
        """Write a checkpoint, once the predictions before it are sure to last."""
        if not self.keeper:
            return
        assert isinstance(self.sink, TextSink | Nowhere)
        self.keeper.keep(self.model, self.progress, self.sink.secure())
        self._kept = self.progress.position.row


@dataclass(frozen=True)
class Kept:
    """What a checkpoint of a run holds."""

    model: bytes
    progress: Progress
    output_length: int

    @classmethod
    def read(cls, path: str, settings: Mapping[str, Any]) -> Kept:
        """Read a checkpoint that was written with the same settings."""
        checkpoint = Checkpoint.read(path)
        try:
            state = checkpoint.state
            then = state["settings"]
            progress = Progress(Position(**state["position"]), Tally(**state["tally"]))
            kept = cls(checkpoint.models[MODEL], progress, int(state["output_length"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path} is not a checkpoint of nystream learn: {error!r}") from error
        for name, value in settings.items():
            if then.get(name) != value:
                was = f"but was {then.get(name)!r} when {path} was written"
                raise ValueError(f"--{name} is {value!r}, {was}")
        return kept
