"""The pulse of the learner's thread: how long it is on its job, and how long that should take."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

MARGIN = 10  # times as long as the rows before them may the rows of a job take
WINDOW = 10_000  # rows that tell how long one takes
BEFORE = (1000.0, 1.0)  # rows and seconds that are thought to have been before the first


class Pulse:
    """The job that a thread is on. The thread itself tells of it; any other may look.

    A job is stalled when it has taken ``stall`` seconds more than ten times what its rows should
    take, judged by the latest rows learned: large jobs and slow models have more time, a single
    row has little more than ``stall``.

    Parameters
    ----------
    stall
        Seconds that any job may take.
    """

    def __init__(self, stall: float) -> None:
        self.stall = stall
        # Replaced as a whole, so that no thread sees half of it: its beginning, kind and rows.
        self._job: tuple[float, str, int] | None = None
        self._rows, self._seconds = BEFORE

    @contextmanager
    def job(self, kind: str, n_rows: int = 0) -> Iterator[None]:
        """Be on a job, such as learning so many rows."""
        start = time.monotonic()
        self._job = start, kind, n_rows
        try:
            yield
        finally:
            self._job = None
        if n_rows:
            self._count(n_rows, time.monotonic() - start)

    def _count(self, n_rows: int, seconds: float) -> None:
        kept = WINDOW / (WINDOW + n_rows)
        self._rows = self._rows * kept + n_rows
        self._seconds = self._seconds * kept + seconds

    @property
    def seconds(self) -> float:
        """Seconds since its job began; 0 while it waits for one."""
        job = self._job
        return 0.0 if job is None else time.monotonic() - job[0]

    @property
    def trouble(self) -> str | None:
        """Say what is wrong, if it does not move."""
        job = self._job
        if job is None:
            return None
        start, kind, n_rows = job
        seconds = time.monotonic() - start
        if seconds <= self.stall + MARGIN * n_rows * self._seconds / self._rows:
            return None
        what = f"{kind} {in_words(n_rows)}" if n_rows else kind
        return f"the learner does not move: it has been {what} for {seconds:.0f} seconds"


def in_words(n_rows: int) -> str:
    """Return a number of rows as a sentence has it."""
    return "1 row" if n_rows == 1 else f"{n_rows:,} rows"
