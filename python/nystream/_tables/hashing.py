"""A running hash of what was read, by which a later run knows its input again."""

from __future__ import annotations

import hashlib

BUFFER = 1 << 16  # bytes: lines are short, and each call of a hash function costs


class RunningHash:
    """A hash of all bytes so far, however they were cut when they came."""

    def __init__(self) -> None:
        # Quick on every processor; SHA-256 is so only where it has instructions of its own.
        self._hash = hashlib.blake2b(digest_size=32)
        self._waiting = bytearray()

    def add(self, data: bytes) -> None:
        """Append bytes."""
        self._waiting += data
        if len(self._waiting) >= BUFFER:
            self._hash.update(self._waiting)
            self._waiting.clear()

    def digest(self) -> str:
        """Return the hash of all bytes so far."""
        self._hash.update(self._waiting)
        self._waiting.clear()
        return self._hash.hexdigest()

    def copy(self) -> RunningHash:
        """Return a hash that goes on by itself."""
        other = RunningHash()
        other._hash, other._waiting = self._hash.copy(), self._waiting.copy()
        return other
