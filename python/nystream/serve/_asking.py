"""Tickets for rows whose labels come later: the learner itself is asked, while it learns."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from nystream import Learner, Ticket
from nystream.serve._rows import Rows

PATIENCE = 1.0  # seconds for which a request waits for the learner
Answer = list[Ticket] | Exception | None


class Question(NamedTuple):
    """Rows that wait to be predicted; ``done`` is for the request that asks."""

    rows: Rows
    done: asyncio.Future[Answer]


class Asker:
    """Asks a learner for tickets; the thread of the event loop never waits for it.

    Parameters
    ----------
    learner
        The model.
    loop
        The event loop whose thread calls :meth:`now` and :meth:`soon`.
    most
        The most rows that may wait.

    Attributes
    ----------
    turn
        Held while the learner learns, which may take long, or is asked by :meth:`now`.
    """

    def __init__(self, learner: Learner, loop: asyncio.AbstractEventLoop, most: int) -> None:
        self.turn = threading.Lock()
        self._learner, self._loop, self._most = learner, loop, most
        self._questions: deque[Question] = deque()
        self._waiting = 0  # rows

    def now(self, rows: Rows) -> list[Ticket] | None:
        """Return tickets if the learner is free."""
        if not self.turn.acquire(blocking=False):
            return None
        try:
            return [self._learner.ask(row) for row in rows]
        finally:
            self.turn.release()

    async def soon(self, rows: Rows, wake: Callable[[], None]) -> list[Ticket] | None:
        """Return tickets when the learner is free, or None if that takes too long.

        ``wake`` sees to it that the thread that learns calls :meth:`serve`.
        """
        if self._waiting + len(rows) > self._most:
            return None
        self._waiting += len(rows)
        done: asyncio.Future[Answer] = self._loop.create_future()
        self._questions.append(Question(rows, done))
        wake()
        timer = self._loop.call_later(PATIENCE, settle, done, None)
        answer = await done
        timer.cancel()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def serve(self) -> None:
        """Ask for all rows that wait; for the thread that learns, between two calls."""
        while self._questions:
            question = self._questions.popleft()
            answer = None if question.done.done() else self._answer(question.rows)
            self._loop.call_soon_threadsafe(self._end, question, answer)

    def _answer(self, rows: Rows) -> Answer:
        try:
            return [self._learner.ask(row) for row in rows]
        except Exception as error:
            return error

    def _end(self, question: Question, answer: Answer) -> None:
        self._waiting -= len(question.rows)
        settle(question.done, answer)


def settle(done: asyncio.Future[Answer], answer: Answer) -> None:
    """Wake whoever waits, if they still do."""
    if not done.done():
        done.set_result(answer)
