"""Keeps two processes from writing the same file.

Beside ``name`` there is ``.nystream-name.lock`` for as long as a process writes. The lock
is the system's lock on that file, not the file itself: it ends with its process, however that
ends, and a file that was left behind holds up nobody.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
FAR = 1 << 30  # the byte to lock, beyond the end: on Windows nobody can read a locked byte
HELD = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)


@contextlib.contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Hold the lock of a file that is to be written; ``ValueError`` if another process has it.

    The file itself need not exist, but its folder has to. On a file system without locks, as some
    in networks, nothing is held.
    """
    real = Path(os.path.realpath(path))
    lock = real.with_name(f".nystream-{real.name}.lock")
    descriptor = acquired(lock, path)
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()}, since {now()}".encode())
        yield
    finally:
        release(lock, descriptor)


def acquired(lock: Path, path: str | os.PathLike[str]) -> int:
    """Return a descriptor of the locked file."""
    while True:
        descriptor = os.open(lock, FLAGS, 0o666)
        if not is_taken(descriptor):
            holder = os.read(descriptor, 200).decode(errors="replace")
            os.close(descriptor)
            who = f": {holder}" if holder else ""
            raise ValueError(f"another process is writing to {path}{who}")
        if is_at(lock, descriptor):
            return descriptor
        os.close(descriptor)  # whoever had it before has just removed it


def is_taken(descriptor: int) -> bool:
    """Try to take the lock; return False if another process holds it."""
    try:
        take(descriptor)
    except OSError as error:
        if error.errno in HELD:
            return False
        if error.errno not in NO_LOCKS:
            raise
    return True


def take(descriptor: int) -> None:
    """Take the lock, or raise ``OSError``."""
    if sys.platform == "win32":
        os.lseek(descriptor, FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_at(lock: Path, descriptor: int) -> bool:
    """Tell whether an open file is still the one at the path of the lock."""
    try:
        return os.path.samestat(os.stat(lock), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def release(lock: Path, descriptor: int) -> None:
    """Give the lock back, and leave no file."""
    if sys.platform == "win32":  # Windows removes no file that is open
        os.close(descriptor)
        with contextlib.suppress(OSError):
            os.unlink(lock)
    else:  # removed first: once closed, the lock may be another process's
        with contextlib.suppress(OSError):
            os.unlink(lock)
        os.close(descriptor)


def now() -> str:
    """Return the time, as people read it."""
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
