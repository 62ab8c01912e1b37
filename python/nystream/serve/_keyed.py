"""Models by key as a service, apart from HTTP: with no snapshots, since keys may be many.

The models themselves predict: at once where they are free, else between two calls that teach them.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from nystream import Keyed
from nystream._runs.resuming import algorithm
from nystream.serve._asking import Asker
from nystream.serve._http import RefusedError
from nystream.serve._keyed_state import KeyedState
from nystream.serve._keys import Key, KeyedRow, KeyedRows, key_of, keys_of
from nystream.serve._model import (
    BATCH,
    Batch,
    LateBatch,
    TrainingBatch,
    View,
    Worker,
    with_names,
)
from nystream.serve._pending import Asked
from nystream.serve._record import Progress
from nystream.serve._remembering import Remembering, parts
from nystream.serve._rows import Array, Columns
from nystream.serve._settings import Settings
from nystream.serve._taught import Document

MANY = 256  # rows that are predicted in one go; from so many on another thread does it
SELDOM = 1000  # times as long as it takes to weigh the models until they are weighed again


@dataclass(frozen=True)
class KeyedBatch(TrainingBatch):
    """Labelled rows of one request, with their keys."""

    part: ClassVar[int] = BATCH  # rows that are learned before others have their turn
    X: Any


class Scales:
    """Weighs models by key, seldom enough to cost little: each key has to be looked at."""

    def __init__(self) -> None:
        self._nbytes, self._next = 0, -math.inf

    def weigh(self, keyed: Keyed) -> int:
        """Return the memory of the models, as it was not long ago."""
        start = time.monotonic()
        if start >= self._next:
            self._nbytes = keyed.nbytes
            self._next = start + SELDOM * (time.monotonic() - start)
        return self._nbytes


class Unhurried:
    """Models by key that are written to a file while others have their turn between two pieces."""

    def __init__(self, keyed: Keyed, pause: Callable[[], None]) -> None:
        self.n_features, self._keyed, self._pause = keyed.n_features, keyed, pause

    def _write_to(self, file: Any) -> None:
        def write(data: bytes) -> None:
            file.write(data)
            self._pause()

        self._keyed._write_to(SimpleNamespace(write=write))


class KeyedWorker(Worker):
    """Learns rows by key, some at a time, so that others have their turn between them."""

    _learner: Any

    def __init__(self, *given: Any, most: int) -> None:
        super().__init__(*given)
        self._most, self._scales = most, Scales()  # most is that of keys

    def _kinds(self) -> dict[type, tuple[str, Callable[[list[Any]], None]]]:
        return {**super()._kinds(), KeyedBatch: ("learning", self._answer)}

    def _outcomes(self, batch: Any) -> Iterator[tuple[Batch, Exception | None]]:
        """Learn a batch whose new keys there is room for."""
        refusal = self._refusal(keys_in(batch))
        if refusal is None:
            yield from super()._outcomes(batch)
        else:
            yield batch, refusal

    def _refusal(self, keys: list[Key]) -> RefusedError | None:
        """Refuse keys beyond the limit, of which none is then learned."""
        room = self._most - len(self._learner)
        if len(keys) <= room or sum(key not in self._learner for key in {*keys}) <= room:
            return None
        return RefusedError(507, f"there are {len(self._learner)} keys: no room for new ones")

    def _learn_part(self, batch: Any, part: slice) -> Sequence[Any]:
        if isinstance(batch, LateBatch):
            return super()._learn_part(batch, part)
        rows = batch.X[part]
        X = with_names(batch.names, rows.X)
        return [*self._learner.progressive(rows.keys, X, batch.y[part])]

    def _size(self) -> int:
        return len(self._learner)

    def _snapshot(self) -> View:
        with self._asker.turn:
            return view(self._learner, self._scales, self._progress)

    def _to_save(self) -> Unhurried:
        return Unhurried(self._learner, self._asker.serve)


class KeyedService(Remembering):
    """Models by key that predict and learn, as the application sees them."""

    n_targets = 1
    state = KeyedState
    batch = KeyedBatch
    _learner: Keyed

    def __init__(self, keyed: Keyed, settings: Settings) -> None:
        super().__init__(keyed, settings)
        self.patience = settings.stall  # there is nothing else that could predict

    def _look(self) -> None:
        self.model = algorithm(self._learner)
        self.snapshot = view(self._learner, Scales(), self._progress)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> Worker:
        given = self.settings.refresh, self.settings.stall
        self._asker = Asker(loop, self.settings.max_queue)
        most = self.settings.max_keys_total
        return KeyedWorker(
            self._learner, self._progress, *given, self, self._asker, loop, most=most
        )

    def _row(self, document: Document) -> tuple[Columns, KeyedRow]:
        key = key_of("key", document["key"], self.settings.max_text)
        columns, row = super()._row(document)
        return columns, KeyedRow(key, row)

    async def _rows(self, document: Document) -> tuple[Columns, KeyedRows]:
        most = self.settings.max_text
        if "x" in document:
            keys = [key_of("key", document["key"], most)]
        else:
            keys = keys_of(document["keys"], len(self._many("X", document["X"])), most)
        columns, X = await super()._rows(document)
        return columns, KeyedRows(keys, X)

    def _tickets(self, rows: Any) -> Sequence[Asked]:
        return [self._learner.ask(*row) for row in rows]

    async def _late(self, rows: Any) -> Sequence[Asked]:
        raise busy()

    def _said(self, rows: Any) -> list[float]:
        return [self._learner.predict_one(*row) for row in rows]

    async def _score_one(self, row: KeyedRow) -> float:
        said = await self._told_of([row], self._said)
        if said is None:
            raise busy()
        return said[0]

    async def _score(self, rows: KeyedRows) -> Array:
        said: list[float] = []
        ask = self._told_of if len(rows) < MANY else self._told_soon  # by the thread that learns
        async for part in parts(len(rows), MANY):
            some = await ask(rows[part], self._said_together)
            if some is None:
                raise busy()
            said += some
        return np.array(said)

    def _said_together(self, rows: Any) -> list[float]:
        said: list[float] = self._learner.predict_many(rows.keys, rows.X).tolist()
        return said


def keys_in(batch: Any) -> list[Key]:
    """Return the keys of the rows of a batch."""
    if isinstance(batch, KeyedBatch):
        keys: list[Key] = batch.X.keys
        return keys
    tickets: Sequence[Any] = batch.asked
    return [ticket.key for ticket in tickets]


def view(keyed: Keyed, scales: Scales, progress: Progress) -> View:
    """Return what there is to see of models by key now."""
    return View.at(keyed, len(keyed), scales.weigh(keyed), progress)


def busy() -> RefusedError:
    """Refuse to predict with models that do not become free."""
    return RefusedError(503, "the models are busy: try again", (b"retry-after", b"1"))
