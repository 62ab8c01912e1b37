"""The service of a learner, apart from HTTP: snapshots of it predict, so that nobody waits.

All of it runs in the thread of the event loop, so that nothing here needs a lock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from nystream import Learner
from nystream.serve._asking import Asker
from nystream.serve._model import Snapshot, Worker
from nystream.serve._pending import Asked, Unasked
from nystream.serve._remembering import Remembering, scored
from nystream.serve._rows import Array, Rows

MANY = 256  # rows from which on another thread scores them, so that others need not wait


class Service(Remembering):
    """A learner that predicts and learns, as the application sees it."""

    snapshot: Snapshot
    _learner: Learner

    def _look(self) -> None:
        self.model, self.n_targets = repr(self._learner), self._learner.n_targets
        self.snapshot = Snapshot.of(self._learner, self._progress)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> Worker:
        times = self.settings.refresh, self.settings.stall
        self._asker = Asker(loop, self.settings.max_queue)
        return Worker(self._learner, self._progress, *times, self, self._asker, loop)

    def _tickets(self, rows: Rows) -> Sequence[Asked]:
        return [self._learner.ask(row) for row in rows]

    async def _late(self, rows: Rows) -> Sequence[Asked]:
        predictions = await self._score(rows)
        # Copies: a view would keep the rows of the whole request for as long as this one.
        return [Unasked(x.copy(), yhat) for x, yhat in zip(rows, predictions, strict=True)]

    async def _score_one(self, row: Any) -> Any:
        return scored(self.snapshot.scorer.predict_one, row)

    async def _score(self, rows: Rows) -> Array:
        scorer = self.snapshot.scorer
        if len(rows) < MANY:
            return scored(scorer.predict_many, rows)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, scored, scorer.predict_many, rows)
