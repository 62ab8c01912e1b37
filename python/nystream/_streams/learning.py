"""Predicts and learns a table chunk by chunk, in a way that can stop anywhere and go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nystream._streams.keeping import Progress
from nystream._streams.sinks import Nowhere, TextSink

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nystream import Learner
    from nystream._streams.keeping import Keeper
    from nystream._streams.selection import Selection
    from nystream._streams.sinks import Sink
    from nystream._streams.table import BadRow, Chunk

CHUNK = 8192  # rows: a multiple of every learner's block, so that cutting changes no bit


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


class Learning:
    """A run: a model goes through chunks of rows, predicting each row before it learns it."""

    def __init__(
        self,
        model: Learner,
        selection: Selection,
        sink: Sink,
        bad_rows: BadRows,
        keeper: Keeper | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.model, self.selection = model, selection
        self.sink, self.bad_rows, self.keeper = sink, bad_rows, keeper
        self.progress = progress or Progress()
        self._kept = self.progress.position.row

    def run(self, chunks: Iterable[Chunk], watch: Callable[[Progress], None]) -> None:
        """Go through chunks that begin where the run stands."""
        for part in chunks:
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
