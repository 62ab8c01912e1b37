"""A model that a thread teaches, apart from HTTP: its queue, its checkpoints, its end.

All of it runs in the thread of the event loop, so that nothing here needs a lock.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nystream.serve._http import RefusedError
from nystream.serve._model import Batch, Done, Save, Stop, Worker
from nystream.serve._pulse import in_words
from nystream.serve._rows import shown
from nystream.serve._settings import Counts, Settings

STOPPED = "the learner has stopped"
Document = dict[str, Any]
Queued = tuple[int, Done | None]

logger = logging.getLogger("nystream.serve")


class Taught:
    """A model that learns what is queued, in order, and is saved now and then."""

    model: str
    snapshot: Any  # of what has been learned

    def __init__(self, settings: Settings) -> None:
        self.settings, self.counts = settings, Counts()
        self.waiting = 0  # rows queued and not yet learned
        self.failure: Exception | None = None  # why the last checkpoint was not written
        self._awaited: set[Done] = set()
        self._worker: Worker | None = None
        self._saver: asyncio.Task[None] | None = None
        self._saved_as: tuple[int, ...] = ()

    def _begin(self, loop: asyncio.AbstractEventLoop) -> Worker:
        """Return what learns, which is not started yet."""
        raise NotImplementedError

    def _mark(self) -> tuple[int, ...]:
        """Return what is different after anything that a checkpoint should hold."""
        raise NotImplementedError

    def _writer(self, path: Path) -> Callable[..., None]:
        """Return what writes a checkpoint of this moment, when the model is so far."""
        raise NotImplementedError

    async def _enqueue(self, document: Document, wait: bool) -> Queued:
        """Queue labelled rows; whoever waits gets a promise."""
        raise NotImplementedError

    # From start to stop

    def start(self) -> None:
        """Begin to learn; a second call does nothing."""
        if self._worker is None:
            loop = asyncio.get_running_loop()
            self._worker = self._begin(loop)
            self._worker.thread.start()
            if self.settings.checkpoint:
                self._saver = loop.create_task(self._save_now_and_then(self.settings.every))

    async def stop(self) -> None:
        """Learn what is queued, write the last checkpoint, and end."""
        if self._worker is None:
            return
        self._queue_save()
        if self._saver:
            self._saver.cancel()
        self._worker.put(Stop())
        await asyncio.get_running_loop().run_in_executor(None, self._worker.thread.join)
        self.ended()

    @property
    def learns(self) -> bool:
        """True if there is a thread that learns."""
        return self._worker is not None and self._worker.thread.is_alive()

    @property
    def trouble(self) -> str | None:
        """Why nothing is learned, if that is so."""
        if self._worker is None or not self.learns:
            return STOPPED
        return self._worker.pulse.trouble

    @property
    def job_seconds(self) -> float:
        """Seconds since the job of the learner's thread began; 0 while it waits for one."""
        return 0.0 if self._worker is None else self._worker.pulse.seconds

    def lost(self) -> str:
        """Say what is lost if the process ends now."""
        queued = f"what was queued is neither learned nor saved ({in_words(self.waiting)})"
        if self.settings.checkpoint is None:
            return queued
        return f"{queued}, nor is what was learned since the last checkpoint"

    async def _save_now_and_then(self, every: float) -> None:
        while True:
            await asyncio.sleep(every)
            if self._mark() != self._saved_as and (saving := self._queue_save()):
                await saving

    def _queue_save(self) -> Done | None:
        """Queue a checkpoint behind all training batches, to hold them and no later ones."""
        path = self.settings.checkpoint
        if path is None or self._worker is None:
            return None
        self._saved_as = self._mark()
        done = self._promise()
        self._worker.put(Save(self._writer(path), done))
        return done

    # Learn

    async def learn(self, document: Document, wait: bool) -> tuple[bool, Document]:
        """Queue labelled rows; tell whether they are learned, and what to answer."""
        n_rows, done = await self._enqueue(document, wait)
        if done is None:
            return False, {"queued": n_rows, "waiting": self.waiting}
        if error := await done:
            raise refused(error)
        return True, {"learned": n_rows, "n_seen": self.snapshot.n_seen}

    def _many(self, place: str, values: Any) -> list[Any]:
        if not isinstance(values, list) or not values:
            raise RefusedError(
                422, f"{place} should be a list, and not empty, but is {shown(values)}"
            )
        if len(values) > self.settings.max_rows:
            what = f"at most {self.settings.max_rows} rows, but has {len(values)}"
            raise RefusedError(413, f"{place} should have {what}")
        return values

    def _check_room(self, n_rows: int) -> None:
        if self._worker is None or not self.learns:
            raise RefusedError(503, STOPPED)
        if self.waiting + n_rows > self.settings.max_queue:
            reason = f"the queue is full: {self.waiting} rows wait to be learned"
            raise RefusedError(503, reason, (b"retry-after", b"1"))

    def _put(self, make: Callable[[Done | None], Batch], n_rows: int, wait: bool) -> Queued:
        """Queue a batch for which there is room; it is made with the promise to who waits."""
        self.waiting += n_rows
        done = self._promise() if wait else None
        if self._worker is not None:
            self._worker.put(make(done))
        return n_rows, done

    def _promise(self) -> Done:
        done: Done = asyncio.get_running_loop().create_future()
        self._awaited.add(done)
        done.add_done_callback(self._awaited.discard)
        return done

    # What the worker tells

    def published(self, snapshot: Any) -> None:
        """Let everybody predict with a new snapshot from now on."""
        self.snapshot = snapshot

    def learned(self, batches: Sequence[Batch], errors: list[Exception | None]) -> None:
        """Count batches, and wake those who wait for them."""
        for batch, error in zip(batches, errors, strict=True):
            n_rows = len(batch.y)
            self.waiting -= n_rows
            if error is None:
                self.counts.learned += n_rows
            else:
                self.counts.refused += n_rows
                logger.info("%d rows were not learned: %s", n_rows, error)
            settle(batch.done, error)

    def saved(self, job: Save, error: Exception | None) -> None:
        """Count a checkpoint."""
        self.failure = error
        if error is None:
            self.counts.saved += 1
        else:
            self.counts.not_saved += 1
            self._saved_as = ()  # like nothing, so that it is tried again
            logger.error("the checkpoint was not written: %s", error)
        settle(job.done, error)

    def ended(self) -> None:
        """Let nobody wait in vain; after an end in order nobody does."""
        for done in [done for done in self._awaited if not done.done()]:
            self.failure = RuntimeError(STOPPED)
            settle(done, self.failure)


def refused(error: Exception) -> RefusedError:
    """Tell a client why their rows were not learned."""
    if isinstance(error, RefusedError):
        return error
    return RefusedError(503 if isinstance(error, RuntimeError) else 422, str(error))


def settle(done: Done | None, error: Exception | None) -> None:
    """Wake whoever waits, if they still do."""
    if done is not None and not done.done():
        done.set_result(error)
