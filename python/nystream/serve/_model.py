"""The thread that learns, and the snapshots that all others predict with."""

from __future__ import annotations

import math
import queue
import threading
import time
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from nystream import Learner, Scorer, Ticket
from nystream._core import Column
from nystream._frames import NamedRows
from nystream.serve._asking import Asker
from nystream.serve._pending import Asked
from nystream.serve._pulse import Pulse
from nystream.serve._record import Point, Progress
from nystream.serve._rows import Array, Rows, alone

V = TypeVar("V", bound="View")
Done = Future[Exception | None]  # of those who wait
BATCH = 128  # rows of several requests that are learned in one go


@dataclass(frozen=True)
class View:
    """What there is to see of a model at one moment.

    The size of a learner is the number of rows that it keeps, that of models by key the number of
    keys.
    """

    n_seen: int
    size: int
    nbytes: int
    mse: float | None
    points: list[Point]
    latest: list[tuple[float, float]]
    schema: list[Column] | None
    made: float

    @cached_property
    def numbers(self) -> list[str]:
        """The names of columns that hold numbers."""
        return [column.name for column in self.schema or () if column.kind == "number"]

    @classmethod
    def at(cls: type[V], model: Any, size: int, nbytes: int, progress: Progress, **more: Any) -> V:
        """Return what there is to see of a model now."""
        return cls(
            n_seen=model.n_seen,
            size=size,
            nbytes=nbytes,
            mse=progress.error.mean,
            points=progress.points(size),
            latest=[*progress.latest],
            schema=model.schema,
            made=time.monotonic(),
            **more,
        )


@dataclass(frozen=True)
class Snapshot(View):
    """A learner as it was at one moment; whoever holds it may use it for as long as they like."""

    scorer: Scorer

    @classmethod
    def of(cls, learner: Learner, progress: Progress) -> Snapshot:
        """Return what there is to see of a learner now, and what predicts as it does."""
        scorer = learner.scorer()
        return cls.at(learner, learner.n_basis, learner.nbytes, progress, scorer=scorer)


@dataclass(frozen=True)
class TrainingBatch:
    """Labelled rows of one request; ``done`` is for those who wait until they are learned."""

    X: Rows
    y: Array
    names: list[str] | None
    done: Done | None = None


@dataclass(frozen=True)
class LateBatch:
    """Rows of one request that were predicted before, and their labels."""

    part: ClassVar[int] = 1  # rows that are learned before others have their turn

    asked: Sequence[Asked]
    y: Array
    names: list[str] | None
    done: Done | None = None


@dataclass(frozen=True)
class Save:
    """A checkpoint to be written when all that was queued before it is learned."""

    write: Callable[[Learner, Progress], None]
    done: Done


class Wake:
    """Nothing to do but what is done before each job."""


class Stop:
    """The end: nothing is queued after it."""


Batch = TrainingBatch | LateBatch
Job = Batch | Save | Wake | Stop


class Listener(Protocol):
    """Who is told, in the thread of the event loop, what the worker has done."""

    def published(self, snapshot: Any) -> None:
        """Hear of a new snapshot."""

    def learned(self, batches: Sequence[Batch], errors: list[Exception | None]) -> None:
        """Hear of batches that were learned, or refused where there is an error."""

    def ended(self) -> None:
        """Hear that nothing more will be done."""

    def saved(self, job: Save, error: Exception | None) -> None:
        """Hear of a checkpoint that was written, or not if there is an error."""


