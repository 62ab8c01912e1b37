"""A model that predicts rows, some of which wait for their labels, apart from HTTP.

All of it runs in the thread of the event loop, so that nothing here needs a lock.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from nystream.serve._asking import Asker
from nystream.serve._http import RefusedError
from nystream.serve._model import Batch, LateBatch, TrainingBatch, View, Wake
from nystream.serve._pending import Asked, Pending
from nystream.serve._record import LATEST, Progress, Running, first
from nystream.serve._rows import Array, Columns, alone, label, labels
from nystream.serve._settings import Settings
from nystream.serve._state import State
from nystream.serve._tables import check_numbers, columns_of
from nystream.serve._taught import Document, Queued, Taught

READ = 1000  # rows that are read in one go
ASKED = 32  # rows that the model is asked for in one go
T = TypeVar("T")


class Remembering(Taught):
    """A model that predicts rows and learns them, now or when their labels come."""

    n_targets: int
    snapshot: View
    batch: ClassVar[type[TrainingBatch]] = TrainingBatch
    patience: float | None = None  # for which a request waits for the model, in seconds
    state: ClassVar[type[State]] = State  # what a checkpoint holds beside the model

    def __init__(self, model: Any, settings: Settings) -> None:
        super().__init__(settings)
        self.pending = Pending(settings.max_pending, settings.max_age)
        self.columns = columns_of(model, settings.max_text)
        self.served = Running()  # errors of the predictions that clients were given
        self.latest: deque[float] = deque(maxlen=LATEST)
        self._learner, self._progress = model, Progress()
        if settings.checkpoint and settings.checkpoint.exists():
            self._restore(settings.checkpoint)
        self._look()
        self._saved_as = self._mark()
        # Whether anything that was accepted has the columns, so that they stay as they are.
        self._is_settled = self.columns.n_features is not None
        self._asker: Asker | None = None

    def _look(self) -> None:
        """Tell the model's name, its targets and what there is to see of it."""
        raise NotImplementedError

    def _tickets(self, rows: Any) -> Sequence[Asked]:
        """Ask the model, which is free, for tickets of rows."""
        raise NotImplementedError

    async def _score(self, rows: Any) -> Array:
        """Predict rows that are not remembered."""
        raise NotImplementedError

    async def _score_one(self, row: Any) -> Any:
        """Predict a row that is not remembered."""
        raise NotImplementedError

    async def _late(self, rows: Any) -> Sequence[Asked]:
        """Predict rows to be remembered which the model has no time for."""
        raise NotImplementedError

    def _restore(self, path: Path) -> None:
        state, self._learner, self._progress = self.state.read(path, self.settings.max_text)
        self.columns, self.served = state.columns, state.served
        self.pending.restore(state.pending)

    def _mark(self) -> tuple[int, ...]:
        return self.snapshot.n_seen, self.pending.given, len(self.pending), self.served.count

    def _writer(self, path: Path) -> Callable[..., None]:
        state = self.state(self.columns, copy(self.served), self.pending.copy())
        return partial(state.write, path)

    # Predict

    async def predict(self, document: Document, remember: bool) -> Document:
        """Predict rows and, unless told otherwise, remember them until their labels come."""
        if "x" in document:
            return await self._predict_one(document, remember)
        columns, rows = await self._rows(document)
        if not remember:
            return {"predictions": self._told(await self._score(rows))}
        asked = await self._ask(rows)
        self._remember(columns)
        predictions = self._told(np.array([one.prediction for one in asked]))
        return {"predictions": predictions, "ids": await self._ids(asked)}

    def _told(self, predictions: Array) -> list[Any]:
        """Count predictions, and return them as JSON has them."""
        self.latest.extend(first(predictions))
        self.counts.predicted += len(predictions)
        values: list[Any] = predictions.tolist()
        return values

    async def _ids(self, asked: list[Asked]) -> list[str]:
        names: list[str] = []
        async for part in parts(len(asked), READ):
            names += map(self.pending.add, asked[part])
        return names

    async def _predict_one(self, document: Document, remember: bool) -> Document:
        columns, row = self._row(document)
        if remember:
            rows = alone(row)
            [asked] = self._told_now(rows, self._tickets) or await self._ask(rows)
            self._remember(columns)
            prediction = asked.prediction
        else:
            prediction = await self._score_one(row)
        if self.n_targets > 1:
            prediction = prediction.tolist()
        self.latest.append(prediction if self.n_targets == 1 else prediction[0])
        self.counts.predicted += 1
        answer: Document = {"prediction": prediction}
        if remember:
            answer["id"] = self.pending.add(asked)
        return answer

    async def _ask(self, rows: Any) -> list[Asked]:
        """Return tickets for rows, or what is in place of them where the model has no time."""
        asked: list[Asked] = []
        async for part in parts(len(rows), ASKED):
            tickets = await self._told_of(rows[part], self._tickets)
            if tickets is None:
                break
            asked += tickets
        if len(rest := rows[len(asked) :]):
            asked += await self._late(rest)
        return asked

    async def _told_of(self, rows: Any, ask: Callable[[Any], Sequence[T]]) -> Sequence[T] | None:
        """Ask the model about rows: now, or soon, or not at all if that takes too long."""
        told = self._told_now(rows, ask)
        return await self._told_soon(rows, ask) if told is None else told

    async def _told_soon(self, rows: Any, ask: Callable[[Any], Sequence[T]]) -> Sequence[T] | None:
        if self._asker is None or self._worker is None or self.trouble:
            return None
        try:
            wake = partial(self._worker.put, Wake())
            return await self._asker.soon(rows, ask, wake, self.patience)
        except ValueError as error:
            raise RefusedError(422, str(error)) from None

    def _told_now(self, rows: Any, ask: Callable[[Any], Sequence[T]]) -> Sequence[T] | None:
        asker = self._asker
        return None if asker is None else scored(lambda rows: asker.now(rows, ask), rows)

    def _row(self, document: Document) -> tuple[Columns, Any]:
        """Read ``x`` of a row to be predicted, and what is known of columns after it."""
        columns = self._columns("x", [document["x"]])
        return columns, columns.row("x", document["x"])

    async def _rows(self, document: Document) -> tuple[Columns, Any]:
        """Read ``x`` or ``X``, and what is known of columns after it."""
        if "x" in document:
            columns = self._columns("x", [document["x"]])
            return columns, columns.one("x", document["x"])
        X = self._many("X", document["X"])
        columns = self._columns("X[0]", X)
        read = [columns.rows(X[part], part.start) async for part in parts(len(X), READ)]
        return columns, columns.whole("X", read)

    def _columns(self, place: str, X: list[Any]) -> Columns:
        """Return what is known of columns, with what rows tell of new ones."""
        return self.columns.of(place, X, self.settings.max_features)

    def _adopt(self, columns: Columns) -> None:
        """Hold all rows from now on to columns that were read from a first one."""
        is_first = self.columns.n_features is None
        self.columns = columns if is_first else self.columns.merged(columns)

    def _remember(self, columns: Columns) -> None:
        self._adopt(columns)
        self._is_settled = True

    # Learn

    async def _enqueue(self, document: Document, wait: bool) -> Queued:
        if "id" in document or "ids" in document:
            return self._learn_ids(document, wait)
        return await self._learn_rows(document, wait)

    async def _learn_rows(self, document: Document, wait: bool) -> Queued:
        columns, rows = await self._rows(document)
        if isinstance(X := getattr(rows, "X", rows), list):
            check_numbers("x" if "x" in document else "X", X, self.snapshot.numbers)
        y = self._labels(document, len(rows))
        return self._queue(columns, partial(self.batch, rows), y, wait)

    def _learn_ids(self, document: Document, wait: bool) -> Queued:
        ids = self._many("ids", document["ids"]) if "ids" in document else [document["id"]]
        rows = self.pending.find(ids)
        y = self._labels(document, len(ids))
        asked = [row.asked for row in rows]
        queued = self._queue(self.columns, partial(LateBatch, asked), y, wait)
        self.pending.remove(ids)
        self.served.add([one.prediction for one in asked], y)
        return queued

    def _labels(self, document: Document, n_rows: int) -> Array:
        if "x" in document or "id" in document:
            return label("y", document["y"], self.n_targets)[None]
        return labels(document["y"], n_rows, self.n_targets)

    def _queue(self, columns: Columns, batch: Callable[..., Batch], y: Array, wait: bool) -> Queued:
        self._check_room(len(y))
        self._adopt(columns)
        return self._put(partial(batch, y, columns.array_names), len(y), wait)

    def learned(self, batches: Sequence[Batch], errors: list[Exception | None]) -> None:
        """Count batches, and wake those who wait for them."""
        self._is_settled = self._is_settled or None in errors
        super().learned(batches, errors)
        if not (self._is_settled or self.waiting):
            self.columns = self.columns.unknown()  # as before the rows that were refused


async def parts(n_rows: int, size: int) -> AsyncIterator[slice]:
    """Divide many rows, so that between two parts others have their turn."""
    for start in range(0, n_rows, size):
        if start:
            await asyncio.sleep(0)
        yield slice(start, start + size)


def scored(predict: Callable[[Any], T], rows: Any) -> T:
    """Predict; what a scorer refuses, the client is told."""
    try:
        return predict(rows)
    except ValueError as error:
        raise RefusedError(422, str(error)) from None
