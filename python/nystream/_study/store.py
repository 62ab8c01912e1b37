"""Results on disk: a line of JSON for each run, appended when the run is done."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from nystream._runs.locks import locked
from nystream._study.tasks import Result

NAME = "results.jsonl"


class Store:
    """A file of results."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Result]:
        """All results by key; a last line that a crash has cut off counts for nothing."""
        lines = self._whole_lines().splitlines()
        results = (self._parse(number, line) for number, line in enumerate(lines, 1))
        return {result.key: result for result in results}

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Make the folder, keep other processes from writing, and mend a line that was cut off."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path):
            self.path.touch()  # before anything is run: it may be that nothing can be written
            os.truncate(self.path, len(self._whole_lines()))
            try:
                yield
            finally:
                if self.path.is_file() and self.path.stat().st_size == 0:
                    self.path.unlink()

    def append(self, result: Result) -> None:
        """Add a result; it is on disk when this returns."""
        with open(self.path, "ab") as file:
            file.write(result.to_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _whole_lines(self) -> bytes:
        """All lines but one that was cut off, if it is one of ours: this may be any file."""
        data = self.path.read_bytes() if self.path.exists() else b""
        end = data.rfind(b"\n") + 1
        tail = data[end:]
        if not (tail.startswith(START) or START.startswith(tail)):
            raise ValueError(f"{self.path} is no file of results: it ends with {tail[:40]!r}")
        return data[:end]

    def _parse(self, number: int, line: bytes) -> Result:
        try:
            return Result.from_json(line.decode())
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError(f"{self.path}: line {number} is no result: {error}") from None


START = b'{"dataset":'