class Worker:
    """Learns what is queued, in order; from its start on nobody else teaches the learner.

    Others may ask it for tickets; those who wait while it learns are served before it goes on.

    Parameters
    ----------
    learner
        The model.
    progress
        Its record so far.
    refresh
        Least seconds between two snapshots, unless somebody waits for one.
    stall
        Seconds from which on a job may be stalled.
    listener, asker, loop
        Who is told of the work, who asks for tickets, and the loop in whose thread they are.
    """

    def __init__(
        self,
        learner: Learner,
        progress: Progress,
        refresh: float,
        stall: float,
        listener: Listener,
        asker: Asker,
        loop: AbstractEventLoop,
    ) -> None:
        self.pulse = Pulse(stall)
        # A daemon, so that whoever asks the process to end at once is obeyed.
        self.thread = threading.Thread(target=self._run, name="nystream-learner", daemon=True)
        self._learner, self._progress, self._refresh = learner, progress, refresh
        self._asker = asker
        self._listener, self._tell = listener, loop.call_soon_threadsafe
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._shown = -math.inf
        self._due: float | None = None  # when what has been learned is to be seen
        self._stopped = False

    def put(self, job: Any) -> None:
        """Queue a job."""
        self._jobs.put(job)

    def _run(self) -> None:
        try:
            self._work()
        finally:
            self._tell(self._listener.ended)

    def _work(self) -> None:
        """Work until the end is queued."""
        work = self._kinds()
        while not self._stopped:
            for kind, group in groupby(self._take(), type):
                jobs, (name, do) = list(group), work[kind]
                with self.pulse.job(name, sum(map(size, jobs))):
                    self._asker.serve()
                    do(jobs)
            if self._due is not None and time.monotonic() >= self._due:
                with self.pulse.job("making a snapshot"):
                    self._show()

    def _kinds(self) -> dict[type, tuple[str, Callable[[list[Any]], None]]]:
        """Return what to do for each kind of job, and what to call it."""
        return {
            TrainingBatch: ("learning", self._learn),
            LateBatch: ("learning", self._answer),
            Save: ("writing a checkpoint", self._save),
            Wake: ("predicting", lambda _: None),
            Stop: ("ending", self._stop),
        }

    def _take(self) -> list[Job]:
        """Wait for jobs, or until a snapshot is due."""
        patience = None if self._due is None else max(0.0, self._due - time.monotonic())
        jobs: list[Job] = []
        n_rows = 0
        try:
            jobs.append(self._jobs.get(timeout=patience))
            while (n_rows := n_rows + size(jobs[-1])) < BATCH:
                jobs.append(self._jobs.get_nowait())
        except queue.Empty:
            pass
        return jobs

    def _learn(self, batches: list[TrainingBatch]) -> None:
        with self._asker.turn:
            groups = [list(group) for _, group in groupby(batches, shape)]
            errors = [error for group in groups for error in self._refused(group)]
        self._end(batches, errors)

    def _end(self, batches: Sequence[Batch], errors: list[Exception | None]) -> None:
        self._due = self._shown + self._refresh
        if any(batch.done for batch in batches):
            self._show()  # first, so that those who wait can see what they have taught
        self._tell(self._listener.learned, batches, errors)

    def _refused(self, batches: list[TrainingBatch]) -> list[Exception | None]:
        """Learn all in one call or, where one of them is refused, each in its own."""
        try:
            self._learn_together(batches)
        except Exception as error:
            if len(batches) > 1:
                return [error for batch in batches for error in self._refused([batch])]
            return [error]
        return [None] * len(batches)

    def _learn_together(self, batches: list[TrainingBatch]) -> None:
        X = joined([batch.X for batch in batches])
        y = np.concatenate([batch.y for batch in batches])
        predictions = self._learner.progressive(with_names(batches[0].names, X), y)
        self._progress.add(predictions, y, self._size())

    def _answer(self, batches: Sequence[Batch]) -> None:
        outcomes = [outcome for batch in batches for outcome in self._outcomes(batch)]
        self._end([batch for batch, _ in outcomes], [error for _, error in outcomes])

    def _outcomes(self, batch: Any) -> Iterator[tuple[Batch, Exception | None]]:
        """Learn the parts of a batch; after the first that is refused, the others are too."""
        predictions: list[Any] = []
        error: Exception | None = None
        try:
            for start in range(0, len(batch.y), batch.part):
                with self._asker.turn:
                    predictions += self._learn_part(batch, slice(start, start + batch.part))
                self._asker.serve()
        except Exception as reason:
            error = reason
        n = len(predictions)
        if n:
            self._progress.add(np.array(predictions), batch.y[:n], self._size())
        if n and error:
            yield replace(batch, y=batch.y[:n], done=None), None
            rest = "the one" if batch.part == 1 else "those"
            error = ValueError(f"{n} rows were learned, but not {rest} after them: {error}")
        yield replace(batch, y=batch.y[n:]) if error else batch, error

    def _learn_part(self, batch: Any, part: slice) -> Sequence[Any]:
        """Learn some rows of a batch, and return what was predicted for them."""
        pairs = zip(batch.asked[part], batch.y[part], strict=True)
        return [self._learn_late(asked, y, batch.names) for asked, y in pairs]

    def _size(self) -> int:
        """Return the number of what the model keeps."""
        return self._learner.n_basis

    def _learn_late(self, asked: Asked, y: Array, names: list[str] | None) -> Any:
        """Learn a row, and return what was predicted for it."""
        if not isinstance(asked, Ticket):
            X = with_names(names, alone(asked.x))
            return self._learner.progressive(X, y[None])[0]
        is_first = names is not None and self._learner.n_seen == 0
        self._learner.answer(named(asked, names) if is_first else asked, y)
        return asked.prediction

    def _show(self) -> None:
        self._shown, self._due = time.monotonic(), None
        self._tell(self._listener.published, self._snapshot())

    def _snapshot(self) -> Any:
        return Snapshot.of(self._learner, self._progress)

    def _save(self, jobs: list[Save]) -> None:
        for job in jobs:
            error = None
            try:
                job.write(self._to_save(), self._progress)
            except Exception as reason:
                error = reason
            self._tell(self._listener.saved, job, error)

    def _to_save(self) -> Any:
        """Return what a checkpoint is written of."""
        return self._learner

    def _stop(self, _: list[Stop]) -> None:
        self._stopped = True


def size(job: Job) -> int:
    """Return the number of rows to learn."""
    return len(job.y) if isinstance(job, Batch) else 0


def shape(batch: TrainingBatch) -> Any:
    """Return what is equal for batches that are learned in one call as they are one by one.

    The values of a column of a table are read together, so that only rows with values of the same
    types are one table.
    """
    if not isinstance(batch.X, list):
        return None
    if len(batch.X) > 1:
        return id(batch)
    [row] = batch.X
    return tuple(row), tuple(float if type(one) is int else type(one) for one in row.values())


def joined(parts: list[Any]) -> Any:
    """Return the rows of several batches of one shape."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], list):
        return [row for part in parts for row in part]
    return np.concatenate(parts)


def with_names(names: list[str] | None, X: Rows) -> Any:
    """Return an array with the names of its features, if it does not know them."""
    return NamedRows(names, X) if names and not isinstance(X, list) else X


def named(ticket: Ticket, names: list[str] | None) -> Ticket:
    """Return a ticket that names its features, so that the learner takes their names from it."""
    restore, (parts,) = ticket.__reduce__()
    if ticket.key is not None:
        *rest, _ = parts
        named: Ticket = restore((*rest, names))
        return named
    (x, at, _, row), *rest = parts
    return Ticket._restore(((x, at, names, row), *rest))
