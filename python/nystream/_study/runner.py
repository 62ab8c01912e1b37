"""Carries out runs on several cores; Ctrl-C stops it and loses nothing that is done."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from nystream import get_num_threads, set_num_threads
from nystream._runs.signals import stop_on_signal
from nystream._study.tasks import Result, StoppedError, Task, execute


@dataclass
class Outcome:
    """The end of some runs: whether the user stopped them, and those that failed."""

    stopped: bool = False
    failures: list[tuple[Task, BaseException]] = field(default_factory=list)


def run(
    tasks: Sequence[Task],
    *,
    jobs: int,
    done: Callable[[Result], None],
    progress: Callable[[Task], None],
) -> Outcome:
    """Carry out the tasks on ``jobs`` threads, and hand on each result as it comes.

    Learners let go of the interpreter's lock, so threads are as good as processes, and share the
    data. ``done`` and ``progress`` are called from the calling thread alone.
    """
    outcome = Outcome()
    with one_thread_each(), stop_on_signal() as stop, ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(execute, task, stop): task for task in tasks}
        try:
            while waiting:
                # The time-out lets signals through on systems that do not interrupt a wait.
                finished, _ = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in finished:
                    task = waiting.pop(future)
                    _settle(future, task, outcome, done)
                    progress(task)
                if stop.is_set() and not outcome.stopped:
                    outcome.stopped = True
                    waiting = {f: task for f, task in waiting.items() if not f.cancel()}
        except BaseException:
            # Nobody takes further results: do not let the pool work through the rest.
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return outcome


def _settle(
    future: Future[Result], task: Task, outcome: Outcome, done: Callable[[Result], None]
) -> None:
    error = future.exception()
    if error is None:
        done(future.result())
    elif not isinstance(error, StoppedError):
        outcome.failures.append((task, error))


@contextlib.contextmanager
def one_thread_each() -> Iterator[None]:
    """Keep learners from sharing out their work: it is timed on the thread of the run alone."""
    before = get_num_threads()
    set_num_threads(1)
    try:
        yield
    finally:
        set_num_threads(before)
