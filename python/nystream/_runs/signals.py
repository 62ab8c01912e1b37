"""Ctrl-C and SIGTERM: the first one ends a command in order, the second at once."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Iterator
from threading import Event
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def end_at_second() -> None:
    """Let the second signal end this process at once, whatever it is waiting for.

    Python calls its handlers on the main thread, and there only between two steps of its own: not
    while that thread is in native code, nor while the process waits for its other threads to end.
    So another thread hears of each signal through a socket, to which Python writes it at once.
    """
    if not is_main_thread():
        return
    told, teller = socket.socketpair()
    teller.setblocking(False)
    signal.set_wakeup_fd(teller.detach(), warn_on_full_buffer=False)
    threading.Thread(target=end_when_told_twice, args=[told], daemon=True).start()


def end_when_told_twice(told: socket.socket) -> None:
    """Wait for two signals, and end the process as if the last had killed it."""
    if hasattr(signal, "pthread_sigmask"):  # the system should interrupt the main thread, not this
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    numbers: list[int] = []
    while len(numbers) < 2:
        numbers += [number for number in told.recv(64) if number in SIGNALS]
    os._exit(128 + numbers[-1])


@contextlib.contextmanager
def stop_on_signal() -> Iterator[Event]:
    """Give an event that the first signal sets; the second one does what it always does.

    The first one raises nothing, so that no result is cut off in the middle.
    """
    stop = Event()
    if not is_main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) or signal.SIG_DFL for number in SIGNALS}
    heeded = [number for number in SIGNALS if before[number] != signal.SIG_IGN]

    def handle(number: int, _: FrameType | None) -> None:
        stop.set()
        restore()

    def restore() -> None:
        for number in heeded:
            signal.signal(number, before[number])

    for number in heeded:
        signal.signal(number, handle)
    try:
        yield stop
    finally:
        restore()


def is_main_thread() -> bool:
    """Tell whether this is the thread that Python lets handle signals."""
    return threading.current_thread() is threading.main_thread()
