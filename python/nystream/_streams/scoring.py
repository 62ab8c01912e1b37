"""Predicts a table chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nystream._streams.keeping import Progress

if TYPE_CHECKING:
    from nystream import Scorer
    from nystream._streams.learning import BadRows
    from nystream._streams.selection import Selection
    from nystream._streams.sinks import Sink
    from nystream._streams.table import Chunk, Table


@dataclass
class Scoring:
    """A run: a model that stays as it is predicts a table."""

    scorer: Scorer
    table: Table
    selection: Selection
    sink: Sink
    bad_rows: BadRows
    progress: Progress = field(default_factory=Progress)

    def run(self, chunk: int, watch: Callable[[Progress], None]) -> None:
        """Go through the table."""
        for part in self.table.chunks(self.selection.wanted, chunk, self.progress.position):
            self.bad_rows.meet(part.bad, self.progress.tally.bad)
            self._score(part)
            watch(self.progress)

    def _score(self, part: Chunk) -> None:
        tally = self.progress.tally
        if len(part.rows):
            predictions = self.scorer.predict_many(self.selection.rows(part.values))
            if self.selection.targets:
                tally.add(predictions, self.selection.labels(part.values))
            else:
                tally.good += len(part.rows)
            self.sink.write(part.rows, predictions)
        tally.bad += len(part.bad)
        self.progress.position = part.end
