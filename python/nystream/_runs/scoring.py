"""Predicts a table chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nystream._runs.fitting import fitted
from nystream._runs.gaps import predicted
from nystream._runs.progress import Progress

if TYPE_CHECKING:
    from nystream._core import Keyed, Scorer
    from nystream._runs.bad_rows import BadRows
    from nystream._runs.sinks import Sink
    from nystream._tables.selection import Selection
    from nystream._tables.table import Chunk, Table


@dataclass
class Scoring:
    """A run: a model that stays as it is predicts a table."""

    scorer: Scorer | Keyed
    table: Table
    selection: Selection
    sink: Sink
    bad_rows: BadRows
    progress: Progress = field(default_factory=Progress)

    def run(self, chunk: int, show: Callable[[Progress], None]) -> None:
        """Go through the table."""
        for read in self.table.chunks(self.selection, chunk, self.progress.position):
            part = fitted(self.scorer, read)
            self.bad_rows.meet(part.bad, self.progress.tally.bad)
            self._score(part)
            show(self.progress)

    def _score(self, part: Chunk) -> None:
        tally = self.progress.tally
        if len(part.rows):
            predictions = predicted(self.scorer, part)
            if self.selection.targets:
                tally.add(predictions, part.y)
            else:
                tally.good += len(part.rows)
            self.sink.write(part.rows, predictions)
        tally.bad += len(part.bad)
        self.progress.position = part.end
