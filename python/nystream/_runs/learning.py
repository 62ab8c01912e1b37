"""Predicts and learns a table chunk by chunk, in a way that can stop anywhere and go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nystream._runs.fitting import fitted
from nystream._runs.gaps import progressive
from nystream._runs.progress import Progress
from nystream._runs.sinks import Nowhere, TextSink

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nystream._core import Keyed, Learner
    from nystream._runs.bad_rows import BadRows
    from nystream._runs.resuming import CheckpointWriter
    from nystream._runs.sinks import Sink
    from nystream._tables.table import Chunk


class Learning:
    """A run: a model goes through chunks of rows, predicting each row before it learns it.

    A label is learned when ``delay`` more rows have been predicted.
    """

    def __init__(
        self,
        model: Learner | Keyed,
        sink: Sink,
        bad_rows: BadRows,
        writer: CheckpointWriter | None = None,
        progress: Progress | None = None,
        delay: int = 0,
    ) -> None:
        self.model, self.sink = model, sink
        self.bad_rows, self.writer = bad_rows, writer
        self.progress, self.delay = progress or Progress(), delay
        self._written = self.progress.position.row

    def run(self, chunks: Iterable[Chunk], show: Callable[[Progress], None]) -> None:
        """Go through chunks that begin at the position of the run."""
        for chunk in chunks:
            part = fitted(self.model, chunk)
            try:
                self.bad_rows.meet(part.bad, self.progress.tally.bad)
            except ValueError:
                self._write()  # once the row is mended, the run can go on from here
                raise
            self._learn(part)
            if self.writer and part.end.row - self._written >= self.writer.every:
                self._write()
            show(self.progress)
        self._write()

    def _learn(self, part: Chunk) -> None:
        tally = self.progress.tally
        if len(part.rows):
            predictions = progressive(self.model, part, self.delay)
            tally.add(predictions, part.y)
            self.sink.write(part.rows, predictions)
        tally.bad += len(part.bad)
        self.progress.position = part.end

    def _write(self) -> None:
        """Write a checkpoint, after the predictions before it are safely on disk."""
        if not self.writer:
            return
        assert isinstance(self.sink, TextSink | Nowhere)
        self.writer.write(self.model, self.progress, self.sink.secure())
        self._written = self.progress.position.row
