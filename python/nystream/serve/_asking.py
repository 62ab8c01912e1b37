"""Questions to a model itself while it learns, such as for tickets of rows."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

PATIENCE = 1.0  # seconds for which a request waits for the learner
Answer = Sequence[Any] | Exception | None


class Question(NamedTuple):
    """Rows that wait to be predicted; ``done`` is for the request that asks."""

    rows: Any
    ask: Callable[[Any], Sequence[Any]]
    done: asyncio.Future[Answer]


class Asker:
    """Asks a model about rows; the thread of the event loop never waits for it.

    Parameters
    ----------
    loop
        The event loop whose thread calls :meth:`now` and :meth:`soon`.
    most
        The most rows that may wait.

    Attributes
    ----------
    turn
        Held by whoever is at the model, which may take long.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, most: int) -> None:
        self.turn = threading.Lock()
        self._loop, self._most = loop, most
        self._questions: deque[Question] = deque()
        self._waiting = 0  # rows

    def now(self, rows: Any, ask: Callable[[Any], Sequence[Any]]) -> Sequence[Any] | None:
        """Return what ``ask`` tells of rows if the model is free."""
        if not self.turn.acquire(blocking=False):
            return None
        try:
            return ask(rows)
        finally:
            self.turn.release()

    async def soon(
        self,
        rows: Any,
        ask: Callable[[Any], Sequence[Any]],
        wake: Callable[[], None],
        patience: float | None = None,
    ) -> Sequence[Any] | None:
        """Return what ``ask`` tells when the model is free, or None if that takes too long.

        ``wake`` sees to it that the thread that learns calls :meth:`serve`; ``patience`` is in
        seconds, as long as others wait unless it is given.
        """
        if self._waiting + len(rows) > self._most:
            return None
        self._waiting += len(rows)
        done: asyncio.Future[Answer] = self._loop.create_future()
        self._questions.append(Question(rows, ask, done))
        wake()
        timer = self._loop.call_later(patience or PATIENCE, settle, done, None)
        answer = await done
        timer.cancel()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def serve(self) -> None:
        """Ask for all rows that wait; for the thread that learns, between two calls."""
        while self._questions:
            question = self._questions.popleft()
            answer = None
            if not question.done.done():
                with self.turn:
                    answer = answer_to(question)
            self._loop.call_soon_threadsafe(self._end, question, answer)

    def _end(self, question: Question, answer: Answer) -> None:
        self._waiting -= len(question.rows)
        settle(question.done, answer)


def answer_to(question: Question) -> Answer:
    """Ask a question, and return the answer or what is wrong with it."""
    try:
        return question.ask(question.rows)
    except Exception as error:
        return error


def settle(done: asyncio.Future[Answer], answer: Answer) -> None:
    """Wake whoever waits, if they still do."""
    if not done.done():
        done.set_result(answer)
