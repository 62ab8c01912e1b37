"""A forecaster as a service, apart from HTTP: it learns a series, forecasts, saves."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nystream import Forecaster
from nystream._runs.checkpoint import Checkpoint
from nystream.serve._asking import Asker
from nystream.serve._http import RefusedError
from nystream.serve._model import TrainingBatch, Worker
from nystream.serve._record import Progress
from nystream.serve._series import Limits, ends, features, level_of, times, values
from nystream.serve._settings import Settings
from nystream.serve._taught import Document, Queued, Taught, refused

KIND = "nystream serve: a forecaster"
MODEL = "model"


@dataclass(frozen=True)
class View:
    """What there is to see of a forecaster at one moment."""

    n_seen: int
    n_too_late: int
    nbytes: int
    errors: list[dict[str, float | None]]
    made: float

    @classmethod
    def of(cls, forecaster: Forecaster) -> View:
        """Look at a forecaster."""
        rows = forecaster.report.rows()
        return cls(
            forecaster.n_seen,
            forecaster.n_too_late,
            forecaster.nbytes,
            [{name: known(value) for name, value in row.items()} for row in rows],
            time.monotonic(),
        )


@dataclass(frozen=True)
class SeriesBatch(TrainingBatch):
    """Rows of a series, of one request; X may be None."""

    X: Any
    time: list[Any] | None = None


@dataclass(frozen=True)
class Question:
    """A request for forecasts, which are made when all that was queued before it is learned."""

    X: list[dict[str, Any]] | None
    level: float
    done: asyncio.Future[Document | Exception]


class ForecastWorker(Worker):
    """Learns a series and makes forecasts, in the order in which they were asked for."""

    _learner: Any

    def _kinds(self) -> dict[type, tuple[str, Callable[[list[Any]], None]]]:
        learning, forecasting = ("learning", self._learn), ("forecasting", self._forecast)
        return {**super()._kinds(), SeriesBatch: learning, Question: forecasting}

    def _learn(self, batches: list[Any]) -> None:
        self._end(batches, [self._outcome(batch) for batch in batches])

    def _outcome(self, batch: SeriesBatch) -> Exception | None:
        try:
            self._learner.learn_many(batch.y, batch.X, time=batch.time)
        except Exception as error:
            return error
        return None

    def _forecast(self, questions: list[Question]) -> None:
        for question in questions:
            try:
                answer: Any = forecasts(self._learner, question.X, question.level)
            except Exception as error:
                answer = error
            self._tell(settle, question.done, answer)

    def _snapshot(self) -> View:
        return View.of(self._learner)


class ForecastService(Taught):
    """A forecaster that learns and forecasts, as the application sees it."""

    snapshot: View

    def __init__(self, forecaster: Forecaster, settings: Settings) -> None:
        super().__init__(settings)
        self._forecaster = forecaster
        if settings.checkpoint and settings.checkpoint.exists():
            self._forecaster = read(settings.checkpoint)
        self.model = repr(self._forecaster)
        self.snapshot = View.of(self._forecaster)
        self._saved_as = self._mark()
        self._limits = Limits(settings.max_features, settings.max_text)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> Worker:
        model: Any = self._forecaster
        asker = Asker(loop, self.settings.max_queue)
        times = self.settings.refresh, self.settings.stall
        return ForecastWorker(model, Progress(), *times, self, asker, loop)

    def _mark(self) -> tuple[int, ...]:
        return self.counts.learned, self.snapshot.n_seen

    def _writer(self, path: Path) -> Callable[..., None]:
        return partial(write, path)

    async def forecast(self, document: Document) -> Document:
        """Forecast the next values, perhaps with what is known ahead of their rows."""
        X = None
        if "X" in document:
            X = features(self._many("X", document["X"]), None, self._limits)
        level = level_of(document)
        self._check_room(1)
        done: asyncio.Future[Any] = self._promise()
        self.counts.predicted += 1
        if self._worker is not None:
            self._worker.put(Question(X, level, done))
        answer: Document | Exception = await done
        if isinstance(answer, Exception):
            raise refused(answer)
        return answer

    async def _enqueue(self, document: Document, wait: bool) -> Queued:
        y, rows = document["y"], document.get("X")
        time = document.get("time")
        if not isinstance(y, list):
            y, rows = [y], [document["x"]] if "x" in document else None
            time = [time] if "time" in document else None
        elif "x" in document:
            raise RefusedError(422, 'y should be one value beside "x": the rows of many are "X"')
        series = values(self._many("y", y))
        X = None if rows is None else features(rows, len(series), self._limits)
        if time is not None:
            time = times(time, len(series), self.settings.max_text)
        self._check_room(len(series))
        make = partial(SeriesBatch, X, series, None, time=time)
        return self._put(lambda done: make(done=done), len(series), wait)


def forecasts(model: Forecaster, X: list[dict[str, Any]] | None, level: float) -> Document:
    """Return forecasts and intervals with their times, or numbers of rows, as JSON has them."""
    found = model.next_times
    is_time = found.dtype.kind == "M"
    return {
        "times": [str(time).removesuffix(".000000") for time in found]
        if is_time
        else found.tolist(),
        "forecasts": model.predict(X).tolist(),
        "intervals": ends(model.predict_interval(X, level)),
        "level": level,
    }


def known(value: float) -> float | None:
    """Return a number as JSON has it: NaN is null."""
    return None if math.isnan(value) else value


def settle(done: asyncio.Future[Any], answer: Any) -> None:
    """Wake whoever waits, if they still do."""
    if not done.done():
        done.set_result(answer)


def write(path: Path, forecaster: Any, _: Progress) -> None:
    """Write a checkpoint."""
    Checkpoint({MODEL: forecaster.to_bytes()}, {"kind": KIND}).write(path)


def read(path: Path) -> Forecaster:
    """Read a checkpoint, or raise ``ValueError`` that says why it is none of a forecaster."""
    checkpoint = Checkpoint.read(path)
    if checkpoint.state.get("kind") != KIND or list(checkpoint.models) != [MODEL]:
        raise ValueError(f"{path} is a checkpoint, but none of a forecaster that is served")
    try:
        return Forecaster.from_bytes(checkpoint.models[MODEL])
    except ValueError as error:
        raise ValueError(f"{path} is not a sound checkpoint: {error}") from error
